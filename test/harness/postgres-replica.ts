import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { createServerFolder, type Postgres, postgresIn, serverOwner } from './postgres.ts'

export interface Replica extends Postgres {
  /** As `application_name` in pg_stat_replication of the primary, for synchronous_standby_names. */
  name: string
  /** Resolves when everything that the primary has written so far can be read here. */
  caughtUp(): Promise<void>
  /** From now on it answers from its present state, until `resume`. Writes still arrive, and wait. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Makes it a primary of its own; the old one continues unaffected. */
  promote(): Promise<void>
}

/** A streaming standby of a running primary. npm has no pg_basebackup, so this does its work. */
export async function startReplica(
  primary: Postgres,
  settings: Record<string, string> = {},
): Promise<Replica> {
  const folder = await createServerFolder()
  const name = `replica_${randomBytes(4).toString('hex')}`
  await copyData(primary, join(folder, 'data'), name)
  const server = postgresIn(folder, {
    ...primary.settings,
    primary_conninfo: `host=${primary.folder} user=dossier application_name=${name}`,
    primary_slot_name: name,
    ...settings,
  })
  await server.start()

  async function until(question: string, of: Postgres = server): Promise<void> {
    const deadline = performance.now() + 120_000
    for (;;) {
      const [row] = await of.query(`select (${question}) as holds`)
      if (row?.['holds'] === true) return
      if (performance.now() > deadline) throw new Error(`it never came to this: ${question}`)
      await sleep(10)
    }
  }

  return {
    ...server,
    name,
    async caughtUp() {
      const [row] = await primary.query('select pg_current_wal_lsn()::text as lsn')
      await until(`pg_last_wal_replay_lsn() >= '${row?.['lsn']}'`)
    },
    async pause() {
      await server.query('select pg_wal_replay_pause()')
      await until(`pg_get_wal_replay_pause_state() = 'paused'`)
    },
    async resume() {
      await server.query('select pg_wal_replay_resume()')
    },
    async promote() {
      await until('pg_promote()')
    },
  }
}

/** A base backup. The slot keeps the writes made meanwhile, and those missed during an outage. */
async function copyData(primary: Postgres, data: string, slot: string): Promise<void> {
  const session = new pg.Client(primary.url('postgres'))
  await session.connect()
  try {
    await session.query(`select pg_create_physical_replication_slot('${slot}', true)`)
    await session.query(`select pg_backup_start('${slot}', true)`)
    const source = join(primary.folder, 'data')
    await cp(source, data, { recursive: true, filter: path => belongs(relative(source, path)) })
    for (const empty of ['pg_wal/archive_status', 'pg_replslot']) {
      await mkdir(join(data, empty), { recursive: true })
    }
    const { rows } = await session.query('select labelfile from pg_backup_stop(false)')
    await writeFile(join(data, 'backup_label'), rows[0].labelfile)
    await writeFile(join(data, 'standby.signal'), '')
  } finally {
    await session.end()
  }
  const { uid, gid } = serverOwner
  if (uid !== undefined) await promisify(execFile)('chown', ['-R', `${uid}:${gid}`, data])
  // The server refuses a data folder that other users may read.
  await promisify(execFile)('chmod', ['-R', 'u=rwX,go=', data])
}

/** Files of the primary that are not part of its data. */
function belongs(path: string): boolean {
  const name = basename(path)
  if (/^(pg_wal|pg_replslot|pgsql_tmp)$/.test(name)) return false
  return !/^postmaster\.(pid|opts)$/.test(name)
}
