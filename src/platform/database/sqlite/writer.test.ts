import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, test } from 'node:test'
import { CompiledQuery } from 'kysely'
import type { Database, RunNow } from '../tables.ts'
import { openSqlite } from './sqlite.ts'

describe('shared commits on SQLite', () => {
  let folder: string
  let database: Database
  /** Sees committed changes only, like another process. */
  let outside: DatabaseSync

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
    database = await openSqlite(join(folder, 'steps.db'), 50)
    await database.writer.schema
      .createTable('notes')
      .addColumn('note', 'text', column => column.primaryKey())
      .execute()
    outside = new DatabaseSync(join(folder, 'steps.db'), { timeout: 0 })
  })
  after(async () => {
    outside.close()
    await database.close()
    await rm(folder, { recursive: true })
  })
  beforeEach(async () => {
    await database.writer.executeQuery(CompiledQuery.raw('delete from notes'))
  })

  const insert = (note: string) => CompiledQuery.raw('insert into notes (note) values (?)', [note])
  const step = <T>(body: (run: RunNow) => T): Promise<T> => {
    assert.ok(database.step !== undefined)
    return database.step(body)
  }
  const committed = () =>
    outside
      .prepare('select note from notes order by note')
      .all()
      .map(row => row['note'])
  const outcomes = async (all: Promise<unknown>[]) =>
    (await Promise.allSettled(all)).map(({ status }) => status)

  test('a step resolves with its result once it is committed', async () => {
    const result = await step(run => run(insert('a')).numAffectedRows)
    assert.equal(result, 1n)
    assert.deepEqual(committed(), ['a'])
  })

  for (const bad of [0, 1, 2]) {
    test(`a step that fails half-way is undone and does not affect the others (number ${bad})`, async () => {
      const steps = [0, 1, 2].map(number =>
        step(run => {
          run(insert(`${number} first`))
          if (number === bad) run(insert(`${number} first`))
          run(insert(`${number} second`))
        }),
      )
      const expected = [0, 1, 2].map(number => (number === bad ? 'rejected' : 'fulfilled'))
      assert.deepEqual(await outcomes(steps), expected)
      const others = [0, 1, 2].filter(number => number !== bad)
      assert.deepEqual(
        committed(),
        others.flatMap(number => [`${number} first`, `${number} second`]),
      )
    })
  }

  test('a step that throws is undone', async () => {
    const refused = step(run => {
      run(insert('a'))
      throw new Error('no')
    })
    assert.deepEqual(await outcomes([refused, step(run => run(insert('b')))]), ['rejected', 'fulfilled'])
    assert.deepEqual(committed(), ['b'])
  })

  test('steps, statements and transactions share a commit, and each is atomic', async () => {
    const { writer } = database
    const transaction = (notes: string[]) =>
      writer.transaction().execute(async trx => {
        for (const note of notes) await trx.executeQuery(insert(note))
      })
    const all = [
      transaction(['a', 'b']),
      step(run => run(insert('c'))),
      writer.executeQuery(insert('d')),
      // Both conflict with an earlier write.
      writer.executeQuery(insert('a')),
      transaction(['e', 'b']),
      step(run => [run(insert('f')), run(insert('g'))]),
    ]
    assert.deepEqual(await outcomes(all), [
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    assert.deepEqual(committed(), ['a', 'b', 'c', 'd', 'f', 'g'])
  })

  test('while another process locks the file, all waiting steps fail together, and later ones succeed', async () => {
    outside.exec('begin immediate')
    const waiting = Array.from({ length: 20 }, (_, number) => step(run => run(insert(`late ${number}`))))
    const results = await Promise.allSettled(waiting)
    outside.exec('rollback')
    for (const result of results)
      assert.equal(result.status === 'rejected' && result.reason.code, 'unavailable')
    await step(run => run(insert('a')))
    assert.deepEqual(committed(), ['a'])
  })

  test('a connection cannot write outside a transaction', async () => {
    const write = database.writer
      .connection()
      .execute(db => db.insertInto('agents').defaultValues().execute())
    await assert.rejects(write, /in a transaction only/)
  })

  test('steps begun before the close are committed, and none can begin after it', async () => {
    const other = await openSqlite(join(folder, 'steps.db'), 50)
    const last = other.step?.(run => run(insert('last')))
    await other.close()
    await last
    assert.deepEqual(committed(), ['last'])
    await assert.rejects(async () => other.step?.(run => run(insert('after'))), /closed/)
  })
})
