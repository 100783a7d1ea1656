import { type Kysely, sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { addHistory, lockApplication } from '../../schema/writing/change-application.ts'

export interface Hold {
  reason: string
  placedAt: EpochMs
  /** Null: the operator. */
  placedBy: string | null
  /** Null if the account no longer exists, or has no name. */
  placedByName: string | null
}

export type HoldStore = ReturnType<typeof createHoldStore>

export function createHoldStore({ writer, reader, dialect }: Database) {
  return {
    find: (advertiserId: number, applicationId: number): Promise<Hold | undefined> =>
      holdsIn(reader)
        .where('hold.advertiser_id', '=', advertiserId)
        .where('hold.application_id', '=', applicationId)
        .executeTakeFirst(),

    /** The holds of one advertiser, or of all, by ID. */
    list: (
      advertiserId: number | undefined,
    ): Promise<(Hold & { advertiserId: number; applicationId: number })[]> =>
      holdsIn(reader)
        .select(['hold.advertiser_id as advertiserId', 'hold.application_id as applicationId'])
        .$if(advertiserId !== undefined, query => query.where('hold.advertiser_id', '=', advertiserId ?? 0))
        .orderBy('hold.advertiser_id')
        .orderBy('hold.application_id')
        .execute(),

    place: (
      advertiserId: number,
      applicationId: number,
      { reason, placedAt, placedBy }: Pick<Hold, 'reason' | 'placedAt' | 'placedBy'>,
    ): Promise<'placed' | 'already' | 'erased' | 'missing'> =>
      writer.transaction().execute(async trx => {
        // An erasure takes the same lock: it has either happened already, or finds the hold.
        const application = await lockApplication(trx, dialect, advertiserId, applicationId)
        if (application === undefined) return 'missing'
        if (application.erasedAt !== null) return 'erased'
        const placed = await trx
          .insertInto('application_holds')
          .values({
            advertiser_id: advertiserId,
            application_id: applicationId,
            reason,
            placed_by: placedBy,
            placed_at: placedAt,
          })
          .onConflict(conflict => conflict.columns(['advertiser_id', 'application_id']).doNothing())
          .executeTakeFirst()
        if (placed.numInsertedOrUpdatedRows !== 1n) return 'already'
        await discardPlan(trx, advertiserId, applicationId)
        const entry = { at: placedAt, kind: 'hold' as const, actor_id: placedBy, text: reason }
        await addHistory(trx, application, entry)
        const target = `application:${applicationId}` as const
        await recordAudit(trx, { action: 'application.hold', scope: { ownerId: advertiserId }, target })
        return 'placed'
      }),

    /** Returns false if the application was not on hold. */
    release: (
      advertiserId: number,
      applicationId: number,
      { actorId, at }: { actorId: string | null; at: EpochMs },
    ): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const application = await lockApplication(trx, dialect, advertiserId, applicationId)
        if (application === undefined) return false
        const released = await trx
          .deleteFrom('application_holds')
          .where('advertiser_id', '=', advertiserId)
          .where('application_id', '=', applicationId)
          .executeTakeFirst()
        if (released.numDeletedRows !== 1n) return false
        // The task may have planned the erasure while the hold was being placed.
        await discardPlan(trx, advertiserId, applicationId)
        await addHistory(trx, application, { at, kind: 'release', actor_id: actorId })
        const target = `application:${applicationId}` as const
        await recordAudit(trx, { action: 'application.release', scope: { ownerId: advertiserId }, target })
        return true
      }),
  }
}

/** Discards the erasure planned by the period, which may have changed when the hold ends; the task plans it again. */
async function discardPlan(trx: Kysely<Schema>, advertiserId: number, applicationId: number): Promise<void> {
  await trx
    .deleteFrom('erasures')
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', '=', applicationId)
    .where('reason', '=', 'retention')
    .execute()
}

const holdsIn = (db: Kysely<Schema>) =>
  db
    .selectFrom('application_holds as hold')
    .leftJoin('candidates as person', 'person.id', 'hold.placed_by')
    .select(['hold.reason', 'hold.placed_at as placedAt', 'hold.placed_by as placedBy'])
    .select(
      sql<string | null>`nullif(trim(person.first_name || ' ' || person.last_name), '')`.as('placedByName'),
    )
