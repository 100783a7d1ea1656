import assert from 'node:assert/strict'
import type { TestDatabase } from './database.ts'
import { findLogLine, type Running, startDossier } from './process.ts'
import type { Service } from './service.ts'

/** A `dossier serve` of which the test sees the process, and which holds no demo unless it asks for it. */
export interface Serving extends Service {
  running: Running
  settings: Record<string, string>
  /** For the end of a test, whatever came of it: nothing that it started lives on. */
  end(): void
}

export async function startServing(
  { engine, settings }: Pick<TestDatabase, 'engine' | 'settings'>,
  options: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Serving> {
  const running = startDossier(['serve', ...(options.args ?? [])], {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_FORMAT: 'json',
    // The connections that the tests keep open are not waited for at each stop.
    SHUTDOWN_IDLE_MS: '1',
    ...settings,
    ...options.env,
  })
  const listening = await running.until(stdout => findLogLine(stdout, 'listening'))
  return {
    engine,
    settings,
    running,
    port: Number(listening['port']),
    // Not the name in the answer's links: that may resolve to an address on which this one does not listen.
    baseUrl: `http://127.0.0.1:${listening['port']}`,
    adminUrl: String(listening['adminUrl']),
    log: running.stdout,
    end: () => void running.child.kill('SIGKILL'),
    async stop() {
      running.child.kill('SIGTERM')
      const { code, stderr } = await running.finished
      assert.deepEqual([code, stderr], [0, ''])
    },
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

/** Resolves with the line that tells how this request ended. */
export function requestLine({ running }: Serving, requestId: string): Promise<LogLine> {
  return running.until(stdout =>
    logLines(stdout).find(line => line.msg === 'request' && line['requestId'] === requestId),
  )
}
