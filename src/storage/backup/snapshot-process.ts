import { stdin, stdout } from 'node:process'
import { text } from 'node:stream/consumers'
import type { SnapshotFacts } from '../../backup/ports.ts'
import { createCopierPace } from './copier-pace.ts'
import { type Packing, packCopy } from './pack-copy.ts'
import { describeCopy, markCopy } from './snapshot-file.ts'
import { copySqlite } from './sqlite-snapshot.ts'

/**
 * The process that copies a database into a file, examines and compresses it. All of it blocks or keeps a processor busy
 * for minutes, which requests must not wait for. The task comes in as JSON, because addresses of databases contain passwords, which
 * arguments would show; lines of JSON go out. Without the process that ordered the copy, they cannot be written, which
 * ends this one.
 */

export type SnapshotTask = { path: string; now: number } & (
  | { from: { sqlite: string } | { postgres: string } }
  | { from?: undefined }
)

/** Rows are counted while a copy is made, bytes while it is compressed. */
export type SnapshotLine =
  | { phase: 'copying' | 'reading' | 'packing'; done: number; total: number }
  | { facts: SnapshotFacts; packing?: Packing }
  | { error: string }

const pace = createCopierPace()

const say = (line: SnapshotLine) => stdout.write(`${JSON.stringify(line)}\n`)

function sayAtTimes(phase: 'copying' | 'reading' | 'packing') {
  let saidAt = 0
  return (done: number, total: number) => {
    if (Date.now() - saidAt < 200) return
    saidAt = Date.now()
    say({ phase, done, total })
  }
}

async function copy({ from, path, now }: SnapshotTask): Promise<void> {
  if (from === undefined) return
  if ('sqlite' in from) {
    await copySqlite(from.sqlite, path, pace, sayAtTimes('copying'))
  } else {
    const { copyPostgres } = await import('./postgres-snapshot.ts')
    await copyPostgres(from.postgres, path, now, pace, sayAtTimes('reading'))
  }
  markCopy(path, now)
}

try {
  const task = JSON.parse(await text(stdin)) as SnapshotTask
  await copy(task)
  pace.yieldAtOnce()
  const facts = describeCopy(task.path)
  say(
    task.from === undefined
      ? { facts }
      : { facts, packing: await packCopy(task.path, pace, sayAtTimes('packing')) },
  )
} catch (error) {
  say({ error: (error as Error).message || String((error as { code?: unknown }).code) })
}
