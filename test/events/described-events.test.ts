import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withdrawApplication } from '../../src/apply/withdraw-application-store.ts'
import { readFeedQuery } from '../../src/events/feed/query.ts'
import { removeEvents } from '../../src/events/feed/remove-events-store.ts'
import { renderFeed } from '../../src/events/feed/rendering.ts'
import { clientEventTypes, eventTypes, type Stream } from '../../src/model/events.ts'
import { addClientEvents } from '../../src/schema/writing/record-event.ts'
import { scopes } from '../../src/share/protocol/scopes.ts'
import { plainDraft, uploaded } from '../harness/applications.ts'
import { movableClock } from '../harness/clock.ts'
import { withServicesOn } from '../harness/database.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { assertValid } from '../harness/openapi.ts'
import { addPerson, addPersonClient, prefilledId } from '../harness/person.ts'
import { readText } from '../harness/repository.ts'
import { fullApplication } from '../store/scene.ts'
import { type Stores, storesOver } from '../store/stores.ts'
import { emptyScene, refusedWith } from './webhook-scene.ts'

interface SentEvent {
  type: string
  data: Record<string, unknown>
}
type Described = Record<
  string,
  { post: { requestBody: { content: { 'application/json': { example: SentEvent } } } } }
>
const { webhooks }: { webhooks: Described } = JSON.parse(readText('spec/openapi.json'))
const bodyOf = (type: string) => ['webhooks', type, 'post', 'requestBody', 'content', 'application/json']
const exampleOf = (type: string) => webhooks[type]?.post.requestBody.content['application/json'].example

const clock = movableClock()
const dayMs = 86_400_000
const clientId = 'careers'

test('the examples of the document are as it describes them', () => {
  for (const type of Object.keys(webhooks)) {
    assert.equal(exampleOf(type)?.type, type)
    assertValid([...bodyOf(type), 'schema'], exampleOf(type), type)
  }
})

for (const engine of oneEngine)
  withServicesOn(engine, 'events as the document describes them', { clock }, services => {
    const feedOf = async (stream: Stream, cursor: string) => {
      const types = 'clientId' in stream ? clientEventTypes : eventTypes
      const query = readFeedQuery(stream, `cursor=${cursor}`, types)
      return JSON.parse(renderFeed('json', stream, await services().feed.follow(stream, query, {})))
    }
    const addClient = (stores: Stores) =>
      addPersonClient(stores, { id: clientId, scopes: [scopes.profile], at: clock() })

    test('every type is sent, and every event is as described', async () => {
      const { scene, advertiserId } = await emptyScene(services(), clock)
      const stores = storesOver(services().database)
      await addClient(stores)
      const owner = { advertiserId }
      const { id: receiver } = await scene.addEndpoint(owner, eventTypes)
      const { url: failing } = await scene.addEndpoint(owner, eventTypes, refusedWith(500))
      await scene.webhooks.test(owner, receiver)
      const { cursor } = await feedOf(owner, 'now')

      const agent = await services().agents.add('Northwind')
      await services().agents.authorise(advertiserId, agent.id)
      await services().agents.withdraw(advertiserId, agent.id)
      const file = await uploaded(services(), { type: 'resume', scan: 'unscanned' }, 'a resume')
      const { id } = await services().submissions.add(advertiserId, plainDraft({ files: [file] }))
      await services().applications.recordVerdict(advertiserId, id, 'resume', 'clean')
      await services().erasure.erase(advertiserId, id)
      const ana = await addPerson(services(), stores, { name: 'ana', advertiserId, clientId })
      await services()
        .database.writer.insertInto('kept_applications')
        .values({
          advertiser_id: advertiserId,
          application_id: ana.applicationId,
          until: '2027-12-31',
          reminded_at: null,
        })
        .execute()
      await stores.ownApplications.endKeeping(ana.candidateId, ana.applicationId, clock())
      const times = { now: clock(), eraseAt: clock() + dayMs }
      await withdrawApplication(services().database, ana.candidateId, ana.applicationId, times)
      await stores.sharing.complete(clientId, prefilledId('ana'), clock(), clock())
      await stores.imports.begin('file', clock())
      const application = { ...fullApplication, files: [] }
      const submittedAt = clock() + dayMs
      await stores.imports.addBatch(
        'file',
        {
          from: 0,
          to: 1,
          isLast: true,
          refusals: [],
          begun: new Set(),
          filesKeptUntil: clock(),
          entries: [{ line: 1, advertiserId, submittedAt, application }],
        },
        clock,
      )
      for (let day = 0; day < 6; day++) {
        await scene.pass(dayMs, dayMs / 4)
        await scene.upkeep.run()
      }
      await services().restoreDetection.reconcile(1)
      clock.advance(1000)
      await services().submissions.add(advertiserId, plainDraft())
      await scene.deliver()
      await scene.webhooks.pause(owner, receiver)
      await scene.writeEvent(advertiserId)
      clock.advance(40 * dayMs)
      await removeEvents(services().database, clock() - 30 * dayMs, 500)
      await scene.webhooks.resume(owner, receiver)
      await scene.deliver()

      const sent = scene.received.filter(({ url }) => url !== failing)
      for (const { type, body } of sent) {
        const event = JSON.parse(body) as SentEvent
        assertValid([...bodyOf(type), 'schema'], event, type)
        assert.deepEqual(Object.keys(event), Object.keys(exampleOf(type) ?? {}), type)
        assert.deepEqual(Object.keys(event.data), Object.keys(exampleOf(type)?.data ?? {}), type)
      }
      assert.deepEqual(
        [...new Set(sent.map(({ type }) => type))].toSorted(),
        Object.keys(webhooks).toSorted(),
      )
      await assert.rejects(feedOf(owner, cursor), { code: 'cursor-too-old' })
    })

    test('the feeds have pages as described, of restored streams and of a client, too', async () => {
      const { id: advertiserId } = await services().advertisers.add('Harbour')
      const stores = storesOver(services().database)
      const streams: [Stream, component: string][] = [
        [{ advertiserId }, 'Events'],
        [{ clientId }, 'ClientEvents'],
      ]
      const before = await Promise.all(streams.map(async ([stream]) => (await feedOf(stream, 'now')).cursor))
      const ben = await addPerson(services(), stores, { name: 'ben', advertiserId, clientId })
      await stores.consents.withdraw(ben.candidateId, ben.grantId, clock())
      const liz = await addPerson(services(), stores, { name: 'liz', advertiserId, clientId })
      const eve = await addPerson(services(), stores, { name: 'eve', advertiserId, clientId })
      await stores.accountRemoval.remove(eve.candidateId, eve.passwordHash, {
        now: clock(),
        eraseAt: clock(),
      })
      await stores.consents.narrow(liz.candidateId, liz.grantId, 1, clock())
      await services()
        .database.writer.transaction()
        .execute(trx =>
          addClientEvents(
            trx,
            (['webhook.failing', 'webhook.stopped'] as const).map(type => ({
              clientId,
              type,
              agentId: 20000001,
              endpointId: 'e',
              since: new Date(clock()).toISOString(),
            })),
            clock(),
          ),
        )
      await services().raiseIds(1000)
      const told: string[][] = []
      for (const [index, [stream, component]] of streams.entries()) {
        const page = await feedOf(stream, before[index] ?? '')
        assertValid(['components', 'schemas', component], page, component)
        told.push(page.events.map(({ type }: SentEvent) => type))
      }
      assert.equal(told[0]?.[0], 'stream.restored')
      assert.deepEqual(told[1], ['stream.restored', ...clientEventTypes])
    })
  })
