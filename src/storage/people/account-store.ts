import type { Transaction } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { Account, AccountStore, LinkPurpose } from '../../people/account/ports.ts'
import { linkColumns } from '../columns.ts'
import type { Database, Schema } from '../database/tables.ts'
import { queueDeliveries } from '../writing/queue-notice.ts'
import { chainsWithBoard, recordAudit } from '../writing/record-audit.ts'

const accountColumns = [
  'id as candidateId',
  'email',
  'email_confirmed_at as emailConfirmedAt',
  'password_hash as passwordHash',
  'first_name as firstName',
  'last_name as lastName',
] as const

/** An email to the address has arrived: its link was used. */
const reachable = { mail_refused_at: null, mail_refusal: null }

export function createAccountStore({ writer, reader }: Database): AccountStore {
  return {
    find: (candidateId): Promise<Account | undefined> =>
      reader.selectFrom('candidates').select(accountColumns).where('id', '=', candidateId).executeTakeFirst(),

    findByEmail: (email): Promise<Account | undefined> =>
      reader.selectFrom('candidates').select(accountColumns).where('email', '=', email).executeTakeFirst(),

    async add({ candidateId, email, passwordHash, firstName, lastName, profile, createdAt }) {
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

    async addLink({ hash, purpose, candidateId, email, expiresAt, registration, continueTo, browserMark }) {
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

    async findLink(hash, purpose, now) {
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

    async findRegistration(candidateId, browserMark) {
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

    confirm: (hash, now) =>
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

    changeEmail: (hash, now) =>
      unlessTaken(() =>
        writer.transaction().execute(async trx => {
          const link = await takeLink(trx, hash, 'change-email', now)
          if (link === undefined) return undefined
          await removeUnconfirmed(trx, link.email)
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
          await recordOnAccount(trx, link.candidate_id, { action: 'account.email' }, 'password')
          return linkOf(link)
        }),
      ),

    resetPassword: (hash, passwordHash, now) =>
      writer.transaction().execute(async trx => {
        const link = await takeLink(trx, hash, 'reset', now)
        if (link === undefined) return undefined
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
        const act = { action: 'account.password', after: { way: 'reset' } } as const
        await recordOnAccount(trx, link.candidate_id, act, 'link')
        return linkOf(link)
      }),

    changePassword: (candidateId, { formerHash, passwordHash, keptSessionId, mails = [], now }) =>
      writer.transaction().execute(async trx => {
        const changed = await trx
          .updateTable('candidates')
          .set({ password_hash: passwordHash })
          .where('id', '=', candidateId)
          .where('password_hash', '=', formerHash)
          .executeTakeFirst()
        if (changed.numUpdatedRows !== 1n) return false
        await trx
          .deleteFrom('sessions')
          .where('candidate_id', '=', candidateId)
          .where('id', '!=', keptSessionId)
          .execute()
        await removeLinks(trx, candidateId)
        await queueDeliveries(trx, mails, now)
        const act = { action: 'account.password', after: { way: 'change' } } as const
        await recordOnAccount(trx, candidateId, act, 'password')
        return true
      }),

    async countMail(recipientHash, hour) {
      const row = await writer
        .insertInto('mail_counts')
        .values({ recipient_hash: recipientHash, hour, mails: 1 })
        .onConflict(conflict =>
          conflict.column('recipient_hash').doUpdateSet(eb => ({
            hour,
            mails: eb
              .case()
              .when('mail_counts.hour', '=', hour)
              .then(eb('mail_counts.mails', '+', 1))
              .else(eb.val(1))
              .end(),
          })),
        )
        .returning('mails')
        .executeTakeFirstOrThrow()
      return row.mails
    },
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

/** The act itself proves the person: by the password, or by a link in an email. */
async function recordOnAccount(
  trx: Transaction<Schema>,
  candidateId: string,
  act: { action: 'account.email' } | { action: 'account.password'; after: { way: string } },
  proof: 'password' | 'link',
): Promise<void> {
  const actor = { kind: 'person', id: candidateId, proof } as const
  const chains = await chainsWithBoard(trx, candidateId)
  await recordAudit(
    trx,
    ...chains.map(scope => ({ ...act, scope, target: `person:${candidateId}`, actor }) as const),
  )
}

async function removeLinks(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  await trx.deleteFrom('account_links').where('candidate_id', '=', candidateId).execute()
}

/** Deletes an unconfirmed account, which is only a claim to an address that another person has now confirmed. */
async function removeUnconfirmed(trx: Transaction<Schema>, email: string): Promise<void> {
  const unconfirmed = trx
    .selectFrom('candidates')
    .select('id')
    .where('email', '=', email)
    .where('email_confirmed_at', 'is', null)
  await trx.deleteFrom('account_links').where('candidate_id', 'in', unconfirmed).execute()
  await trx.deleteFrom('candidates').where('id', 'in', unconfirmed).execute()
}

function linkOf(row: Schema['account_links']) {
  return { candidateId: row.candidate_id, email: row.email }
}

type RegistrationColumns = Pick<Schema['account_links'], 'password_hash' | 'first_name' | 'last_name'>

function registrationOf({ password_hash, first_name, last_name }: RegistrationColumns) {
  if (password_hash === null || first_name === null || last_name === null) return undefined
  return { passwordHash: password_hash, firstName: first_name, lastName: last_name }
}

/** Two concurrent requests for one address do not see each other; the unique constraint rejects the second. */
async function unlessTaken<T>(change: () => Promise<T>): Promise<T | undefined> {
  try {
    return await change()
  } catch (error) {
    if (['23503', '23505'].includes(String((error as { code?: unknown }).code))) return undefined
    throw error
  }
}
