import type { CompiledQuery, QueryExecutor } from 'kysely'
import type { Database } from '../../src/platform/database/tables.ts'

export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * Every statement sent to this database from now on, inside and outside transactions, except for notifications beside
 * them and the signatures of the node, which are sent at their own time.
 */
export function recordStatements(database: Database): Statement[] {
  const { writer, reader, step, readRows } = database
  const statements: Statement[] = []
  const record = (query: Statement) => {
    if (!/^(insert into|update|delete from) "nodes"/.test(query.sql)) statements.push(query)
  }
  if (step !== undefined) {
    database.step = body =>
      step(run =>
        body(query => {
          record(query)
          return run(query)
        }),
      )
  }
  if (readRows !== undefined) {
    database.readRows = (query, read) => {
      record(query)
      return readRows(query, read)
    }
  }
  const ofReader = reader.getExecutor()
  // Where queries are executed, not where they are built: a prepared one is built once and sent often.
  const watch = (executor: QueryExecutor): QueryExecutor => {
    const execute = executor.executeQuery.bind(executor)
    const withProvider = executor.withConnectionProvider.bind(executor)
    return Object.assign(executor, {
      executeQuery: (query: CompiledQuery) => {
        if (executor !== ofReader || !query.sql.includes('pg_notify')) record(query)
        return execute(query)
      },
      withConnectionProvider: (provider: Parameters<typeof withProvider>[0]) => watch(withProvider(provider)),
    })
  }
  for (const executor of new Set([writer.getExecutor(), reader.getExecutor()])) watch(executor)
  return statements
}

const clause =
  / (?=(?:(?<!delete )from|inner join|where|and|order by|limit|set|values|returning|on conflict|union(?: all)?) )/g

/** One clause per line, indented by its depth, is enough to read a difference. */
export function pretty(sql: string): string {
  let depth = 1
  const parts = sql.replace(/\s+/g, ' ').split(/([()]|'[^']*')/)
  const lines = parts.map(part => {
    if (part === '(') depth += 1
    if (part === ')') depth -= 1
    return part.startsWith("'") ? part : part.replace(clause, `\n${'  '.repeat(depth)}`)
  })
  return `${lines.join('')};`
}
