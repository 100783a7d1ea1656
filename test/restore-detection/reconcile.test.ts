import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createReplay } from '../../src/operator/restored/replay-store.ts'
import { newUuid } from '../../src/platform/core/ids.ts'
import { idsRaisedBy } from '../../src/platform/database/id-limits.ts'
import { lastOf } from '../../src/platform/database/restore-detection/generation.ts'
import { uncleanStopSeconds } from '../../src/platform/database/restore-detection/id-gate.ts'
import { recordTombstones } from '../../src/schema/writing/record-tombstones.ts'
import { limits } from '../../src/settings-limits.ts'
import { plainDraft } from '../harness/applications.ts'
import { movableClock } from '../harness/clock.ts'
import { createTestDatabase, engines, open, type TestDatabase } from '../harness/database.ts'
import { some } from '../harness/effort.ts'
import type { Services } from '../harness/services.ts'
import {
  at,
  newCode,
  newDecision,
  newDelivery,
  newSubmission,
  prepareScenes,
  type Scenes,
} from '../store/scene.ts'
import { type Stores, storesOver } from '../store/stores.ts'
import { kill, makeCopy, waysOn } from './copies.ts'

const clock = movableClock(at)
const content = '{"candidateId":"nobody"}'

async function opened(database: TestDatabase): Promise<Services> {
  const services = await open(database.settings, clock)
  await services.restoreDetection.begin()
  return services
}

/** Ends one of everything that must not come back. */
async function endAll(
  stores: Stores,
  { owner, strangers, keptId }: Scenes & { keptId: number },
): Promise<void> {
  const { advertiserId, candidateId, clientId, agentId } = owner
  const now = clock()
  await stores.erasures.erase(advertiserId, owner.applicationId, now)
  await stores.ownApplications.withdraw(candidateId, owner.ownApplicationId, { now, eraseAt: now + 1000 })
  assert.ok(await stores.ownApplications.endKeeping(candidateId, keptId, now))
  await stores.candidates.removeResume(candidateId, owner.resumeId, now)
  assert.ok(await stores.drafts.discard(candidateId, owner.draftId, now))
  await stores.consents.withdraw(candidateId, owner.grantId, now)
  const key = { candidateId: 'other', clientId: strangers.clientId, advertiserId: null }
  const decision = { ...newDecision(strangers.grantId), released: 63 - 2, decidedAt: now + 1 }
  await stores.oauth.recordConsent(key, decision, newCode('later-code'))
  await stores.consents.narrow('other', strangers.grantId, 1, now)
  await stores.credentials.revoke(advertiserId, owner.credentialId, now)
  await stores.clients.addSecret(clientId, 'new secret', 0, now)
  await stores.clients.forbid(clientId, advertiserId, now)
  await stores.clients.disable(strangers.clientId, now)
  await stores.agents.withdraw(advertiserId, agentId, now)
  await stores.members.remove(advertiserId, owner.colleagueId)
  await stores.endpoints.remove({ advertiserId }, owner.endpointId)
  const times = { now, eraseAt: now + 1000 }
  await stores.accountRemoval.remove('unconfirmed', 'password of unconfirmed', times)
  await stores.reports.forgetAddress('reporter@example.com')
}

