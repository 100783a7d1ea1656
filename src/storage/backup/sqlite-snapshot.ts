import { closeSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import type { CopierPace } from './copier-pace.ts'

/** With pages of 16 KiB half a MiB, which takes about a millisecond. */
const pagesAtOnce = 32

/**
 * Copies a SQLite database page by page while others write to it. The read transaction keeps the pages as they are at its
 * beginning, so no write starts the copy again; until it ends, the log of the database grows.
 */
export async function copySqlite(
  from: string,
  to: string,
  pace: CopierPace,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  const handle = new DatabaseSync(from, { timeout: 5_000, readOnly: true })
  const file = openSync(to, 'wx+', 0o600)
  try {
    const pageBytes = Number(handle.prepare('pragma page_size').get()?.['page_size'])
    // The transaction begins with its first read.
    handle.exec('begin; select count(*) from sqlite_schema')
    await backup(handle, to, {
      rate: pagesAtOnce,
      progress({ totalPages, remainingPages }) {
        onProgress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes)
        pace.rest(file)
      },
    })
  } finally {
    closeSync(file)
    handle.close()
  }
}
