import type { ListEntry, ListName } from '../../model/own-lists.ts'
import type { Database } from '../../platform/database/tables.ts'

/** Limit: Entries added to the database by one statement. */
const insertBatch = 500

export type ListEntryStore = ReturnType<typeof createListEntryStore>

/** The name that each ID in the operator's lists had when it was first loaded. Rows are never changed or removed. */
export function createListEntryStore({ writer, reader }: Database) {
  const firstNames = async (list: ListName, db: Pick<typeof reader, 'selectFrom'> = reader) => {
    const rows = await db.selectFrom('list_entries').select(['id', 'name']).where('list', '=', list).execute()
    return new Map(rows.map(({ id, name }) => [id, name]))
  }
  return {
    firstNames: (list: ListName): Promise<Map<string, string>> => firstNames(list),

    /**
     * Adds the entries whose ID is new. `check` gets the first names, including those that another node has just added,
     * and throws to add none.
     */
    add: (
      list: ListName,
      entries: readonly ListEntry[],
      check: (names: Map<string, string>) => void,
    ): Promise<void> =>
      writer.transaction().execute(async trx => {
        // In a fixed order, so that two nodes that start together cannot deadlock.
        const rows = entries
          .map(({ id, description }) => ({ list, id, name: description }))
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        for (let at = 0; at < rows.length; at += insertBatch)
          await trx
            .insertInto('list_entries')
            .values(rows.slice(at, at + insertBatch))
            .onConflict(conflict => conflict.columns(['list', 'id']).doNothing())
            .execute()
        check(await firstNames(list, trx))
      }),
  }
}
