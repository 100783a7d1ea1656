import { hashEntry, monthOf, noHash } from './chain.ts'
import type { AuditEntry, ChainHead, Seal } from './ports.ts'

/** What is wrong with a chain, and at which number. */
export interface Fault {
  scope: number
  number: number
  what: 'changed' | 'missing' | 'added' | 'cut' | 'unlinked' | 'seal'
}

/**
 * Checks a chain entry by entry: feed it in the order of the numbers, then ask for the end. Stops at the first fault,
 * since everything after it follows from it.
 */
export function createVerifier(scope: number, seals: readonly Seal[], head: ChainHead | undefined) {
  let hash = noHash
  let number = 0
  let fault: Fault | undefined
  const waiting = [...seals]
  /** The seal of the month that the last entry is in. */
  let month: Seal | undefined

  /** Takes the seals of months that begin after the last entry; those of dropped months stand for their entries. */
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
      // Left over from a month that is being dropped.
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
      const last = head?.number ?? 0
      if (number < last) return { scope, number: number + 1, what: 'cut' }
      if (head !== undefined && (number > last || hash !== head.hash))
        return { scope, number: last, what: 'changed' }
      return month !== undefined || waiting.length > 0 ? { scope, number: last, what: 'seal' } : undefined
    },
  }
}
