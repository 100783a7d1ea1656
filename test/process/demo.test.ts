import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { harbourApplications } from '../../src/demo/world/harbour-applications.ts'
import { southernApplications } from '../../src/demo/world/southern-applications.ts'
import { harbourId, southernId } from '../../src/demo/world/world.ts'
import { engines, open, type TestDatabase } from '../harness/database.ts'
import { longTest, some } from '../harness/effort.ts'
import { call, harbour, southern } from '../harness/http.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { startDossier } from '../harness/process.ts'
import { seeded } from '../harness/random.ts'
import { type Service, startServiceHere } from '../harness/service.ts'
import { listPath, prepareTenant } from '../harness/tenant.ts'
import { databaseFor, refusalHere, runHere, runSql, serveHereFor, serveOnceHere } from './support.ts'

const random = seeded()

const asDemo = { args: ['--demo'] }

/** Everything that the demo shows: both lists in both formats, from the current database. */
async function worldIn({ settings }: TestDatabase): Promise<string[]> {
  const { applications, close } = await open(settings)
  const lists: string[] = []
  for (const advertiserId of [harbourId, southernId]) {
    const owner = { advertiserId, agentId: null }
    for (const format of ['json', 'xml'] as const) {
      lists.push(await text(await applications.listAll(owner, format, { includePrimaryInfo: true })))
    }
  }
  await close()
  return lists
}

/** The same, as logged by a service. */
async function worldOf(serving: Service): Promise<string[]> {
  const lists = [harbour, southern].flatMap(headers =>
    ['json', 'xml'].map(format => ({ ...headers, accept: `application/${format}` })),
  )
  const answers = await Promise.all(lists.map(headers => call(serving, listPath, { headers })))
  for (const { status } of answers) assert.equal(status, 200)
  return answers.map(answer => answer.text)
}

/** The IDs of both advertisers, from the lists in JSON. */
function idsIn(...lists: string[]): number[] {
  return lists
    .filter(list => list.startsWith('{'))
    .flatMap(list => JSON.parse(list).JobApplications.JobApplicationsList)
    .map(({ ID }) => ID)
    .sort((a, b) => a - b)
}

/** Under the name that the service uses for itself, not under the address of the test. */
const callbackOf = ({ port }: Service) => `http://localhost:${port}/demo/callback`

async function demoClient({ settings }: TestDatabase): Promise<{ scopes: string[]; redirectUris: string[] }> {
  const { stdout } = await runHere(['client', 'list', '--json'], settings)
  const [{ id, scopes, redirectUris }, board, ...others] = JSON.parse(stdout)
  assert.deepEqual([id, board.id, board.redirectUris, others], ['demo-ats', 'demo-board', [], []])
  return { scopes, redirectUris }
}

/** The webhook endpoints of the demo: their keys are derived from ID and generation. */
async function hooksOf({ settings }: TestDatabase): Promise<unknown[]> {
  const services = await open(settings)
  const endpoints = await services.database.reader
    .selectFrom('webhook_endpoints')
    .select(['id', 'generation', 'url'])
    .orderBy('id')
    .execute()
  await services.close()
  return endpoints
}

