import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { CompiledQuery } from 'kysely'
import type { Database } from '../tables.ts'
import { assertOwnLog, ForeignLog } from './log.ts'
import { openSqlite } from './sqlite.ts'

const pageSize = 16_384
const frameSize = pageSize + 24

let folder: string
let path: string
let database: Database
/** Plays the part of an operator's SQLite shell. */
let outside: DatabaseSync

function eachHasItsDatabase(): void {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dossier-test-'))
    path = join(folder, 'live.db')
    database = await openSqlite(path, 1_000)
    await run('create table notes (id integer primary key, note text)')
    outside = new DatabaseSync(path, { timeout: 1_000 })
  })
  afterEach(async () => {
    outside.close()
    await database.close()
    rmSync(folder, { recursive: true })
  })
}

const run = (sql: string) => database.writer.executeQuery(CompiledQuery.raw(sql))
const write = (count: number) =>
  run(`insert into notes (note) select hex(randomblob(2000)) from json_each('[${Array(count).fill(0)}]')`)
const checkpoint = (mode: string) => outside.exec(`pragma wal_checkpoint(${mode})`)

/** The folder as a power cut would leave it now, with `file` in place of the database if given. */
function crashed(name: string, file = path): string {
  const copy = join(folder, `${name}.db`)
  copyFileSync(file, copy)
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
  return copy
}

const isRefused = (copy: string) => {
  try {
    assertOwnLog(copy)
    return false
  } catch (error) {
    assert.ok(error instanceof ForeignLog)
    return true
  }
}

/** Every way to take a copy, by name. */
async function copies(name: string): Promise<[name: string, file: string][]> {
  const into = (kind: string) => join(folder, `${name}-${kind}.db`)
  outside.exec(`vacuum into '${into('vacuum')}'`)
  await backup(outside, into('backup'))
  copyFileSync(path, into('file'))
  return ['vacuum', 'backup', 'file'].map(kind => [`${name}, ${kind}`, into(kind)])
}

describe('a log beside a file that it was not written for is rejected', () => {
  eachHasItsDatabase()

  test('however the copy was taken, and however long ago', async () => {
    const taken: [string, string][] = []
    for (let round = 1; round <= 4; round++) {
      await write(3)
      taken.push(...(await copies(`${round}, in the middle`)))
      // After the copy, only rows on the same pages change: size and schema stay the same.
      await run('update notes set note = hex(randomblob(2000)) where id = 1')
      checkpoint('truncate')
      if (round % 2 === 0) await write(1)
      else await run('delete from notes where id = 2')
    }
    const wrong = taken.filter(([, file], index) => !isRefused(crashed(`restored-${index}`, file)))
    assert.deepEqual(
      wrong.map(([name]) => name),
      [],
    )
  })

  test('after a clean shutdown and a plain copy', async () => {
    await write(3)
    checkpoint('truncate')
    copyFileSync(path, join(folder, 'stopped.db'))
    for (let round = 1; round <= 3; round++) {
      await run(`update notes set note = '${round}' where id = 1`)
      checkpoint('restart')
    }
    await run("update notes set note = 'last' where id = 2")
    assert.equal(isRefused(crashed('restored', join(folder, 'stopped.db'))), true)
  })

  test('for a copy of a copy that was restored properly', async () => {
    await write(3)
    await backup(outside, join(folder, 'first.db'))
    const restored = await openSqlite(join(folder, 'first.db'), 1_000)
    const other = new DatabaseSync(join(folder, 'first.db'), { timeout: 1_000 })
    await restored.writer.executeQuery(CompiledQuery.raw("update notes set note = 'a' where id = 1"))
    await backup(other, join(folder, 'second.db'))
    await restored.writer.executeQuery(CompiledQuery.raw("update notes set note = 'b' where id = 1"))
    other.exec('pragma wal_checkpoint(truncate)')
    await restored.writer.executeQuery(CompiledQuery.raw("update notes set note = 'c' where id = 2"))
    copyFileSync(join(folder, 'first.db-wal'), join(folder, 'second.db-wal'))
    assert.equal(isRefused(join(folder, 'second.db')), true)
    other.close()
    await restored.close()
  })

  test('for a missing or empty file', async () => {
    await write(1)
    const copy = crashed('gone')
    rmSync(copy)
    assert.equal(isRefused(copy), true)
    writeFileSync(copy, '')
    assert.equal(isRefused(copy), true)
  })

  test('by everything that opens the database', async () => {
    await write(1)
    await copies('old')
    await write(3)
    const copy = crashed('restored', join(folder, 'old-vacuum.db'))
    const before = readFileSync(copy)
    await assert.rejects(openSqlite(copy, 1_000), ForeignLog)
    assert.ok(readFileSync(copy).equals(before))
  })
})

