import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import type { Schema } from '../../src/platform/database/tables.ts'
import { dataTables } from '../../src/schema/data-tables.ts'
import * as adDays from '../../src/schema/migrations/0048-ad-days.ts'
import { isLongRun } from '../harness/effort.ts'
import { withStoresInTurn } from '../harness/one-engine.ts'
import type { Services } from '../harness/services.ts'
import {
  type Kind,
  kinds,
  ownTables,
  prepareScenes,
  type Scene,
  type Scenes,
  sceneOfNobody,
  sceneOfStranger,
} from './scene.ts'
import { type Stores, storeFactories, storeFunctions, storesOver } from './stores.ts'

const ownedFunctions = Object.entries(storeFunctions)
  .filter(([, { exception }]) => exception === undefined)
  .map(([name, { of = 'advertiser', ...rest }]) => ({ name, of, ...rest }))

interface Owner {
  kind: Kind
  id: number | string
}

type Row = Record<string, unknown>
type Rows = readonly [table: string, row: Row][]

const tables: readonly (keyof Schema)[] = [...dataTables, 'meta']

/** Every row of every table. On PostgreSQL in one statement: it runs often, and each round trip costs more than the rows. */
async function everyRow({ database: { dialect, reader } }: Services): Promise<Rows> {
  if (dialect === 'postgres') {
    const parts = tables.map(
      table => sql`select ${sql.lit(table)} as name, to_jsonb(each) as row from ${sql.table(table)} each`,
    )
    const { rows } = await sql<{ name: string; row: Row }>`${sql.join(parts, sql` union all `)}`.execute(
      reader,
    )
    return rows.map(({ name, row }) => [name, row])
  }
  const found: [string, Row][] = []
  for (const table of tables) {
    for (const row of await reader.selectFrom(table).selectAll().execute()) found.push([table, row])
  }
  return found
}

function ownerOf(row: Record<string, unknown>, table: string, kind: Kind): unknown {
  if (table.startsWith('audit_') && kind === 'advertiser') return row['scope']
  return table === ownTables[kind] ? row['id'] : row[`${kind}_id`]
}

/** The rows that were or are not there, on request without some tables and the rows of one owner. */
function changes(before: Rows, after: Rows, exceptTables: readonly string[] = [], except?: Owner): string[] {
  const textsOf = (rows: Rows) =>
    rows
      .filter(([table]) => !exceptTables.includes(table))
      .filter(([table, row]) => except === undefined || ownerOf(row, table, except.kind) !== except.id)
      .map(([table, row]) => `${table} ${JSON.stringify(row)}`)
  const [old, now] = [new Set(textsOf(before)), new Set(textsOf(after))]
  return [...[...old].filter(row => !now.has(row)), ...[...now].filter(row => !old.has(row))]
}

test('every store is tested', async () => {
  const folder = new URL('../../src/', import.meta.url)
  // They act on no person's data: a check of the key, and what repeats tombstones by the functions of others.
  const others = ['createKeyCheck', 'createReplay']
  const found: unknown[] = []
  for (const file of globSync('**/*-store.ts', { cwd: folder })) {
    const module: Record<string, unknown> = await import(new URL(file, folder).href)
    found.push(
      ...Object.entries(module).flatMap(([name, value]) =>
        name.startsWith('create') && !others.includes(name) ? [value] : [],
      ),
    )
  }
  assert.deepEqual(new Set(found), new Set(storeFactories))
})

test('every kind of owner has functions that read and functions that act', () => {
  for (const kind of kinds) {
    const own = ownedFunctions.filter(({ of }) => of === kind)
    assert.ok(own.some(({ actsOnOwn }) => actsOnOwn) && own.some(({ actsOnOwn }) => !actsOnOwn), kind)
  }
})