/** What is left of it; the same before and after a restore. */
async function leftOf(
  { database: { reader } }: Services,
  { owner, strangers, keptId }: Scenes & { keptId: number },
) {
  const one = async (query: { executeTakeFirst(): Promise<object | undefined> }) =>
    (await query.executeTakeFirst()) ?? 'none'
  const { advertiserId } = owner
  const application = (id: number) =>
    reader
      .selectFrom('applications')
      .select(['email', 'status'])
      .where('advertiser_id', '=', advertiserId)
      .where('id', '=', id)
  const isSet = (row: object | string) => Object.values(row).every(value => value !== null)
  return {
    erased: await one(application(owner.applicationId)),
    withdrawn: await one(application(owner.ownApplicationId)),
    erasure: await one(
      reader.selectFrom('erasures').selectAll().where('application_id', '=', owner.ownApplicationId),
    ),
    kept: await one(reader.selectFrom('kept_applications').selectAll().where('application_id', '=', keptId)),
    resume: await one(reader.selectFrom('resumes').select('id').where('id', '=', owner.resumeId)),
    draft: await one(reader.selectFrom('drafts').select('id').where('id', '=', owner.draftId)),
    consent: isSet(
      await one(reader.selectFrom('grants').select('withdrawn_at').where('id', '=', owner.grantId)),
    ),
    narrowed: await one(reader.selectFrom('grants').select('released').where('id', '=', strangers.grantId)),
    credential: isSet(
      await one(
        reader.selectFrom('sws_credentials').select('revoked_at').where('id', '=', owner.credentialId),
      ),
    ),
    oldSecret: await one(
      reader
        .selectFrom('oauth_client_secrets')
        .select('hash')
        .where('client_id', '=', owner.clientId)
        .where('hash', '!=', 'new secret'),
    ),
    allowed: await one(
      reader.selectFrom('oauth_client_advertisers').selectAll().where('client_id', '=', owner.clientId),
    ),
    disabled: isSet(
      await one(
        reader.selectFrom('oauth_clients').select('disabled_at').where('id', '=', strangers.clientId),
      ),
    ),
    agent: await one(reader.selectFrom('agent_authorisations').selectAll()),
    member: await one(
      reader.selectFrom('memberships').select('role').where('candidate_id', '=', owner.colleagueId),
    ),
    webhook: await one(
      reader.selectFrom('webhook_endpoints').select('id').where('id', '=', owner.endpointId),
    ),
    account: await one(reader.selectFrom('candidates').select('id').where('id', '=', 'unconfirmed')),
    reporter: await one(reader.selectFrom('job_reports').select('email').where('email', 'is not', null)),
  }
}

