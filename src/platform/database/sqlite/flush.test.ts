import assert from 'node:assert/strict'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { ResponseReads, readFor } from '../../core/async/response-reads.ts'
import type { Database } from '../tables.ts'
import { Checkpoints } from './checkpoints.ts'
import { Flush } from './flush.ts'
import { openSqlite } from './sqlite.ts'
import { WriteDriver } from './writer.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-test-'))
  path = join(folder, 'live.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a flush beside the event loop', () => {
  let writer: DatabaseSync
  let reader: DatabaseSync
  /** Flushes that were asked of the disk, which ends them when the test says so. */
  let asked: PromiseWithResolvers<void>[]
  let flush: Flush

  beforeEach(async () => {
    writer = new DatabaseSync(path)
    writer.exec('pragma journal_mode = wal; create table notes (note)')
    reader = new DatabaseSync(path, { readOnly: true })
    asked = []
    flush = new Flush(path, reader, ask)
    // The first one also syncs the folder.
    const first = flush.whenDurable()
    await until(() => asked.length === 1)
    asked.pop()?.resolve()
    await first
  })
  afterEach(async () => {
    await flush.close()
    reader.close()
    writer.close()
  })

  const commit = () => writer.exec('insert into notes values (1)')

  function ask(): Promise<void> {
    const sync = Promise.withResolvers<void>()
    asked.push(sync)
    return sync.promise
  }

  test('serves all commits before it, and those that happen meanwhile share the next', async () => {
    const ended: string[] = []
    const settle = async (name: string) => {
      commit()
      await flush.whenDurable()
      ended.push(name)
    }
    const all = ['a', 'b', 'c', 'd'].map(settle)
    // The first begins at once; the others committed after it had begun.
    assert.equal(asked.length, 1)
    asked[0]?.resolve()
    await until(() => asked.length === 2)
    assert.deepEqual(ended, ['a'])
    asked[1]?.resolve()
    await Promise.all(all)
    assert.deepEqual([asked.length, ended], [2, ['a', 'b', 'c', 'd']])
    await flush.whenDurable()
    assert.equal(asked.length, 2, 'nothing has been committed since')
  })

  test('a read for a response does not wait, and its response does, unless a later flush has ended', async () => {
    const [early, late, empty] = [new ResponseReads(), new ResponseReads(), new ResponseReads()]
    commit()
    await readFor(early, () => flush.noteRead())
    const covering = flush.whenDurable()
    commit()
    await readFor(late, () => flush.noteRead())
    asked[0]?.resolve()
    await covering
    assert.equal(early.whenDurable(), undefined, 'the flush began after its read')
    assert.equal(empty.whenDurable(), undefined, 'it shows nothing')
    const settled = late.whenDurable()
    assert.equal(asked.length, 2)
    asked[1]?.resolve()
    await settled
  })

  test('a read without a response waits itself', async () => {
    commit()
    let hasRead = false
    const read = flush.noteRead().then(() => {
      hasRead = true
    })
    await turnOfTheLoop()
    assert.equal(hasRead, false)
    asked[0]?.resolve()
    await read
  })

  test('a version that is known to be durable waits for nothing, whatever else was committed', async () => {
    const reads = new ResponseReads()
    const show = (version: number) =>
      readFor(reads, async () => {
        await flush.noteRead()
        await flush.whenVersionDurable('advertiser 1', version, async () => version)
      })
    await show(7)
    commit()
    await show(7)
    assert.deepEqual([asked.length, reads.whenDurable()], [0, undefined])
    const changed = show(8)
    await until(() => asked.length === 1)
    asked[0]?.resolve()
    await changed
    commit()
    await show(8)
    assert.equal(asked.length, 1)
  })

  test('closing waits for a flush that is to follow the running one', async () => {
    const closing = new Flush(path, reader, ask)
    const first = closing.whenDurable()
    commit()
    const second = closing.whenDurable()
    const closed = closing.close()
    for (const count of [1, 2]) {
      await until(() => asked.length === count)
      assert.ok(fstatSync(closing.log).isFile(), 'its descriptor is open')
      asked[count - 1]?.resolve()
    }
    await Promise.all([first, second, closed])
    assert.throws(() => fstatSync(closing.log), { code: 'EBADF' })
  })

  test('one that fails fails everything that waits, and everything after it', async () => {
    commit()
    const waiting = [flush.whenDurable(), flush.whenDurable()]
    asked[0]?.reject(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
    const results = await Promise.allSettled(waiting)
    for (const result of results)
      assert.equal(result.status === 'rejected' && result.reason.code, 'unavailable')
    assert.match((await flush.failed).message, /EIO/)
    await assert.rejects(flush.whenDurable(), { code: 'unavailable' })
    assert.equal(asked.length, 1, 'a second try that succeeds would prove nothing')
    assert.equal(flush.covers(flush.moment - 1), false)
  })
})

describe('the next process after a failed flush', () => {
  const modifiedAt = () => statSync(`${path}-wal`).mtimeMs

  /** Another handle keeps the log. */
  async function openAndClose(): Promise<void> {
    const database = await openSqlite(path)
    await database.close()
  }

  test('writes the log again, because the system may keep pages in memory that are not on the disk', async t => {
    await openAndClose()
    const other = new DatabaseSync(path)
    t.after(() => other.close())
    other.exec('pragma wal_autocheckpoint = 0; create table notes (note)')
    for (let i = 0; i < 200; i++) other.exec('insert into notes values (randomblob(8000))')
    const content = readFileSync(`${path}-wal`)
    utimesSync(`${path}-wal`, 0, 0)
    await openAndClose()
    assert.equal(modifiedAt(), 0, 'nothing is written without need')

    const reader = new DatabaseSync(path, { readOnly: true })
    t.after(() => reader.close())
    const flush = new Flush(path, reader, () => Promise.reject(new Error('EIO')))
    await assert.rejects(flush.whenDurable(), { code: 'unavailable' })
    await flush.close()
    await openAndClose()
    assert.notEqual(modifiedAt(), 0)
    assert.ok(readFileSync(`${path}-wal`).equals(content))
    utimesSync(`${path}-wal`, 0, 0)
    await openAndClose()
    assert.equal(modifiedAt(), 0, 'once is enough')
  })
})

describe('writes around a flush', () => {
  let handle: DatabaseSync
  let reader: DatabaseSync
  /** Ends every flush, as soon as there is one. */
  let sync: () => Promise<void>
  let flush: Flush
  let driver: WriteDriver
  let isClosing: (() => Promise<void>) | undefined

  beforeEach(() => {
    handle = new DatabaseSync(path)
    handle.exec('pragma journal_mode = wal; create table notes (note)')
    reader = new DatabaseSync(path, { readOnly: true })
    sync = async () => {}
    isClosing = undefined
    flush = new Flush(path, reader, () => sync())
    const closeOthers = async () => isClosing?.()
    driver = new WriteDriver(handle, { busyWaitMs: 50, flush, checkpoints: undefined, closeOthers })
  })
  afterEach(async () => {
    await flush.close()
    for (const each of [reader, handle]) if (each.isOpen) each.close()
  })

  const insert = CompiledQuery.raw('insert into notes values (1)')
  const notes = () => reader.prepare('select count(*) as count from notes').get()?.['count']

  async function beginWriting() {
    const connection = await driver.acquireConnection()
    await driver.beginTransaction(connection)
    await connection.executeQuery(insert)
    return connection
  }

  test('a transaction that is rolled back after a failed flush leaves nothing', async () => {
    const connection = await beginWriting()
    flush.fail(new Error('EIO'))
    await assert.rejects(driver.rollbackTransaction(connection), { code: 'unavailable' })
    await turnOfTheLoop()
    assert.deepEqual([handle.isTransaction, notes()], [false, 0])
  })

  test('a transaction that was open when a flush failed is not committed', async () => {
    const connection = await beginWriting()
    flush.fail(new Error('EIO'))
    await assert.rejects(driver.commitTransaction(connection), { code: 'unavailable' })
    assert.deepEqual([handle.isTransaction, notes()], [false, 0])
  })

  test('nothing is copied out of the log after a failed flush', async () => {
    handle.exec('pragma wal_autocheckpoint = 0; insert into notes values (1)')
    const checkpoints = new Checkpoints(path, flush)
    flush.fail(new Error('EIO'))
    const before = statSync(`${path}-wal`).size
    await assert.rejects(checkpoints.truncate(), { code: 'unavailable' })
    assert.equal(statSync(`${path}-wal`).size, before)
    await checkpoints.close()
  })

  test('a rollback outside of a response lets the next writer go on while it waits', async () => {
    const slow = Promise.withResolvers<void>()
    sync = () => slow.promise
    const connection = await beginWriting()
    const undone = driver.rollbackTransaction(connection)
    const next = await beginWriting()
    slow.resolve()
    await undone
    await driver.commitTransaction(next)
    assert.equal(notes(), 1)
  })

  test('a step that comes while the database is being closed fails', async () => {
    const copying = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    isClosing = () => {
      begun.resolve()
      return copying.promise
    }
    const closed = driver.destroy()
    await begun.promise
    const late = driver.step(run => run(insert))
    copying.resolve()
    await closed
    await assert.rejects(late, /has been closed/)
  })
})

describe('checkpoints beside the event loop', () => {
  let database: Database
  beforeEach(async () => {
    database = await openSqlite(path, 1_000)
    await run('create table notes (id integer primary key, note text)')
  })
  afterEach(() => database.close())

  const run = (sql: string) => database.writer.executeQuery(CompiledQuery.raw(sql))
  const write = () => run('insert into notes (note) select hex(randomblob(8000))')
  const logBytes = () => statSync(`${path}-wal`).size

  test('begin when the log has grown, and the log begins again in its place', async () => {
    const page = 16_384 + 24
    const begun = salts()
    // Its header changes when it begins again.
    for (let writes = 0; salts() === begun; writes++) {
      assert.ok(writes < 5_000, 'the log only grows')
      await write()
    }
    for (let more = 0; more < 20; more++) await write()
    assert.ok(logBytes() > 256 * page && logBytes() < 2_000 * page, `the log has ${logBytes()} bytes`)
  })

  test('are as many as the log has grown, also if writes leave no pause', async () => {
    const writes = 400
    const before = versionOf()
    for (let write = 0; write < writes; write++)
      await run('insert into notes (note) values (randomblob(30000))')
    // Each of ours raises it once; the thread does when it begins the log again.
    const commitsOfThread = versionOf() - before - writes
    // Three to four pages each, in a log that begins again when it has 256 or, without a pause, 1,024. A write that comes just before
    // the thread's commit leaves that without effect, so it must not be made then: otherwise there were 27 to 171.
    assert.ok(commitsOfThread <= 8, `the log was begun again ${commitsOfThread} times`)
  })

  test('erased data is in neither file once forget has ended', async () => {
    await run(`insert into notes (note) values ('secret-of-a-candidate')`)
    await run(`update notes set note = ''`)
    assert.ok(readFileSync(`${path}-wal`).includes('secret-of-a-candidate'))
    await database.forget()
    assert.equal(logBytes(), 0)
    assert.ok(!readFileSync(path).includes('secret-of-a-candidate'))
    await write()
  })

  test('after a complete checkpoint by another program, the log begins again with a synced header', async () => {
    await write()
    const outside = new DatabaseSync(path)
    outside.exec('pragma wal_checkpoint(passive)')
    const before = versionOf()
    await write()
    // One commit of the thread of checkpoints and one of ours.
    assert.equal(versionOf(), before + 2)
    outside.close()
  })

  test('closing copies the log into the file', async () => {
    await write()
    await database.close()
    assert.equal(existsSync(`${path}-wal`), false)
    database = await openSqlite(path, 1_000)
    const { rows } = await database.reader.executeQuery(CompiledQuery.raw('select id from notes'))
    assert.equal(rows.length, 1)
  })

  function versionOf(): number {
    using handle = new DatabaseSync(path, { readOnly: true })
    return Number(handle.prepare('pragma user_version').get()?.['user_version'])
  }

  function salts(): string {
    const log = openSync(`${path}-wal`, 'r')
    const header = Buffer.alloc(32)
    readSync(log, header)
    closeSync(log)
    return header.toString('hex', 16, 24)
  }
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turnOfTheLoop()
}
