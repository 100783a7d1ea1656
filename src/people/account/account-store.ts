import type { Transaction } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import { linkColumns } from '../../schema/columns.ts'
import { chainsOf } from '../../schema/writing/chains.ts'
import {
  emailOf,
  reachable,
  recordAddressChange,
  recordChange,
  recordOnAccount,
  recordPasswordTombstone,
  recordRemovedFactors,
  removeLinks,
  removeUnconfirmed,
  unlessTaken,
} from '../../schema/writing/change-account.ts'
import { addressMark, recordTombstones } from '../../schema/writing/record-tombstones.ts'
import { isOperator, removeYounger, vouchedAt } from '../factors/remove-factors-store.ts'
import { adoptAddress } from './moved-addresses-store.ts'
import type { Account, Link, LinkPurpose, NewAccount, NewLink, OpenLink, Registration } from './records.ts'

const accountColumns = [
  'id as candidateId',
  'email',
  'email_confirmed_at as emailConfirmedAt',
  'password_hash as passwordHash',
  'first_name as firstName',
  'last_name as lastName',
] as const

export type AccountStore = ReturnType<typeof createAccountStore>

export function createAccountStore({ writer, reader }: Database) {
  return {
    find: (candidateId: string): Promise<Account | undefined> =>
      reader.selectFrom('candidates').select(accountColumns).where('id', '=', candidateId).executeTakeFirst(),

    /** Names of the accounts that still exist, by ID. */
    async namesOf(candidateIds: readonly string[]): Promise<Map<string, string>> {
      if (candidateIds.length === 0) return new Map()
      const rows = await reader
        .selectFrom('candidates')
        .select(['id', 'email', 'first_name', 'last_name'])
        .where('id', 'in', candidateIds)
        .execute()
      return new Map(
        rows.map(({ id, email, first_name, last_name }) => [
          id,
          `${first_name} ${last_name}`.trim() || email,
        ]),
      )
    },

    /** Whether the person works for a company, an agent or the board. */
    hasWorkplace: async (candidateId: string): Promise<boolean> =>
      (await chainsOf(reader, candidateId)).length > 0,

    async findByEmail(email: string): Promise<Account | undefined> {
      await adoptAddress({ reader, writer }, email)
      return reader
        .selectFrom('candidates')
        .select(accountColumns)
        .where('email', '=', email)
        .executeTakeFirst()
    },

    /** Returns false if the address already has an account. */
    async add({
      candidateId,
      email,
      passwordHash,
      firstName,
      lastName,
      profile,
      createdAt,
    }: NewAccount): Promise<boolean> {
      await adoptAddress({ reader, writer }, email)
      const added = await writer
        .insertInto('candidates')
        .values({
          id: candidateId,
          email,
          password_hash: passwordHash,
          first_name: firstName,
          last_name: lastName,
          profile,
          created_at: createdAt,
        })
        .onConflict(conflict => conflict.column('email').doNothing())
        .executeTakeFirst()
      return added.numInsertedOrUpdatedRows === 1n
    },

    async addLink({
      hash,
      purpose,
      candidateId,
      email,
      expiresAt,
      registration,
      continueTo,
      browserMark,
    }: NewLink): Promise<void> {
      await writer
        .insertInto('account_links')
        .values({
          hash,
          purpose,
          candidate_id: candidateId,
          email,
          expires_at: expiresAt,
          password_hash: registration?.passwordHash ?? null,
          first_name: registration?.firstName ?? null,
          last_name: registration?.lastName ?? null,
          continue_to: continueTo ?? null,
          browser_mark: browserMark ?? null,
        })
        .execute()
    },

    /** Writes as much as `addLink`, for an address without an account. */
    async addDecoy({ hash, expiresAt }: Pick<NewLink, 'hash' | 'expiresAt'>): Promise<void> {
      await writer
        .insertInto('sent_forms')
        .values({ key: `decoy:${hash}`, location: '', expires_at: expiresAt })
        .execute()
    },

    async findLink(hash: string, purpose: LinkPurpose, now: EpochMs): Promise<OpenLink | undefined> {
      const row = await reader
        .selectFrom('account_links')
        .select(linkColumns)
        .where('hash', '=', hash)
        .where('purpose', '=', purpose)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return (
        row && {
          ...linkOf(row),
          registration: registrationOf(row),
          continueTo: row.continue_to,
          browserMark: row.browser_mark,
        }
      )
    },

    /** The latest sign-up details typed in this browser; undefined if its links have been removed. */
    async findRegistration(candidateId: string, browserMark: string): Promise<Registration | undefined> {
      const rows = await reader
        .selectFrom('account_links')
        .select(['password_hash', 'first_name', 'last_name', 'expires_at'])
        .where('candidate_id', '=', candidateId)
        .where('purpose', '=', 'confirm')
        .where('browser_mark', '=', browserMark)
        .execute()
      const newest = rows.toSorted((a, b) => a.expires_at - b.expires_at).at(-1)
      return newest && registrationOf(newest)
    },

    /** This method and the next two use up the link, each in one transaction; undefined if the link no longer exists. */
    confirm: (hash: string, now: EpochMs): Promise<Link | undefined> =>
      writer.transaction().execute(async trx => {
        const link = await takeLink(trx, hash, 'confirm', now)
        const registration = link && registrationOf(link)
        if (link === undefined || registration === undefined) return undefined
        const confirmed = await trx
          .updateTable('candidates')
          .set({
            email_confirmed_at: now,
            password_hash: registration.passwordHash,
            first_name: registration.firstName,
            last_name: registration.lastName,
            ...reachable,
          })
          .where('id', '=', link.candidate_id)
          .where('email', '=', link.email)
          .where('email_confirmed_at', 'is', null)
          .executeTakeFirst()
        await removeLinks(trx, link.candidate_id)
        return confirmed.numUpdatedRows === 1n ? linkOf(link) : undefined
      }),

    /** `mails`: queued with the change. */
    changeEmail: (
      hash: string,
      now: EpochMs,
      mails: readonly NewDelivery[] = [],
    ): Promise<Link | undefined> =>
      unlessTaken(() =>
        writer.transaction().execute(async trx => {
          const link = await takeLink(trx, hash, 'change-email', now)
          if (link === undefined) return undefined
          await removeUnconfirmed(trx, link.email)
          const former = await emailOf(trx, link.candidate_id)
          const changed = await trx
            .updateTable('candidates')
            .set({ email: link.email, email_confirmed_at: now, ...reachable })
            .where('id', '=', link.candidate_id)
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('candidates as other').select('other.id').where('other.email', '=', link.email),
                ),
              ),
            )
            .executeTakeFirst()
          // Links sent to the former address must no longer open the account.
          await removeLinks(trx, link.candidate_id)
          if (changed.numUpdatedRows !== 1n) return undefined
          await queueDeliveries(trx, mails, now)
          const change = { candidateId: link.candidate_id, former, email: link.email, at: now }
          await recordAddressChange(trx, mails, change)
          await recordTombstones(trx, [
            'address',
            link.candidate_id,
            now,
            addressMark(link.candidate_id, link.email),
          ])
          await recordOnAccount(trx, link.candidate_id, { action: 'account.email' }, 'password')
          return linkOf(link)
        }),
      ),

    resetPassword: (
      hash: string,
      passwordHash: string,
      now: EpochMs,
      mails: readonly NewDelivery[] = [],
    ): Promise<Link | undefined> =>
      writer.transaction().execute(async trx => {
        const link = await takeLink(trx, hash, 'reset', now)
        if (link === undefined) return undefined
        await recordPasswordTombstone(trx, link.candidate_id)
        const changed = await trx
          .updateTable('candidates')
          // The link also confirms the address.
          .set(eb => ({
            password_hash: passwordHash,
            ...reachable,
            email_confirmed_at: eb.fn.coalesce('email_confirmed_at', eb.val(now)),
          }))
          .where('id', '=', link.candidate_id)
          .where('email', '=', link.email)
          .executeTakeFirst()
        await removeLinks(trx, link.candidate_id)
        if (changed.numUpdatedRows !== 1n) return undefined
        await trx.deleteFrom('sessions').where('candidate_id', '=', link.candidate_id).execute()
        await queueDeliveries(trx, mails, now)
        await recordChange(trx, mails, { candidateId: link.candidate_id, kind: 'password', at: now })
        const removed = await removeUnvouched(trx, link.candidate_id, now)
        const act = { action: 'account.password', after: { way: 'reset' } } as const
        await recordOnAccount(trx, link.candidate_id, act, 'link')
        await recordRemovedFactors(trx, link.candidate_id, removed)
        return linkOf(link)
      }),

    /** Returns false if the password is no longer `formerHash`. Ends every session except `keptSessionId`. */
    changePassword: (
      candidateId: string,
      {
        formerHash,
        passwordHash,
        keptSessionId,
        mails = [],
        now,
      }: {
        formerHash: string
        passwordHash: string
        keptSessionId: string
        /** Queued with the change. */
        mails?: readonly NewDelivery[]
        now: EpochMs
      },
    ): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const changed = await trx
          .updateTable('candidates')
          .set({ password_hash: passwordHash })
          .where('id', '=', candidateId)
          .where('password_hash', '=', formerHash)
          .executeTakeFirst()
        if (changed.numUpdatedRows !== 1n) return false
        await recordTombstones(trx, ['password', candidateId, hashSecret(formerHash)])
        await trx
          .deleteFrom('sessions')
          .where('candidate_id', '=', candidateId)
          .where('id', '!=', keptSessionId)
          .execute()
        await removeLinks(trx, candidateId)
        await queueDeliveries(trx, mails, now)
        await recordChange(trx, mails, { candidateId, kind: 'password', at: now })
        const act = { action: 'account.password', after: { way: 'change' } } as const
        await recordOnAccount(trx, candidateId, act, 'password')
        return true
      }),
  }
}

