/**
 * The SQL that each store function sends, for review: spec/sql/. To rewrite it:
 *
 *   UPDATE_GOLDEN=1 npm test -- test/store/sql.test.ts
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { TableMetadata } from 'kysely'
import { withServices } from '../harness/database.ts'
import { assertGolden } from '../harness/golden.ts'
import { pretty, recordStatements } from '../harness/sql-recording.ts'
import { type Kind, ownTables, prepareScenes } from './scene.ts'
import { storeFunctions, storesOver } from './stores.ts'

/** The statement and its sub-queries, each without the content of its own parentheses. */
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

/** Reached through the client that sent it: restricted to that client above. */
const ofJobBoards = 'intake_applications'
/** An endpoint is an advertiser's or an agent's, which the first test checks. */
const ofAgentsToo = 'webhook_endpoints'
/** Made by anyone, and reached by the address of its reporter. */
const ofReporters = 'job_reports'

withServices('the SQL of the stores', services => {
  /** By function: each statement once, in the order in which it is first sent. */
  const sent = new Map<string, string[]>()
  let tables: readonly TableMetadata[]
  before(async () => {
    tables = await services().database.reader.introspection.getTables()
    const statements = recordStatements(services().database)
    const stores = storesOver(services().database)
    const { owner } = await prepareScenes(stores)
    for (const [name, { samples }] of Object.entries(storeFunctions)) {
      const start = statements.length
      for (const sample of samples) await sample(stores, owner)
      const own = statements.slice(start).map(statement => statement.sql)
      // The same for every act: see audit.record.
      const isAct = (sql: string) => !name.startsWith('audit.') && /"audit_(heads|entries|seals)"/.test(sql)
      sent.set(name, [...new Set(own.filter(sql => !isAct(sql)))])
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

  /** The tables that name an owner of this kind, and the one with the owners, by the column that does. */
  function ownedBy(kind: Kind): Map<string, string> {
    // The partitions of a table on PostgreSQL are never queried by their own names.
    const whole = tables.filter(({ name }) => !name.startsWith('application_pieces_'))
    const named = whole.filter(({ columns }) => columns.some(({ name }) => name === `${kind}_id`))
    return new Map([[ownTables[kind], 'id'], ...named.map(({ name }) => [name, `${kind}_id`] as const)])
  }

  test('restricts every table that names an owner to the caller', () => {
    let checked = 0
    for (const [name, statements] of sent) {
      const { of = 'advertiser', exception, reachedBy = {} } = storeFunctions[name] ?? {}
      if (exception !== undefined) continue
      for (const [table, column] of ownedBy(of)) {
        for (const sql of statements) checked += countRestricted(sql, table, reachedBy[table] ?? column, name)
      }
    }
    assert.ok(checked > 50, `${checked} places`)
  })

  test("restricts an advertiser's own data to one advertiser, for every caller", () => {
    const candidates = ownedBy('candidate')
    const own = [...ownedBy('advertiser')].filter(
      ([table, column]) =>
        column === 'advertiser_id' &&
        !candidates.has(table) &&
        table !== ofJobBoards &&
        table !== ofAgentsToo &&
        table !== ofReporters,
    )
    assert.deepEqual(own.map(([table]) => table).toSorted(), [
      'ad_versions',
      'advertiser_ledger',
      'advertiser_logos',
      'agent_authorisations',
      'agent_call_days',
      'api_call_days',
      'application_counts',
      'application_days',
      'application_files',
      'application_history',
      'application_holds',
      'application_pieces',
      'application_reads',
      'application_screens',
      'application_terms',
      'applications',
      'erasures',
      'events',
      'invitations',
      'job_ads',
      'kept_applications',
      'list_reads',
      'oauth_client_advertisers',
      'privacy_notices',
      'recent_decisions',
      'screens',
      'sws_credentials',
      'webhook_attempts',
      'webhook_lanes',
    ])
    let checked = 0
    for (const [name, statements] of sent) {
      if (storeFunctions[name]?.exception !== undefined) continue
      for (const [table, column] of own) {
        // An agent's own are those of the advertisers that have authorised it.
        const by = storeFunctions[name]?.of === 'agent' ? 'agent_id' : column
        for (const sql of statements) checked += countRestricted(sql, table, by, name)
      }
    }
    assert.ok(checked > 20, `${checked} places`)
  })

  test('has no unnecessary exception to its restrictions', () => {
    for (const [name, { reachedBy = {} }] of Object.entries(storeFunctions)) {
      for (const table of Object.keys(reachedBy)) {
        assert.ok(
          // Statements for several callers at once are written without quotation marks.
          sent.get(name)?.some(sql => new RegExp(String.raw`\b${table}\b`).test(sql)),
          `${name}: ${table}`,
        )
      }
    }
  })
})

/** How often the statement mentions the table; each time it must name one owner. */
function countRestricted(sql: string, table: string, column: string | string[], name: string): number {
  const columns = [column].flat()
  let places = 0
  const insert = new RegExp(`insert into "${table}" \\(([^)]*)\\)`).exec(sql)
  if (insert !== null) {
    places += 1
    assert.match(insert[1] ?? '', new RegExp(columns.map(each => `"${each}"`).join('|')), `${name}: ${sql}`)
  }
  for (const level of levels(sql)) {
    const found = new RegExp(`(?:from|join|update) "${table}"(?: as "(\\w+)")?`).exec(level)
    if (found === null) continue
    places += 1
    const isSo = columns.some(each => isRestricted(sql, level, each, found[1]))
    assert.ok(isSo, `${name}: "${table}" by "${column}": ${sql}`)
    // An "or" beside it would admit others again.
    assert.doesNotMatch(level, / or /, `${name}: ${sql}`)
  }
  return places
}

/**
 * The column equals a value of the call, or a column of the same statement that does or that is in a row of the
 * candidate who calls, or it is one of the results of a sub-query, which is restricted like everything else.
 */
function isRestricted(sql: string, level: string, column: string, alias: string | undefined): boolean {
  if (equalsValue(sql, level, column, alias)) return true
  if (new RegExp(` where (?:.* and )?"${column}" in \\[\\]`).test(level)) return true
  const ofCaller = String.raw`\(select "${column}" from "own_applications" where "candidate_id" = (?:\?|\$\d+) `
  if (level.includes(`"${column}" = []`) && condition(column, alias, ofCaller).test(sql)) return true
  const equal = condition(column, alias, String.raw`"(\w+)"\."(\w+)"`).exec(level)
  const [, otherAlias, otherColumn = ''] = equal ?? []
  return (
    otherAlias !== undefined &&
    levels(sql).some(
      other =>
        other.includes(` as "${otherAlias}"`) &&
        [otherColumn, 'candidate_id'].some(each => equalsValue(sql, other, each, otherAlias)),
    )
  )
}

/** Or one of the values of concurrent callers, each of whom gets their own row (src/platform/database/find-by-key.ts). */
function equalsValue(sql: string, level: string, column: string, alias: string | undefined): boolean {
  if (condition(column, alias, String.raw`(?:\?|\$\d+)`).test(level)) return true
  return condition(column, alias, String.raw`any\[\]`).test(level) && /\bany\(\$\d+\)/.test(sql)
}

function condition(column: string, alias: string | undefined, right: string): RegExp {
  const left = alias === undefined ? `"${column}"` : String.raw`"${alias}"\."${column}"`
  return new RegExp(` (?:where|and|on) ${left} = ${right}`)
}
