import type { Compilable, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** Stands for a value that comes when the query is run. */
class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * A query that is built and compiled once and run with other values each time. Building a nested query costs
 * more than running it on SQLite, so what every request asks is prepared like this.
 */
export function prepareQuery<Values extends object, Row>(
  db: Kysely<Schema>,
  build: (parameter: Values) => Compilable<Row>,
): (values: Values) => Promise<Row | undefined> {
  const parameters = new Proxy({}, { get: (_, name) => new Parameter(String(name)) }) as Values
  const compiled = build(parameters).compile()
  return async values => {
    const bound = compiled.parameters.map(value =>
      value instanceof Parameter ? values[value.name as keyof Values] : value,
    )
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters: bound })
    return rows[0]
  }
}
