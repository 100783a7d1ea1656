import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { IdempotencyKey, KeptKey, KeyState } from '../../platform/core/idempotency-keys.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { databaseNow } from '../../platform/database/database-clock.ts'
import type { Database, Dialect, Schema } from '../../platform/database/tables.ts'

interface NewClaim extends IdempotencyKey {
  claim: string
  /** When the key becomes free if no entry is created. */
  expiresAt: EpochMs
  heldMs: number
}

/** When the key becomes free unless its request renews it, as an SQL expression. */
export function heldFor(dialect: Dialect, ms: number): RawBuilder<number> {
  return sql<number>`${databaseNow(dialect)} + ${ms}`
}

/**
 * Claims a free key: unknown, expired, or held by a request whose node has stopped renewing it. The unique constraint
 * selects the winner among concurrent requests, on all nodes.
 */
export async function takeKey(
  db: Kysely<Schema>,
  dialect: Dialect,
  { clientId, key, claim, expiresAt, heldMs }: NewClaim,
  now: EpochMs,
  /** Connection on which other requests' results are already committed. */
  committed = db,
): Promise<'claimed' | KeyState> {
  const time = databaseNow(dialect)
  const ours = { claim, expires_at: expiresAt, held_until: heldFor(dialect, heldMs) }
  for (;;) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('intake_keys')
      .values({ client_id: clientId, key, ...ours })
      .onConflict(conflict =>
        conflict
          .columns(['client_id', 'key'])
          .doUpdateSet({ ...ours, content_hash: null, answer: null })
          .where(({ or, and, eb }) =>
            or([
              eb('intake_keys.expires_at', '<=', now),
              and([eb('intake_keys.answer', 'is', null), eb('intake_keys.held_until', '<=', time)]),
            ]),
          ),
      )
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows === 1n) return 'claimed'
    const state = await keyState(committed, dialect, { clientId, key }, now)
    // If the key was released in between, try again.
    if (state !== undefined) return state
  }
}

/** Undefined if the key is unknown or expired. */
export async function keyState(
  db: Kysely<Schema>,
  dialect: Dialect,
  { clientId, key }: IdempotencyKey,
  now: EpochMs,
): Promise<KeyState | undefined> {
  const row = await db
    .selectFrom('intake_keys')
    .select(['content_hash', 'answer', 'expires_at'])
    .select(sql<number | null>`held_until - ${databaseNow(dialect)}`.as('held_ms'))
    .where('client_id', '=', clientId)
    .where('key', '=', key)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { content_hash, answer, expires_at, held_ms } = row
  if (answer !== null) return { contentHash: content_hash ?? '', madeId: Number(answer) }
  return { heldMs: Math.max(0, held_ms ?? expires_at - now) }
}

/** Records the created entry, in the transaction that creates it. */
export async function saveMade(
  db: Kysely<Schema>,
  { clientId, key, contentHash, expiresAt }: KeptKey,
  madeId: number,
): Promise<void> {
  await db
    .updateTable('intake_keys')
    .set({ content_hash: contentHash, answer: String(madeId), expires_at: expiresAt, held_until: null })
    .where('client_id', '=', clientId)
    .where('key', '=', key)
    .execute()
}

/** Creates an entry once per key. Key and content share one transaction, so that a crash cannot separate them. */
export function makeOnce<Made extends { id: number }>(
  { writer, dialect }: Pick<Database, 'writer' | 'dialect'>,
  save: KeptKey,
  at: EpochMs,
  make: (trx: Transaction<Schema>) => Promise<Made>,
): Promise<Made | KeyState> {
  return writer.transaction().execute(async trx => {
    const state = await takeKey(trx, dialect, { ...save, claim: newUuid(), heldMs: 0 }, at)
    if (state !== 'claimed') return state
    const made = await make(trx)
    await saveMade(trx, save, made.id)
    return made
  })
}
