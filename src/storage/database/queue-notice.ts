import type { Kysely } from 'kysely'
import { newUuid } from '../../core/ids.ts'
import type { Notice } from '../../model/notice.ts'
import type { Schema } from './tables.ts'

const threeDaysMs = 3 * 86_400_000

/** Queues emails in the transaction that causes them: none is lost once it has committed, and none is sent otherwise. */
export async function queueNotices(
  trx: Kysely<Schema>,
  notices: readonly Notice[],
  now: number,
): Promise<void> {
  if (notices.length === 0) return
  const rows = notices.map(({ kind, ...content }) => ({
    id: newUuid(),
    kind,
    content: JSON.stringify(content),
    state: 'waiting' as const,
    due_at: now,
    give_up_at: now + threeDaysMs,
    created_at: now,
  }))
  await trx.insertInto('deliveries').values(rows).execute()
}
