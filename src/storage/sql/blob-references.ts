import type { BlobReferences } from '../../applications/ports.ts'
import type { Database } from '../schema.ts'

/** Which files the database speaks of, whoever they belong to: for the operator's check only. */
export function createBlobReferences({ reader }: Database): BlobReferences {
  return {
    page(afterSha256, limit) {
      const applied = reader
        .selectFrom('application_files')
        .select(['sha256', 'size'])
        .where('scan', '!=', 'infected')
      const stored = reader.selectFrom('resumes').select(['sha256', 'size']).where('scan', '!=', 'infected')
      return reader
        .selectFrom(applied.union(stored).as('file'))
        .select(['sha256', 'size'])
        .where('sha256', '>', afterSha256)
        .orderBy('sha256')
        .limit(limit)
        .execute()
    },
  }
}
