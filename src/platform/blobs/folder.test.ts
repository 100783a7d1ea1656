import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import {
  blobStoreContract,
  inPieces,
  type StoreUnderTest,
  storedAt,
} from '../../../test/harness/blob-store-contract.ts'
import { storedBlobs } from '../../../test/harness/s3.ts'
import { createFolderBlobs } from './folder.ts'

let folder: string
let use: StoreUnderTest
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dossier-blobs-'))
  const stored = storedBlobs({ DATA_DIR: folder })
  use = {
    blobs: createFolderBlobs(join(folder, 'blobs'), { clock: () => storedAt }),
    stored,
    assertNothingElse: async names => assert.deepEqual(await stored.names(), names),
  }
})
after(() => rm(folder, { recursive: true }))

blobStoreContract(() => use)

test('creates a folder again after it was removed', async () => {
  const { blobs } = use
  const first = await blobs.put(inPieces(Buffer.from('first')))
  await rm(join(folder, 'blobs', '20261115'), { recursive: true })
  const second = await blobs.put(inPieces(Buffer.from('second')))
  assert.equal((await buffer(await blobs.open(second))).toString(), 'second')
  await assert.rejects(blobs.open(first), { code: 'unavailable' })
})

test('sweeps a day in spite of files of other programs, and leaves them alone', async () => {
  const { blobs } = use
  const { blob } = await blobs.put(inPieces(Buffer.from('upload')))
  const strangers = [join('20261115', '.DS_Store'), join(blob, '..', '.nfs0001')]
  for (const name of strangers) await writeFile(join(folder, 'blobs', name), 'not ours')
  const found: string[] = []
  for await (const names of blobs.uploadedOn('20261115')) found.push(...names)
  assert.deepEqual([found.includes(blob), found.filter(name => name.includes('.'))], [true, []])
  for (const name of found) await blobs.remove(name)
  await blobs.tidyDay('20261115')
  for (const name of strangers) await rm(join(folder, 'blobs', name))
  await blobs.tidyDay('20261115')
})
