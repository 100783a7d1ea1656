import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newColumns, nextRelease } from '../crash/migrating.ts'
import { engines, open } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { call } from '../harness/http.ts'
import { addBoard, applicationOf, applicationPart, file, intakeToken, post } from '../harness/intake.ts'
import { doorOf } from '../harness/oauth.ts'
import { listPath, prepareTenant } from '../harness/tenant.ts'
import { databaseFor, serveHereFor } from './support.ts'

/** Requests of each kind before the migration, during it and afterwards, each after the one before. */
const rounds = times(5, 100)

for (const engine of engines) {
  // There is no release before 0.1.0: these nodes are the old ones, and the next release is a planted one.
  describe(`an upgrade under load [${engine}]`, () => {
    test('nodes of the release before serve every request during it and after it, and start again', async t => {
      const database = await databaseFor(t, engine)
      const tenant = await prepareTenant(database, async (services, { advertiserId }) => ({
        client: await addBoard(services, advertiserId),
      }))
      const { advertiserId, headers } = tenant
      const env = { RATE_LIMIT_V1_PER_MINUTE: '999999', RATE_LIMIT_INTAKE_PER_MINUTE: '999999' }
      const first = await serveHereFor(t, database, { env })
      const nodes = [first, await serveHereFor(t, database, { env })]
      const token = await intakeToken(doorOf(first), tenant.client)
      const sent: number[] = []
      const failures: string[] = []

      /** One request of each kind to each node; every answer is checked. */
      async function round(): Promise<void> {
        for (const node of nodes) {
          const parts = [
            applicationPart(applicationOf({ advertiserId })),
            file('resume', 'resume.txt', `Resume ${sent.length}`),
          ]
          const answers = [await post(doorOf(node), token, parts)]
          const { id } = answers[0]?.json() ?? {}
          sent.push(id)
          answers.push(await call(node, `${listPath}?limit=1000`, { headers }))
          answers.push(await call(node, `${listPath}/resume/${id}`, { headers }))
          answers.push(await call(node, '/v1/advertiser/events', { headers }))
          for (const path of ['/jobs', '/sign-in', '/health/ready']) answers.push(await call(node, path))
          failures.push(
            ...answers
              .filter(({ status }) => status > 201)
              .map(({ status, text }) => `${status} ${text.slice(0, 300)}`),
          )
        }
      }
      for (let count = 0; count < rounds; count++) await round()

      const services = await open(database.settings)
      t.after(() => services.close())
      const next = nextRelease(services)
      let isMigrated = false
      const migrated = next.migrate().finally(() => {
        isMigrated = true
      })
      while (!isMigrated) await round()
      assert.deepEqual(await migrated, { ran: next.names })
      assert.deepEqual(new Set(await newColumns(services)), new Set([2]))
      for (let count = 0; count < rounds; count++) await round()

      // One after the other, as after a crash.
      for (const [index, node] of nodes.entries()) {
        await node.stop()
        nodes[index] = await serveHereFor(t, database, { env })
        await round()
      }
      assert.deepEqual(failures, [])
      assert.equal(new Set(sent).size, sent.length)
    })
  })
}
