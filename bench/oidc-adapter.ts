import { DatabaseSync } from 'node:sqlite'
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider'
import pg from 'pg'
import type { Place } from './row-writer.ts'

/**
 * Storage for oidc-provider as its documentation describes it: one record per model and id, also found by
 * grant, user code and uid. `consume` is atomic, which the documentation does not require: without it, simultaneous
 * requests redeem one code more than once.
 */
interface Records {
  create(): Promise<void>
  run(sql: string, values: Value[]): Promise<number>
  find(sql: string, values: Value[]): Promise<StoredRecord | undefined>
}

type Value = string | number | null
interface StoredRecord {
  payload: string
  consumed_at: number | null
}

export async function createAdapterFactory(place: Place): Promise<AdapterFactory> {
  const records = 'file' in place ? sqliteRecords(place.file) : postgresRecords(place.url)
  await records.create()
  return model => adapterOf(model, records)
}

const schema = `
  create table if not exists oidc_payloads (
    type text not null,
    id text not null,
    payload text not null,
    grant_id text,
    user_code text,
    uid text,
    expires_at bigint,
    consumed_at bigint,
    primary key (type, id)
  );
  create index if not exists oidc_payloads_of_grant on oidc_payloads (type, grant_id);
  create index if not exists oidc_payloads_by_uid on oidc_payloads (type, uid);
  create index if not exists oidc_payloads_by_expiry on oidc_payloads (expires_at)`

const statements = {
  upsert: `insert into oidc_payloads (type, id, payload, grant_id, user_code, uid, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (type, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
      user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`,
  find: 'select payload, consumed_at from oidc_payloads where type = $1 and id = $2',
  findByUid: 'select payload, consumed_at from oidc_payloads where type = $1 and uid = $2',
  findByUserCode: 'select payload, consumed_at from oidc_payloads where type = $1 and user_code = $2',
  consume: 'update oidc_payloads set consumed_at = $1 where type = $2 and id = $3 and consumed_at is null',
  destroy: 'delete from oidc_payloads where type = $1 and id = $2',
  revokeByGrantId: 'delete from oidc_payloads where type = $1 and grant_id = $2',
}

const inSeconds = () => Math.floor(Date.now() / 1000)

function adapterOf(model: string, records: Records): Adapter {
  const find = async (sql: string, key: string): Promise<AdapterPayload | undefined> => {
    const record = await records.find(sql, [model, key])
    if (record === undefined) return undefined
    const payload = JSON.parse(record.payload)
    return record.consumed_at === null ? payload : { ...payload, consumed: record.consumed_at }
  }
  return {
    async upsert(id, payload, expiresIn) {
      const { grantId = null, userCode = null, uid = null } = payload
      const expiresAt = expiresIn === undefined ? null : inSeconds() + expiresIn
      const text = JSON.stringify(payload)
      await records.run(statements.upsert, [model, id, text, grantId, userCode, uid, expiresAt])
    },
    find: id => find(statements.find, id),
    findByUid: uid => find(statements.findByUid, uid),
    findByUserCode: userCode => find(statements.findByUserCode, userCode),
    async consume(id) {
      const changed = await records.run(statements.consume, [inSeconds(), model, id])
      if (changed !== 1) throw new errors.InvalidGrant('already consumed')
    },
    async destroy(id) {
      await records.run(statements.destroy, [model, id])
    },
    async revokeByGrantId(grantId) {
      await records.run(statements.revokeByGrantId, [model, grantId])
    },
  }
}

/** The settings of the service's own database. */
function sqliteRecords(file: string): Records {
  const db = new DatabaseSync(file)
  db.exec('pragma page_size = 16384; pragma journal_mode = wal; pragma synchronous = full')
  db.exec('pragma journal_size_limit = 67108864')
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const prepare = (sql: string) => {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql.replace(/\$\d/g, '?'))
      prepared.set(sql, statement)
    }
    return statement
  }
  return {
    create: async () => db.exec(schema),
    run: async (sql, values) => Number(prepare(sql).run(...values).changes),
    find: async (sql, values) => prepare(sql).get(...values) as StoredRecord | undefined,
  }
}

/** As many connections as the service has, and statements prepared by name, as there. */
function postgresRecords(url: string): Records {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  pool.on('error', () => {})
  const names = new Map(Object.entries(statements).map(([name, sql]) => [sql, name]))
  const query = (sql: string, values: Value[]) =>
    pool.query({ name: names.get(sql) ?? '', text: sql, values })
  return {
    async create() {
      await pool.query(schema)
    },
    run: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
    find: async (sql, values) => (await query(sql, values)).rows[0],
  }
}
