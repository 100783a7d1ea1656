import type { BackupRecords, LastBackups } from '../../backup/ports.ts'
import type { Database } from '../database/tables.ts'
import { recordAudit } from '../writing/record-audit.ts'
import { backupMark } from './snapshot-file.ts'

const lastKey = 'backup_last'

/** Keeps the times of the last verified sets in the database, where every node and the next start find them. */
export function createBackupRecords(database: Database): BackupRecords {
  const { reader, writer, dialect } = database
  const last = async (db = reader): Promise<LastBackups> => JSON.parse((await metaOf(db, lastKey)) ?? '{}')
  return {
    last: () => last(),
    // A copy is an SQLite file.
    copiedAt: async () => (dialect === 'sqlite' ? metaOf(reader, backupMark) : undefined),
    async setLast(place, made) {
      await writer.transaction().execute(async trx => {
        const value = JSON.stringify({ ...(await last(trx)), [place]: made })
        await trx
          .insertInto('meta')
          .values({ key: lastKey, value })
          .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
          .execute()
        const after = { set: made.set }
        await recordAudit(trx, { action: 'backup.make', scope: 'board', target: `backup:${made.set}`, after })
      })
    },
  }
}

async function metaOf(db: Database['reader'], key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}
