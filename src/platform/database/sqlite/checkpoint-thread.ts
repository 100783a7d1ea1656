import { Worker } from 'node:worker_threads'

/**
 * `passive` copies as much as possible into the file, and lets the log restart if that was all of it; `truncate`
 * empties the log.
 */
export type CheckpointJob = 'passive' | 'truncate'

/** Numbers of pages in the log; `isDone` if all of them are in the file. */
export interface CheckpointResult {
  pages: number
  isDone: boolean
}

/** The thread ends, to free its memory, after this time without work. */
const idleMs = 60_000

/** How long a job waits for writers and readers of other processes. */
const busyMs = 250

/**
 * JavaScript as text: a thread that loads a TypeScript file takes 120 ms of CPU time and 36 MB, this one 57 ms and 10
 * MB.
 *
 * The first commit after a complete checkpoint restarts the log, in the place of the old one. The new header must be on
 * the disk before any page that follows it: otherwise a power failure may leave part of the old log, which SQLite would
 * copy over newer pages. SQLite waits for that in the commit, so the commit is made here: it only raises
 * `user_version`.
 */
const program = `
const { fsyncSync } = require('node:fs')
const { DatabaseSync } = require('node:sqlite')
const { parentPort } = require('node:worker_threads')

// Opening one reads the whole schema, which takes half as long as a checkpoint.
const handles = new Map()

function open(path) {
  const handle = new DatabaseSync(path, { timeout: ${busyMs} })
  // A handle cannot look at the log during its own transaction.
  const looking = new DatabaseSync(path, { timeout: 0 })
  const opened = { handle, looking, gauge: looking.prepare('pragma wal_checkpoint(noop)') }
  handles.set(path, opened)
  handle.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0; pragma journal_size_limit = 67108864')
  return opened
}

function close(path) {
  const opened = handles.get(path)
  handles.delete(path)
  opened?.looking.close()
  opened?.handle.close()
}

function run({ path, job, log }) {
  if (job === 'close') return close(path)
  const { handle, gauge } = handles.get(path) ?? open(path)
  const look = () => {
    const { log: pages, checkpointed } = gauge.get()
    return { pages, isDone: pages === checkpointed }
  }
  handle.exec('pragma wal_checkpoint(' + job + ')')
  const found = look()
  if (job === 'truncate') fsyncSync(log)
  if (job === 'truncate' || !found.isDone) return found
  handle.exec('begin immediate')
  // What was written meanwhile counts too: with it in the log, an empty commit would not begin the log again, and would
  // only keep other writers waiting for its sync. No other process can write now.
  const last = look()
  if (last.isDone) {
    const { user_version: version } = handle.prepare('pragma user_version').get()
    handle.exec('pragma user_version = ' + ((version + 1) | 0) + '; commit')
  } else handle.exec('rollback')
  return last
}

parentPort.on('message', ({ id, ...task }) => {
  try {
    parentPort.postMessage({ id, result: run(task) })
  } catch ({ message, errcode, syscall }) {
    // It may be in the middle of a transaction.
    close(task.path)
    parentPort.postMessage({ id, fault: { message, errcode, syscall } })
  }
})
`

interface Waiting {
  resolve(result: CheckpointResult): void
  reject(error: Error): void
}

type Answer = { id: number } & ({ result: CheckpointResult } | { fault: Error & { errcode?: number } })

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined
let lastId = 0
const waiting = new Map<number, Waiting>()

/** Runs in one thread for all databases of this process; the thread keeps its own handle for each. */
export function runCheckpoint(task: {
  path: string
  job: CheckpointJob
  log: number
}): Promise<CheckpointResult> {
  thread ??= start()
  return ask(thread, task)
}

/** Closes the thread's handle, if it has one: the last handle to close removes the log. */
export async function endCheckpoints(path: string): Promise<void> {
  if (thread !== undefined) await ask(thread, { path, job: 'close' })
}

function ask(asked: Worker, task: object): Promise<CheckpointResult> {
  return new Promise((resolve, reject) => {
    clearTimeout(idle)
    asked.ref()
    lastId += 1
    waiting.set(lastId, { resolve, reject })
    asked.postMessage({ id: lastId, ...task })
  })
}

function start(): Worker {
  const started = new Worker(program, {
    eval: true,
    name: 'checkpoints',
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
  })
  started.on('message', (answer: Answer) => {
    const { resolve, reject } = waiting.get(answer.id) as Waiting
    waiting.delete(answer.id)
    if (waiting.size === 0) rest(started)
    if ('result' in answer) resolve(answer.result)
    else reject(Object.assign(new Error(answer.fault.message), answer.fault))
  })
  started.on('error', error => {
    thread = undefined
    for (const { reject } of waiting.values()) reject(error as Error)
    waiting.clear()
  })
  return started
}

function rest(resting: Worker): void {
  // Lets the process end if it has nothing else to do.
  resting.unref()
  idle = setTimeout(() => {
    thread = undefined
    void resting.terminate()
  }, idleMs).unref()
}
