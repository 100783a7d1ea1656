import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { describeCopy, markCopy } from './snapshot-file.ts'
import { copySqlite } from './snapshot-task.ts'
import { removeGradually } from './snapshots.ts'

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A database of some hundred pages, so that a copy takes several steps. */
function openOriginal(path: string): DatabaseSync {
  const original = new DatabaseSync(path)
  original.exec('pragma journal_mode = wal; create table meta (key text primary key, value text)')
  original.exec(
    'create table counters (name text, value integer); create table schema_migrations (name text)',
  )
  original.exec(`create table pairs (id integer primary key, plus integer, minus integer, body text);
    insert into pairs with recursive own(id) as (select 1 union all select id + 1 from own where id < 1000)
      select id, 1, -1, hex(zeroblob(2000)) from own`)
  return original
}

test('a copy is the database as it was when the copy began, while every step finds it changed', async t => {
  const folder = folderOf(t)
  const [from, to] = [join(folder, 'original.db'), join(folder, 'copy.db')]
  const original = openOriginal(from)
  t.after(() => original.close())
  const steps: number[] = []
  const rests: number[] = []
  const pace = { rest: (file?: number) => void rests.push(file ?? -1), yieldAtOnce() {} }
  await copySqlite(from, to, pace, done => {
    steps.push(done)
    original.exec(`update pairs set plus = plus + 1, minus = minus - 1; delete from pairs where id = ${steps.length};
      insert into pairs (plus, minus, body) values (1, -1, hex(zeroblob(2000))); pragma wal_checkpoint`)
  })
  assert.ok(steps.length > 5)
  assert.deepEqual(
    steps,
    steps.toSorted((a, b) => a - b),
    'no write starts the copy again',
  )
  assert.equal(rests.length, steps.length)
  const copy = new DatabaseSync(to)
  const found = copy
    .prepare('select count(*) as rows, sum(plus) as plus, sum(minus) as minus from pairs')
    .get()
  copy.close()
  assert.deepEqual({ ...found }, { rows: 1000, plus: 1000, minus: -1000 })
  markCopy(to, 0)
  assert.deepEqual(describeCopy(to).faults, [])
  const header = readFileSync(to).subarray(18, 20)
  assert.deepEqual([...header], [1, 1], 'the copy is one file: it needs no log')
  assert.equal(statSync(to).mode & 0o777, 0o600)
})

test('a large file is removed in steps, and at once when there is no time', async t => {
  const folder = folderOf(t)
  for (const signal of [new AbortController().signal, AbortSignal.abort()]) {
    const path = join(folder, 'large')
    const file = new DatabaseSync(path)
    file.exec('create table t (body); insert into t values (zeroblob(5000000))')
    file.close()
    await removeGradually(path, signal)
    assert.throws(() => statSync(path), { code: 'ENOENT' })
    await removeGradually(path, signal)
  }
})
