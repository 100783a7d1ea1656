import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import { sha256Hex } from '../../core/hashing.ts'
import type { ProfileToken } from '../../model/principal.ts'
import type { Schema } from '../database/tables.ts'
import { integer, text } from '../database/typed-values.ts'
import { deliveryOf } from '../writing/queue-notice.ts'

/** A disclosure that may be the first one to its client, and the email that tells the candidate if it is. */
export interface FirstDisclosure {
  candidateId: string
  clientId: string
  now: EpochMs
  noticeId: string
  noticeContent: string
  noticeGiveUpAt: EpochMs
}

export const firstDisclosureKind = 'first-disclosure'

/** The ID of the email follows from candidate and client: of two concurrent first disclosures, one queues it. */
export function firstDisclosure(
  { candidateId, clientId }: ProfileToken,
  advertiserId: number,
  now: EpochMs,
): FirstDisclosure {
  const id = sha256Hex(JSON.stringify([firstDisclosureKind, candidateId, clientId])).slice(0, 32)
  const { content, giveUpAt } = deliveryOf(
    { kind: firstDisclosureKind, candidateId, clientId, advertiserId },
    now,
    id,
  )
  return { candidateId, clientId, now, noticeId: id, noticeContent: content, noticeGiveUpAt: giveUpAt }
}

/**
 * Queues the email unless this client has had data of the candidate before. Run it before the disclosure is recorded.
 * Every first disclosure is a prefill: a resume is downloaded under an identifier that a prefill has released.
 */
export function queueIfFirst(db: Kysely<Schema>, values: FirstDisclosure, isDisclosed: RawBuilder<boolean>) {
  // With a limit of one, PostgreSQL reads one disclosure of a grant and not all of them.
  const disclosed = db
    .selectFrom('grants as consent')
    .select('consent.id')
    .where('consent.candidate_id', '=', values.candidateId)
    .where('consent.client_id', '=', values.clientId)
    .where(
      ({ selectFrom }) =>
        selectFrom('disclosures').select('disclosures.id').whereRef('grant_id', '=', 'consent.id').limit(1),
      'is not',
      null,
    )
  return db
    .insertInto('deliveries')
    .columns(['id', 'kind', 'content', 'state', 'due_at', 'give_up_at', 'created_at'])
    .expression(
      db
        .selectNoFrom([
          text(values.noticeId).as('id'),
          sql<string>`cast(${sql.lit(firstDisclosureKind)} as text)`.as('kind'),
          text(values.noticeContent).as('content'),
          sql<'waiting'>`cast('waiting' as text)`.as('state'),
          integer(values.now).as('due_at'),
          integer(values.noticeGiveUpAt).as('give_up_at'),
          integer(values.now).as('created_at'),
        ])
        .where(isDisclosed)
        .where(({ not, exists }) => not(exists(disclosed))),
    )
    .onConflict(conflict => conflict.column('id').doNothing())
}
