import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tomId } from '../../src/demo/world/world.ts'
import { maxResumes } from '../../src/model/profile.ts'
import { createCandidateStore } from '../../src/people/profile/candidate-store.ts'
import { sha256OfNothing } from '../../src/platform/core/hashing.ts'
import { newUuid } from '../../src/platform/core/ids.ts'
import { call, harbour } from '../harness/http.ts'
import { tom } from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { apply, applyPath, behindTheScenes, filesKept, roasterAd, signedIn } from './apply-form.ts'

const emptyResume = {
  contentType: 'text/plain',
  blob: null,
  sha256: sha256OfNothing,
  size: 0,
  scan: 'unscanned',
  uploadedAt: 0,
} as const

onOneEngineInTurn('applying with an uploaded resume', service => {
  test('keeps an uploaded resume if the candidate wants it, once, and its bytes once', async () => {
    const browser = await signedIn(service(), tom)
    const listed = () => behindTheScenes(service(), ({ profiles }) => profiles.listResumes(tomId))
    const before = await listed()
    const page = await browser.get(applyPath(roasterAd))
    assert.match(page.text, /name="keepResume" value="yes" checked/, 'wanted unless it is said otherwise')
    const send = (fields: Record<string, string>, content: string) =>
      apply(service(), browser, roasterAd, {
        fields: { resume: 'upload', ...fields },
        files: { resumeFile: { name: 'kept.txt', content } },
      })
    await send({}, 'Not to be kept')
    assert.deepEqual(await listed(), before)
    const files = (await filesKept(service())).length
    const id = await send({ keepResume: 'yes' }, 'To be kept')
    assert.equal((await filesKept(service())).length, files + 1)
    const added = (await listed()).filter(resume => before.every(each => each.id !== resume.id))
    assert.deepEqual(
      added.map(({ fileName, isDefault }) => [fileName, isDefault]),
      [['kept.txt', before.length === 0]],
    )
    assert.ok(added[0] !== undefined)
    assert.match((await browser.get(applyPath(roasterAd))).text, new RegExp(`value="${added[0].id}"`))
    // The same content is already there.
    await send({ keepResume: 'yes' }, 'To be kept')
    assert.equal((await listed()).length, before.length + 1)
    // Deleted, it stays with the application.
    await behindTheScenes(service(), ({ profiles }) => profiles.removeResume(tomId, added[0]?.id ?? ''))
    const resume = `/v1/advertiser/applications/resume/${id}`
    assert.equal((await call(service(), resume, { headers: harbour })).text, 'To be kept')
  })

  test('keeps no more resumes than the limit, and sends the application all the same', async () => {
    const browser = await signedIn(service(), tom)
    const ids = await behindTheScenes(service(), async ({ profiles, database }) => {
      const { length } = await profiles.listResumes(tomId)
      const store = createCandidateStore(database)
      const file = { ...emptyResume, fileName: 'one of many.txt' }
      const made = Array.from({ length: maxResumes - length }, () => newUuid())
      for (const id of made) await store.addResume(tomId, { ...file, id }, maxResumes)
      return made
    })
    const page = await browser.get(applyPath(roasterAd))
    assert.match(page.text, /You already have 20 resumes, the maximum/)
    assert.doesNotMatch(page.text, /name="keepResume"/)
    await apply(service(), browser, roasterAd, {
      fields: { resume: 'upload', keepResume: 'yes' },
      files: { resumeFile: { name: 'a.txt', content: 'One too many' } },
    })
    await behindTheScenes(service(), async ({ profiles }) => {
      assert.equal((await profiles.listResumes(tomId)).length, maxResumes)
      for (const id of ids) await profiles.removeResume(tomId, id)
    })
  })
})
