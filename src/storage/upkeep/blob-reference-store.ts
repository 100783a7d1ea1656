import type { BlobReferences } from '../../files/ports.ts'
import { restoredKey } from '../database/server-history.ts'
import type { Database } from '../database/tables.ts'
import { databaseIdKey } from '../setback/generation.ts'

const sweepMark = 'uploads_swept_until'

/** The files that the database refers to, of all owners: for the operator's check and the clean-up. */
export function createBlobReferences({ reader, writer }: Database): BlobReferences {
  async function meta(key: string, from = reader): Promise<string | undefined> {
    const row = await from.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
    return row?.value
  }

  return {
    async page(afterBlob, limit) {
      // Each side is limited before the union, or every page would sort all remaining rows.
      const namedIn = (table: 'application_files' | 'resumes') =>
        reader
          .selectFrom(
            reader
              .selectFrom(table)
              .select(['blob', 'sha256', 'size'])
              .distinct()
              .where('blob', '>', afterBlob)
              .orderBy('blob')
              .limit(limit)
              .as(table),
          )
          .selectAll()
      const rows = await reader
        .selectFrom(namedIn('application_files').union(namedIn('resumes')).as('file'))
        .selectAll()
        .orderBy('blob')
        .limit(limit)
        .execute()
      return rows.map(row => ({ ...row, blob: row.blob as string }))
    },

    async described(blobs) {
      if (blobs.length === 0) return []
      const describedIn = (table: 'application_files' | 'resumes') =>
        reader.selectFrom(table).select(['blob', 'sha256', 'size']).where('blob', 'in', blobs)
      const rows = await describedIn('application_files').unionAll(describedIn('resumes')).execute()
      // Rows with the same blob have the same hash and size.
      return [...new Map(rows.map(row => [row.blob, { ...row, blob: row.blob as string }])).values()]
    },

    async named(blobs) {
      if (blobs.length === 0) return new Set()
      const namedIn = (table: 'application_files' | 'resumes') =>
        reader.selectFrom(table).select('blob').where('blob', 'in', blobs)
      const rows = await namedIn('application_files').union(namedIn('resumes')).execute()
      return new Set(rows.map(({ blob }) => blob as string))
    },

    async loose(limit) {
      return reader
        .selectFrom('loose_blobs')
        .select(['blob', 'since'])
        .orderBy('since')
        .limit(limit)
        .execute()
    },

    async forgetLoose(blobs) {
      if (blobs.length === 0) return
      await writer
        .deleteFrom('loose_blobs')
        .where(({ eb, and, or }) =>
          or(blobs.map(({ blob, since }) => and([eb('blob', '=', blob), eb('since', '=', since)]))),
        )
        .execute()
    },

    sweptUntil: async () => (await meta(sweepMark)) ?? '',

    async setSweptUntil(day) {
      await writer
        .insertInto('meta')
        .values({ key: sweepMark, value: day })
        .onConflict(conflict =>
          conflict.column('key').doUpdateSet({ value: day }).where('meta.value', '<', day),
        )
        .execute()
    },

    restoredAt: async () => Number((await meta(restoredKey)) ?? 0),

    databaseId: () => meta(databaseIdKey),

    async makeDatabaseId(fresh) {
      await writer
        .insertInto('meta')
        .values({ key: databaseIdKey, value: fresh })
        .onConflict(conflict => conflict.column('key').doNothing())
        .execute()
      return (await meta(databaseIdKey, writer)) as string
    },
  }
}
