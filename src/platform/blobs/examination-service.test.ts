import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainDraft, uploaded } from '../../../test/harness/applications.ts'
import { withFileStores } from '../../../test/harness/database.ts'
import { storedBlobs } from '../../../test/harness/s3.ts'

withFileStores('the examination of the files', (services, settings) => {
  test('finds missing and short files, with --deep also changed ones, and counts each file once', async () => {
    const { advertisers, submissions, blobs, examineFiles } = services()
    const { id } = await advertisers.add('Harbour Coffee Roasters')
    const sound = await uploaded(services(), { type: 'resume' }, 'sound')
    const lost = await uploaded(services(), { type: 'coverLetter' }, 'to be lost')
    const changed = await uploaded(services(), { type: 'selectionCriteria' }, 'to be changed')
    const infected = await uploaded(services(), { type: 'coverLetter', scan: 'infected' }, 'infected')
    await submissions.add(id, plainDraft({ files: [sound, lost, changed] }))
    await submissions.add(id, plainDraft({ files: [sound, infected] }))
    assert.deepEqual(await examineFiles(true), { checked: 3, damaged: [] })

    await blobs.remove(String(lost.blob))
    await storedBlobs(settings()).write(String(changed.blob), 'TO BE CHANGED')
    assert.deepEqual(await examineFiles(false), { checked: 3, damaged: [String(lost.blob)] })
    const { damaged } = await examineFiles(true)
    assert.deepEqual(damaged, [String(changed.blob), String(lost.blob)].toSorted())

    await storedBlobs(settings()).write(String(changed.blob), 'short')
    assert.deepEqual(
      (await examineFiles(false)).damaged,
      [String(changed.blob), String(lost.blob)].toSorted(),
    )
  })
})
