import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const startWithinMs = 120_000

export interface ServerProcess {
  pid: number
  port: number
  /** From the spawn until it reports that it listens. */
  startedAfterMs: number
  stop(): Promise<void>
}

/** `dossier serve` with default settings and its log on, but without rate limits in the way. */
export function startService(
  folder: string,
  settings: Record<string, string>,
  args: string[] = [],
  program = fileURLToPath(new URL('../bin/dossier', import.meta.url)),
): Promise<ServerProcess> {
  return start(folder, 'service', program, ['serve', ...args], {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    RATE_LIMIT_V1_PER_MINUTE: '999999999',
    RATE_LIMIT_V2_PER_MINUTE: '999999999',
    RATE_LIMIT_TOKEN_PER_MINUTE: '999999999',
    RATE_LIMIT_CODES_PER_MINUTE: '999999999',
    RATE_LIMIT_INTAKE_PER_MINUTE: '999999999',
    ...settings,
  })
}

/** A floor or a peer: a script of this folder. */
export function startScript(
  folder: string,
  name: string,
  args: string[] = [],
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  return start(folder, name, fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), args, settings)
}

let serial = 0

async function start(
  folder: string,
  name: string,
  script: string,
  args: string[],
  settings: Record<string, string>,
): Promise<ServerProcess> {
  // To a file, as under a service manager that keeps logs.
  const logFile = join(folder, `${name}-${++serial}.log`)
  const log = openSync(logFile, 'w')
  const startedAt = performance.now()
  // The environment of the bench must not affect what it measures.
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...settings }
  // The service as operators start it, by its own name; floors and peers are scripts.
  const [command, begin] = script.endsWith('.ts') ? [process.execPath, [script]] : [script, []]
  const child = spawn(command, [...begin, ...args], { env, stdio: ['ignore', log, log] })
  closeSync(log)
  try {
    const port = await listeningPort(child, logFile, startedAt)
    return {
      pid: child.pid as number,
      port,
      startedAfterMs: performance.now() - startedAt,
      stop: () => stop(child),
    }
  } catch (error) {
    await stop(child)
    throw error
  }
}

async function listeningPort(child: ChildProcess, logFile: string, startedAt: number): Promise<number> {
  for (;;) {
    const port = findPort(readFileSync(logFile, 'utf8'))
    if (port !== undefined) return port
    if (hasEnded(child) || performance.now() - startedAt > startWithinMs) {
      throw new Error(`a server did not start:\n${readFileSync(logFile, 'utf8')}`)
    }
    await sleep(5)
  }
}

function findPort(log: string): number | undefined {
  for (const line of log.split('\n').slice(0, -1)) {
    const entry = line.startsWith('{') ? JSON.parse(line) : {}
    if (entry.msg === 'listening') return entry.port
  }
  return undefined
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await exited
  clearTimeout(timer)
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
