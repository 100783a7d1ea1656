import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
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
    blobs: createFolderBlobs(join(folder, 'blobs'), { retryAfterSeconds: 5, clock: () => storedAt }),
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
