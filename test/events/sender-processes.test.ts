import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { webhookLeaseSeconds, webhookUnsaved } from '../../src/events/webhooks/lane-service.ts'
import { createTestDatabase, type Engine, open, type TestDatabase } from '../harness/database.ts'
import { isLongRun, some, times } from '../harness/effort.ts'
import { findFaketime, movableSystemClock } from '../harness/faketime.ts'
import { addBoard, applicationOf, applicationPart, intakeToken, post } from '../harness/intake.ts'
import { doorOf } from '../harness/oauth.ts'
import { until } from '../harness/polling.ts'
import { findLogLine } from '../harness/process.ts'
import { startReceiver, toReceiver } from '../harness/receiver.ts'
import type { Services } from '../harness/services.ts'
import { type Serving, startServing } from '../harness/serving.ts'
import { draftOf } from '../harness/tenant.ts'

const kills = times(1, 25)
const firstOf = (ids: readonly string[]) => [...new Set(ids)]
const lateMs = 2 * webhookLeaseSeconds * 1000

for (const engine of some<Engine>(1, ['sqlite', 'postgres'])) {
  describe(`processes that deliver webhooks [${engine}]`, () => {
    let database: TestDatabase
    let services: Services
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    let serving: Serving
    before(async () => {
      database = await createTestDatabase(engine, 'empty')
      Object.assign(database.settings, toReceiver)
      services = await open(database.settings)
      await services.schema.migrate()
      receiver = await startReceiver()
    })
    after(async () => {
      serving?.end()
      await receiver?.stop()
      await services?.close()
      await database?.remove()
    })

    async function addEndpoint(advertiserId: number, path: string): Promise<void> {
      const fields = { url: receiver.urlOf(path), types: ['application.created'], description: '' }
      const { endpoint } = await services.webhooks.add({ advertiserId }, { ...fields, scheme: 'v1' })
      await services.webhooks.test({ advertiserId }, endpoint.id)
    }

    /** A new advertiser whose events go to this path. */
    async function addAdvertiser(path: string): Promise<number> {
      const { id } = await services.advertisers.add(path)
      await addEndpoint(id, path)
      return id
    }

    async function idsOf(advertiserId: number): Promise<string[]> {
      const { events } = await services.eventStore.page({ advertiserId }, { after: 0, limit: 100_000 })
      return events.map(({ number }) => `evt_${advertiserId}_${number}`)
    }

    const write = (advertiserId: number) => services.submissions.add(advertiserId, draftOf('x'))
    const start = async (env: Record<string, string> = {}) => {
      serving = await startServing(database, { env: { SHUTDOWN_GRACE_SECONDS: '600', ...env } })
    }

    test(`killed ${kills} times, every event arrives in order, and a kill repeats at most twenty`, async () => {
      const advertiserId = await addAdvertiser('/kills')
      for (let kill = 0; kill < kills; kill++) {
        const enough = receiver.at('/kills').length + randomInt(1, 40)
        for (let count = 0; count < 40; count++) await write(advertiserId)
        await start()
        await until(async () => receiver.at('/kills').length >= enough)
        serving.running.child.kill('SIGKILL')
        await serving.running.finished
        // As if the time of its lease had passed.
        await services.database.writer.updateTable('webhook_lanes').set({ leased_until: 0 }).execute()
      }
      await start()
      const ids = await idsOf(advertiserId)
      await until(async () => receiver.at('/kills').at(-1) === ids.at(-1))
      const got = receiver.at('/kills')
      assert.deepEqual(firstOf(got), ids)
      const repeats = got.length - ids.length
      assert.ok(repeats <= kills * webhookUnsaved, `${repeats} repeats`)
    })

    test('one that is suspended beyond its lease repeats at most one event, and moves nothing', async () => {
      const advertiserId = await addAdvertiser('/suspended')
      const answers: (() => void)[] = []
      receiver.answer((_request, response) => answers.push(() => response.writeHead(204).end()))
      await write(advertiserId)
      await until(async () => answers.length === 1)
      serving.running.child.kill('SIGSTOP')
      receiver.answer()
      for (const answer of answers) answer()
      for (let count = 0; count < 5; count++) await write(advertiserId)
      // Only SQLite believes another clock; in the long run the minute passes.
      const clock = isLongRun ? Date.now : () => Date.now() + lateMs
      const survivor = await open(database.settings, clock)
      const ids = await idsOf(advertiserId)
      await until(async () => {
        await survivor.webhookSender.runOnce(60_000)
        return receiver.at('/suspended').at(-1) === ids.at(-1)
      })
      await survivor.close()
      serving.running.child.kill('SIGCONT')
      await write(advertiserId)
      ids.push(...(await idsOf(advertiserId)).slice(-1))
      await until(async () => receiver.at('/suspended').at(-1) === ids.at(-1))
      const got = receiver.at('/suspended')
      assert.deepEqual(firstOf(got), ids)
      assert.ok(got.length <= ids.length + 1, `${got.length} for ${ids.length}`)
    })

    test('one that is asked to end waits for the requests under way, and loses and repeats nothing', async () => {
      const advertisers = [await addAdvertiser('/drain-1'), await addAdvertiser('/drain-2')]
      const paths = Array.from({ length: 20 }, (_, index) => `/drain-${index + 1}`)
      for (const [index, path] of paths.entries())
        if (index > 1) await addEndpoint(advertisers[index % 2] as number, path)
      const answers: (() => void)[] = []
      receiver.answer((_request, response) => answers.push(() => response.writeHead(204).end()))
      for (const advertiserId of advertisers) await write(advertiserId)
      await until(async () => answers.length === paths.length)
      const stopped = serving.stop()
      await serving.running.until(stdout => findLogLine(stdout, 'stopping'))
      for (const answer of answers) answer()
      await stopped
      await services.webhookSender.runOnce(60_000)
      for (const path of paths) assert.equal(receiver.at(path).length, 1, path)
      receiver.answer()
    })

    const library = findFaketime()
    const testClocks = isLongRun && library !== undefined ? test : () => {}
    testClocks('an hour back breaks no order; ahead of the database nothing is delivered', async () => {
      const systemClock = movableSystemClock(
        library ?? '',
        join(String(database.settings['DATA_DIR']), 'time'),
      )
      const advertiserId = await addAdvertiser('/clock')
      const board = await addBoard(services, advertiserId)
      await start(systemClock.env)
      const door = doorOf(serving)
      const token = await intakeToken(door, board)
      const apply = async () => {
        const answer = await post(door, token, [applicationPart(applicationOf({ advertiserId }))])
        assert.equal(answer.status, 201, answer.text)
      }
      const arrived = async () => {
        const ids = await idsOf(advertiserId)
        await until(async () => receiver.at('/clock').length >= ids.length)
        assert.deepEqual(receiver.at('/clock'), ids)
      }
      await apply()
      await arrived()
      if (engine === 'sqlite') {
        systemClock.move(-3600)
        await apply()
        await apply()
        await arrived()
      } else {
        systemClock.move(600)
        const refused = serving.running.until(stdout =>
          findLogLine(stdout, 'this process delivers no webhooks'),
        )
        const timer = setInterval(() => services.hints.changed({ advertiserId }, []), 1000)
        assert.match(String((await refused)['reason']), /clock of this machine is \d+\.\d seconds ahead/)
        clearInterval(timer)
        await write(advertiserId)
        systemClock.move(0)
        await serving.running.until(stdout => findLogLine(stdout, 'webhooks are delivered again'))
        await arrived()
      }
      await serving.stop()
    })
  })
}
