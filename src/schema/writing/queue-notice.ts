import type { Kysely } from 'kysely'
import type { Notice } from '../../model/notice.ts'
import { newUuid } from '../../platform/core/ids.ts'
import type { Schema } from '../../platform/database/tables.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'

const threeDaysMs = 3 * 86_400_000

/**
 * Queues emails in the transaction that causes them: none is lost once it has committed, and none is sent otherwise.
 */
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
