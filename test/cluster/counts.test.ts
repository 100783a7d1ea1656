import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, engines, type TestDatabase } from '../harness/database.ts'
import { some } from '../harness/effort.ts'
import { type Answer, call, harbour, send } from '../harness/http.ts'
import { Browser, doorOf, tom } from '../harness/oauth.ts'
import { findLogLine } from '../harness/process.ts'
import { RawClient } from '../harness/raw-client.ts'
import { type Service, startServiceHere } from '../harness/service.ts'
import { requestLine, type Serving, startServing } from '../harness/serving.ts'
import { listPath, prepareTenant, type Tenant } from '../harness/tenant.ts'
import { fillLargeList, idsIn } from '../process/large-list.ts'
import { runSql } from '../process/support.ts'

/** From 200, each node counts a limit by itself and reports to the others from time to time. */
const perMinute = 250
const failuresPerMinute = 30

const pagePath = `${listPath}?limit=1`
const nobody = { authorization: 'SWS sws_demo_nobody' }

/** The minute in which it was counted: the clock may move on while a test sends. */
function minuteOf({ headers }: Answer): number {
  const seconds = Number(/;t=(\d+)$/.exec(headers.get('ratelimit') ?? '')?.[1])
  return Math.round((Date.now() / 1000 + seconds) / 60)
}

/**
 * Sends so many requests over both nodes, some at once; returns how many passed in a minute that had more than enough
 * of them.
 */
async function hammer(
  nodes: readonly Service[],
  { times, enough, headers, isPassed }: Hammering,
): Promise<number[]> {
  const answers: { minute: number; isPassed: boolean }[] = []
  let sent = 0
  const sendAll = async ({ baseUrl }: Service) => {
    while (sent < times) {
      sent++
      const answer = await send(baseUrl, pagePath, 'GET', { headers })
      assert.ok(isPassed(answer) || answer.status === 429, `${answer.status}`)
      answers.push({ minute: minuteOf(answer), isPassed: isPassed(answer) })
    }
  }
  await Promise.all(nodes.flatMap(node => Array.from({ length: 6 }, () => sendAll(node))))
  const minutes = [...Map.groupBy(answers, ({ minute }) => minute).values()]
  return minutes
    .filter(({ length }) => length > enough)
    .map(all => all.filter(answer => answer.isPassed).length)
}

interface Hammering {
  times: number
  enough: number
  headers: Record<string, string>
  isPassed(answer: Answer): boolean
}

// `npm test` counts for several nodes in src/platform/http/rates/shared-counts.test.ts.
for (const engine of some(0, engines)) {
  describe(`two nodes [${engine}]`, () => {
    let database: TestDatabase
    let tenant: Tenant & { ids: number[] }
    const isPostgres = engine === 'postgres'
    /** A process that may die, and the process of this test. */
    let one: Serving
    let two: Service
    before(async () => {
      database = await createTestDatabase(engine, 'demo')
      tenant = await prepareTenant(database, async (services, { advertiserId }) =>
        isPostgres ? fillLargeList(services, advertiserId) : { ids: [] },
      )
      const env = {
        RATE_LIMIT_V1_PER_MINUTE: String(perMinute),
        RATE_LIMIT_AUTH_FAILURES_PER_ADDRESS_PER_MINUTE: String(failuresPerMinute),
      }
      one = await startServing(database, { args: ['--demo'], env })
      two = await startServiceHere(database, { env })
    })
    after(async () => {
      one?.end()
      await one?.running.finished
      await two?.stop()
      await database.remove()
    })

    test('a large limit holds for both together, within a tenth', async () => {
      const passed = await hammer([one, two], {
        // Whenever the minute changes, one of the two minutes has more than enough.
        times: perMinute * 3,
        enough: perMinute * 1.2,
        headers: harbour,
        isPassed: ({ status }) => status === 200,
      })
      assert.ok(passed.length > 0)
      for (const count of passed) assert.ok(count >= perMinute && count <= perMinute * 1.1, `${count}`)
    })

    test('a small limit holds for both together, exactly', async () => {
      const passed = await hammer([one, two], {
        times: failuresPerMinute * 3,
        enough: failuresPerMinute,
        headers: nobody,
        isPassed: ({ status }) => status === 401,
      })
      assert.ok(passed.length > 0)
      for (const count of passed) assert.equal(count, failuresPerMinute)
    })

    test('wrong passwords on one keep an account waiting on the other', async () => {
      const signIn = async (node: Service, password: string) => {
        const visitor = new Browser(doorOf(node))
        return visitor.submitSignIn(await visitor.get('/sign-in'), tom, password)
      }
      for (const node of [one, one, two, one, one]) assert.equal((await signIn(node, 'wrong')).status, 401)
      for (const node of [two, one]) {
        const answer = await signIn(node, 'wrong')
        assert.equal(answer.status, 429)
        assert.ok(Number(answer.headers.get('retry-after')) >= 1)
      }
    })

    // A table can be locked only here; slots on SQLite are tested in src/platform/http/rates/slots.test.ts.
    if (!isPostgres) return

    test('a node that gets no response for its counts continues on its own, and says so', async t => {
      const client = new pg.Client(database.settings['DATABASE_URL'])
      await client.connect()
      t.after(() => client.end())
      await client.query('begin; lock table rate_counts in access exclusive mode')
      const { status } = await call(one, pagePath, { headers: tenant.headers })
      assert.equal(status, 200)
      await one.running.until(out => findLogLine(out, 'rate limits are counted on this node only'))
      assert.equal((await call(one, pagePath, { headers: tenant.headers })).status, 200)
      await client.query('rollback')
      await one.running.until(out => findLogLine(out, 'rate limits are counted across nodes again'))
    })

    /** A list of which only the head has been read. */
    async function beginList(node: Service, requestId: string): Promise<RawClient> {
      const client = await RawClient.connect(node.port)
      client.send(listPath, { ...tenant.headers, Connection: 'close', 'X-Request-Id': requestId })
      assert.equal((await client.head()).status, 200)
      return client
    }

    async function assertNoneLeft(some: readonly Service[]): Promise<void> {
      for (const node of some) {
        const refused = await call(node, listPath, { headers: tenant.headers })
        assert.deepEqual([refused.status, refused.json().code], [429, 'too-many-streams'])
      }
    }

    test('four whole lists in progress on both together; those of a node that died are released', async () => {
      const left = await beginList(one, 'left')
      const kept = await beginList(two, 'kept')
      const lost = [await beginList(one, 'lost 1'), await beginList(one, 'lost 2')]
      await assertNoneLeft([one, two])
      left.leave()
      assert.equal((await requestLine(one, 'left'))['cut'], true)
      // Released by a statement of its own, so a request on another node may come a moment too soon.
      let next: Answer | undefined
      while (next === undefined || next.status === 429) {
        next = await call(two, `${listPath}?afterid=3000`, { headers: tenant.headers })
      }
      assert.equal(next.status, 200)
      lost.push(await beginList(one, 'lost 3'))
      await assertNoneLeft([one, two])

      one.running.child.kill('SIGKILL')
      await one.running.finished
      await assertNoneLeft([two])
      // As if their leases had expired. Requests in progress continue, whichever process holds their slot.
      await runSql(database, `update leases set held_until = 0 where name like 'whole-list/%'`)
      assert.equal((await call(two, `${listPath}?afterid=3000`, { headers: tenant.headers })).status, 200)
      const { body, isWhole } = await kept.rest()
      assert.deepEqual([isWhole, idsIn(body)], [true, tenant.ids])
      for (const client of lost) client.leave()
    })
  })
}