describe('a file with its own log is opened', () => {
  eachHasItsDatabase()

  const steps: Record<string, () => unknown> = {
    'a commit': () => write(2),
    'an update': () => run("update notes set note = 'x' where id = 1"),
    'a commit of another program': () => outside.exec("insert into notes (note) values ('outside')"),
    'a schema change': () =>
      run(`create table if not exists more_${Math.floor(performance.now())} (id integer)`),
    'a passive checkpoint': () => checkpoint('passive'),
    'a restart of the log': () => checkpoint('restart'),
    'a truncated log': () => checkpoint('truncate'),
    VACUUM: () => outside.exec('vacuum'),
    'a rollback': () => outside.exec('begin; delete from notes; rollback'),
  }

  /** Pseudo-random numbers, the same in each run. */
  function* chance(): Generator<number> {
    for (let state = 7; ; ) {
      state = (state * 48_271) % 2_147_483_647
      yield state
    }
  }

  test('after any sequence of operations, wherever a checkpoint or the log ended', async () => {
    const random = chance()
    const pick = (below: number) => (random.next().value as number) % below
    for (let round = 0; round < 150; round++) {
      const [name, step] = Object.entries(steps)[pick(Object.keys(steps).length)] as [string, () => unknown]
      await step()
      const copy = crashed('crashed')
      assert.equal(isRefused(copy), false, `after ${name}, round ${round}`)
      if (!existsSync(`${copy}-wal`)) continue
      const log = readFileSync(`${copy}-wal`)
      const pages = partlyCheckpointed(readFileSync(copy), log, () => pick(3) > 0)
      writeFileSync(copy, pages)
      assert.equal(isRefused(copy), false, `in the middle of a checkpoint after ${name}, round ${round}`)
      copyFileSync(path, copy)
      // Not before the first frame: by the time a checkpoint writes, its frames are durable in the log.
      truncateSync(`${copy}-wal`, pick(log.length + 1))
      if (isUntouched(log)) assert.equal(isRefused(copy), false, `cut after ${name}, round ${round}`)
    }
  })

  /** With some of the committed pages already in the file, in any order. */
  function partlyCheckpointed(file: Buffer, log: Buffer, isWritten: () => boolean): Buffer {
    const pages = new Map<number, Buffer>()
    const salts = log.subarray(16, 24)
    for (let at = 32; at + frameSize <= log.length; at += frameSize) {
      if (!log.subarray(at + 8, at + 16).equals(salts)) break
      pages.set(log.readUInt32BE(at), log.subarray(at + 24, at + frameSize))
    }
    const max = Math.max(file.length, ...[...pages.keys()].map(page => page * pageSize))
    const result = Buffer.concat([file], max)
    for (const [page, content] of pages) if (isWritten()) content.copy(result, (page - 1) * pageSize)
    return result
  }

  /** With none of the committed pages in the file yet. */
  function isUntouched(log: Buffer): boolean {
    const header = readFileSync(path).subarray(0, 100)
    for (let at = 32; at + frameSize <= log.length; at += frameSize)
      if (log.readUInt32BE(at) === 1 && log.subarray(at + 24, at + 124).equals(header)) return false
    return true
  }

  test('when the number of commits wraps around', async () => {
    outside.exec('pragma user_version = 2147483647')
    checkpoint('truncate')
    await write(1)
    assert.deepEqual({ ...outside.prepare('pragma user_version').get() }, { user_version: -2_147_483_648 })
    assert.equal(isRefused(crashed('crashed')), false)
  })

  test('of a version that did not count commits', () => {
    const old = join(folder, 'old.db')
    const handle = new DatabaseSync(old)
    handle.exec('pragma journal_mode = wal; create table t (id integer)')
    handle.exec('pragma wal_checkpoint(truncate); insert into t values (1)')
    assert.equal(isRefused(old), false)
    handle.close()
  })

  test('while other processes write to it', async () => {
    const writing = Promise.all(Array.from({ length: 200 }, () => write(1)))
    for (let look = 0; look < 200; look++) {
      assertOwnLog(path)
      await new Promise(setImmediate)
    }
    await writing
  })

  test('commits that change nothing write nothing', async () => {
    await write(1)
    const before = readFileSync(`${path}-wal`).length
    await run('delete from notes where id = 4711')
    assert.equal(readFileSync(`${path}-wal`).length, before)
  })
})
