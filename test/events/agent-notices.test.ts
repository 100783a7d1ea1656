import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { readFeedQuery } from '../../src/events/feed/query.ts'
import { renderFeed } from '../../src/events/feed/rendering.ts'
import { keyFingerprint } from '../../src/events/webhooks/signing-rules.ts'
import { clientEventTypes } from '../../src/model/events.ts'
import type { Notice } from '../../src/model/notice.ts'
import { reconcileKeys } from '../../src/operator/keys/lost-keys-store.ts'
import { openMachineKeys } from '../../src/operator/keys/machine-keys-adapter.ts'
import { createNoticeStore } from '../../src/people/mail/notice-store.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { addMember, type createScene, emptyScene, refusedWith } from './webhook-scene.ts'

const clock = movableClock()
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
type FailingNotice = Extract<Notice, { kind: 'webhook-failing' }>

withServices('failing endpoints of an agent', { clock }, services => {
  let scene: ReturnType<typeof createScene>
  let advertiserId: number
  let agentId: number
  let admin: string
  beforeEach(async () => {
    ;({ scene, advertiserId } = await emptyScene(services(), clock))
    await services().database.writer.deleteFrom('deliveries').execute()
    agentId = await addAgent('own')
    await services().agents.authorise(advertiserId, agentId)
    const other = await addAgent('other')
    await services().agents.authorise(advertiserId, other)
    admin = await addPerson(agentId, 'admin')
    await addPerson(agentId, 'reader')
    await addPerson(other, 'admin')
  })

  /** With a client, and one that is disabled. */
  async function addAgent(name: string): Promise<number> {
    const { id } = await services().agents.add(name)
    for (const state of ['used', 'disabled'])
      await services().clients.add({
        id: clientOf(id, state),
        name,
        agentId: id,
        scopes: ['m_webhooks'],
        redirectUris: [],
        requirePkce: false,
      })
    await services().clients.disable(clientOf(id, 'disabled'))
    return id
  }
  const clientOf = (id: number, state = 'used') => `${state}-${id}`

  const addPerson = (of: number, role: 'admin' | 'reader') => addMember(services(), { agent_id: of }, role)

  async function notices(): Promise<FailingNotice[]> {
    const rows = await services()
      .database.reader.selectFrom('deliveries')
      .select(['kind', 'content'])
      .orderBy('created_at')
      .execute()
    return rows.map(({ kind, content }) => ({ ...JSON.parse(content), kind }))
  }

  /** What a client is told, as type and data. */
  async function toldTo(clientId: string): Promise<[string, object][]> {
    const stream = { clientId }
    const query = readFeedQuery(stream, 'cursor=start', clientEventTypes)
    const answer = await services().feed.follow(stream, query, {})
    const { events } = JSON.parse(renderFeed('json', stream, answer))
    return events.map(({ type, data }: { type: string; data: object }) => [type, data])
  }

  test('are told to its admins after an hour, four days and at the stop, and to its clients', async () => {
    const { id } = await scene.addEndpoint({ agentId }, undefined, refusedWith(500))
    const since = new Date(clock()).toISOString()
    await scene.writeEvent(advertiserId)
    await scene.deliver()
    const steps: [ms: number, told: boolean[]][] = [
      [30 * minute, []],
      [hour, [false]],
      [day, [false]],
      [3 * day, [false, false]],
      [day, [false, false, true]],
      [day, [false, false, true]],
    ]
    for (const [ms, expected] of steps) {
      await scene.pass(ms, Math.max(30 * minute, ms / 8))
      await scene.upkeep.run()
      const found = await notices()
      assert.deepEqual(
        found.map(({ isStopped }) => isStopped),
        expected,
      )
      for (const { isStopped: _, ...notice } of found)
        assert.deepEqual(notice, { kind: 'webhook-failing', candidateId: admin, agentId, endpointId: id })
    }
    const data = { agentId, endpointId: id, since }
    assert.deepEqual(await toldTo(clientOf(agentId)), [
      ['webhook.failing', data],
      ['webhook.stopped', data],
    ])
    assert.deepEqual(await toldTo(clientOf(agentId, 'disabled')), [])
    assert.deepEqual(await toldTo(clientOf(agentId + 1)), [], 'of another agent')
    const { events } = await services().eventStore.page({ advertiserId }, { after: 0, limit: 100 })
    assert.ok(
      events.every(({ type }) => !type.startsWith('webhook.')),
      'not in the log of an advertiser',
    )
  })

  test('are told when they are gone for good, and the email is about the endpoint as it is then', async () => {
    const { id } = await scene.addEndpoint({ agentId }, undefined, refusedWith(410))
    await scene.writeEvent(advertiserId)
    await scene.deliver()
    await scene.upkeep.run()
    const [notice] = await notices()
    assert.ok(notice !== undefined && 'agentId' in notice && notice.isStopped)
    const store = createNoticeStore(services().database)
    const subject = await store.findFailingAgentWebhook(agentId, notice)
    assert.deepEqual([subject?.ownerName, subject?.isGone, subject?.isKeyLost], ['own', true, false])
    const reader = { ...notice, candidateId: `reader-${agentId}` }
    assert.equal(await store.findFailingAgentWebhook(agentId, reader), undefined, 'no admin')
    assert.equal(await store.findFailingAgentWebhook(agentId + 1, notice), undefined)
    await scene.webhooks.resume({ agentId }, id)
    assert.equal(await store.findFailingAgentWebhook(agentId, notice), undefined, 'it works again')
  })

  test('are told when the key of their secret is lost', async () => {
    const { id } = await scene.addEndpoint({ agentId })
    const { database } = services()
    const key = Buffer.alloc(32, 'n')
    const lost = [Buffer.alloc(32, 'k')] as const
    await database.writer
      .insertInto('meta')
      .values({ key: 'webhook-key', value: keyFingerprint(lost[0]) })
      .onConflict(conflict => conflict.column('key').doUpdateSet({ value: keyFingerprint(lost[0]) }))
      .execute()
    const keys = openMachineKeys({
      WEBHOOK_KEY: [key],
      SECRETS_KEY: [key],
      DATABASE_URL: undefined,
      DATA_DIR: '/nowhere',
    })
    const settled = await reconcileKeys(database, keys, { now: clock(), isLost: true })
    assert.equal(settled?.endpoints, 1)
    const [notice, ...more] = await notices()
    assert.deepEqual(more, [])
    assert.ok(notice !== undefined && 'agentId' in notice)
    assert.deepEqual([notice.candidateId, notice.agentId, notice.isStopped], [admin, agentId, true])
    const subject = await createNoticeStore(database).findFailingAgentWebhook(agentId, notice)
    assert.equal(subject?.isKeyLost, true)
    const since = new Date(clock()).toISOString()
    assert.deepEqual(await toldTo(clientOf(agentId)), [
      ['webhook.stopped', { agentId, endpointId: id, since }],
    ])
  })

  test('wake a client that waits for its events', async () => {
    const { id } = await scene.addEndpoint({ agentId }, undefined, refusedWith(410))
    const heard: unknown[] = []
    services().database.hints?.listen(stream => void heard.push(stream))
    await scene.writeEvent(advertiserId)
    await scene.deliver()
    await scene.upkeep.run()
    assert.equal((await scene.webhooks.find({ agentId }, id)).state, 'stopped')
    assert.ok(
      heard.some(stream => JSON.stringify(stream) === JSON.stringify({ clientId: clientOf(agentId) })),
    )
  })
})
