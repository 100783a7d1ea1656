import type { Kysely } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import {
  emailOf,
  reachable,
  recordOnAccount,
  recordPasswordTombstone,
  recordRemovedFactors,
  removeLinks,
  removeUnconfirmed,
  unlessTaken,
} from '../../schema/writing/change-account.ts'
import { addressMark, recordTombstones } from '../../schema/writing/record-tombstones.ts'
import type { FactorAtReset } from '../factors/records.ts'
import { isOperator, listFactors, removeIdentities, removeYounger } from '../factors/remove-factors-store.ts'

/** A change of how a person signs in that can be undone by the link in the email about it. */
export interface UndoableChange {
  /** The ID of the email. */
  changeId: string
  candidateId: string
  kind: 'factor' | 'email' | 'password'
  /** The account's address before the change: it receives the email, and undoing restores it. */
  email: string
  changedAt: EpochMs
}

export interface OpenUndo extends Omit<UndoableChange, 'changeId'> {
  /** Whether the account has another address now. */
  isAddressChanged: boolean
  /** Whether another account has the former address. */
  isTaken: boolean
  /** Newest first, each with whether undoing removes it. */
  factors: FactorAtReset[]
}

const changeColumns = [
  'change_id as changeId',
  'candidate_id as candidateId',
  'kind',
  'email',
  'changed_at as changedAt',
] as const

export type UndoStore = ReturnType<typeof createUndoStore>

/** Undoes changes of how a person signs in: see decision 096. */
export function createUndoStore({ writer, reader }: Database) {
  return {
    /** Undefined if the change has been undone, or is too old. */
    findChange: (changeId: string, now: EpochMs): Promise<UndoableChange | undefined> =>
      reader
        .selectFrom('undo_links')
        .select(changeColumns)
        .where('hash', '=', changeId)
        .where('expires_at', '>', now)
        .executeTakeFirst(),

    /** Returns the first change since that time whose email goes to that address. */
    firstChange: (
      candidateId: string,
      { email, since }: { email: string; since: EpochMs },
      now: EpochMs,
    ): Promise<UndoableChange | undefined> =>
      reader
        .selectFrom('undo_links')
        .select(changeColumns)
        .where('candidate_id', '=', candidateId)
        .where('changed_at', '>=', since)
        .where('email', '=', email)
        .whereRef('hash', '=', 'change_id')
        .where('expires_at', '>', now)
        .orderBy('changed_at')
        .limit(1)
        .executeTakeFirst(),

    /** Returns false if the change has been undone. */
    async addLink(changeId: string, hash: string): Promise<boolean> {
      const added = await writer
        .insertInto('undo_links')
        .columns(['hash', 'change_id', 'candidate_id', 'kind', 'email', 'changed_at', 'expires_at'])
        .expression(eb =>
          eb
            .selectFrom('undo_links')
            .select(({ val }) => [val(hash).as('hash'), 'change_id', 'candidate_id', 'kind', 'email'])
            .select(['changed_at', 'expires_at'])
            .where('hash', '=', changeId),
        )
        .executeTakeFirst()
      return added.numInsertedOrUpdatedRows === 1n
    },

    /** Undefined if the link was used or is too old, or nothing of the change is left. */
    async find(hash: string, now: EpochMs): Promise<OpenUndo | undefined> {
      const change = await openChange(reader, hash, now)
      if (change === undefined) return undefined
      const factors = await factorsAtUndo(reader, change)
      if (isUndone(change, factors)) return undefined
      return { ...change, factors }
    },

    /**
     * Undoes the change in one transaction: removes the factors added since, restores the address, sets the password, and ends
     * all sessions, links and changes since. Undefined in the same cases as `find`, and if the address is taken.
     */
    undo: (
      hash: string,
      {
        passwordHash,
        now,
        mails,
      }: {
        passwordHash: string
        now: EpochMs
        /** Emails to the restored address and to the address that it replaces. */
        mails(addresses: readonly string[]): readonly NewDelivery[]
      },
    ): Promise<{ candidateId: string; email: string } | undefined> =>
      unlessTaken(() =>
        writer.transaction().execute(async trx => {
          // Locks the account, which serialises two presses of the button.
          await trx
            .updateTable('candidates')
            .set(eb => ({ email: eb.ref('email') }))
            .where('id', '=', eb =>
              eb.selectFrom('undo_links').select('candidate_id').where('hash', '=', hash),
            )
            .execute()
          const change = await openChange(trx, hash, now)
          if (change === undefined) return undefined
          const { candidateId, email, changedAt } = change
          const factors = await factorsAtUndo(trx, change)
          if (change.isTaken || isUndone(change, factors)) return undefined
          if (change.isAddressChanged) await removeUnconfirmed(trx, email)
          const former = await emailOf(trx, candidateId)
          await recordPasswordTombstone(trx, candidateId)
          await trx
            .updateTable('candidates')
            .set({ email, password_hash: passwordHash, ...reachable })
            .$if(change.isAddressChanged, update => update.set({ email_confirmed_at: now }))
            .where('id', '=', candidateId)
            .execute()
          await removeLinks(trx, candidateId)
          await trx
            .deleteFrom('undo_links')
            .where('candidate_id', '=', candidateId)
            .where('changed_at', '>=', changedAt)
            .execute()
          await trx.deleteFrom('sessions').where('candidate_id', '=', candidateId).execute()
          const areKept = factors.some(each => !each.isRemoved && each.createdAt >= changedAt)
          const removed = areKept
            ? (await removeIdentities(trx, candidateId, changedAt - 1)).map(() => 'provider' as const)
            : factors.some(({ isRemoved }) => isRemoved)
              ? await removeYounger(trx, candidateId, changedAt - 1)
              : []
          if (change.isAddressChanged) {
            await recordTombstones(trx, ['address', candidateId, now, addressMark(candidateId, email)])
            await recordOnAccount(trx, candidateId, { action: 'account.email' }, 'link')
          }
          // No undoable change is recorded for these emails: an undo cannot be undone.
          await queueDeliveries(trx, mails(change.isAddressChanged ? [email, former] : [email]), now)
          const act = { action: 'account.password', after: { way: 'undo' } } as const
          await recordOnAccount(trx, candidateId, act, 'link')
          await recordRemovedFactors(trx, candidateId, removed)
          return { candidateId, email }
        }),
      ),
  }
}

