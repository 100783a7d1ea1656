import { stdin, stdout } from 'node:process'
import { text } from 'node:stream/consumers'
import type { SnapshotFacts } from '../../backup/ports.ts'
import { describeCopy, markCopy, withHandle } from './snapshot-file.ts'

/**
 * The process that copies a database into a file and examines it. Both block or keep a processor busy for minutes, which
 * requests must not wait for. The task comes in as JSON, because addresses of databases contain passwords, which
 * arguments would show; lines of JSON go out. Without the process that ordered the copy, they cannot be written, which
 * ends this one.
 */

export type SnapshotTask = { path: string; now: number } & (
  | { from: { sqlite: string } | { postgres: string } }
  | { from?: undefined }
)

export type SnapshotLine = { done: number; total: number } | { facts: SnapshotFacts } | { error: string }

const say = (line: SnapshotLine) => stdout.write(`${JSON.stringify(line)}\n`)

async function copy({ from, path, now }: SnapshotTask): Promise<void> {
  if (from === undefined) return
  if ('sqlite' in from) {
    withHandle(from.sqlite, { readOnly: true }, handle => handle.prepare('vacuum into ?').run(path))
  } else {
    const { copyPostgres } = await import('./postgres-snapshot.ts')
    let saidAt = 0
    await copyPostgres(from.postgres, path, now, (done, total) => {
      if (Date.now() - saidAt < 200) return
      saidAt = Date.now()
      say({ done, total })
    })
  }
  markCopy(path, now)
}

try {
  const task = JSON.parse(await text(stdin)) as SnapshotTask
  await copy(task)
  say({ facts: describeCopy(task.path) })
} catch (error) {
  say({ error: (error as Error).message || String((error as { code?: unknown }).code) })
}
