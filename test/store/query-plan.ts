import { CompiledQuery, type Kysely } from 'kysely'
import type { Database, Schema } from '../../src/platform/database/tables.ts'
import type { Statement } from '../harness/sql-recording.ts'

/** How a statement reaches its tables. */
export interface QueryPlan {
  /** Each as `table by column, column` of an index; without columns it is a full scan. */
  reads: string[]
  isSorted: boolean
}

export function planOf({ dialect, writer }: Database, statement: Statement): Promise<QueryPlan> {
  return dialect === 'sqlite' ? sqlitePlan(writer, statement) : postgresPlan(writer, statement)
}

function read(table: string, columns: readonly string[]): string {
  return columns.length === 0 ? table : `${table} by ${[...new Set(columns)].join(', ')}`
}

async function sqlitePlan(db: Kysely<Schema>, { sql, parameters }: Statement): Promise<QueryPlan> {
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  )
  const named = new Map([...sql.matchAll(/"(\w+)" as "(\w+)"/g)].map(([, table, alias]) => [alias, table]))
  return {
    isSorted: rows.some(({ detail }) => /USE TEMP B-TREE/.test(detail)),
    reads: rows.flatMap(({ detail }) => {
      const [, kind, name = '', how = ''] = /^(SEARCH|SCAN) (\w+)(.*)$/.exec(detail) ?? []
      // Rows of a sub-query were found by the search of that sub-query.
      if (kind === undefined || ['asked', 'pieces', 'page', 'found', 'json_each', 'CONSTANT'].includes(name))
        return []
      const table = named.get(name) ?? name
      return [read(table, sqliteColumns(table, how))]
    }),
  }
}

function sqliteColumns(table: string, how: string): string[] {
  const condition = /\((.*)\)/.exec(how)?.[1] ?? ''
  const names = condition.match(/\w+(?=(?:,\w+)*\)?[<>=])/g) ?? []
  return names.map(name => {
    // An INTEGER PRIMARY KEY appears as rowid, and the only expression in an index is this.
    if (name === 'rowid') return table === 'advertiser_ledger' ? 'advertiser_id' : 'id'
    return name === 'expr' ? 'advertiser_id' : name
  })
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/**
 * On tables of three rows PostgreSQL would rather read them all, so it is asked to avoid that if it can. The statement
 * is not executed, so the plan has no checks of foreign keys.
 */
async function postgresPlan(db: Kysely<Schema>, { sql, parameters }: Statement): Promise<QueryPlan> {
  const [row] = await db.transaction().execute(async trx => {
    for (const way of ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']) {
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
  return {
    isSorted: nodes.some(node => /Sort$/.test(node['Node Type'])),
    reads: nodes
      .filter(node => node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable')
      .map(node => read(wholeTable(node['Relation Name']), postgresColumns(node['Index Cond'] ?? ''))),
  }
}

/** The pieces are in one partition for each format. */
const wholeTable = (name = '') => name.replace(/^(application_pieces)_(json|xml)$/, '$1')

function postgresColumns(condition: string): string[] {
  const plain = condition.replace(/'[^']*'/g, '')
  const parts = plain.matchAll(/(?:ROW\(([^)]*)\)|COALESCE\((\w+),[^)]*\)|(\w+)) (?:[<>]=?|=) /g)
  return [...parts].flatMap(([, row, coalesced, column]) => row?.split(', ') ?? coalesced ?? column ?? [])
}
