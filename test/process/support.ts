import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { type Outcome, runHere } from '../harness/command.ts'
import { createTestDatabase, type Engine, type TestDatabase } from '../harness/database.ts'
import { listenLocally } from '../harness/listen-locally.ts'
import { type Finished, startDossier } from '../harness/process.ts'
import { type Serving, type ServingHere, startServing, startServingHere } from '../harness/serving.ts'

export { type Outcome, runHere }

/** Far above what any command needs: a command that has not ended by then never will. */
const commandEndsWithinMs = 120_000

/** Runs `dossier <args>` to its end. One that hangs is killed, which shows as the exit code null. */
export async function run(args: string[], settings: Record<string, string> = {}): Promise<Finished> {
  const running = startDossier(args, settings)
  running.child.stdin?.end()
  const deadline = setTimeout(() => running.child.kill('SIGKILL'), commandEndsWithinMs)
  try {
    return await running.finished
  } finally {
    clearTimeout(deadline)
  }
}

/** `dossier serve` that must fail; returns its error line. */
export async function refusal(settings: Record<string, string>, ...args: string[]): Promise<string> {
  return lineOfRefusal(await run(['serve', ...args], { ...anyFreePort, ...settings }))
}

export async function refusalHere(settings: Record<string, string>, ...args: string[]): Promise<string> {
  return lineOfRefusal(await runHere(['serve', ...args], { ...anyFreePort, ...settings }))
}

/** `dossier serve` that must come up, and is stopped at once. */
export async function serveOnceHere(settings: Record<string, string>, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await runHere(['serve', ...args], { ...anyFreePort, ...settings })
  assert.deepEqual([code, stderr], [0, ''], stdout)
}

const anyFreePort = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0' }

function lineOfRefusal({ code, stdout, stderr }: Outcome): string {
  assert.equal(code, 4, `exit code ${code}, ${stdout}${stderr}`)
  assert.equal(stdout, '')
  assert.match(stderr, /^dossier: [^\n]+\n$/, 'one line')
  return stderr
}

const opened = new WeakMap<TestContext, (() => Promise<unknown>)[]>()

async function closeLastFirst(closes: (() => Promise<unknown>)[]): Promise<void> {
  const close = closes.pop()
  try {
    await close?.()
  } finally {
    if (closes.length > 0) await closeLastFirst(closes)
  }
}

/** node:test runs its hooks in the order of registration, which would remove a folder before the service that writes to it stops. */
function closeAfter(t: TestContext, close: () => Promise<unknown>): void {
  const closes = opened.get(t) ?? []
  if (closes.push(close) > 1) return
  opened.set(t, closes)
  t.after(() => closeLastFirst(closes))
}

export async function databaseFor(
  t: TestContext,
  engine: Engine,
  content?: 'empty' | 'demo',
): Promise<TestDatabase> {
  const database = await createTestDatabase(engine, content)
  closeAfter(t, () => database.remove())
  return database
}

/** A service for one test, which ends after it. */
export async function serveFor(
  t: TestContext,
  database: Pick<TestDatabase, 'engine' | 'settings'>,
  options: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Serving> {
  const serving = await startServing(database, options)
  closeAfter(t, async () => {
    serving.end()
    await serving.running.finished
  })
  return serving
}

/** The same in the process of the test, for what does not depend on a process of its own. */
export async function serveHereFor(
  t: TestContext,
  database: Pick<TestDatabase, 'engine' | 'settings'>,
  options: { args?: string[]; env?: Record<string, string> } = {},
): Promise<ServingHere> {
  const serving = await startServingHere(database, options)
  closeAfter(t, async () => {
    serving.requestStop()
    await serving.running.finished
  })
  return serving
}

export async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-test-'))
  closeAfter(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** SQL sent directly to the database, bypassing the service. */
export async function runSql({ engine, settings }: TestDatabase, sql: string): Promise<void> {
  if (engine === 'sqlite') {
    const database = new DatabaseSync(join(String(settings['DATA_DIR']), 'dossier.db'))
    database.exec(sql)
    database.close()
    return
  }
  const client = new pg.Client(settings['DATABASE_URL'])
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** As it was before the first migration. */
export async function unmigrate(database: TestDatabase): Promise<void> {
  if (database.engine === 'postgres')
    await runSql(database, 'drop schema public cascade; create schema public')
}

export function isRefused(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host })
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve(true)
      // The server's end of a connection that was being made while it closed.
      else if (error.code === 'ECONNRESET') resolve(false)
      else reject(error)
    })
  })
}

/** A port on which only this test listens. */
export async function takePort(): Promise<{ port: number; release(): Promise<void> }> {
  const server = createServer()
  return {
    port: await listenLocally(server),
    release: () => new Promise(resolve => server.close(() => resolve())),
  }
}
