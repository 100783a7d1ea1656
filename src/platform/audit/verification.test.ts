import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { times } from '../../../test/harness/effort.ts'
import { hashEntry, hashSeals, monthOf, noHash } from './chain.ts'
import type { AuditEntry, ChainHead, Seal } from './ports.ts'
import { createVerifier, objectionToDropped } from './verification.ts'

interface Chain {
  entries: AuditEntry[]
  seals: Seal[]
  head: ChainHead
}

const dayMs = 86_400_000

/** Entries some days apart, so that months end; the first months may have been dropped. */
function chainOf(days: readonly number[], dropped: number): Chain {
  const entries: AuditEntry[] = []
  let at = Date.parse('2026-01-01T00:00:00Z')
  let prev = noHash
  for (const [index, wait] of days.entries()) {
    at += wait * dayMs
    const entry = {
      scope: 7,
      number: index + 1,
      at,
      actorKind: 'person' as const,
      actorId: 'a',
      proof: 'password',
      action: 'member.role',
      target: 'person:b',
      before: '{"role":"admin"}',
      after: null,
      requestId: null,
      prev,
      address: null,
    }
    prev = hashEntry(entry)
    entries.push({ ...entry, hash: prev })
  }
  const last = entries.at(-1) as AuditEntry
  const months = [...Map.groupBy(entries, entry => monthOf(entry.at)).entries()].slice(0, -1)
  const seals = months.map(([month, own], index) => ({
    month,
    firstNumber: own[0]?.number as number,
    lastNumber: own.at(-1)?.number as number,
    prev: own[0]?.prev as string,
    hash: own.at(-1)?.hash as string,
    isDropped: index < dropped,
  }))
  const gone = seals.filter(({ isDropped }) => isDropped).at(-1)?.lastNumber ?? 0
  return { entries: entries.slice(gone), seals, head: { scope: 7, number: last.number, hash: last.hash } }
}

function faultOf({ entries, seals, head }: Chain) {
  const verifier = createVerifier(7, seals, head)
  for (const entry of entries) verifier.add(entry)
  return verifier.end()
}

const chains = fc
  .tuple(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 40 }), fc.nat(3))
  .map(([days, dropped]) => chainOf(days, dropped))

test('a chain is whole, whatever months were dropped', () => {
  fc.assert(
    fc.property(chains, chain => assert.equal(faultOf(chain), undefined)),
    { numRuns: times(100, 1000) },
  )
})

test('every edit of an entry is found at its number', () => {
  const edits = fc.constantFrom<Partial<AuditEntry>>(
    { at: 5 },
    { actorKind: 'operator' },
    { actorId: 'c' },
    { proof: 'passkey' },
    { action: 'member.join' },
    { target: 'person:c' },
    { before: null },
    { after: '{}' },
    { requestId: 'r' },
    { prev: '1'.repeat(64) },
    { hash: '1'.repeat(64) },
  )
  fc.assert(
    fc.property(chains, fc.nat(), edits, (chain, nth, edit) => {
      const index = nth % chain.entries.length
      const entries = chain.entries.map((entry, at) => (at === index ? { ...entry, ...edit } : entry))
      assert.equal(faultOf({ ...chain, entries })?.number, entries[index]?.number)
    }),
    { numRuns: times(100, 1000) },
  )
})

test('an edit whose hash was made again is found at the next entry, or at the head', () => {
  fc.assert(
    fc.property(chains, fc.nat(), (chain, nth) => {
      const index = nth % chain.entries.length
      const forged = { ...(chain.entries[index] as AuditEntry), actorId: 'c' }
      const entries = chain.entries.with(index, { ...forged, hash: hashEntry(forged) })
      assert.notEqual(faultOf({ ...chain, entries }), undefined)
    }),
    { numRuns: times(100, 1000) },
  )
})