type OpenChange = NonNullable<Awaited<ReturnType<typeof openChange>>>

/**
 * Finds the change of a link. The row of the change must exist as well: a link that is issued while the change is being
 * undone would otherwise outlive it.
 */
async function openChange(db: Kysely<Schema>, hash: string, now: EpochMs) {
  const found = await db
    .selectFrom('undo_links as link')
    .innerJoin('undo_links as change', 'change.hash', 'link.change_id')
    .innerJoin('candidates as candidate', 'candidate.id', 'change.candidate_id')
    .leftJoin('candidates as other', join =>
      join.onRef('other.email', '=', 'change.email').onRef('other.id', '!=', 'candidate.id'),
    )
    .select(['change.candidate_id as candidateId', 'change.kind', 'change.email'])
    .select(['change.changed_at as changedAt', 'candidate.email as current'])
    .select('other.email_confirmed_at as takenAt')
    .where('link.hash', '=', hash)
    // Excludes the rows of changes.
    .whereRef('link.hash', '!=', 'link.change_id')
    .where('change.expires_at', '>', now)
    .executeTakeFirst()
  if (found === undefined) return undefined
  const { current, takenAt, ...change } = found
  return { ...change, isAddressChanged: current !== change.email, isTaken: takenAt !== null }
}

/**
 * The factors, newest first; those that were added with the change or since are removed. An operator keeps them if there
 * is no older one: the mailbox alone must not lead to the operator's pages. A link to a provider is no second factor, so it
 * neither stays nor counts as the older one.
 */
async function factorsAtUndo(
  db: Kysely<Schema>,
  { candidateId, changedAt }: OpenChange,
): Promise<FactorAtReset[]> {
  const factors = await listFactors(db, candidateId)
  const isOlder = ({ createdAt }: { createdAt: EpochMs }) => createdAt < changedAt
  const areKept =
    !factors.some(each => each.issuer === undefined && isOlder(each)) && (await isOperator(db, candidateId))
  return factors.map(each => ({
    ...each,
    isRemoved: !isOlder(each) && (each.issuer !== undefined || !areKept),
  }))
}

/** The previous password cannot be restored, so only the link undoes its change. */
function isUndone({ kind, isAddressChanged, changedAt }: OpenChange, factors: readonly FactorAtReset[]) {
  return kind !== 'password' && !isAddressChanged && !factors.some(({ createdAt }) => createdAt >= changedAt)
}
