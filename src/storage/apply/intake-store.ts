import type { Kysely, Transaction } from 'kysely'
import type { IntakeStore, IntakeTimes, KeyClaim } from '../../apply/intake/ports.ts'
import type { NewApplication } from '../../apply/new-application.ts'
import type { Receipt } from '../../apply/ports.ts'
import { invalidField } from '../../core/fields.ts'
import { fileTypes } from '../../model/application.ts'
import { prepareStatement } from '../database/prepared-query.ts'
import { scanOf } from '../database/scan-columns.ts'
import type { Database, Schema } from '../database/tables.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import { addApplication } from './add-application.ts'
import { heldFor, keyState, saveMade, takeKey } from './intake-keys.ts'

export function createIntakeStore(database: Database): IntakeStore {
  const { writer, reader, dialect } = database

  /** Updates the row of this claim, if it has not created anything yet. */
  const updateClaimed = (db: Kysely<Schema>, { clientId, key, claim }: KeyClaim) =>
    db
      .updateTable('intake_keys')
      .where('client_id', '=', clientId)
      .where('key', '=', key)
      .where('claim', '=', claim)
      .where('answer', 'is', null)

  const noteSender = prepareStatement(
    writer,
    (sent: { id: number; advertiserId: number; clientId: string; key: string | null }) =>
      writer.insertInto('intake_applications').values({
        application_id: sent.id,
        advertiser_id: sent.advertiserId,
        client_id: sent.clientId,
        key: sent.key,
      }),
  )

  async function addSent(
    trx: Transaction<Schema>,
    sender: { clientId: string; key: string | null },
    advertiserId: number,
    application: NewApplication,
    { now, submittedAt }: IntakeTimes,
  ): Promise<Receipt> {
    const receipt = await addApplication(trx, database, advertiserId, application, now, { submittedAt })
    // The ledger is locked, so its date is that of the newest application until the commit.
    if (receipt.submittedAt !== (submittedAt ?? receipt.submittedAt)) {
      const why = 'The advertiser has a newer application. Leave this field out to use the time of arrival.'
      throw invalidField('submitted', 'before-newest', why)
    }
    await noteSender({ id: receipt.id, advertiserId, ...sender }, trx)
    return receipt
  }

  return {
    // On SQLite the writer sees what a concurrent request has made before it is committed, and readers do not.
    claim: (claim, now, until) => takeKey(writer, dialect, { ...claim, ...until }, now, reader),

    async madeWith(key, now) {
      const state = await keyState(reader, dialect, key, now)
      return state !== undefined && 'madeId' in state ? state : undefined
    },

    async renew(claim, heldMs) {
      await updateClaimed(writer, claim)
        .set({ held_until: heldFor(dialect, heldMs) })
        .execute()
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

    add: (clientId, advertiserId, application, times) =>
      withLedger(database, advertiserId, trx =>
        addSent(trx, { clientId, key: null }, advertiserId, application, times),
      ),

    addOnce: (save, advertiserId, application, times) =>
      withLedger(database, advertiserId, async trx => {
        // Lock the key before the advertiser: if another request has taken the key over, this finds no row, and from
        // here on none can.
        const locked = await updateClaimed(trx, save)
          .set({ content_hash: save.contentHash })
          .executeTakeFirst()
        if (locked.numUpdatedRows === 0n) return undefined
        const receipt = await addSent(trx, save, advertiserId, application, times)
        await saveMade(trx, save, receipt.id)
        return receipt
      }),

    async find(clientId, applicationId) {
      const sent = await reader
        .selectFrom('intake_applications')
        .select('advertiser_id')
        .where('client_id', '=', clientId)
        .where('application_id', '=', applicationId)
        .executeTakeFirst()
      if (sent === undefined) return undefined
      const application = await reader
        .selectFrom('applications')
        .select(['id', 'advertiser_id as advertiserId', 'submitted_at as submittedAt'])
        .where('advertiser_id', '=', sent.advertiser_id)
        .where('id', '=', applicationId)
        .executeTakeFirstOrThrow()
      const files = await reader
        .selectFrom('application_files')
        .select(['type', 'file_name as fileName', 'size', 'sha256', scanOf('application_files').as('scan')])
        .where('advertiser_id', '=', sent.advertiser_id)
        .where('application_id', '=', applicationId)
        .execute()
      return {
        ...application,
        files: files.sort((a, b) => fileTypes.indexOf(a.type) - fileTypes.indexOf(b.type)),
      }
    },
  }
}
