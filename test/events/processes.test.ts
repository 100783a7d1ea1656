import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type Engine, open } from '../harness/database.ts'
import { longTest } from '../harness/effort.ts'
import { send } from '../harness/http.ts'
import { createImportFolder, importLine } from '../harness/import-lines.ts'
import { day } from '../harness/importing.ts'
import { startDossier, startNode } from '../harness/process.ts'
import { seeded } from '../harness/random.ts'
import { startServing } from '../harness/serving.ts'
import { addFollowed, assertHistories, followers, story } from './changes.ts'

const random = seeded()

const script = fileURLToPath(new URL('changing-process.ts', import.meta.url))
const rounds = 40
const imports = 20

const cases: [name: string, engine: Engine, settings: Record<string, string>][] = [
  ['SQLite', 'sqlite', {}],
  ['PostgreSQL', 'postgres', {}],
  ['PostgreSQL without LISTEN', 'postgres', { DATABASE_PREPARED: 'off' }],
]

for (const [name, engine, settings] of cases) {
  // In `npm test` all of them are services in one process: see waking.test.ts.
  longTest(
    `followers of three processes see every change of 8 writers in three others once, in the same order [${name}]`,
    async t => {
      const database = await createTestDatabase(engine, 'empty')
      t.after(() => database.remove())
      Object.assign(database.settings, settings)
      const services = await open(database.settings)
      const followed = await addFollowed(services)
      await services.close()
      const { advertiserId, headers } = followed
      const env = { RATE_LIMIT_V1_PER_MINUTE: '999999999' }
      const serving = await Promise.all([1, 2, 3].map(() => startServing(database, { env })))
      t.after(() => {
        for (const each of serving) each.end()
      })
      const ask = async (search: string) => {
        const { baseUrl = '' } = serving[Math.floor(random() * serving.length)] ?? {}
        const answer = await send(baseUrl, `/v1/advertiser/events?${search}`, 'GET', { headers })
        assert.equal(answer.status, 200, answer.text)
        return answer.json()
      }

      let isOver = false
      async function follow(from: string, search: string): Promise<string[]> {
        const seen: string[] = []
        for (let cursor = from; ; ) {
          const wasOver = isOver
          const wait = wasOver ? 0 : Math.floor(random() * 5)
          const { events, more, ...rest } = await ask(`cursor=${cursor}&${search}&wait=${wait}`)
          seen.push(...events.map(story))
          if (wasOver && events.length === 0 && !more) return seen
          cursor = rest.cursor
        }
      }

      const { cursor } = await ask('')
      const following = followers.map(({ limit, types }) => follow(cursor, `limit=${limit}&types=${types}`))
      const folder = await createImportFolder()
      t.after(() => folder.remove())
      const lines = Array.from({ length: imports }, (_, each) => importLine(advertiserId, each, day(each)))
      const history = await folder.write('history.ndjson', `${lines.join('\n')}\n`)
      const imported = await startDossier(['import', history], database.settings).finished
      assert.equal(imported.code, 0, imported.stderr)
      const writing = [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7],
      ].map(writers => startNode(script, [JSON.stringify({ followed, writers, rounds })], database.settings))
      const printed = await Promise.all(writing.map(({ finished }) => finished))
      for (const { code, stderr } of printed) assert.deepEqual([code, stderr], [0, ''])
      isOver = true
      const acknowledged: string[] = printed.flatMap(({ stdout }) => JSON.parse(stdout))
      assert.equal(acknowledged.length, 8 * rounds * 2)
      assertHistories(await Promise.all(following), acknowledged, imports)
      for (const each of serving) await each.stop()
    },
  )
}
