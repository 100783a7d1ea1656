import { type Kysely, sql } from 'kysely'
import type { ChangeNotifier } from '../change-notifier.ts'
import type { Schema } from '../tables.ts'

/** Limit: On SQLite, how often a process with waiting requests checks whether another one has written: 5 µs each. */
const filePollMs = 100

/**
 * Detects commits by other connections to the file: a connection's `data_version` changes with each. It polls the
 * reader, for which the writer of this process is also another connection. One poll takes 5 µs.
 */
export function createFileNotifier(reader: Kysely<Schema>): ChangeNotifier {
  const dataVersion = sql<{ data_version: number }>`pragma data_version`
  let timer: NodeJS.Timeout | undefined
  let known: number | undefined

  async function look(onHeard: Parameters<ChangeNotifier['attend']>[0]): Promise<void> {
    // If the file is unavailable now, the next poll tries again.
    const { rows } = await dataVersion.execute(reader).catch(() => ({ rows: [] }))
    const found = rows[0]?.data_version
    const isNews = found !== undefined && found !== known
    known = found
    if (isNews && timer !== undefined) onHeard(undefined)
  }

  function rest(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    isHeard: () => timer !== undefined,
    attend(onHeard) {
      if (timer !== undefined) return
      timer = setInterval(() => void look(onHeard), filePollMs)
      timer.unref()
    },
    rest,
    close: rest,
  }
}
