import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { eventId } from '../../src/model/events.ts'
import type { Notice } from '../../src/model/notice.ts'
import { noticeEmails } from '../../src/people/mail/notice-texts.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { joinAgent } from '../harness/memberships.ts'
import { storesOver } from '../store/stores.ts'
import { addMember, type createScene, emptyScene } from './webhook-scene.ts'

type Failing = Extract<Notice, { kind: 'webhook-failing' }>

const clock = movableClock()
const [hour, day] = [3_600_000, 86_400_000]

withServices('failed events', { clock }, services => {
  let scene: ReturnType<typeof createScene>
  let advertiserId: number
  beforeEach(async () => {
    ;({ scene, advertiserId } = await emptyScene(services(), clock))
    await services().database.writer.deleteFrom('deliveries').execute()
  })
  const owner = () => ({ advertiserId })

  const addAdmin = () => addMember(services(), { advertiser_id: advertiserId }, 'admin')

  /** Notices in the outbox, after the upkeep has run. */
  async function notices(): Promise<Failing[]> {
    await scene.upkeep.run()
    const { reader } = services().database
    const rows = await reader.selectFrom('deliveries').select(['kind', 'content']).execute()
    return rows.map(({ kind, content }) => ({ ...JSON.parse(content), kind }) as Failing)
  }

  /** Events that the receiver refuses while it accepts others; returns their IDs once they have failed. */
  async function giveUp(url: string, count: number): Promise<string[]> {
    const refused: string[] = []
    scene.answers.set(url, ({ id }) =>
      refused.includes(id) ? { outcome: 'refused', status: 422 } : { outcome: 'accepted', status: 204 },
    )
    for (let index = 0; index < count; index++) {
      clock.advance(1)
      refused.push(eventId({ advertiserId }, await scene.writeEvent(advertiserId)))
      clock.advance(1)
      await scene.writeEvent(advertiserId)
      await scene.pass(4 * 60_000, 5000)
    }
    await scene.pass(90 * hour, hour)
    return refused
  }

  test('are told to the admins together, once a day at most, and shown until they are sent again', async () => {
    const candidateId = await addAdmin()
    const { id, url } = await scene.addEndpoint(owner())
    const store = storesOver(services().database).notices
    const refused = await giveUp(url, 2)
    const details = await scene.webhooks.details(owner(), id)
    assert.deepEqual(
      [details.endpoint.state, details.givenUp?.events, details.givenUp?.lastEventId],
      ['active', 2, refused.at(-1)],
    )

    const notice: Failing = {
      kind: 'webhook-failing',
      candidateId,
      advertiserId,
      endpointId: id,
      isStopped: false,
      isGivenUp: true,
    }
    assert.deepEqual(await notices(), [notice])
    assert.deepEqual(await notices(), [notice], 'once')
    const subject = await store.findFailingWebhook(advertiserId, notice)
    assert.ok(subject !== undefined)
    assert.deepEqual(subject.givenUp, { events: 2, lastAt: details.givenUp?.lastAt })
    const frame = { board: 'Dossier', origin: 'https://jobs.example.com', time: String, day: String }
    const text = JSON.stringify(noticeEmails['webhook-failing'](subject, notice, frame))
    assert.match(text, /2 events.*Send again what was set aside.*events\/endpoints\//s)

    // One more, within a day of the email.
    await services()
      .database.writer.updateTable('webhook_lanes')
      .set({ notified_at: null, ended_at: clock() })
      .where('endpoint_id', '=', id)
      .where('end_number', '=', Number(refused[0]?.split('_').at(-1)))
      .execute()
    assert.equal((await notices()).length, 1)
    clock.advance(day)
    assert.equal((await notices()).length, 2)

    assert.equal(await scene.webhooks.resendDeferred(owner(), id, 'all'), 2)
    assert.equal((await scene.webhooks.details(owner(), id)).givenUp, null)
    assert.equal(await store.findFailingWebhook(advertiserId, notice), undefined, 'no email now')
    // Failed again.
    await scene.pass(90 * hour, hour)
    assert.equal((await notices()).length, 3)
  })

  test('of an agent are reported to its admins, and not to the company', async () => {
    const candidateId = await addAdmin()
    const agent = await services().agents.add('Northwind ATS')
    await joinAgent(services().database, candidateId, 'admin', agent.id)
    await services().agents.authorise(advertiserId, agent.id)
    const { id, url } = await scene.addEndpoint({ agentId: agent.id })
    const [refused] = await giveUp(url, 1)
    const notice = {
      kind: 'webhook-failing',
      candidateId,
      agentId: agent.id,
      endpointId: id,
      isStopped: false,
      isGivenUp: true,
    } as const
    assert.deepEqual(await notices(), [notice])
    const store = storesOver(services().database).notices
    assert.equal((await store.findFailingAgentWebhook(agent.id, notice))?.givenUp?.events, 1)
    assert.equal(await store.findFailingAgentWebhook(agent.id + 1, notice), undefined)
    const { givenUp } = await scene.webhooks.details({ agentId: agent.id }, id)
    assert.equal(givenUp?.lastEventId, refused)
  })
})
