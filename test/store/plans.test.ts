import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { CompiledQuery, type Kysely } from 'kysely'
import type { Database, Schema } from '../../src/storage/schema.ts'
import { withServices } from '../harness/database.ts'
import { recordStatements, type Statement } from '../harness/sql-recording.ts'
import { prepareScene, storeFunctions, storesOver } from './stores.ts'

/** How a table is reached: by these columns of an index, or by none, which is a scan of all of it. */
interface Access {
  table: string
  columns: string[]
  isSorted: boolean
}

/** What a request waits for, and the columns by which it must be found. */
const wanted: Record<string, string[][]> = {
  'applications.page': [['advertiser_id', 'format', 'id']],
  'applications.resolveBounds': [['advertiser_id'], ['advertiser_id', 'submitted_at']],
  'applications.file': [['advertiser_id', 'application_id', 'type']],
  'applications.screen': [['advertiser_id', 'application_id']],
  'applications.add': [['advertiser_id'], ['name']],
  'applications.recordVerdict': [
    ['advertiser_id'],
    ['advertiser_id', 'application_id'],
    ['advertiser_id', 'application_id', 'type'],
    ['advertiser_id', 'format', 'id'],
    ['advertiser_id', 'id'],
  ],
  'credentials.findOwner': [['hash'], ['id']],
  'credentials.recordUse': [['id']],
  'credentials.revoke': [['id']],
  'credentials.advertiserOf': [['id']],
  'credentials.list': [['advertiser_id']],
  'advertisers.find': [['id']],
  'advertisers.setStatus': [['id']],
}

async function sqlitePlan(db: Kysely<Schema>, { sql, parameters }: Statement): Promise<Access[]> {
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  )
  const isSorted = rows.some(({ detail }) => /USE TEMP B-TREE/.test(detail))
  return rows.flatMap(({ detail }) => {
    const [, kind, table = '', how = ''] = /^(SEARCH|SCAN) (\w+)(.*)$/.exec(detail) ?? []
    // What is read from a sub-query has been found by the search of that sub-query.
    if (kind === undefined || ['pieces', 'page', 'CONSTANT'].includes(table)) return []
    const columns = /\((.*)\)/.exec(how)?.[1]?.match(/\w+(?=[<>=])/g) ?? []
    // An INTEGER PRIMARY KEY goes by the name of the row itself.
    return [{ table, isSorted, columns: columns.map(name => (name === 'rowid' ? rowidOf(table) : name)) }]
  })
}

function rowidOf(table: string): string {
  return table === 'advertiser_ledger' ? 'advertiser_id' : 'id'
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/** On tables of three rows PostgreSQL would rather read them all, so it is told not to when there is another way. */
async function postgresPlan(db: Kysely<Schema>, { sql, parameters }: Statement): Promise<Access[]> {
  const [row] = await db.transaction().execute(async trx => {
    for (const way of ['seqscan', 'bitmapscan']) {
      await trx.executeQuery(CompiledQuery.raw(`set local enable_${way} = off`))
    }
    const explain = CompiledQuery.raw(`explain (format json) ${sql}`, [...parameters])
    return (await trx.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain)).rows
  })
  const nodes: PlanNode[] = []
  const visit = (node: PlanNode) => {
    nodes.push(node)
    node.Plans?.forEach(visit)
  }
  visit(row?.['QUERY PLAN'][0].Plan as PlanNode)
  const isSorted = nodes.some(node => node['Node Type'] === 'Sort')
  return nodes
    .filter(node => node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable')
    .map(node => ({
      table: node['Relation Name'] as string,
      isSorted,
      columns: node['Index Cond']?.match(/\w+(?= (?:[<>]=?|=) )/g) ?? [],
    }))
}

const isExplainable = ({ sql }: Statement) => /^(select|update)/.test(sql) && !/^select nextval/.test(sql)

withServices('the plans of the stores', services => {
  const sent = new Map<string, Statement[]>()
  let database: Database
  before(async () => {
    database = services().database
    const statements = recordStatements(database)
    const stores = storesOver(database)
    const { owner } = await prepareScene(stores)
    for (const name of Object.keys(wanted)) {
      const start = statements.length
      for (const sample of storeFunctions[name]?.samples ?? []) await sample(stores, owner)
      sent.set(name, statements.slice(start).filter(isExplainable))
    }
  })

  for (const [name, allowed] of Object.entries(wanted)) {
    test(`${name} finds its rows by an index and sorts nothing`, async () => {
      const plan = database.dialect === 'sqlite' ? sqlitePlan : postgresPlan
      const ways = new Set(allowed.map(columns => columns.join()))
      for (const statement of sent.get(name) ?? []) {
        for (const { table, columns, isSorted } of await plan(database.writer, statement)) {
          const way = [...new Set(columns)].join()
          assert.ok(ways.has(way), `${table} by (${way}): ${statement.sql}`)
          if (name !== 'credentials.list') assert.equal(isSorted, false, statement.sql)
        }
      }
    })
  }
})
