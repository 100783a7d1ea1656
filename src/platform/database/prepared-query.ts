import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { Schema } from './tables.ts'

/** Placeholder for a value that is passed when the query runs. */
class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * Builds and compiles a query when it is first used, because doing so for all would slow the start. Returns a function
 * that binds values to it.
 */
export function compileOnce<Values extends object, Row>(
  build: (parameter: Values) => Compilable<Row>,
): (values: Values) => CompiledQuery<Row> {
  const parameters = new Proxy(
    {},
    {
      get: (_, name) => new Parameter(String(name)),
      ownKeys: () => {
        throw new Error('name the values of a prepared statement one by one: there is nothing to spread yet')
      },
    },
  ) as Values
  let compiled: CompiledQuery<Row> | undefined
  return values => {
    compiled ??= build(parameters).compile()
    const { sql, query, queryId, parameters: wanted } = compiled
    return {
      sql,
      query,
      queryId,
      parameters: wanted.map(value =>
        value instanceof Parameter ? values[value.name as keyof Values] : value,
      ),
    }
  }
}

/**
 * Builds and compiles a statement once, to run it with different values. On SQLite, building a nested query costs more
 * than running it, so frequent queries are prepared like this. `on` is its transaction, if any.
 */
export function prepareStatement<Values extends object, Row>(
  db: Kysely<Schema>,
  build: (parameter: Values) => Compilable<Row>,
): (values: Values, on?: Kysely<Schema>) => Promise<QueryResult<Row>> {
  const bind = compileOnce(build)
  return (values, on = db) => on.executeQuery<Row>(bind(values))
}

/** `prepareStatement` for queries that return at most one row. */
export function prepareQuery<Values extends object, Row>(
  db: Kysely<Schema>,
  build: (parameter: Values) => Compilable<Row>,
): (values: Values, on?: Kysely<Schema>) => Promise<Row | undefined> {
  const run = prepareStatement(db, build)
  return async (values, on) => (await run(values, on)).rows[0]
}