/**
 * Uses a link by deleting its row, so it can be used once. The candidate is locked first: using a link deletes the
 * others, so two requests with two of them would otherwise deadlock.
 */
async function takeLink(
  trx: Transaction<Schema>,
  hash: string,
  purpose: LinkPurpose,
  now: EpochMs,
): Promise<Schema['account_links'] | undefined> {
  await trx
    .updateTable('candidates')
    .set(eb => ({ email: eb.ref('email') }))
    .where('id', '=', eb => eb.selectFrom('account_links').select('candidate_id').where('hash', '=', hash))
    .execute()
  return trx
    .deleteFrom('account_links')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning(linkColumns)
    .executeTakeFirst()
}

/**
 * Factors added since the mailbox last vouched for the account: an intruder who knew the password may have added them.
 * A password changed in a session vouches for nothing, because an intruder changes it as well. An operator's factors
 * stay: the mailbox alone must not lead to the operator's pages.
 */
async function removeUnvouched(trx: Transaction<Schema>, candidateId: string, now: EpochMs) {
  const removed = (await isOperator(trx, candidateId))
    ? []
    : await removeYounger(trx, candidateId, await vouchedAt(trx, candidateId))
  await trx
    .insertInto('mailbox_passwords')
    .values({ candidate_id: candidateId, set_at: now })
    .onConflict(conflict => conflict.column('candidate_id').doUpdateSet({ set_at: now }))
    .execute()
  return removed
}

function linkOf(row: Schema['account_links']) {
  return { candidateId: row.candidate_id, email: row.email }
}

type RegistrationColumns = Pick<Schema['account_links'], 'password_hash' | 'first_name' | 'last_name'>

function registrationOf({ password_hash, first_name, last_name }: RegistrationColumns) {
  if (password_hash === null || first_name === null || last_name === null) return undefined
  return { passwordHash: password_hash, firstName: first_name, lastName: last_name }
}
