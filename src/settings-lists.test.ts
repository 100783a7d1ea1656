import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { builtInLists } from './model/own-lists.ts'
import { readLists } from './settings-lists.ts'

const berlin = '[{"id": "de-be", "name": "Berlin"}]'

function folderWith(t: TestContext, files: Record<string, string | Uint8Array> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'lists-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

test('own lists replace those that have a file', t => {
  assert.deepEqual(readLists(undefined), { ...builtInLists, own: {} })
  const lists = readLists(
    folderWith(t, { 'locations.json': `\uFEFF${berlin}`, 'README.md': 'Ours.', '.x.json': '{' }),
  )
  assert.deepEqual(lists.locations, [{ id: 'de-be', description: 'Berlin', level: 0, was: [] }])
  assert.equal(lists.industries, builtInLists.industries)
  assert.deepEqual(Object.keys(lists.own), ['locations'])
})

test('a link within the folder is followed, as Kubernetes mounts files', t => {
  const folder = folderWith(t)
  mkdirSync(join(folder, '..2026'))
  writeFileSync(join(folder, '..2026', 'locations.json'), berlin)
  symlinkSync('..2026', join(folder, '..data'))
  symlinkSync('..data/locations.json', join(folder, 'locations.json'))
  assert.equal(readLists(folder).locations.length, 1)
})

const refused: [why: string, prepare: (t: TestContext) => string, message: RegExp][] = [
  ['a folder that is missing', () => '/no/such/folder', /^must be a folder .*ENOENT/],
  ['a file as the folder', () => 'package.json', /^must be a folder .*ENOTDIR/],
  [
    'a file of another name',
    t => folderWith(t, { 'location.json': berlin }),
    /^must be a folder with locations.json, .*: it has "location.json"$/,
  ],
  [
    'a wrong entry',
    t => folderWith(t, { 'locations.json': '[7]' }),
    /^locations.json: entry 1: must be an object/,
  ],
  [
    'a large file',
    t => folderWith(t, { 'industries.json': ' '.repeat(1024 * 1024 + 1) }),
    /^industries.json: must have at most 1048576 bytes; it has 1048577$/,
  ],
  [
    'bytes that are not UTF-8',
    t => folderWith(t, { 'locations.json': Uint8Array.of(0x5b, 0xff, 0x5d) }),
    /^locations.json: is not text in UTF-8$/,
  ],
  [
    'a link out of the folder',
    t => {
      const folder = folderWith(t)
      symlinkSync(
        join(folderWith(t, { 'locations.json': berlin }), 'locations.json'),
        join(folder, 'locations.json'),
      )
      return folder
    },
    /^locations.json: is a link that leads out of the folder$/,
  ],
  [
    'a folder in place of a file',
    t => {
      const folder = folderWith(t)
      mkdirSync(join(folder, 'locations.json'))
      return folder
    },
    /^locations.json: is not a file$/,
  ],
  [
    'a pipe, without waiting for it',
    t => {
      const folder = folderWith(t)
      execFileSync('mkfifo', [join(folder, 'locations.json')])
      return folder
    },
    /^locations.json: is not a file$/,
  ],
]
for (const [why, prepare, message] of refused)
  test(`refuses ${why}`, t => assert.throws(() => readLists(prepare(t)), { message }))
