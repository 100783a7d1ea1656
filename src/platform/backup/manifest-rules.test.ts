import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Manifest, readManifest, writeManifest } from './manifest-rules.ts'

const set = '2026-11-15T02-00-00Z'
const content = { size: 1, sha256: 'f'.repeat(64) }
const manifest = {
  format: 1,
  set,
  version: '0.1.0',
  engine: 'sqlite',
  databaseId: 'id',
  database: { packed: content, plain: content },
  list: { packed: content },
  files: { count: 0, bytes: 0, lost: 0 },
} as unknown as Manifest

test('a manifest without the sizes that bound what its set unpacks to is damaged', () => {
  assert.deepEqual(readManifest(writeManifest(manifest), set), manifest)
  const { database, files } = manifest
  const forged: object[] = [
    { database: { ...database, plain: { sha256: content.sha256 } } },
    { database: { ...database, plain: { ...content, size: '1' } } },
    { database: undefined },
    { files: { ...files, count: null } },
    { files: undefined },
  ]
  for (const change of forged)
    assert.throws(() => readManifest(writeManifest({ ...manifest, ...change }), set), /manifest is damaged/)
})
