import type { IntakeDirectory, IntakeStore, KeyClaim } from '../../applications/intake-ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import { addApplication } from '../add-application.ts'
import { withLedger } from '../ledger-turns.ts'
import { prepareQuery } from '../prepared-query.ts'
import type { Database } from '../schema.ts'

export function createIntakeDirectory({ reader }: Database): IntakeDirectory {
  const find = prepareQuery(reader, (key: { clientId: string; advertiserId: number }) =>
    reader
      .selectFrom('oauth_client_advertisers as listed')
      .innerJoin('advertisers as advertiser', 'advertiser.id', 'listed.advertiser_id')
      .select('advertiser.status')
      .where('listed.client_id', '=', key.clientId)
      .where('listed.advertiser_id', '=', key.advertiserId),
  )
  return {
    async statusOf(clientId, advertiserId) {
      return (await find({ clientId, advertiserId }))?.status
    },
  }
}

export function createIntakeStore(database: Database): IntakeStore {
  const { writer, reader } = database
  /** The unique key decides, also between nodes. */
  async function isTaken({ clientId, key, claim }: KeyClaim, now: EpochMs, until: EpochMs): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await writer
      .insertInto('intake_keys')
      .values({ client_id: clientId, key, claim, expires_at: until })
      .onConflict(conflict =>
        conflict
          .columns(['client_id', 'key'])
          .doUpdateSet({ claim, expires_at: until, content_hash: null, answer: null })
          .where('intake_keys.expires_at', '<=', now),
      )
      .executeTakeFirst()
    return numInsertedOrUpdatedRows === 1n
  }

  return {
    async claim(claim, now, until) {
      for (;;) {
        if (await isTaken(claim, now, until)) return 'claimed'
        const row = await reader
          .selectFrom('intake_keys')
          .select(['content_hash', 'answer'])
          .where('client_id', '=', claim.clientId)
          .where('key', '=', claim.key)
          .executeTakeFirst()
        // Let go of in between: the next attempt gets it, or somebody else has.
        if (row === undefined) continue
        const { content_hash, answer } = row
        return content_hash === null || answer === null ? 'in-use' : { contentHash: content_hash, answer }
      }
    },

    async release({ clientId, key, claim }) {
      await writer
        .deleteFrom('intake_keys')
        .where('client_id', '=', clientId)
        .where('key', '=', key)
        .where('claim', '=', claim)
        .where('answer', 'is', null)
        .execute()
    },

    add: (advertiserId, application, now, answerOf) =>
      withLedger(database, advertiserId, async trx =>
        answerOf(await addApplication(trx, database, advertiserId, application, now)),
      ),

    addOnce: (advertiserId, application, now, answerOf, save) =>
      withLedger(database, advertiserId, async trx => {
        const ours = trx
          .updateTable('intake_keys')
          .where('client_id', '=', save.clientId)
          .where('key', '=', save.key)
          .where('claim', '=', save.claim)
          .where('answer', 'is', null)
        // Locks the key before the advertiser; whoever has taken it over is found here.
        const locked = await ours
          .set({ content_hash: save.contentHash, expires_at: save.expiresAt })
          .executeTakeFirst()
        if (locked.numUpdatedRows === 0n) return undefined
        const answer = answerOf(await addApplication(trx, database, advertiserId, application, now))
        await ours.set({ answer }).execute()
        return answer
      }),
  }
}
