import { createHash } from 'node:crypto'
import pg from 'pg'
import type { RowClient } from './rows.ts'

/** With `isInBytes` the result is one row with the bytes of all rows. */
export type Run = (text: string, values: unknown[], isInBytes?: boolean) => Promise<pg.QueryResult>

/** Runs statements on a connection; `onError` converts each error for the caller. */
export function runOn(
  client: pg.PoolClient,
  isPrepared: boolean,
  onError: (error: Error & { code?: unknown }) => unknown,
): Run {
  const { rows } = client as unknown as RowClient
  return (text, values, isInBytes = false) => {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    const name = isPrepared ? statementName(text) : undefined
    if (isInBytes) rows.begin()
    // A callback, because the driver's promise keeps each result until the next full garbage collection, which tripled
    // the growth of the process during a whole list.
    client.query({ text, values, ...(name === undefined ? {} : { name }) }, (error, result) => {
      if (isInBytes) result = { ...result, rows: [rows.end()] }
      if (error) reject(onError(error))
      else resolve(result)
    })
    return promise
  }
}

const statementNames = new Map<string, string>()

/** Named statements are parsed and planned once per connection, which halves the time of a short query. */
function statementName(sql: string): string | undefined {
  let name = statementNames.get(sql)
  if (name === undefined && statementNames.size < 500) {
    name = createHash('sha256').update(sql).digest('hex').slice(0, 32)
    statementNames.set(sql, name)
  }
  return name
}

export function discard(client: pg.PoolClient): void {
  client.release(true)
  // The server may never answer the driver's Terminate message.
  destroySocket(client)
}

export function destroySocket(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}

const int8 = 20

/** Our int8 values are epoch milliseconds and IDs below 2^53; an inexact value is an error. */
export const int8AsNumber = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? exactNumber : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

function exactNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is not exact as a number`)
  return value
}