for (const engine of some(engines.length, [...engines, 's3'] as const)) {
  describe(`after a database was set back [${engine}]`, () => {
    const [way = 'dump'] = waysOn(engine)

    async function scene(t: { after(body: () => Promise<void>): void }) {
      const database = await createTestDatabase(engine, 'empty')
      t.after(database.remove)
      const first = await open(database.settings, clock)
      await first.schema.migrate()
      const prepared = await prepareScenes(storesOver(first.database))
      const { deliveries, reports, ownApplications } = storesOver(first.database)
      const kept = { ...newSubmission(prepared.owner, newUuid()), keepUntil: '2099-12-31' }
      const sent = await ownApplications.send(prepared.owner.candidateId, kept, clock())
      assert.ok(sent.kind === 'sent')
      const scenes = { ...prepared, keptId: sent.applicationId }
      await deliveries.add([{ ...newDelivery('waiting'), content }], clock())
      const { advertiserId, jobAdId } = scenes.owner
      const email = 'reporter@example.com'
      const report = { id: newUuid(), advertiserId, jobAdId, reason: 'gone' as const, details: '', email }
      await reports.add(report, clock())
      return { database, first, scenes }
    }

    test('the end of a consent of a company that is not here, or without one, changes nothing', async t => {
      const { first, scenes } = await scene(t)
      const replay = createReplay(first.database, clock())
      const { advertiserId, applicationId } = scenes.owner
      const numbers = () =>
        first.database.reader.selectFrom('advertiser_ledger').select('event_number').execute()
      const before = await numbers()
      assert.equal(await replay(['keep', 99_999_999, 1]), false)
      assert.equal(await replay(['keep', advertiserId, applicationId]), false)
      assert.deepEqual(await numbers(), before)
      await first.close()
    })

    test('an orderly stop notes what was committed after the last note had looked', async t => {
      const { database, first } = await scene(t)
      await first.close()
      const services = await opened(database)
      await services.database.writer.transaction().execute(async trx => {
        t.mock.timers.enable({ apis: ['setTimeout'] })
        await recordTombstones(trx, ['client', 'late'])
        t.mock.timers.tick(60_000)
        t.mock.timers.reset()
        assert.equal(await services.restoreDetection.tombstones.note(), 0)
      })
      await services.close()
      const again = await open(database.settings, clock)
      t.after(again.close)
      const waiting = await again.database.reader.selectFrom('tombstones').select('content').execute()
      assert.deepEqual(waiting, [])
    })

    test('what was erased, withdrawn or revoked since stays so, sessions are over, emails are held, and followers learn of it', async t => {
      const { database, first, scenes } = await scene(t)
      const { waiting } = await first.deliveries.counts()
      await first.close()
      const copy = await makeCopy(database, way, 'before', false)
      const second = await opened(database)
      await endAll(storesOver(second.database), scenes)
      const wanted = await leftOf(second, scenes)
      assert.equal((await second.restoreDetection.checklist()).restoredAt, undefined)
      await second.close()

      clock.advance(60_000)
      await copy.restore()
      const third = await opened(database)
      assert.deepEqual(await leftOf(third, scenes), wanted)
      const { reader, dialect } = third.database
      for (const table of [
        'sessions',
        'oauth_tokens',
        'oauth_codes',
        'account_links',
        'undo_links',
        'invitations',
        'operator_invitations',
        'agent_invitations',
      ] as const)
        assert.deepEqual(await reader.selectFrom(table).selectAll().execute(), [], table)
      assert.deepEqual(await third.deliveries.counts(), {
        waiting: 0,
        oldestAt: null,
        dead: 0,
        held: waiting,
      })
      const { restoredAt, heldMails, clientsWithoutSecret } = await third.restoreDetection.checklist()
      assert.deepEqual([restoredAt, heldMails], [clock(), waiting])
      assert.deepEqual(clientsWithoutSecret, [scenes.owner.clientId])
      const ledger = await reader
        .selectFrom('advertiser_ledger')
        .select(['event_number', 'version'])
        .execute()
      for (const row of ledger) assert.ok(row.event_number >= clock() && row.version >= clock())
      const last = await lastOf(reader, dialect, 'application_ids')
      assert.ok(last >= idsRaisedBy, `${last}`)

      assert.equal(await third.deliveries.retryNow('held', 1000), waiting)
      assert.equal((await third.deliveries.counts()).waiting, waiting)
      await third.close()
      // Once.
      const fourth = await opened(database)
      assert.equal(await lastOf(fourth.database.reader, dialect, 'application_ids'), last)
      await fourth.close()
    })

    test('tombstones are kept for TOMBSTONE_DAYS, and removed afterwards', async t => {
      const { database, first, scenes } = await scene(t)
      await first.restoreDetection.begin()
      await endAll(storesOver(first.database), scenes)
      const { tombstones } = first.restoreDetection
      const read = async () => {
        let count = 0
        for await (const part of tombstones.read()) count += part.length
        return count
      }
      // The service does it as well, a moment after the first.
      await tombstones.note()
      const noted = await read()
      assert.ok(noted > 5)
      const day = 86_400_000
      const ages = movableClock(clock() + limits.tombstoneDays.value * day)
      const later = await open(database.settings, ages)
      assert.equal(await later.restoreDetection.tombstones.prune(), 0)
      assert.equal(await read(), noted)
      ages.advance(day)
      assert.equal(await later.restoreDetection.tombstones.prune(), 1)
      assert.equal(await read(), 0)
      await later.close()
      await first.close()
    })

    test('settling that was interrupted is finished by the next process', async t => {
      const { database, first, scenes } = await scene(t)
      await first.close()
      const copy = await makeCopy(database, way, 'before', false)
      const second = await opened(database)
      await endAll(storesOver(second.database), scenes)
      const wanted = await leftOf(second, scenes)
      await second.close()
      await copy.restore()
      const third = await open(database.settings, clock)
      const [place] = third.blobs.places
      assert.ok(place)
      const { list } = place.notes
      place.notes.list = name =>
        name.startsWith('tombstones') ? Promise.reject(new Error('gone')) : list(name)
      await third.restoreDetection.begin()
      await assert.rejects(third.submissions.add(scenes.owner.advertiserId, plainDraft()), {
        code: 'unavailable',
      })
      await kill(third)
      const fourth = await opened(database)
      assert.deepEqual(await leftOf(fourth, scenes), wanted)
      await fourth.close()
    })

    test('a copy from between settling and the next start is noticed, too', async t => {
      const { database, first, scenes } = await scene(t)
      await first.restoreDetection.reconcile(1)
      await kill(first)
      const copy = await makeCopy(database, way, 'between', false)
      const settled = await open(database.settings, clock)
      await settled.restoreDetection.reconcile(9)
      const last = await lastOf(settled.database.reader, settled.database.dialect, 'application_ids')
      await settled.close()
      await copy.restore()
      const restored = await opened(database)
      const { id } = await restored.submissions.add(scenes.owner.advertiserId, plainDraft())
      assert.ok(id > last, `${id} may have been assigned before ${last}`)
      await restored.close()
    })

    test('an agent that may no longer report progress may not after a restore either', async t => {
      const { database, first, scenes } = await scene(t)
      const { advertiserId, agentId } = scenes.owner
      const setProgress = (services: Services, isGranted: boolean) =>
        storesOver(services.database).agents.setProgress(advertiserId, agentId, isGranted, clock())
      await setProgress(first, true)
      await first.close()
      const copy = await makeCopy(database, way, 'granted', false)
      const second = await opened(database)
      await setProgress(second, false)
      await second.close()
      await copy.restore()
      const restored = await opened(database)
      const [authorisation] = await storesOver(restored.database).agents.companiesOf(agentId)
      assert.equal(authorisation?.progressGrantedAt, null)
      await restored.close()
    })

    test('a crash repeats nothing that was granted again', async t => {
      const { database, first, scenes } = await scene(t)
      const stores = storesOver(first.database)
      const { advertiserId, agentId, clientId } = scenes.owner
      await stores.agents.withdraw(advertiserId, agentId, clock())
      await stores.clients.forbid(clientId, advertiserId, clock())
      await first.restoreDetection.tombstones.note()
      clock.advance(1000)
      await stores.agents.authorise(advertiserId, agentId, clock())
      await stores.clients.allow(clientId, advertiserId)
      await kill(first)
      clock.advance(uncleanStopSeconds * 1000 + 1)
      const second = await opened(database)
      const { reader } = second.database
      assert.equal((await reader.selectFrom('agent_authorisations').selectAll().execute()).length, 1)
      assert.equal((await reader.selectFrom('oauth_client_advertisers').selectAll().execute()).length, 1)
      assert.equal((await reader.selectFrom('sessions').selectAll().execute()).length, 2)
      await second.close()
    })

    test('two processes that start at once settle it, and neither is admitted before', async t => {
      const { database, first, scenes } = await scene(t)
      await first.close()
      const copy = await makeCopy(database, way, 'before', false)
      const second = await opened(database)
      await endAll(storesOver(second.database), scenes)
      const wanted = await leftOf(second, scenes)
      await second.close()
      await copy.restore()
      const nodes = [await open(database.settings, clock), await open(database.settings, clock)]
      await Promise.all(nodes.map(node => node.restoreDetection.begin()))
      const ids = await Promise.all(
        nodes.map(node => node.submissions.add(scenes.owner.advertiserId, plainDraft())),
      )
      assert.notEqual(ids[0]?.id, ids[1]?.id)
      for (const node of nodes) assert.deepEqual(await leftOf(node, scenes), wanted)
      for (const node of nodes) await node.close()
    })
  })
}
