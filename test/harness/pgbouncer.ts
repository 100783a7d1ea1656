import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findDaemon } from './debian.ts'
import { type Postgres, serverOwner } from './postgres.ts'

export interface Pgbouncer {
  /** Address of a database of the server behind it. */
  url(database: string): string
  stop(): Promise<void>
}

/** A real pgbouncer in transaction mode in front of a server: each transaction may get another session. */
export async function startPgbouncer(
  postgres: Pick<Postgres, 'folder'>,
  moreSettings = '',
): Promise<Pgbouncer> {
  const program = await findDaemon('pgbouncer')
  if (program === undefined)
    throw new Error('There is no pgbouncer: install the package of that name (Debian).')
  const folder = await mkdtemp(join(tmpdir(), 'dossier-pgbouncer-'))
  const { uid, gid } = serverOwner
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'users.txt'), '"dossier" ""\n')
  const config = join(folder, 'pgbouncer.ini')
  await writeFile(config, configuration(folder, postgres) + moreSettings)
  const server = spawn(program, [config], { ...serverOwner, cwd: folder, stdio: 'ignore' })
  const url = (database: string) =>
    `postgres://dossier@localhost:6432/${database}?host=${encodeURIComponent(folder)}`

  const deadline = performance.now() + 120_000
  for (;;) {
    const client = new pg.Client(url('postgres'))
    try {
      await client.connect()
      await client.end()
      break
    } catch (error) {
      if (performance.now() > deadline || server.exitCode !== null) throw error
      await sleep(20)
    }
  }
  return {
    url,
    async stop() {
      const exited = once(server, 'exit')
      // At once: no client is left.
      server.kill('SIGQUIT')
      if (server.exitCode === null && server.signalCode === null) await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** As Debian configures it, except for the socket; it refuses startup parameters that it does not know. */
function configuration(folder: string, postgres: Pick<Postgres, 'folder'>): string {
  return `[databases]
* = host=${postgres.folder}
[pgbouncer]
listen_addr =
unix_socket_dir = ${folder}
listen_port = 6432
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
max_client_conn = 500
; Few, so that what needs its session soon meets another one.
default_pool_size = 5
; A database of a test is dropped soon.
server_idle_timeout = 5
; Seconds, of 15: a server that was away for a moment is asked again soon.
server_login_retry = 1
`
}
