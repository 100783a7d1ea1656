import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrations } from '../src/schema/migrations/list.ts'
import { readText, repositoryFiles } from './harness/repository.ts'

/** Statements that lock out requests on PostgreSQL, or that the release before cannot run with. */
const refused: [pattern: RegExp, why: string][] = [
  [/alter column \w+ (set not null|(set data )?type)\b/, 'reads or rewrites the table under its lock'],
  [/add (constraint|check|unique|foreign key)\b(?![^`]*not valid)/, 'reads the table under its lock'],
  [/drop (table|column)\b|rename (column|to)\b/, 'breaks the release before: contract in the next one'],
  [/`(update|delete from) /, 'changes of data belong into background work'],
]
const newIndex = /create (?:unique )?index \w+\s+on (\w+)/g

/**
 * The objections to a migration. A part between empty lines may say why it does no harm, in a comment that begins with
 * "Locks:", or be for SQLite only, whose writers wait for one another anyway.
 */
function objections(text: string): string[] {
  const own = new Set([...text.matchAll(/create table (\w+)/g)].map(([, name]) => name))
  const parts = text.split(/\n\s*\n/).filter(part => !/\/\/ Locks: \S|^const \w*sqlite\w* =/im.test(part))
  const changed = parts
    .flatMap(part => [...part.matchAll(/alter table (\w+)/g)].map(([, name]) => name))
    .filter((name, index, all) => !own.has(name) && all.indexOf(name) === index)
  return [
    ...(changed.length > 1 ? [`changes ${changed.join(' and ')}: make one migration of each`] : []),
    ...(/^export const mark: Mark = /m.test(text) ? [] : ['has no mark: see list.ts']),
    ...(/^export const (does =|indexes\b)/m.test(text) ? [] : ['does not say what it does: see list.ts']),
    ...parts.flatMap(part => refused.flatMap(([pattern, why]) => (pattern.test(part) ? [why] : []))),
    ...parts
      .flatMap(part => [...part.matchAll(newIndex)])
      .flatMap(([, table]) => (own.has(table) ? [] : [`an index on ${table} belongs into \`indexes\``])),
  ]
}

const files = repositoryFiles().filter(path => /^src\/schema\/migrations\/\d{4}-.*\.ts$/.test(path))

test('migrations say what they do and which release runs on them, and lock out no requests', () => {
  assert.deepEqual(
    files.map(path => path.slice(-100).replace(/^.*\/|\.ts$/g, '')),
    Object.keys(migrations),
  )
  // Earlier ones came before the first release.
  const later = files.filter(path => path.slice(path.lastIndexOf('/') + 1) >= '0010')
  assert.deepEqual(
    later.flatMap(path => objections(readText(path)).map(objection => `${path}: ${objection}`)),
    [],
  )
})

test('a migration that locks is refused, unless it says why it may', () => {
  const mark = `export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }\n\nexport const does = 'adds'\n\n`
  const planted = [
    'sql`alter table jobs alter column title set not null`',
    'sql`alter table jobs alter column id type bigint`',
    'sql`alter table jobs add constraint jobs_ok check (id > 0)`',
    'sql`drop table jobs`',
    'sql`alter table jobs rename column title to name`',
    "sql`update jobs set title = ''`",
    'sql`create unique index jobs_by_title\n  on jobs (title)`',
  ]
  for (const statement of planted) {
    assert.equal(objections(mark + statement).length, 1, statement)
    assert.deepEqual(objections(`${mark}// Locks: it has ten rows.\n${statement}`), [])
  }
  assert.equal(objections('sql`create table a (id text)`').length, 2)
  const two = 'sql`alter table jobs add column a text`,\nsql`alter table people add column a text`'
  assert.equal(objections(mark + two).length, 1)
  const harmless = [
    'sql`create table a (id text)`,\nsql`create index a_by_id on a (id)`',
    'sql`alter table jobs add column note text`',
    'sql`alter table jobs add constraint jobs_ok check (id > 0) not valid`',
    'const heldOnSqlite = [sql`drop table jobs`]',
  ]
  for (const statement of harmless) assert.deepEqual(objections(mark + statement), [], statement)
})
