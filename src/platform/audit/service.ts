import type { Clock, EpochMs } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Counts, GoesOn, LookAtTime, WorkDone } from '../core/task-ports.ts'
import { expiryBatch } from '../core/task-ports.ts'
import type { AuditScope } from './acts.ts'
import { boardScope, scopeNumber } from './acts.ts'
import type { AuditStore } from './audit-store.ts'
import { firstMonth } from './chain.ts'
import type { AuditEntry, AuditFilter, AuditPosition, ChainHead, HeadNotes, NotedHeads } from './ports.ts'
import { createVerifier, type Fault, objectionToDropped } from './verification.ts'

/** Limit: Days after which network addresses are removed from the audit log: long enough to investigate an incident. */
export const auditAddressDays = 90

const dayMs = 86_400_000
const batch = 500

export type AuditLog = ReturnType<typeof createAuditLog>

/** A recorded head that the chain lacks; `setBackAt`: a restore since then explains it. */
export interface LostHead extends ChainHead {
  setBackAt: EpochMs | undefined
}

export interface Verified {
  chains: number
  entries: number
  faults: Fault[]
  lost: LostHead[]
  /** Dropped months of all chains, oldest first. */
  dropped: string[]
  /** When the heads were recorded beside the files; undefined if they never were. */
  notedAt: EpochMs | undefined
}

