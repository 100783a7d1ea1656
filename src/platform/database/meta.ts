import type { Kysely, Transaction } from 'kysely'
import type { Dialect, Schema } from './tables.ts'

/** The table `meta`: single values for the whole service, by key. */
export async function getMeta(db: Kysely<Schema>, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}

/** Locks the row, if it exists, until the end of the transaction. On SQLite, the transaction itself is a lock. */
export async function lockMeta(
  trx: Transaction<Schema>,
  dialect: Dialect,
  key: string,
): Promise<string | undefined> {
  const query = trx.selectFrom('meta').select('value').where('key', '=', key)
  const row = await (dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
  return row?.value
}

export async function putMeta(db: Kysely<Schema>, key: string, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

/** Returns false if the key already has a value. */
export async function putMetaIfAbsent(db: Kysely<Schema>, key: string, value: string): Promise<boolean> {
  const added = await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict(conflict => conflict.column('key').doNothing())
    .executeTakeFirst()
  return added.numInsertedOrUpdatedRows === 1n
}

/** Returns false if the key no longer has the former value. */
export async function replaceMeta(
  db: Kysely<Schema>,
  key: string,
  former: string,
  value: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('meta')
    .set({ value })
    .where('key', '=', key)
    .where('value', '=', former)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
