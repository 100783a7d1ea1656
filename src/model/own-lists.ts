import { isWritableText } from '../platform/core/text.ts'
import type { Choice } from './profile.ts'
import { industries, locations, qualifications } from './reference-lists.ts'
import { nameLength } from './text-lengths.ts'

/** Limit: Entries of one of the operator's lists: each becomes an option in a form. */
export const maxListEntries = 2_000
/** Limit: Levels of one of the operator's lists. */
export const maxListLevels = 4
/** Limit: Characters of an ID in the operator's lists. */
export const listIdLength = 40
/** Limit: Former names of an entry in the operator's lists. */
export const maxFormerNames = 20

/** Named as operators name them: each is a file `<name>.json` in LISTS_DIR. */
export const builtInLists = { locations, qualifications, industries }
export type ListName = keyof typeof builtInLists
export const listNames = Object.keys(builtInLists) as ListName[]

export interface ListEntry extends Choice {
  /** 0 for an entry without a parent. */
  level: number
  /** Former names. */
  was: readonly string[]
}

export interface Lists extends Record<ListName, readonly Choice[]> {
  /** The lists that the operator has written. */
  own: Partial<Record<ListName, readonly ListEntry[]>>
}

/** An error in an operator's list; the message names the entry, counted from 1. */
export class ListFault extends Error {}

/** Throws a ListFault at the first invalid entry. */
export function readList(name: ListName, text: string): ListEntry[] {
  const sent = parsed(text)
  if (!Array.isArray(sent)) throw new ListFault('must be a list in JSON: [{"id": "de-be", "name": "Berlin"}]')
  if (sent.length === 0 || sent.length > maxListEntries)
    throw new ListFault(`must have 1 to ${maxListEntries} entries; it has ${sent.length}`)
  const byId = new Map<string, ListEntry>()
  const entryOfName = new Map<string, number>()
  for (const [index, each] of sent.entries()) {
    const fail = (fault: string): never => {
      throw new ListFault(
        `entry ${index + 1}${isObject(each) && 'id' in each ? ` (ID ${shown(each['id'])})` : ''}: ${fault}`,
      )
    }
    if (!isObject(each)) return fail('must be an object with "id" and "name"')
    const { id, name: description, in: within, was = [], ...others } = each
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) fail(`has ${shown(unknown)}; only "id", "name", "in" and "was" are known`)
    if (!isId(id))
      return fail(
        `"id" must have 1 to ${listIdLength} letters, digits, points, hyphens or underscores, and begin with a letter or digit`,
      )
    if (byId.has(id)) fail('this ID is used twice')
    if (!isName(description)) return fail(`"name" ${nameRule}`)
    const before = entryOfName.get(description)
    if (before !== undefined) fail(`its name is that of entry ${before + 1}`)
    if (!Array.isArray(was) || was.length > maxFormerNames || !was.every(isName))
      return fail(`"was" must be a list of at most ${maxFormerNames} names, each of which ${nameRule}`)
    const above = typeof within === 'string' ? byId.get(within) : undefined
    if (within !== undefined && above === undefined)
      fail(`"in" must be the ID of an entry above it; ${shown(within)} is none`)
    const level = above === undefined ? 0 : above.level + 1
    if (level >= maxListLevels) fail(`is on level ${level + 1}; a list has at most ${maxListLevels}`)
    byId.set(id, { id, description, level, was })
    entryOfName.set(description, index)
  }
  const entries = [...byId.values()]
  const builtIn = new Map(builtInLists[name].map(entry => [entry.id, entry.description]))
  for (const [index, { id }] of entries.entries())
    if (/^\d+$/.test(id) && !builtIn.has(id))
      throw new ListFault(
        `entry ${index + 1} (ID "${id}"): IDs of digits alone belong to the built-in list; add a letter`,
      )
  assertMeanings(entries, builtIn)
  return entries
}

/**
 * Throws a ListFault if an ID has changed its meaning. An entry keeps its meaning if it has the first name of its ID,
 * or lists that as a former name.
 */
export function assertMeanings(entries: readonly ListEntry[], firstNames: ReadonlyMap<string, string>): void {
  for (const [index, { id, description, was }] of entries.entries()) {
    const first = firstNames.get(id)
    if (first === undefined || first === description || was.includes(first)) continue
    throw new ListFault(
      `entry ${index + 1} (ID "${id}"): this ID means ${shown(first)} and must not be reused. Give the entry another ID; if only its name changed, add "was": [${shown(first)}]`,
    )
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ListFault('is not valid JSON')
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= listIdLength && /^[A-Za-z0-9][\w.-]*$/.test(value)

const nameRule = `must be one line of 1 to ${nameLength} characters, without spaces at its ends, control characters or marks of direction`
/** Direction marks would reorder the text around the name. Joiners belong to the spelling of some languages. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= nameLength &&
  value === value.trim() &&
  isWritableText(value) &&
  !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/u.test(value)

/** Escapes a file's content, which must not break or reorder a one-line message. */
const shown = (value: unknown): string =>
  JSON.stringify(value)
    .slice(0, 80)
    .replaceAll(/[^\P{C}\u200C\u200D]|[\p{Zl}\p{Zp}]/gu, '?')
