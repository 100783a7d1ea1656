import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { dataTables } from '../../src/storage/sql/demo.ts'
import { withServices } from '../harness/database.ts'

/** Tables that hold no data of ours: the migrator's own, and what numbers the applications on SQLite. */
const bookkeeping = ['schema_migrations', 'schema_migrations_lock', 'counters']

type Columns = Record<string, string>

/** `Schema` is a type and gone when the program runs, so it is read as text: table, column, `integer|text[ or null]`. */
function declaredTables(): Record<string, Columns> {
  const source = readFileSync(new URL('../../src/storage/schema.ts', import.meta.url), 'utf8')
  const body = /export interface Schema \{\n(.*?)\n\}/s.exec(source)?.[1] ?? ''
  const plain = body.replace(/\/\*\*.*?\*\//gs, '')
  return Object.fromEntries(
    [...plain.matchAll(/(\w+): \{([^}]*)\}/g)].map(([, table, columns = '']) => [
      table,
      Object.fromEntries(
        [...columns.matchAll(/(\w+): ([^\n;]+)/g)].map(([, column, type = '']) => [
          column,
          declaredType(type),
        ]),
      ),
    ]),
  )
}

function declaredType(type: string): string {
  const kind = /\bnumber\b/.test(type) ? 'integer' : 'text'
  return /\| null\b/.test(type) ? `${kind} or null` : kind
}

withServices('a fresh schema', services => {
  async function actualTables(): Promise<Record<string, Columns>> {
    const tables = await services().database.reader.introspection.getTables()
    return Object.fromEntries(
      tables
        .filter(table => !bookkeeping.includes(table.name))
        .map(table => [
          table.name,
          Object.fromEntries(
            table.columns.map(({ name, dataType, isNullable, isAutoIncrementing }) => {
              const kind = /^(int8|bigint|integer)$/i.test(dataType) ? 'integer' : dataType.toLowerCase()
              // SQLite calls an INTEGER PRIMARY KEY nullable, although it never is.
              return [name, isNullable && !isAutoIncrementing ? `${kind} or null` : kind]
            }),
          ),
        ]),
    )
  }

  test('has the tables and columns that the code believes in', async () => {
    assert.deepEqual(await actualTables(), declaredTables())
  })

  test('has no data outside the tables that "demo reset" empties', async () => {
    assert.deepEqual(Object.keys(await actualTables()).toSorted(), [...dataTables, 'meta'].toSorted())
  })

  test('has every migration once, and a second run has nothing to do', async () => {
    assert.deepEqual(await services().schema.state(), { state: 'current' })
    assert.deepEqual(await services().schema.migrate(), [])
  })
})
