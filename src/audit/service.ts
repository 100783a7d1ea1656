import type { Clock, EpochMs } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Limits } from '../limits.ts'
import type { AuditScope } from '../model/audit.ts'
import { scopeNumber } from '../model/audit.ts'
import type { Counts, GoesOn, WorkDone } from '../work/ports.ts'
import { monthOf } from './chain.ts'
import type {
  AuditEntry,
  AuditFilter,
  AuditPosition,
  AuditStore,
  ChainHead,
  HeadNotes,
  NotedHeads,
} from './ports.ts'
import { createVerifier, type Fault } from './verification.ts'

const dayMs = 86_400_000
const batch = 500

export type AuditLog = ReturnType<typeof createAuditLog>

/** A noted head that the chain does not have; `setBackAt`: a restore since then explains it. */
export interface LostHead extends ChainHead {
  setBackAt: EpochMs | undefined
}

export interface Verified {
  chains: number
  entries: number
  faults: Fault[]
  lost: LostHead[]
}

export function createAuditLog(deps: {
  store: AuditStore
  notes: HeadNotes
  clock: Clock
  log: Log
  limits: Pick<Limits, 'auditMonths' | 'auditAddressDays' | 'expiryBatch' | 'signInFreeFailures'>
}) {
  const { store, notes, clock, limits } = deps

  /** Entries of one chain or of all, chain by chain, oldest first. */
  async function* read(scope: number | undefined, filter: AuditFilter = {}): AsyncGenerator<AuditEntry> {
    for (const head of await store.heads(scope)) {
      for (let after = 0; ; ) {
        const entries = await store.read(head.scope, filter, after, batch)
        yield* entries
        if (entries.length < batch) break
        after = entries.at(-1)?.number ?? after
      }
    }
  }

  /** Whether the chain still has an entry, or the seal of a month that ended with it. */
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

  /** Logs the heads that have moved, and notes all of them beside the files, unless what was noted there is lost. */
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

  /** The first month that is kept. */
  function firstMonth(now: EpochMs): string {
    const date = new Date(now)
    return monthOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - limits.auditMonths, 1))
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
    namesOf: store.namesOf,

    /** Checks every hash, and that the chains still have these heads and those beside the files. */
    async verify(wanted: readonly ChainHead[] = []): Promise<Verified> {
      const heads = await store.heads()
      const result: Verified = { chains: heads.length, entries: 0, faults: [], lost: [] }
      for (const head of heads) {
        // Before the entries: those that are added meanwhile are beyond it.
        const seals = await store.seals(head.scope)
        const verifier = createVerifier(head.scope, seals, head)
        for await (const entry of read(head.scope)) {
          if (entry.number > head.number) break
          verifier.add(entry)
          result.entries++
        }
        const fault = verifier.end()
        if (fault !== undefined) result.faults.push(fault)
      }
      const noted = await notedHeads()
      if (noted !== undefined) result.lost.push(...(await lostOf(noted)))
      result.lost.push(...(await lostOf({ at: Number.MAX_SAFE_INTEGER, heads: [...wanted] })))
      return result
    },

    noteHeads,

    async run(goesOn: GoesOn): Promise<WorkDone> {
      const now = clock()
      const did: Counts = { months: await store.dropMonths(firstMonth(now), now) }
      did['failures'] = await store.noteFailedSignIns(limits.signInFreeFailures, now)
      const removals = {
        addresses: () => store.expireAddresses(now - limits.auditAddressDays * dayMs, limits.expiryBatch),
        entries: () => store.removeDropped(now - 7 * dayMs, limits.expiryBatch),
      }
      for (const [what, remove] of Object.entries(removals)) {
        let removed: number
        do {
          if (!(await goesOn())) return { did }
          removed = await remove()
          did[what] = (did[what] ?? 0) + removed
        } while (removed === limits.expiryBatch)
      }
      // Last: the place of the files may be unavailable.
      did['heads'] = await noteHeads()
      return { did }
    },
  }
}
