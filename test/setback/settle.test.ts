import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Services } from '../../src/app.ts'
import { limits } from '../../src/limits.ts'
import { lastOf } from '../../src/storage/setback/generation.ts'
import { plainDraft } from '../harness/applications.ts'
import { movableClock } from '../harness/clock.ts'
import { createTestDatabase, engines, open, type TestDatabase } from '../harness/database.ts'
import { some } from '../harness/effort.ts'
import { at, newCode, newDecision, newDelivery, prepareScenes, type Scenes } from '../store/scene.ts'
import { type Stores, storesOver } from '../store/stores.ts'
import { kill, makeCopy, waysOn } from './copies.ts'

const clock = movableClock(at)
const content = '{"candidateId":"nobody"}'

async function opened(database: TestDatabase): Promise<Services> {
  const services = await open(database.settings, clock)
  await services.setback.begin()
  return services
}

/** Ends one of everything that must not come back. */
async function endAll(stores: Stores, { owner, strangers }: Scenes): Promise<void> {
  const { advertiserId, candidateId, clientId, agentId } = owner
  const now = clock()
  await stores.erasures.erase(advertiserId, owner.applicationId, now)
  await stores.ownApplications.withdraw(candidateId, owner.ownApplicationId, { now, eraseAt: now + 1000 })
  await stores.candidates.removeResume(candidateId, owner.resumeId, now)
  await stores.consents.withdraw(candidateId, owner.grantId, now)
  const key = { candidateId: 'other', clientId: strangers.clientId, advertiserId: null }
  const decision = { ...newDecision(strangers.grantId), released: 63 - 2, decidedAt: now + 1 }
  await stores.oauth.recordConsent(key, decision, newCode('later-code'))
  await stores.consents.narrow('other', strangers.grantId, 1)
  await stores.credentials.revoke(advertiserId, owner.credentialId, now)
  await stores.clients.addSecret(clientId, 'new secret', 0, now)
  await stores.clients.forbid(clientId, advertiserId)
  await stores.clients.disable(strangers.clientId, now)
  await stores.agents.withdraw(advertiserId, agentId, now)
  await stores.members.remove(advertiserId, owner.colleagueId)
  await stores.endpoints.remove({ advertiserId }, owner.endpointId)
  const times = { now, eraseAt: now + 1000 }
  await stores.accountRemoval.remove('unconfirmed', 'password of unconfirmed', times)
}

/** What is left of it; the same before and after a restore. */
async function leftOf({ database: { reader } }: Services, { owner, strangers }: Scenes) {
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
    resume: await one(reader.selectFrom('resumes').select('id').where('id', '=', owner.resumeId)),
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
      const scenes = await prepareScenes(storesOver(first.database))
      await storesOver(first.database).deliveries.add([{ ...newDelivery('waiting'), content }], clock())
      return { database, first, scenes }
    }

    test('what was erased, withdrawn or revoked since stays so, sessions are over, emails are held, and followers learn of it', async t => {
      const { database, first, scenes } = await scene(t)
      const { waiting } = await first.deliveries.counts()
      await first.close()
      const copy = await makeCopy(database, way, 'before', false)
      const second = await opened(database)
      await endAll(storesOver(second.database), scenes)
      const wanted = await leftOf(second, scenes)
      assert.equal((await second.setback.checklist()).restoredAt, undefined)
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
      const { restoredAt, heldMails, clientsWithoutSecret } = await third.setback.checklist()
      assert.deepEqual([restoredAt, heldMails], [clock(), waiting])
      assert.deepEqual(clientsWithoutSecret, [scenes.owner.clientId])
      const ledger = await reader
        .selectFrom('advertiser_ledger')
        .select(['event_number', 'version'])
        .execute()
      for (const row of ledger) assert.ok(row.event_number >= clock() && row.version >= clock())
      const last = await lastOf(reader, dialect, 'application_ids')
      assert.ok(last >= limits.idsRaisedBy.value, `${last}`)

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
      await first.setback.begin()
      await endAll(storesOver(first.database), scenes)
      const { tombstones } = first.setback
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
      assert.equal(await later.setback.tombstones.prune(), 0)
      assert.equal(await read(), noted)
      ages.advance(day)
      assert.equal(await later.setback.tombstones.prune(), 1)
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
      await third.setback.begin()
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
      await first.setback.settle(1)
      await kill(first)
      const copy = await makeCopy(database, way, 'between', false)
      const settled = await open(database.settings, clock)
      await settled.setback.settle(9)
      const last = await lastOf(settled.database.reader, settled.database.dialect, 'application_ids')
      await settled.close()
      await copy.restore()
      const restored = await opened(database)
      const { id } = await restored.submissions.add(scenes.owner.advertiserId, plainDraft())
      assert.ok(id > last, `${id} may have been assigned before ${last}`)
      await restored.close()
    })

    test('a crash repeats nothing that was granted again', async t => {
      const { database, first, scenes } = await scene(t)
      const stores = storesOver(first.database)
      const { advertiserId, agentId, clientId } = scenes.owner
      await stores.agents.withdraw(advertiserId, agentId, clock())
      await stores.clients.forbid(clientId, advertiserId)
      await first.setback.tombstones.note()
      clock.advance(1000)
      await stores.agents.authorise(advertiserId, agentId, clock())
      await stores.clients.allow(clientId, advertiserId)
      await kill(first)
      clock.advance(limits.uncleanStopSeconds.value * 1000 + 1)
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
      await Promise.all(nodes.map(node => node.setback.begin()))
      const ids = await Promise.all(
        nodes.map(node => node.submissions.add(scenes.owner.advertiserId, plainDraft())),
      )
      assert.notEqual(ids[0]?.id, ids[1]?.id)
      for (const node of nodes) assert.deepEqual(await leftOf(node, scenes), wanted)
      for (const node of nodes) await node.close()
    })
  })
}
