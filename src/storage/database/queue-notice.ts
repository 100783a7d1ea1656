import type { Kysely } from 'kysely'
import { newUuid } from '../../core/ids.ts'
import type { Notice } from '../../model/notice.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'
import type { Schema } from './tables.ts'

const threeDaysMs = 3 * 86_400_000

const listeners = new Set<() => void>()

/** Calls the listener when this process queues a delivery, shortly before the commit; returns how to stop that. */
export function onQueued(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Queues emails in the transaction that causes them: none is lost once it has committed, and none is sent otherwise. */
export async function queueNotices(
  trx: Kysely<Schema>,
  notices: readonly Notice[],
  now: number,
): Promise<void> {
  await queueDeliveries(
    trx,
    notices.map(notice => deliveryOf(notice, now)),
    now,
  )
}

export function deliveryOf({ kind, ...content }: Notice, now: number, id = newUuid()): NewDelivery {
  return { id, kind, content: JSON.stringify(content), giveUpAt: now + threeDaysMs }
}

export async function queueDeliveries(
  trx: Kysely<Schema>,
  deliveries: readonly NewDelivery[],
  now: number,
): Promise<void> {
  if (deliveries.length === 0) return
  const rows = deliveries.map(({ id, kind, content, giveUpAt }) => ({
    ...{ id, kind, content, give_up_at: giveUpAt },
    state: 'waiting' as const,
    due_at: now,
    created_at: now,
  }))
  await trx.insertInto('deliveries').values(rows).execute()
  for (const listener of listeners) listener()
}
