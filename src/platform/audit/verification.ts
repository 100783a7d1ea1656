import type { EpochMs } from '../core/clock.ts'
import { boardScope } from './acts.ts'
import { firstMonth, hashEntry, hashSeals, monthOf, noHash } from './chain.ts'
import type { AuditEntry, ChainHead, Seal } from './ports.ts'

/** A fault in a chain, and its number. */
export interface Fault {
  scope: number
  number: number
  what: 'changed' | 'missing' | 'added' | 'cut' | 'unlinked' | 'seal' | 'unrecorded' | 'early'
}

/**
 * Checks a chain entry by entry: feed it in the order of the numbers, then call `end`. Stops at the first fault,
 * because all later ones follow from it.
 */
export function createVerifier(scope: number, seals: readonly Seal[], head: ChainHead | undefined) {
  let hash = noHash
  let number = 0
  let fault: Fault | undefined
  const waiting = [...seals]
  /** The seal of the last entry's month. */
  let month: Seal | undefined

  /** Takes the seals of months that begin after the last entry; seals of dropped months replace their entries. */
  function takeSeals(): void {
    while (fault === undefined && month === undefined && waiting[0] !== undefined) {
      const [seal] = waiting
      if (seal.firstNumber > number + 1) return
      waiting.shift()
      if (seal.firstNumber !== number + 1 || seal.prev !== hash || seal.lastNumber < seal.firstNumber)
        fault = { scope, number: number + 1, what: 'seal' }
      else if (seal.isDropped) {
        number = seal.lastNumber
        hash = seal.hash
      } else month = seal
    }
  }

  function objectionTo(entry: AuditEntry): Fault['what'] | undefined {
    if (entry.number !== number + 1) return 'missing'
    if (hashEntry(entry) !== entry.hash) return 'changed'
    if (entry.prev !== hash) return 'unlinked'
    if (head === undefined || entry.number > head.number) return 'added'
    if (month === undefined) return undefined
    const isSealed = entry.number < month.lastNumber || entry.hash === month.hash
    return isSealed && monthOf(entry.at) === month.month ? undefined : 'seal'
  }

  return {
    add(entry: AuditEntry): void {
      takeSeals()
      // This entry remains from a month that is being dropped.
      if (fault !== undefined || entry.number <= number) return
      const what = objectionTo(entry)
      if (what !== undefined) fault = { scope, number: number + 1, what }
      number = entry.number
      hash = entry.hash
      if (month?.lastNumber === number) month = undefined
    },

    /** The first fault; undefined if the chain is whole. */
    end(): Fault | undefined {
      takeSeals()
      if (fault !== undefined) return fault
      if (head === undefined && number > 0) return { scope, number, what: 'added' }
      const last = head?.number ?? 0
      if (number < last) return { scope, number: number + 1, what: 'cut' }
      if (head !== undefined && (number > last || hash !== head.hash))
        return { scope, number: last, what: 'changed' }
      return month !== undefined || waiting.length > 0 ? { scope, number: last, what: 'seal' } : undefined
    },
  }
}

/**
 * Objections of the recorded drops, newest first, to the months marked as dropped. A drop dated in the future counts as
 * made now: its date comes from an intruder, or from a clock that was ahead.
 */
export function objectionToDropped(
  seals: readonly (Seal & { scope: number })[],
  drops: readonly Pick<AuditEntry, 'at' | 'number' | 'after'>[],
  { auditMonths, now }: { auditMonths: number; now: EpochMs },
): 'unrecorded' | 'early' | undefined {
  if (seals.length === 0) return undefined
  const [newest] = drops
  if (newest === undefined) return 'unrecorded'
  const notes = drops.map(({ after }) => dropOf(after))
  const { before = '', seals: recorded } = notes[0] ?? {}
  if (seals.some(({ month }) => month >= before)) return 'unrecorded'
  // A drop leaves no month before the one that it names, so no later drop can add one.
  const isAdded = ({ before: until = '', seals: hash }: Drop) =>
    hash !== undefined && hash !== hashSeals(seals.filter(({ month }) => month < until))
  if (notes.some(isAdded)) return 'unrecorded'
  // Release 0.1.0 recorded only the number of months. While the board's first drop exists, so do all others.
  const isFirstKept = !seals.some(({ scope }) => scope === boardScope)
  const count = notes.reduce((sum, { months = 0 }) => sum + months, 0)
  if (recorded === undefined && isFirstKept && count !== seals.length) return 'unrecorded'
  return before > firstMonth(Math.min(newest.at, now), auditMonths) ? 'early' : undefined
}

interface Drop {
  before?: string
  months?: number
  seals?: string
}

/** Empty if it does not describe a drop: the entry was then changed, and vouches for nothing. */
function dropOf(after: string | null): Drop {
  try {
    const note = JSON.parse(after ?? '{}') as Drop | null
    return typeof note?.before === 'string' ? note : {}
  } catch {
    return {}
  }
}
