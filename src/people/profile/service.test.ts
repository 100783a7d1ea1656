import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { withServices } from '../../../test/harness/database.ts'
import { demoFile, pdfOf } from '../../../test/harness/documents.ts'
import type { Services } from '../../../test/harness/services.ts'
import { emptyProfile, maxResumes } from '../../model/profile.ts'
import { cleanUpWindowSeconds } from '../../platform/blobs/upload-age.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import { aboutForm, emptyCountry, emptyJob, versionOf } from './form.ts'

let now = Date.UTC(2026, 10, 14)

async function addCandidate({ database }: Services): Promise<string> {
  const id = newUuid()
  await database.writer
    .insertInto('candidates')
    .values({
      id,
      email: `${id}@example.com`,
      email_confirmed_at: now,
      password_hash: 'none',
      first_name: 'Ada',
      last_name: 'Byron',
      // As in an account without a profile.
      profile: '{}',
      created_at: now,
    })
    .execute()
  return id
}

async function* contentOf(bytes: Buffer | string) {
  yield Buffer.from(bytes)
}

const problemWith = (code: string) => (error: unknown) => error instanceof Problem && error.code === code

withServices('profiles', { clock: () => now }, services => {
  const upload = (candidateId: string, name: string, bytes: Buffer | string = `${name} by me`) => {
    now += 1000
    return services().profiles.addResume(candidateId, { name, content: contentOf(bytes) })
  }
  const names = async (candidateId: string) =>
    (await services().profiles.listResumes(candidateId)).map(
      ({ fileName, isDefault }) => `${fileName}${isDefault ? ' *' : ''}`,
    )
  const idOf = async (candidateId: string, fileName: string) => {
    const all = await services().profiles.listResumes(candidateId)
    return all.find(resume => resume.fileName === fileName)?.id ?? ''
  }

  test('an account without a profile has an empty one, and no resume', async () => {
    const id = await addCandidate(services())
    const { profile, resume, firstName } = await services().profiles.find(id)
    assert.deepEqual([profile, resume, firstName], [emptyProfile, null, 'Ada'])
    await assert.rejects(services().profiles.find(newUuid()), problemWith('not-found'))
  })

  const saveSkills = (id: string, skills: string, before: readonly string[]) =>
    services().profiles.change(id, {
      action: 'save',
      section: 'skills',
      form: { skills },
      version: versionOf(before),
    })

  test('a valid change is stored, an invalid or stale one is not', async () => {
    const id = await addCandidate(services())
    assert.deepEqual((await saveSkills(id, 'Māori\nTea 茶', [])).errors, [])
    const invalid = await saveSkills(id, 'x'.repeat(1000), ['Māori', 'Tea 茶'])
    assert.deepEqual(
      invalid.errors.map(({ field }) => field),
      ['skills'],
    )
    assert.equal((await saveSkills(id, 'Coffee', [])).isStale, true)
    const { lastName, profile } = await services().profiles.find(id)
    assert.deepEqual([lastName, profile.skills], ['Byron', ['Māori', 'Tea 茶']])
    await assert.rejects(saveSkills(newUuid(), 'Tea', []), problemWith('not-found'))
  })

  test('of concurrent changes none undoes another', async () => {
    const id = await addCandidate(services())
    const { profiles } = services()
    const about = aboutForm(await profiles.find(id))
    const skills = Array.from({ length: 10 }, (_, index) => `skill ${index}`)
    const form = { ...emptyJob, company: 'b', from: '2020-01', isCurrent: true }
    await Promise.all([
      profiles.change(id, {
        action: 'save',
        section: 'about',
        form: { ...about, phone: '0491 570 006' },
        version: versionOf(about),
      }),
      ...skills.map(skill => profiles.change(id, { action: 'add-skill', skill, at: undefined })),
      ...['x', 'y', 'z'].map(title =>
        profiles.change(id, { action: 'save', section: 'job', form: { ...form, title }, version: '' }),
      ),
      // Twice the same, as by a double click.
      ...[1, 2].map(() =>
        profiles.change(id, {
          action: 'save',
          section: 'country',
          form: { ...emptyCountry, country: 'AU', salary: '1' },
          version: '',
        }),
      ),
    ])
    const { profile } = await profiles.find(id)
    assert.equal(profile.phoneNumber, '0491 570 006')
    assert.deepEqual(profile.skills.toSorted(), skills)
    assert.equal(
      profile.workHistory
        .map(({ jobTitle }) => jobTitle)
        .toSorted()
        .join(''),
      'xyz',
    )
    assert.deepEqual(Object.keys(profile.salaryAndVisaByCountry), ['AU'])
  })

  test('the current month is the latest that has begun anywhere', async () => {
    const id = await addCandidate(services())
    const save = (from: string) =>
      services().profiles.change(id, {
        action: 'save',
        section: 'job',
        form: { ...emptyJob, title: 'a', company: 'b', isCurrent: true, from },
        version: '',
      })
    const before = now
    now = Date.UTC(2026, 10, 30, 9, 59)
    assert.equal((await save('2026-12')).errors.length, 1)
    now = Date.UTC(2026, 10, 30, 10, 1)
    assert.equal((await save('2026-12')).errors.length, 0)
    now = before
  })

  test('the first resume is the default, and after it the newest', async () => {
    const id = await addCandidate(services())
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await upload(id, name)
    assert.deepEqual(await names(id), ['c.txt', 'b.txt', 'a.txt *'])
    await services().profiles.chooseDefault(id, await idOf(id, 'b.txt'))
    assert.deepEqual(await names(id), ['c.txt', 'b.txt *', 'a.txt'])
    await services().profiles.removeResume(id, await idOf(id, 'a.txt'))
    assert.deepEqual(await names(id), ['c.txt', 'b.txt *'])
    await upload(id, 'd.txt')
    await services().profiles.removeResume(id, await idOf(id, 'b.txt'))
    assert.deepEqual(await names(id), ['d.txt *', 'c.txt'])
    assert.equal((await services().profiles.find(id)).resume?.fileName, 'd.txt')
    for (const name of ['d.txt', 'c.txt']) await services().profiles.removeResume(id, await idOf(id, name))
    assert.deepEqual(await names(id), [])
    assert.equal((await services().profiles.find(id)).resume, null)
  })

  test('name, type and scan state come from the content of the file', async () => {
    const id = await addCandidate(services())
    await upload(id, '../../etc/Cv\u202E.doc', demoFile('aroha-parata-resume.rtf'))
    const [resume] = await services().profiles.listResumes(id)
    assert.equal(resume?.fileName, 'Cv.rtf')
    assert.equal(resume?.contentType, 'application/rtf')
    assert.equal(resume?.scan, 'unscanned')
    assert.equal(resume?.uploadedAt, now)
    assert.equal(resume?.size, demoFile('aroha-parata-resume.rtf').length)
  })

  test('a rejected upload leaves no row', async () => {
    const id = await addCandidate(services())
    await assert.rejects(upload(id, 'a.pdf', Buffer.alloc(10)), problemWith('invalid-fields'))
    assert.deepEqual(await names(id), [])
  })

  test('an upload that the clean-up may have removed meanwhile leaves no row', async () => {
    const id = await addCandidate(services())
    const [before, file] = [now, { name: 'cv.txt', content: contentOf('cv') }]
    const late = services().profiles.addResume(id, file, (_, add) => {
      now += cleanUpWindowSeconds * 1000
      return add()
    })
    await assert.rejects(late, problemWith('unavailable'))
    now = before
    assert.deepEqual(await names(id), [])
  })

  test("a candidate cannot reach another candidate's resume", async () => {
    const [owner, other] = [await addCandidate(services()), await addCandidate(services())]
    await upload(owner, 'a.txt')
    await upload(owner, 'b.txt')
    const resumeId = await idOf(owner, 'b.txt')
    const { profiles } = services()
    for (const attempt of [
      () => profiles.findResume(other, resumeId),
      () => profiles.openResume(other, resumeId),
      () => profiles.chooseDefault(other, resumeId),
      () => profiles.removeResume(other, resumeId),
      () => profiles.chooseDefault(owner, newUuid()),
      () => profiles.removeResume(owner, 'no id at all'),
    ]) {
      await assert.rejects(attempt, problemWith('not-found'))
    }
    assert.deepEqual(await names(owner), ['b.txt', 'a.txt *'])
    const { open } = await profiles.openResume(owner, resumeId)
    assert.equal(await text(await open()), 'b.txt by me')
  })

  test('an infected resume cannot be downloaded', async () => {
    const id = await addCandidate(services())
    await upload(id, 'a.txt')
    const resumeId = await idOf(id, 'a.txt')
    await services()
      .database.writer.updateTable('resumes')
      .set({ scan: 'infected' })
      .where('id', '=', resumeId)
      .execute()
    await assert.rejects(services().profiles.openResume(id, resumeId), /virus/)
  })

  test('concurrent uploads leave one default and respect the limit', async () => {
    const id = await addCandidate(services())
    const max = maxResumes
    const outcomes = await Promise.allSettled(
      Array.from({ length: max + 5 }, (_, index) => upload(id, `${index}.pdf`, pdfOf(100 + index))),
    )
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 5)
    for (const { reason } of refused as PromiseRejectedResult[])
      assert.match(reason.message, /which is the limit/)
    const all = await services().profiles.listResumes(id)
    assert.equal(all.length, max)
    assert.equal(all.filter(({ isDefault }) => isDefault).length, 1)
  })

  test('concurrent choices and deletions leave one default', async () => {
    const id = await addCandidate(services())
    for (let index = 0; index < 8; index++) await upload(id, `${index}.txt`)
    const all = await services().profiles.listResumes(id)
    await Promise.allSettled(
      all.flatMap(({ id: resumeId }, index) => [
        services().profiles.chooseDefault(id, resumeId),
        ...(index % 2 === 0 ? [services().profiles.removeResume(id, resumeId)] : []),
      ]),
    )
    const left = await services().profiles.listResumes(id)
    assert.equal(left.length, 4)
    assert.equal(left.filter(({ isDefault }) => isDefault).length, 1)
  })
})