withStoresInTurn('the stores', services => {
  let stores: Stores
  let scenes: Scenes
  before(async () => {
    stores = storesOver(services().database)
    scenes = await prepareScenes(stores)
    // As if the ads were from before this migration.
    await adDays.up(services().database.writer)
  })

  test('every function is tested', () => {
    const names = Object.entries(stores).flatMap(([store, functions]) =>
      Object.keys(functions).map(name => `${store}.${name}`),
    )
    assert.deepEqual(names.toSorted(), Object.keys(storeFunctions).toSorted())
  })

  // In this order: as long as a stranger has nothing of its own, anything it gets would be the owner's.
  withoutTrace('strange', kind => sceneOfStranger(scenes, kind))
  withoutTrace('made-up', kind => sceneOfNobody(scenes, kind))

  /** Functions that read, or change existing rows, find nothing and leave every table as it was. */
  function withoutTrace(which: string, scene: (kind: Kind) => Scene): void {
    let rows: Rows
    before(async () => {
      rows = await everyRow(services())
    })
    // A report is on record for its caller, also if it changes nothing.
    const isOnRecord = (row: string) =>
      row.startsWith('audit_heads ') ||
      /^audit_entries .*"action":"(applications|client)\.progress"/.test(row)
    const assertSame = async () =>
      assert.deepEqual(
        changes(rows, await everyRow(services())).filter(row => !isOnRecord(row)),
        [],
      )
    for (const { name, of, samples, strangerGets } of ownedFunctions.filter(({ actsOnOwn }) => !actsOnOwn)) {
      test(`${name}: a ${which} ${of} gets nothing`, async () => {
        for (const sample of samples) assert.deepEqual(await sample(stores, scene(of)), strangerGets)
        // `npm test` looks once, after all of them; the long run says which it was.
        if (isLongRun) await assertSame()
      })
    }
    test(`a ${which} caller of any of them gets nothing and changes nothing`, assertSame)
  }

  test('a grant releases no resume but that of its own candidate', async () => {
    const [, offersOwnersResume] = storeFunctions['sharing.recordPrefill']?.samples ?? []
    const stranger = sceneOfStranger(scenes, 'grant')
    const client = await stores.clients.find(stranger.token.clientId)
    await stores.agents.authorise(stranger.advertiserId, client?.agentId ?? 0, 1)
    const result = await offersOwnersResume?.(stores, stranger)
    assert.equal((result as { releasedResumeId: unknown }).releasedResumeId, null)
    const released = await services().database.reader.selectFrom('released_resumes').selectAll().execute()
    assert.deepEqual(
      released.filter(({ grant_id }) => grant_id !== scenes.owner.grantId),
      [],
    )
  })

  let rows: Rows | undefined
  for (const { name, of, samples, shared } of ownedFunctions.filter(({ actsOnOwn }) => actsOnOwn)) {
    test(`${name}: a strange ${of} changes its own rows only`, async () => {
      const stranger = sceneOfStranger(scenes, of)
      const except = { kind: of, id: stranger[`${of}Id`] }
      // A tombstone of its own is no row of another, nor is an entry in the audit log of the board.
      const audit = of === 'advertiser' ? [] : ['audit_entries', 'audit_heads']
      const sharedTables = [...(shared ?? []), 'tombstones', ...audit]
      // Nothing happens between two of them: each finds what the one before has left.
      const found: Rows = rows ?? (await everyRow(services()))
      rows = undefined
      for (const sample of samples) {
        const result = JSON.stringify((await sample(stores, stranger)) ?? null)
        assert.ok(!result.includes(String(scenes.owner[`${of}Id`])), result)
      }
      rows = await everyRow(services())
      assert.deepEqual(changes(found, rows, sharedTables, except), [])
    })
  }

  test('the owner gets what a stranger does not', async () => {
    for (const { name, samples, strangerGets, tellsNothing } of ownedFunctions.filter(
      ({ actsOnOwn }) => !actsOnOwn,
    )) {
      for (const sample of samples) {
        const before = tellsNothing ? await everyRow(services()) : []
        const result = await sample(stores, scenes.owner)
        if (tellsNothing) assert.notDeepEqual(changes(before, await everyRow(services())), [], name)
        else assert.notDeepEqual(result, strangerGets, name)
      }
    }
  })
})