test('every removal, insertion and cut is found', () => {
  fc.assert(
    fc.property(chains, fc.nat(), (chain, nth) => {
      const { entries } = chain
      const index = nth % entries.length
      const without = entries.toSpliced(index, 1)
      assert.equal(faultOf({ ...chain, entries: without })?.number, entries[index]?.number, 'removed')
      assert.notEqual(faultOf({ ...chain, entries: entries.slice(0, index) }), undefined, 'cut')
      const last = entries.at(-1) as AuditEntry
      const more = { ...last, number: last.number + 1, prev: last.hash }
      const added = [...entries, { ...more, hash: hashEntry(more) }]
      assert.equal(faultOf({ ...chain, entries: added })?.what, 'added')
    }),
    { numRuns: times(100, 1000) },
  )
})

test('a changed seal or head is found', () => {
  fc.assert(
    fc.property(chains, fc.nat(), fc.nat(4), (chain, nth, field) => {
      const { seals, head } = chain
      assert.notEqual(faultOf({ ...chain, head: { ...head, number: head.number + 1 } }), undefined)
      assert.notEqual(faultOf({ ...chain, head: { ...head, hash: noHash } }), undefined)
      if (seals.length === 0) return
      const index = nth % seals.length
      const seal = seals[index] as Seal
      const change = [
        { prev: '1'.repeat(64) },
        { hash: '1'.repeat(64) },
        { lastNumber: seal.lastNumber + 1 },
        { firstNumber: seal.firstNumber + 1 },
        { isDropped: !seal.isDropped },
      ][field]
      const changed = seals.with(index, { ...seal, ...change })
      // That a month was dropped is on record in the chain of the board.
      const isDrop = field === 4 && !seal.isDropped
      if (!isDrop) assert.notEqual(faultOf({ ...chain, seals: changed }), undefined)
    }),
    { numRuns: times(100, 1000) },
  )
})

test('a dropped month counts if the board has recorded it, and it was old enough then', () => {
  const at = Date.parse('2026-06-15T00:00:00Z')
  const seal = (scope: number, month: string) => ({
    scope,
    month,
    firstNumber: 1,
    lastNumber: 9,
    prev: noHash,
    hash: 'a',
    isDropped: true,
  })
  const [march, april] = [seal(7, '2026-03'), seal(8, '2026-04')]
  const drop = (after: object, number = 1) => ({ at, number, after: JSON.stringify(after) })
  const judged = (seals: (typeof march)[], ...drops: ReturnType<typeof drop>[]) =>
    objectionToDropped(seals, drops, { auditMonths: 2, now: at + 365 * 86_400_000 })
  const full = (seals: (typeof march)[], before = '2026-04') =>
    drop({ before, months: 1, seals: hashSeals(seals) })

  assert.equal(judged([]), undefined)
  assert.equal(judged([march]), 'unrecorded', 'no drop is on record')
  assert.equal(judged([march], full([march])), undefined)
  assert.equal(judged([march, april], full([march])), 'unrecorded')
  assert.equal(judged([{ ...march, lastNumber: 10 }], full([march])), 'unrecorded')
  assert.equal(judged([april], full([april])), 'unrecorded', 'not before the month of the drop')
  assert.equal(judged([april], full([april], '2026-05')), 'early')
  const ahead = { ...full([april], '2026-05'), at: at + 999 * 86_400_000 }
  assert.equal(objectionToDropped([april], [ahead], { auditMonths: 2, now: at }), 'early')
  // A later drop takes only months that the previous one left: otherwise recent entries could go under the name of an old month.
  const later = (before: string, ...seals: (typeof march)[]) => ({
    ...full(seals, before),
    at: at + 30 * 86_400_000,
    number: 2,
  })
  assert.equal(judged([march, april], later('2026-05', march, april), full([march])), undefined)
  const renamed = seal(9, '2026-01')
  assert.equal(judged([march, renamed], later('2026-04', march, renamed), full([march])), 'unrecorded')
  // As release 0.1.0 has written it.
  assert.equal(judged([march], drop({ before: '2026-04', months: 1 })), undefined)
  assert.equal(judged([march, seal(8, '2026-03')], drop({ before: '2026-04', months: 1 })), 'unrecorded')
  const two = [drop({ before: '2026-04', months: 1 }, 2), drop({ before: '2026-03', months: 1 })]
  assert.equal(judged([march, seal(7, '2026-02')], ...two), undefined)
  assert.equal(judged([april], drop({ before: '2026-04', months: 1 })), 'unrecorded')
})
