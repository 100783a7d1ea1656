import { type Kysely, sql, type Transaction } from 'kysely'
import { currentAuditContext } from '../core/async/audit-context.ts'
import type { Schema } from '../database/tables.ts'
import { type Act, notedJson, scopeNumber } from './acts.ts'
import { hashEntry, monthOf, noHash } from './chain.ts'

/**
 * Records acts in the transaction that carries them out: no entry, no act. Call it last: it locks the head of the chain
 * until the commit, and no transaction that holds a head waits for another lock. Heads are locked in the order of their
 * scopes.
 */
export async function recordAudit(trx: Transaction<Schema>, ...acts: readonly Act[]): Promise<void> {
  const byScope = Map.groupBy(acts, ({ scope }) => scopeNumber(scope))
  for (const [scope, own] of [...byScope].toSorted(([a], [b]) => a - b)) await extendChain(trx, scope, own)
}

async function extendChain(trx: Transaction<Schema>, scope: number, acts: readonly Act[]): Promise<void> {
  const now = currentAuditContext(acts[0]?.actor).clock()
  const head = await lockHead(trx, scope, now)
  // Times never decrease within a chain, so that its months follow one another.
  const at = Math.max(now, head.at)
  const month = monthOf(at)
  if (head.number > 0 && month !== head.month) await seal(trx, head)
  const isNewMonth = head.number === 0 || month !== head.month
  let { number, hash } = head
  const rows = acts.map(act => {
    const { actor, requestId = null, address = null } = currentAuditContext(act.actor)
    number++
    const entry = {
      scope,
      number,
      at,
      actorKind: actor.kind,
      actorId: actor.id,
      proof: actor.proof,
      action: act.action,
      target: act.target,
      before: notedJson(act.action, act.before),
      after: notedJson(act.action, act.after),
      requestId,
      prev: hash,
    }
    hash = hashEntry(entry)
    const { actorKind: actor_kind, actorId: actor_id, requestId: request_id, ...same } = entry
    return { ...same, actor_kind, actor_id, request_id, hash, address }
  })
  // In batches of a few dozen, far below the maximum number of parameters.
  for (let start = 0; start < rows.length; start += 50) {
    await trx
      .insertInto('audit_entries')
      .values(rows.slice(start, start + 50))
      .execute()
  }
  await trx
    .updateTable('audit_heads')
    .set({
      number,
      at,
      hash,
      month,
      ...(isNewMonth ? { first_number: head.number + 1, first_prev: head.hash } : {}),
    })
    .where('scope', '=', scope)
    .execute()
}

/** An update that changes nothing locks the row on PostgreSQL; SQLite has one writer anyway. */
export function lockHead(trx: Transaction<Schema>, scope: number, now: number) {
  return trx
    .insertInto('audit_heads')
    .values({
      scope,
      number: 0,
      at: 0,
      hash: noHash,
      month: monthOf(now),
      first_number: 1,
      first_prev: noHash,
    })
    .onConflict(conflict => conflict.column('scope').doUpdateSet({ number: sql<number>`audit_heads.number` }))
    .returning(['scope', 'number', 'at', 'hash', 'month', 'first_number', 'first_prev'])
    .executeTakeFirstOrThrow()
}

/** Seals the month of the last entry. Call with the head locked. */
export async function seal(trx: Kysely<Schema>, head: Schema['audit_heads']): Promise<void> {
  const { scope, month, first_number, first_prev: prev, number: last_number, hash } = head
  await trx
    .insertInto('audit_seals')
    .values({ scope, month, first_number, last_number, prev, hash })
    .onConflict(conflict => conflict.columns(['scope', 'month']).doNothing())
    .execute()
}
