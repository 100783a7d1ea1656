import type { Kysely, Transaction } from 'kysely'
import { type AnyFileType, inFileOrder } from '../../model/application.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import type { IdempotencyKey, KeptKey, KeyState } from '../../platform/core/idempotency-keys.ts'
import { prepareStatement } from '../../platform/database/prepared-query.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { scanOf } from '../../schema/scan-columns.ts'
import { heldFor, keyState, saveMade, takeKey } from '../../schema/writing/intake-keys.ts'
import { withLedger } from '../../schema/writing/with-ledger.ts'
import { addApplication, type Receipt } from '../add-application-store.ts'
import type { NewApplication } from '../new-application.ts'

/** An application as its sender sees it, with the current state of its files. */
export interface IntakeReceipt extends Receipt {
  advertiserId: number
  files: (Pick<ReceivedFile, 'fileName' | 'size' | 'sha256' | 'scan'> & { type: AnyFileType })[]
}

/** When the application is stored, and when it was submitted if the job board says so. */
export interface IntakeTimes {
  now: EpochMs
  submittedAt: EpochMs | undefined
}

/** A key held by one request; `claim` identifies that request. */
export interface KeyClaim extends IdempotencyKey {
  claim: string
}

export type IntakeStore = ReturnType<typeof createIntakeStore>

/** Every call names the client, so no query can reach another client's keys or applications. */
export function createIntakeStore(database: Database) {
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
    // The ledger is locked, so its date stays the newest application's until the commit.
    if (receipt.submittedAt !== (submittedAt ?? receipt.submittedAt)) {
      const why = 'The advertiser has a newer application. Leave this field out to use the time of arrival.'
      throw invalidField('submitted', 'before-newest', why)
    }
    await noteSender({ id: receipt.id, advertiserId, ...sender }, trx)
    return receipt
  }

  return {
    // On SQLite, the writer sees rows of a concurrent request before they are committed, but readers do not.
    /**
     * Claims the key for this request for `heldMs`, extended by each renewal, but never beyond `expiresAt`. Fails if
     * another request holds the key or the key has already created something. Uses the database's clock, which all nodes
     * share.
     */
    claim: (
      claim: KeyClaim,
      now: EpochMs,
      until: { expiresAt: EpochMs; heldMs: number },
    ): Promise<'claimed' | KeyState> => takeKey(writer, dialect, { ...claim, ...until }, now, reader),

    async madeWith(key: IdempotencyKey, now: EpochMs) {
      const state = await keyState(reader, dialect, key, now)
      return state !== undefined && 'madeId' in state ? state : undefined
    },

    /** Extends the claim to `heldMs` from now, unless another request has taken the key over. */
    async renew(claim: KeyClaim, heldMs: number): Promise<void> {
      await updateClaimed(writer, claim)
        .set({ held_until: heldFor(dialect, heldMs) })
        .execute()
    },

    /** Releases the key, unless it has created something or another request has taken it over. */
    async release({ clientId, key, claim }: KeyClaim): Promise<void> {
      await writer
        .deleteFrom('intake_keys')
        .where('client_id', '=', clientId)
        .where('key', '=', key)
        .where('claim', '=', claim)
        .where('answer', 'is', null)
        .execute()
    },

    /** Adds the application in one durable transaction. Throws if it was submitted before the advertiser's newest one. */
    add: (
      clientId: string,
      advertiserId: number,
      application: NewApplication,
      times: IntakeTimes,
    ): Promise<Receipt> =>
      withLedger(database, advertiserId, trx =>
        addSent(trx, { clientId, key: null }, advertiserId, application, times),
      ),

    /** Like `add`, and records the application with the key. If the claim was lost, does nothing and returns undefined. */
    addOnce: (
      save: KeyClaim & KeptKey,
      advertiserId: number,
      application: NewApplication,
      times: IntakeTimes,
    ): Promise<Receipt | undefined> =>
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

    /** Finds an application that this client sent. */
    async find(clientId: string, applicationId: number): Promise<IntakeReceipt | undefined> {
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
        files: inFileOrder(files),
      }
    },
  }
}
