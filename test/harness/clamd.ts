import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eicar } from '../../src/platform/scanning/probes.ts'
import { findDaemon } from './debian.ts'

/** Lines of clamd.conf. */
export type ClamdSettings = Record<string, string>

/** The settings of docs/operating/running.md, but smaller, so that a proof is quick. */
export const soundSettings: ClamdSettings = {
  AlertExceedsMax: 'yes',
  StreamMaxLength: '25M',
  MaxFileSize: '24M',
  MaxScanSize: '24M',
}

export interface Clamd {
  /** For CLAMD_URL. */
  url: string
  path: string
  stop(): Promise<void>
  /** With other settings, when they are given. */
  start(settings?: ClamdSettings): Promise<void>
  /** Suspends it: connections are accepted, nothing is answered. */
  freeze(): void
  thaw(): void
  /** Stops it and removes its folder. */
  remove(): Promise<void>
}

export const findClamd = (): Promise<string | undefined> => findDaemon('clamd')

/** A real clamd of our own on a unix socket. It knows one virus, the EICAR file. */
export async function startClamd(settings: ClamdSettings = soundSettings): Promise<Clamd> {
  const program = await findClamd()
  if (program === undefined) throw new Error('There is no clamd: install clamav-daemon (Debian) or clamd.')
  const folder = await mkdtemp(join(tmpdir(), 'dossier-clamd-'))
  const path = join(folder, 'clamd.ctl')
  const signatures = join(folder, 'signatures')
  await mkdir(signatures)
  await writeFile(join(signatures, 'eicar.ndb'), `Eicar-Test:0:0:${eicar.toString('hex')}\n`)
  let current = settings
  let server: ChildProcess | undefined

  async function start(changed = current): Promise<void> {
    current = changed
    const lines = {
      Foreground: 'yes',
      LocalSocket: path,
      LocalSocketMode: '600',
      FixStaleSocket: 'yes',
      DatabaseDirectory: signatures,
      TemporaryDirectory: folder,
      ...current,
    }
    const conf = join(folder, 'clamd.conf')
    const text = Object.entries(lines).map(([name, value]) => `${name} ${value}\n`)
    await writeFile(conf, text.join(''))
    server = spawn(program as string, ['-c', conf], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    server.stderr?.setEncoding('utf8').on('data', more => {
      said += more
    })
    while (!(await isListening(path))) {
      if (server.exitCode !== null) throw new Error(`clamd did not start: ${said}`)
      await sleep(5)
    }
  }

  async function stop(): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill('SIGCONT')
    server.kill('SIGTERM')
    await exited
  }

  await start()
  return {
    url: `unix://${path}`,
    path,
    start,
    stop,
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
    async remove() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The socket file exists a moment before it accepts connections. */
async function isListening(path: string): Promise<boolean> {
  const socket = connect(path)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  const answer = await promise
  socket.destroy()
  return answer
}
