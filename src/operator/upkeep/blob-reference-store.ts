import type { BlobReferences } from '../../platform/blobs/ports.ts'
import { getMeta, putMetaIfAbsent } from '../../platform/database/meta.ts'
import { databaseIdKey } from '../../platform/database/restore-detection/generation.ts'
import { restoredKey } from '../../platform/database/server-history.ts'
import type { Database } from '../../platform/database/tables.ts'

const sweepMark = 'uploads_swept_until'

/** The files that the database refers to, of all owners, for the operator's check and the clean-up. */
export function createBlobReferences({ reader, writer }: Database): BlobReferences {
  return {
    async page(afterBlob, limit) {
      // Each side is limited before the union, or every page would sort all remaining rows.
      const namedIn = (table: 'application_files' | 'resumes' | 'draft_files') =>
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
        .selectFrom(
          namedIn('application_files').union(namedIn('resumes')).union(namedIn('draft_files')).as('file'),
        )
        .selectAll()
        .orderBy('blob')
        .limit(limit)
        .execute()
      return rows.map(row => ({ ...row, blob: row.blob as string }))
    },

    async described(blobs) {
      if (blobs.length === 0) return []
      const describedIn = (table: 'application_files' | 'resumes' | 'draft_files') =>
        reader.selectFrom(table).select(['blob', 'sha256', 'size']).where('blob', 'in', blobs)
      const rows = await describedIn('application_files')
        .unionAll(describedIn('resumes'))
        .unionAll(describedIn('draft_files'))
        .execute()
      // Rows with the same blob have the same hash and size.
      return [...new Map(rows.map(row => [row.blob, { ...row, blob: row.blob as string }])).values()]
    },

    async named(blobs) {
      if (blobs.length === 0) return new Set()
      const namedIn = (table: 'application_files' | 'resumes' | 'draft_files') =>
        reader.selectFrom(table).select('blob').where('blob', 'in', blobs)
      const rows = await namedIn('application_files')
        .union(namedIn('resumes'))
        .union(namedIn('draft_files'))
        .execute()
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

    sweptUntil: async () => (await getMeta(reader, sweepMark)) ?? '',

    async setSweptUntil(day) {
      await writer
        .insertInto('meta')
        .values({ key: sweepMark, value: day })
        .onConflict(conflict =>
          conflict.column('key').doUpdateSet({ value: day }).where('meta.value', '<', day),
        )
        .execute()
    },

    restoredAt: async () => Number((await getMeta(reader, restoredKey)) ?? 0),

    databaseId: () => getMeta(reader, databaseIdKey),

    async makeDatabaseId(fresh) {
      await putMetaIfAbsent(writer, databaseIdKey, fresh)
      return (await getMeta(writer, databaseIdKey)) as string
    },
  }
}