for (const engine of some(1, engines.toReversed())) {
  describe(`the demo world [${engine}]`, () => {
    longTest('an interrupted load is repeated at the next start', async t => {
      const database = await databaseFor(t, engine, 'demo')
      const world = await worldIn(database)
      await runSql(
        database,
        `update meta set value = 'loading' where key = 'demo';
         delete from application_history where application_id > 5;
         delete from application_terms where application_id > 5;
         delete from application_pieces where id > 5; delete from application_screens where application_id > 5;
         delete from application_files where application_id > 5; delete from applications where id > 5`,
      )
      assert.match(await refusalHere(database.settings), /"dossier demo remove"/)
      await serveOnceHere(database.settings, '--demo')
      assert.deepEqual(await worldIn(database), world)
    })

    test('loaded by two processes at once, it exists once, and neither process fails', async t => {
      const database = await databaseFor(t, engine)
      await runHere(['migrate'], database.settings)
      const both = [await open(database.settings), await open(database.settings)]
      const loads = await Promise.allSettled(both.map(({ demo }) => demo.ensureLoaded()))
      for (const services of both) await services.close()
      assert.deepEqual(
        idsIn(...(await worldIn(database))),
        [...harbourApplications, ...southernApplications].map((_, index) => index + 1),
      )
      assert.deepEqual(
        loads.map(load => (load.status === 'rejected' ? load.reason : load.value)),
        [true, true],
      )
    })

    test('killed anywhere during its first start, it is complete after the next', async t => {
      const database = await databaseFor(t, engine)
      const settings = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...database.settings }
      const first = startDossier(['serve', '--demo'], settings)
      await sleep(random() * 1500)
      first.child.kill('SIGKILL')
      await first.finished
      await serveOnceHere(database.settings, '--demo')
      assert.equal(
        idsIn(...(await worldIn(database))).length,
        harbourApplications.length + southernApplications.length,
      )
    })
    // What follows does not depend on SQL: SQLite in `npm test`, PostgreSQL in the long run.
    if (!oneEngine.includes(engine)) return

    test('serve without --demo refuses it until it is removed, and never loads it', async t => {
      const database = await databaseFor(t, engine, 'demo')
      assert.match(await refusalHere(database.settings), /"dossier demo remove"/)
      const removed = await runHere(['demo', 'remove'], database.settings)
      assert.deepEqual([removed.code, removed.stderr], [0, ''])
      await serveOnceHere(database.settings)
      const { stdout } = await runHere(['advertiser', 'list', '--json'], database.settings)
      assert.deepEqual(JSON.parse(stdout), [])
    })

    test('another world is refused until this one is removed, and a reset keeps the world', async t => {
      const database = await databaseFor(t, engine)
      const advertisers = async () =>
        (await runHere(['advertiser', 'list', '--json'], database.settings)).stdout
      const serving = await serveHereFor(t, database, { args: ['--demo=berlin'] })
      assert.match(serving.log(), /apply as mila@example\.com/)
      const before = await advertisers()
      assert.match(before, /Westhafen Kaffee/)
      await runHere(['advertiser', 'hold', '10000001'], database.settings)
      assert.equal((await runHere(['demo', 'reset'], database.settings)).code, 0)
      assert.equal(await advertisers(), before)
      await serving.stop()
      assert.match(
        await refusalHere(database.settings, '--demo'),
        /contains the demo world "berlin"\. Run "dossier demo remove"/,
      )
      assert.equal((await runHere(['demo', 'remove'], database.settings)).code, 0)
      await serveOnceHere(database.settings, '--demo')
      assert.match(await refusalHere(database.settings, '--demo=berlin'), /demo world "australia"/)
      const unknown = await runHere(['serve', '--demo=vienna'], database.settings)
      assert.deepEqual([unknown.code, /must be australia or berlin/.test(unknown.stderr)], [2, true])
    })

    test('serve --demo and the demo commands refuse a database with other data', async t => {
      const database = await databaseFor(t, engine)
      await prepareTenant(database)
      const advertisers = () => runHere(['advertiser', 'list', '--json'], database.settings)
      const before = await advertisers()
      assert.match(
        await refusalHere(database.settings, '--demo'),
        /already contains data|other than the demo/,
      )
      for (const command of ['reset', 'remove']) {
        const { code, stderr } = await runHere(['demo', command], database.settings)
        assert.equal(code, 1, command)
        assert.match(stderr, /nothing was changed/)
      }
      assert.deepEqual(await advertisers(), before)
      await serveOnceHere(database.settings)
    })

    test('demo reset gives the same world again, with the same IDs and dates', async t => {
      const database = await databaseFor(t, engine)
      const serving = await serveHereFor(t, database, asDemo)
      // The output begins with the links for people.
      assert.match(serving.log(), /home +http:\S+\/ .*console +\S+\/console \(as rae@example\.com/s)
      const before = await worldOf(serving)
      const hooks = await hooksOf(database)
      assert.equal(hooks.length, 3)
      await runHere(['advertiser', 'hold', '10000001'], database.settings)
      assert.equal((await call(serving, listPath, { headers: harbour })).status, 403)
      const reset = await runHere(['demo', 'reset'], database.settings)
      assert.deepEqual([reset.code, reset.stderr], [0, ''])
      assert.deepEqual(await worldOf(serving), before)
      // With the key that the running process knows, from the next event on.
      assert.deepEqual(await hooksOf(database), hooks)
      const file = await call(serving, '/v1/advertiser/applications/resume/1', { headers: harbour })
      assert.equal(file.status, 200)
      await serving.stop()
    })

    longTest('the world of an older version is loaded again at the next start', async t => {
      const database = await databaseFor(t, engine, 'demo')
      const stateNow = async () => {
        const services = await open(database.settings)
        const state = await services.demo.state()
        await services.close()
        return state
      }
      assert.equal(await stateNow(), 'loaded')
      // The first version had neither redirect URIs nor scopes, and a mark without a number.
      await runSql(
        database,
        `update meta set value = 'loaded' where key = 'demo';
         delete from oauth_redirect_uris; update oauth_clients set scopes = ''`,
      )
      assert.equal(await stateNow(), 'outdated')
      assert.match(await refusalHere(database.settings), /"dossier demo remove"/)
      const serving = await startServiceHere(database)
      assert.equal(await stateNow(), 'loaded')
      assert.deepEqual(await demoClient(database), {
        scopes: ['r_profile_apply', 'r_applications', 'w_progress', 'm_webhooks'],
        redirectUris: ['http://127.0.0.1:9090/callback', callbackOf(serving)],
      })
      await serving.stop()
    })

    test('the command takes the addresses of receivers that the API of the demo takes', async t => {
      const add = (settings: Record<string, string>, advertiserId: number) =>
        runHere(
          ['webhook', 'add', 'http://127.0.0.1:9999/hooks', '--advertiser', String(advertiserId)],
          settings,
        )
      const database = await databaseFor(t, engine, 'demo')
      const added = await add(database.settings, harbourId)
      assert.match(added.stdout, /whsec_/, added.stderr)
      const other = await databaseFor(t, engine)
      await runHere(['migrate'], other.settings)
      await runHere(['advertiser', 'add', 'Harbour'], other.settings)
      const refused = await add(other.settings, 10000001)
      assert.match(refused.stderr, /https/)
      assert.notEqual(refused.code, 0)
    })

    longTest('each node adds the callback of its own careers page, and a reset keeps it', async t => {
      const database = await databaseFor(t, engine)
      const first = await startServiceHere(database)
      const second = await startServiceHere(database)
      const all = ['http://127.0.0.1:9090/callback', callbackOf(first), callbackOf(second)].toSorted()
      assert.deepEqual((await demoClient(database)).redirectUris, all)
      assert.equal((await runHere(['demo', 'reset'], database.settings)).code, 0)
      assert.deepEqual((await demoClient(database)).redirectUris, all)
      for (const serving of [first, second]) await serving.stop()
    })

    test('clients and agents of an operator count as other data', async t => {
      for (const command of [
        ['agent', 'add', 'Northwind ATS'],
        ['client', 'add', 'careers', '--name', 'Careers', '--redirect-uri', 'https://careers.example.com/cb'],
      ]) {
        const database = await databaseFor(t, engine)
        await runHere(['migrate'], database.settings)
        assert.equal((await runHere(command, database.settings)).code, 0)
        assert.match(
          await refusalHere(database.settings, '--demo'),
          /already contains data|other than the demo/,
        )
        assert.equal((await runHere(['demo', 'reset'], database.settings)).code, 1)
      }
    })
  })
}

describe('serve --demo serves this machine only', () => {
  const publicSettings: [name: string, value: string][] = [
    ['HOST', '0.0.0.0'],
    ['HOST', '::'],
    ['BASE_URL', 'https://jobs.example.com'],
    ['AUTH_URL', 'http://192.168.1.20:8080'],
  ]
  for (const [name, value] of publicSettings) {
    test(`${name}=${value} is refused`, async t => {
      const { settings } = await databaseFor(t, 'sqlite')
      assert.match(
        await refusalHere({ ...settings, [name]: value }, '--demo'),
        new RegExp(`\\b${name}\\b.*loopback`),
      )
    })
  }
})
