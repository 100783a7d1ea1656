import assert from 'node:assert/strict'
import { type RunningHere, startHere } from './command.ts'
import type { TestDatabase } from './database.ts'
import { findLogLine, type Running, startDossier } from './process.ts'
import type { Service } from './service.ts'

/** A `dossier serve` whose process the test sees, and without the demo unless requested. */
export interface Serving extends Service {
  running: Running
  settings: Record<string, string>
  /** For the end of a test, whatever its outcome: no process that it started lives on. */
  end(): void
}

interface Options {
  args?: string[]
  env?: Record<string, string>
}

const settingsOf = ({ settings }: Pick<TestDatabase, 'settings'>, { env }: Options) => ({
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PORT: '0',
  LOG_FORMAT: 'json',
  // Stopping does not wait for the connections that the tests keep open.
  SHUTDOWN_IDLE_MS: '1',
  ...settings,
  ...env,
})

export async function startServing(
  database: Pick<TestDatabase, 'engine' | 'settings'>,
  options: Options = {},
): Promise<Serving> {
  const running = startDossier(['serve', ...(options.args ?? [])], settingsOf(database, options))
  return {
    ...(await serviceOf(database, running)),
    running,
    end() {
      running.child.kill('SIGKILL')
      // Its workers would first complete their requests, and the test may have ended in the middle of one.
      const workers = logLines(running.stdout()).filter(({ msg }) => msg === 'worker is up')
      for (const { pid } of workers) killIfAlive(Number(pid))
    },
    async stop() {
      running.child.kill('SIGTERM')
      const { code, stderr } = await running.finished
      assert.deepEqual([code, stderr], [0, ''])
    },
  }
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

/** The same in the process of the test, where it starts in a moment. */
export interface ServingHere extends Service {
  running: Pick<RunningHere, 'until' | 'finished'>
  settings: Record<string, string>
  /** The effect of SIGTERM on a process. */
  requestStop(): void
}

export async function startServingHere(
  database: Pick<TestDatabase, 'engine' | 'settings'>,
  options: Options = {},
): Promise<ServingHere> {
  const running = startHere(['serve', ...(options.args ?? [])], settingsOf(database, options))
  return {
    ...(await serviceOf(database, running)),
    running,
    requestStop: running.stop,
    async stop() {
      running.stop()
      const { code, stderr } = await running.finished
      assert.deepEqual([code, stderr], [0, ''])
    },
  }
}

async function serviceOf(
  { engine, settings }: Pick<TestDatabase, 'engine' | 'settings'>,
  running: Pick<Running, 'until' | 'stdout'>,
): Promise<Omit<ServingHere, 'stop' | 'requestStop' | 'running'>> {
  const listening = await running.until(stdout => findLogLine(stdout, 'listening'))
  return {
    engine,
    settings,
    port: Number(listening['port']),
    // Not the name in the response's links: that may resolve to an address on which this service does not listen.
    baseUrl: `http://127.0.0.1:${listening['port']}`,
    adminUrl: String(listening['adminUrl']),
    log: running.stdout,
  }
}

export type LogLine = Record<string, unknown> & { msg: string }

/** Every line that was logged so far, as JSON. */
export function logLines(stdout: string): LogLine[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
}

/** Resolves with the log line about the end of this request. */
export function requestLine({ running }: Pick<ServingHere, 'running'>, requestId: string): Promise<LogLine> {
  return running.until(stdout =>
    logLines(stdout).find(line => line.msg === 'request' && line['requestId'] === requestId),
  )
}
