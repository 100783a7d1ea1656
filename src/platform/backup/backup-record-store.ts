import { recordAudit } from '../audit/record-audit-store.ts'
import type { EpochMs } from '../core/clock.ts'
import { getMeta, putMeta } from '../database/meta.ts'
import type { Database } from '../database/tables.ts'
import type { LastBackups } from './ports.ts'
import { backupMarkerKey } from './snapshot-file.ts'

const lastKey = 'backup_last'

export type BackupRecords = ReturnType<typeof createBackupRecords>

/** Stores the times of the last verified sets in the database, where every node and the next start find them. */
export function createBackupRecords(database: Database) {
  const { reader, writer, dialect } = database
  const last = async (db = reader): Promise<LastBackups> => JSON.parse((await getMeta(db, lastKey)) ?? '{}')
  return {
    last: (): Promise<LastBackups> => last(),
    // A copy is an SQLite file.
    /** When this database was copied into a backup; undefined if it is not a copy. */
    copiedAt: async (): Promise<string | undefined> =>
      dialect === 'sqlite' ? getMeta(reader, backupMarkerKey) : undefined,
    async setLast(place: string, made: { set: string; at: EpochMs }): Promise<void> {
      await writer.transaction().execute(async trx => {
        await putMeta(trx, lastKey, JSON.stringify({ ...(await last(trx)), [place]: made }))
        const after = { set: made.set }
        await recordAudit(trx, { action: 'backup.make', scope: 'board', target: `backup:${made.set}`, after })
      })
    },
  }
}
