/**
 * The SQL that each store function sends, for review: spec/sql/. To write it anew:
 *
 *   UPDATE_GOLDEN=1 npm test -- test/store/sql.test.ts
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { withServices } from '../harness/database.ts'
import { assertGolden } from '../harness/golden.ts'
import { recordStatements } from '../harness/sql-recording.ts'
import { prepareScene, storeFunctions, storesOver } from './stores.ts'

const clause =
  / (?=(?:(?<!delete )from|inner join|where|and|order by|limit|set|values|returning|on conflict|union(?: all)?) )/g

/** One clause a line, indented by its depth, is enough to read a difference. */
function pretty(sql: string): string {
  let depth = 1
  const parts = sql.replace(/\s+/g, ' ').split(/([()]|'[^']*')/)
  const lines = parts.map(part => {
    if (part === '(') depth += 1
    if (part === ')') depth -= 1
    return part.startsWith("'") ? part : part.replace(clause, `\n${'  '.repeat(depth)}`)
  })
  return `${lines.join('')};`
}

/** The statement and its sub-queries, each without what is in its own parentheses. */
function levels(sql: string): string[] {
  const found: string[] = []
  let rest = sql
  for (;;) {
    const inner = /\(([^()]*)\)/.exec(rest)
    if (inner === null) return [...found, rest]
    found.push(inner[1] ?? '')
    rest = rest.replace(inner[0], '[]')
  }
}

withServices('the SQL of the stores', services => {
  /** By function: each statement once, in the order in which it is first sent. */
  const sent = new Map<string, string[]>()
  before(async () => {
    const statements = recordStatements(services().database)
    const stores = storesOver(services().database)
    const { owner } = await prepareScene(stores)
    for (const [name, { samples }] of Object.entries(storeFunctions)) {
      const start = statements.length
      for (const sample of samples) await sample(stores, owner)
      sent.set(name, [...new Set(statements.slice(start).map(statement => statement.sql))])
    }
  })

  test('is the SQL that was reviewed', () => {
    const sections = [...sent].map(([name, statements]) => {
      const note = storeFunctions[name]?.exception
      const heading = note === undefined ? `-- ${name}` : `-- ${name} (${note})`
      return `${heading}\n${statements.map(pretty).join('\n')}\n`
    })
    assertGolden(`sql/${services().database.dialect}.sql`, sections.join('\n'))
  })

  test('restricts every table that belongs to advertisers to one of them', async () => {
    const tables = await services().database.reader.introspection.getTables()
    const owned = tables
      .filter(table => table.columns.some(column => column.name === 'advertiser_id'))
      .map(table => table.name)
    assert.ok(owned.includes('applications'))
    for (const [name, statements] of sent) {
      if (storeFunctions[name]?.exception !== undefined) continue
      for (const sql of statements) {
        for (const table of owned) assertRestricted(sql, table, name)
      }
    }
  })

  function assertRestricted(sql: string, table: string, name: string): void {
    const insert = new RegExp(`insert into "${table}" \\(([^)]*)\\)`).exec(sql)
    if (insert !== null) assert.match(insert[1] ?? '', /"advertiser_id"/, `${name}: ${sql}`)
    for (const level of levels(sql)) {
      if (!new RegExp(`(?:from|join|update) "${table}"`).test(level)) continue
      assert.match(level, / where (?:.* and )?"advertiser_id" = (?:\?|\$\d+)/, `${name}: ${sql}`)
      // An "or" beside it would let others in again.
      assert.doesNotMatch(level, / or /, `${name}: ${sql}`)
    }
  }
})
