import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { before, test } from 'node:test'
import type { Services } from '../../src/app.ts'
import { dataTables } from '../../src/storage/sql/demo.ts'
import { withServices } from '../harness/database.ts'
import {
  prepareScene,
  type Scene,
  type Stores,
  storeFactories,
  storeFunctions,
  storesOver,
} from './stores.ts'

const tenantFunctions = Object.entries(storeFunctions).filter(([, { exception }]) => exception === undefined)

/** Every row of every table as text, without those of one advertiser when that is asked for. */
async function dump({ database }: Services, except?: number): Promise<string[]> {
  const rows: string[] = []
  for (const table of [...dataTables, 'meta'] as const) {
    for (const row of await database.reader.selectFrom(table).selectAll().execute()) {
      const { advertiser_id: owner = table === 'advertisers' && 'id' in row ? row.id : undefined } = row as {
        advertiser_id?: number
      }
      if (except === undefined || owner !== except) rows.push(`${table} ${JSON.stringify(row)}`)
    }
  }
  return rows.toSorted()
}

/** The rows that are in one dump only. */
function changes(before: readonly string[], after: readonly string[]): string[] {
  return [...before.filter(row => !after.includes(row)), ...after.filter(row => !before.includes(row))]
}

test('every store that src/storage/sql exports is looked at', async () => {
  const folder = new URL('../../src/storage/sql/', import.meta.url)
  const found: unknown[] = []
  for (const file of readdirSync(folder).filter(name => !name.endsWith('.test.ts'))) {
    const module: Record<string, unknown> = await import(new URL(file, folder).href)
    found.push(...Object.values(module).filter(value => typeof value === 'function'))
  }
  assert.deepEqual(new Set(found), new Set(storeFactories))
})

withServices('the stores', services => {
  let stores: Stores
  let owner: Scene
  let stranger: Scene
  before(async () => {
    stores = storesOver(services().database)
    ;({ owner, stranger } = await prepareScene(stores))
  })

  test('every function is looked at', () => {
    const names = Object.entries(stores).flatMap(([store, functions]) =>
      Object.keys(functions).map(name => `${store}.${name}`),
    )
    assert.deepEqual(names.toSorted(), Object.keys(storeFunctions).toSorted())
  })

  // In this order: as long as the stranger has nothing of its own, whatever it gets would be the owner's.
  withoutTrace('a stranger', () => stranger)
  withoutTrace('somebody who does not exist', () => ({ ...stranger, advertiserId: 99_999_999 }))

  /** What reads, or changes what is there, finds nothing and leaves every table as it was. */
  function withoutTrace(who: string, scene: () => Scene): void {
    for (const [name, { samples, strangerGets }] of tenantFunctions.filter(
      ([, { actsOnOwn }]) => !actsOnOwn,
    )) {
      test(`${name}: ${who} gets nothing and changes nothing`, async () => {
        const rows = await dump(services())
        for (const sample of samples) assert.deepEqual(await sample(stores, scene()), strangerGets)
        assert.deepEqual(changes(rows, await dump(services())), [])
      })
    }
  }

  for (const [name, { samples }] of tenantFunctions.filter(([, { actsOnOwn }]) => actsOnOwn)) {
    test(`${name}: a stranger touches its own rows only`, async () => {
      const others = await dump(services(), stranger.advertiserId)
      for (const sample of samples) {
        const result = JSON.stringify((await sample(stores, stranger)) ?? null)
        assert.ok(!result.includes(String(owner.advertiserId)), result)
      }
      assert.deepEqual(changes(others, await dump(services(), stranger.advertiserId)), [])
    })
  }

  test('the owner gets what a stranger does not', async () => {
    for (const [name, { samples, strangerGets, actsOnOwn }] of tenantFunctions) {
      if (actsOnOwn || name === 'credentials.recordUse') continue
      for (const sample of samples) assert.notDeepEqual(await sample(stores, owner), strangerGets, name)
    }
  })
})
