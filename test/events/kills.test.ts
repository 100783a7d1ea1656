import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase, engines, open } from '../harness/database.ts'
import { isLongRun, times } from '../harness/effort.ts'
import { send } from '../harness/http.ts'
import { until } from '../harness/polling.ts'
import { startServing, startServingHere } from '../harness/serving.ts'
import { addTenant, draftOf } from '../harness/tenant.ts'

const kills = times(1, 50)
const followers = 4

for (const engine of isLongRun ? engines : engines.slice(0, 1)) {
  test(`followers of a node that is killed again and again miss nothing and see nothing twice [${engine}]`, async t => {
    const database = await createTestDatabase(engine, 'empty')
    t.after(() => database.remove())
    const services = await open(database.settings)
    t.after(() => services.close())
    await services.schema.migrate()
    const { advertiserId, headers } = await addTenant(services)
    const env = { RATE_LIMIT_V1_PER_MINUTE: '999999999' }
    let process = await startServing(database, { env })
    t.after(() => process.end())
    let { baseUrl } = process
    let isOver = false
    const sent: number[] = []

    async function write(): Promise<void> {
      while (!isOver) {
        sent.push((await services.submissions.add(advertiserId, draftOf(sent.length))).id)
        await new Promise(setImmediate)
      }
    }

    /** Waits on whichever node is there; a request that was cut is sent again with the same cursor. */
    async function follow(from: string): Promise<number[]> {
      const seen: number[] = []
      for (let cursor = from; ; ) {
        const wasOver = isOver
        const path = `/v1/advertiser/events?cursor=${cursor}&limit=7&wait=${wasOver ? 0 : 5}`
        const answer = await send(baseUrl, path, 'GET', { headers }).catch(() => undefined)
        if (answer?.status !== 200) {
          await new Promise(resolve => setTimeout(resolve, 20))
          continue
        }
        const { events, more, ...rest } = answer.json()
        for (const { data } of events) seen.push(data.applicationId)
        if (wasOver && events.length === 0 && !more) return seen
        cursor = rest.cursor
      }
    }

    const start = (await send(baseUrl, '/v1/advertiser/events', 'GET', { headers })).json().cursor
    const writing = write()
    const following = Array.from({ length: followers }, () => follow(start))
    for (let kill = 1; kill <= kills; kill++) {
      await until(async () => sent.length >= 20 * kill)
      process.running.child.kill('SIGKILL')
      await process.running.finished
      if (kill === kills) break
      process = await startServing(database, { env })
      baseUrl = process.baseUrl
    }
    const last = await startServingHere(database, { env })
    t.after(() => last.stop())
    baseUrl = last.baseUrl
    const after = sent.length
    await until(async () => sent.length >= after + 20)
    isOver = true
    await writing
    const histories = await Promise.all(following)
    for (const seen of histories) assert.deepEqual(seen, sent)
  })
}
