import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { hashSecret } from '../src/platform/core/secrets.ts'
import { type Load, measureWork, type Run } from './load.ts'
import type { Place } from './row-writer.ts'

/** How fast the engine itself finds a credential: one row by a unique index, prepared, read by this process. */
export interface PointReads {
  load: Load
  close(): Promise<void>
}

const statement = `select id, advertiser_id, created_at, expires_at, revoked_at, last_used_at
  from sws_credentials where hash = $1`
/** Yield now and then, so that the timer that ends the turn can fire. */
const readsPerTurn = 50

export function openPointReads(place: Place, credential: string, connections: number): Promise<PointReads> {
  const hash = hashSecret(credential)
  return 'file' in place ? openOnSqlite(place.file, hash) : openOnPostgres(place.url, hash, connections)
}

async function openOnSqlite(file: string, hash: string): Promise<PointReads> {
  const db = new DatabaseSync(file, { readOnly: true })
  const read = db.prepare(statement.replace('$1', '?'))
  async function keepReading(run: Run): Promise<void> {
    while (run.isRunning()) {
      for (let count = 0; count < readsPerTurn; count++) {
        if (read.get(hash) === undefined) throw new Error('the credential is not there')
        run.onDone(0)
      }
      await nextTurn()
    }
  }
  return {
    load: options => measureWork(run => [keepReading(run)], options),
    close: async () => db.close(),
  }
}

async function openOnPostgres(url: string, hash: string, connections: number): Promise<PointReads> {
  const clients = Array.from({ length: connections }, () => new pg.Client(url))
  for (const client of clients) {
    // The query in progress reports the failure; without a listener a lost connection would end the process.
    client.on('error', () => {})
    await client.connect()
  }
  async function keepReading(client: pg.Client, run: Run): Promise<void> {
    while (run.isRunning()) {
      const { rowCount } = await client.query({ name: 'credential', text: statement, values: [hash] })
      if (rowCount !== 1) throw new Error('the credential is not there')
      run.onDone(0)
    }
  }
  return {
    load: options => measureWork(run => clients.map(client => keepReading(client, run)), options),
    async close() {
      for (const client of clients) await client.end()
    },
  }
}
