import {
  assertMeanings,
  type ListEntry,
  ListFault,
  type ListName,
  type Lists,
  listNames,
} from '../../model/own-lists.ts'
import { sha256Hex } from '../../platform/core/hashing.ts'
import type { ListEntryStore } from './list-entry-store.ts'

export type ListMeanings = ReturnType<typeof createListMeanings>

/** Ensures that the IDs in the operator's lists keep their meaning. */
export function createListMeanings({ store, lists }: { store: ListEntryStore; lists: Lists }) {
  const own = Object.entries(lists.own) as [ListName, readonly ListEntry[]][]
  const inFile = (name: ListName, entries: readonly ListEntry[]) => (firstNames: Map<string, string>) => {
    try {
      assertMeanings(entries, firstNames)
    } catch (error) {
      throw new ListFault(`${name}.json: ${(error as Error).message}`)
    }
  }
  /** Throws a ListFault if an ID meant something else before. */
  async function check(): Promise<void> {
    for (const [name, entries] of own) inFile(name, entries)(await store.firstNames(name))
  }

  return {
    check,

    /** Records new IDs, once all lists are valid: a rejected start reserves no names. */
    async record(): Promise<void> {
      await check()
      for (const [name, entries] of own) {
        const checkNames = inFile(name, entries)
        const firstNames = await store.firstNames(name)
        // Another node may have started since.
        checkNames(firstNames)
        // Most starts add nothing, and must not wait for other writers. IDs of digits are built in, with their first names.
        const added = entries.filter(({ id }) => !firstNames.has(id) && !/^\d+$/.test(id))
        if (added.length > 0) await store.add(name, added, checkNames)
      }
    },

    /** One line for the operator. The digest is the same on nodes with the same lists. */
    describe: (): string =>
      listNames
        .map(name => {
          const entries = lists.own[name]
          if (entries === undefined) return `${name} are built in (${lists[name].length})`
          return `${name} are yours (${entries.length}, ${sha256Hex(JSON.stringify(entries)).slice(0, 8)})`
        })
        .join(', '),
  }
}