export function createAuditLog(deps: {
  store: AuditStore
  notes: HeadNotes
  /** Records who had many failed sign-ins since the last call; returns how many. */
  noteFailures(now: EpochMs): Promise<number>
  clock: Clock
  lookAtTime: LookAtTime
  log: Log
  limits: { auditMonths: number }
}) {
  const { store, notes, clock, limits } = deps

  async function* readChain(scope: number, filter: AuditFilter = {}): AsyncGenerator<AuditEntry> {
    for (let after = 0; ; ) {
      const entries = await store.read(scope, filter, after, batch)
      yield* entries
      if (entries.length < batch) break
      after = entries.at(-1)?.number ?? after
    }
  }

  /** Entries of one chain or of all, chain by chain, oldest first. */
  async function* read(scope: number | undefined, filter: AuditFilter = {}): AsyncGenerator<AuditEntry> {
    for (const head of await store.heads(scope)) yield* readChain(head.scope, filter)
  }

  /** Whether the chain still contains an entry, or the seal of a month that ended with it. */
  async function has({ scope, number, hash }: ChainHead): Promise<boolean> {
    const [entry] = await store.read(scope, {}, number - 1, 1)
    if (entry?.number === number) return entry.hash === hash
    const seals = await store.seals(scope)
    const dropped = seals.find(
      seal => seal.isDropped && seal.firstNumber <= number && number <= seal.lastNumber,
    )
    return dropped !== undefined && (dropped.lastNumber !== number || dropped.hash === hash)
  }

  async function lostOf({ at, heads }: NotedHeads): Promise<LostHead[]> {
    const restoredAt = await store.restoredAt()
    const setBackAt = restoredAt !== undefined && restoredAt >= at ? restoredAt : undefined
    const lost: LostHead[] = []
    for (const head of heads) if (!(await has(head))) lost.push({ ...head, setBackAt })
    return lost
  }

  async function notedHeads(): Promise<NotedHeads | undefined> {
    const databaseId = await store.databaseId()
    return databaseId === undefined ? undefined : notes.read(databaseId)
  }

  /**
   * Logs the heads that have changed, and records all of them beside the files, unless the log lacks a recorded head.
   */
  async function noteHeads(): Promise<number> {
    const databaseId = await store.databaseId()
    if (databaseId === undefined) return 0
    const noted = await notes.read(databaseId)
    const cut = noted === undefined ? [] : await lostOf(noted)
    for (const { scope, number, hash, setBackAt } of cut.filter(each => each.setBackAt === undefined))
      deps.log.error(
        { scope, number, hash, setBackAt },
        'the audit log lacks an entry that was noted beside the files: run "dossier audit verify"',
      )
    if (cut.some(({ setBackAt }) => setBackAt === undefined)) return 0
    const heads = await store.heads()
    const known = new Map(noted?.heads.map(({ scope, hash }) => [scope, hash]))
    const moved = heads.filter(({ scope, hash }) => known.get(scope) !== hash)
    for (const { scope, number, hash } of moved)
      deps.log.info({ scope, number, hash }, 'the head of an audit log')
    await notes.write(databaseId, { at: clock(), heads })
    return moved.length
  }

  /** All recorded drops, newest first. */
  async function readDrops(): Promise<AuditEntry[]> {
    const drops: AuditEntry[] = []
    for await (const entry of readChain(boardScope, { action: 'audit.drop' })) drops.unshift(entry)
    return drops
  }

  /**
   * Whether the board's chain vouches for the months marked as dropped: otherwise a row in the database could conceal
   * entries that were removed outside the service.
   */
  async function checkDropped(): Promise<{ dropped: string[]; fault: Fault | undefined }> {
    for (;;) {
      const drops = await readDrops()
      const seals = await store.droppedSeals()
      const [newest] = await store.list(boardScope, { action: 'audit.drop' }, undefined, 1)
      // The task has since dropped more months.
      if (newest?.number !== drops[0]?.number) continue
      const what = objectionToDropped(seals, drops, { auditMonths: limits.auditMonths, now: clock() })
      const fault = what && { scope: boardScope, number: newest?.number ?? 0, what }
      return { dropped: [...new Set(seals.map(({ month }) => month))].toSorted(), fault }
    }
  }

  return {
    list: (
      scope: AuditScope | undefined,
      filter: AuditFilter,
      before: AuditPosition | undefined,
      limit: number,
    ) => store.list(scope && scopeNumber(scope), filter, before, limit),
    read: (scope: AuditScope | undefined, filter?: AuditFilter) => read(scope && scopeNumber(scope), filter),
    record: store.record,

    /** Checks every hash, and that the chains still contain these heads and those recorded beside the files. */
    async verify(wanted: readonly ChainHead[] = []): Promise<Verified> {
      // Before the heads: a chain that has entries now has a head, unless that was removed outside the service.
      const scopes = await store.scopes()
      const heads = new Map((await store.heads()).map(head => [head.scope, head]))
      const { dropped, fault: unrecorded } = await checkDropped()
      const noted = await notedHeads()
      const result: Verified = {
        chains: heads.size,
        entries: 0,
        faults: [],
        lost: [],
        dropped,
        notedAt: noted?.at,
      }
      for (const scope of [...new Set([...heads.keys(), ...scopes])].sort((a, b) => a - b)) {
        const head = heads.get(scope)
        // Before the entries: entries that are added later are beyond it.
        const seals = await store.seals(scope)
        const verifier = createVerifier(scope, seals, head)
        for await (const entry of readChain(scope)) {
          if (head !== undefined && entry.number > head.number) break
          verifier.add(entry)
          result.entries++
        }
        const fault = verifier.end()
        if (fault !== undefined) result.faults.push(fault)
      }
      if (unrecorded !== undefined) result.faults.push(unrecorded)
      if (noted !== undefined) result.lost.push(...(await lostOf(noted)))
      result.lost.push(...(await lostOf({ at: Number.MAX_SAFE_INTEGER, heads: [...wanted] })))
      return result
    },

    noteHeads,

    async run(goesOn: GoesOn): Promise<WorkDone> {
      const now = clock()
      const did: Counts = {}
      const isPaused = (await deps.lookAtTime()).pausedMs > 0
      if (!isPaused) did['months'] = await store.dropMonths(firstMonth(now, limits.auditMonths), now)
      did['failures'] = await deps.noteFailures(now)
      const removals = {
        addresses: () => store.expireAddresses(now - auditAddressDays * dayMs, expiryBatch),
        entries: () => store.removeDropped(now - 7 * dayMs, expiryBatch),
      }
      for (const [what, remove] of Object.entries(isPaused ? {} : removals)) {
        let removed: number
        do {
          if (!(await goesOn())) return { did }
          removed = await remove()
          did[what] = (did[what] ?? 0) + removed
        } while (removed === expiryBatch)
      }
      // Last, because the place of the files may be unavailable.
      did['heads'] = await noteHeads()
      return { did }
    },
  }
}
