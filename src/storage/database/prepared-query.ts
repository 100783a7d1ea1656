import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { Schema } from './tables.ts'

/** Stands for a value that comes when the query is run. */
class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A query that is built and compiled once; gives it with the values of the moment. */
export function compileOnce<Values extends object, Row>(
  build: (parameter: Values) => Compilable<Row>,
): (values: Values) => CompiledQuery<Row> {
  const parameters = new Proxy(
    {},
    {
      get: (_, name) => new Parameter(String(name)),
      ownKeys: () => {
        throw new Error(
          'the values of a prepared statement are named one by one: there is nothing to spread yet',
        )
      },
    },
  ) as Values
  const { sql, query, queryId, parameters: wanted } = build(parameters).compile()
  return values => ({
    sql,
    query,
    queryId,
    parameters: wanted.map(value =>
      value instanceof Parameter ? values[value.name as keyof Values] : value,
    ),
  })
}

/**
 * A statement that is built and compiled once and run with other values each time. Building a nested query costs
 * more than running it on SQLite, so what every request asks is prepared like this. `on` is the transaction that
 * it belongs to, if any.
 */
export function prepareStatement<Values extends object, Row>(
  db: Kysely<Schema>,
  build: (parameter: Values) => Compilable<Row>,
): (values: Values, on?: Kysely<Schema>) => Promise<QueryResult<Row>> {
  const bind = compileOnce(build)
  return (values, on = db) => on.executeQuery<Row>(bind(values))
}

/** The same for what finds one row or none. */
export function prepareQuery<Values extends object, Row>(
  db: Kysely<Schema>,
  build: (parameter: Values) => Compilable<Row>,
): (values: Values, on?: Kysely<Schema>) => Promise<Row | undefined> {
  const run = prepareStatement(db, build)
  return async (values, on) => (await run(values, on)).rows[0]
}
