import type { CompiledQuery, QueryExecutor } from 'kysely'
import type { Database } from '../../src/storage/schema.ts'

export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

/** Every statement that is sent to this database from now on, in transactions and outside of them. */
export function recordStatements({ writer, reader }: Database): Statement[] {
  const statements: Statement[] = []
  // Where queries are executed, and not where they are built: a prepared one is built once and sent often.
  const watch = (executor: QueryExecutor): QueryExecutor => {
    const execute = executor.executeQuery.bind(executor)
    const withProvider = executor.withConnectionProvider.bind(executor)
    return Object.assign(executor, {
      executeQuery: (query: CompiledQuery) => {
        statements.push(query)
        return execute(query)
      },
      withConnectionProvider: (provider: Parameters<typeof withProvider>[0]) => watch(withProvider(provider)),
    })
  }
  for (const executor of new Set([writer.getExecutor(), reader.getExecutor()])) watch(executor)
  return statements
}
