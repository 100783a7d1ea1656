import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Outcome, startHere } from '../harness/command.ts'
import { createTestDatabase, type Engine, type TestDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { send } from '../harness/http.ts'
import { Browser, doorOf } from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { type Running, startDossier } from '../harness/process.ts'
import { type ServingHere, startServingHere } from '../harness/serving.ts'
import { isRefused, runHere, takePort } from './support.ts'

/** Of a command, here or in a process of its own. */
interface Performing extends Pick<Running, 'until'> {
  finished: Promise<Outcome>
}
type Start<T> = (args: string[], settings: Record<string, string>) => T

/** One service for all tests of a suite: each brings a client of its own. */
function serveDemo(engine: Engine): () => ServingHere {
  let database: TestDatabase
  let serving: ServingHere
  before(async () => {
    database = await createTestDatabase(engine, 'demo')
    serving = await startServingHere(database, { args: ['--demo'] })
  })
  after(async () => {
    await serving.stop()
    await database.remove()
  })
  return () => serving
}

/** A client of the test's own, with a port of its own. */
async function newClient(serving: ServingHere): Promise<{ id: string; secret: string; port: number }> {
  const port = await freePort()
  const id = `terminal-${port}`
  const added = await runHere(
    ['client', 'add', id, '--name', 'Terminal', '--redirect-uri', `http://127.0.0.1:${port}/callback`],
    serving.settings,
  )
  assert.equal(added.code, 0, added.stderr)
  return { id, secret: added.stdout.trim(), port }
}

/** In this process, or in one of its own: `start` decides. */
function perform<T extends Performing>(
  start: Start<T>,
  { port }: Pick<ServingHere, 'port'>,
  client: { id: string; secret: string; port: number },
  ...args: string[]
): T {
  return start(
    [
      'perform',
      'authorization-code',
      '--client-id',
      client.id,
      '--redirect-uri',
      `http://127.0.0.1:${client.port}/callback`,
      '--base-url',
      `http://localhost:${port}`,
      ...args,
    ],
    { DOSSIER_CLIENT_SECRET: client.secret },
  )
}

/** Path and query of the address that it asks to open. */
const addressIn = (running: Performing) =>
  running.until(stdout => {
    const found = /^ {2}http:\/\/localhost:\d+(\/api\/iam\/oauth2\/authorize\?\S+)$/m.exec(stdout)?.[1]
    return /Waiting on /.test(stdout) ? found : undefined
  })

/** Signs in, decides, and follows the service's redirect. */
async function decide(serving: ServingHere, address: string, decision: 'allow' | 'decline'): Promise<string> {
  const answer = await new Browser(doorOf(serving)).decide(address, decision)
  const location = answer.headers.get('location')
  assert.equal(answer.status, 303, answer.text)
  assert.ok(location)
  return location
}

async function follow(location: string): Promise<{ status: number; text: string }> {
  const { origin, pathname, search } = new URL(location)
  return send(origin, pathname + search, 'GET', {})
}

for (const engine of oneEngine) {
  describe(`dossier perform authorization-code [${engine}]`, () => {
    const service = serveDemo(engine)
    for (const pkce of [true, false]) {
      test(`runs the whole flow ${pkce ? 'with' : 'without'} PKCE`, async () => {
        const serving = service()
        const client = await newClient(serving)
        const start: Start<Performing> = pkce ? startDossier : startHere
        const running = perform(start, serving, client, ...(pkce ? [] : ['--no-pkce']))
        const address = await addressIn(running)
        assert.equal(new URLSearchParams(address).has('code_challenge'), pkce)
        const landed = await follow(await decide(serving, address, 'allow'))
        assert.equal(landed.status, 200)
        assert.match(landed.text, /close this window/)
        const { code, stdout, stderr } = await running.finished
        assert.deepEqual([code, stderr], [0, ''], stdout)
        for (const line of [
          /^Redeem the code for a token: 200/m,
          /^Request the prefill: 200/m,
          /^ {2}candidate: Mary Nguyen <mary@example\.com>$/m,
          /^Fetch the resume: 200/m,
          /^ {2}resume: Mary Nguyen - Resume\.pdf, \d+ bytes, a PDF document$/m,
          /^Report completion: 204/m,
          /^Done: /m,
        ]) {
          assert.match(stdout, line)
        }
      })
    }
  })
}

describe('dossier perform authorization-code', () => {
  const service = serveDemo('sqlite')

  test('--verbose shows every request and response, and no secret', async () => {
    const serving = service()
    const client = await newClient(serving)
    const running = perform(startHere, serving, client, '--verbose')
    await follow(await decide(serving, await addressIn(running), 'allow'))
    const { code, stdout } = await running.finished
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^ {2}POST http:\/\/localhost:\d+\/v2\/applications\/prefilled$/m)
    assert.match(stdout, /^ {2}authorization: Basic <base64\(client_id:client_secret\)>$/m)
    assert.match(stdout, /^ {2}authorization: Bearer dat_.{4}…$/m)
    assert.doesNotMatch(stdout, /(dac|dat|dcs)_[\w-]{5}/)
    const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
    assert.ok(!stdout.includes(basic))
  })

  test('a refusal of the candidate ends it, and says that nothing was shared', async () => {
    const serving = service()
    const running = perform(startHere, serving, await newClient(serving))
    await follow(await decide(serving, await addressIn(running), 'decline'))
    const { code, stderr } = await running.finished
    assert.deepEqual([code, stderr], [1, 'dossier: The candidate declined; nothing was shared.\n'])
  })

  test('a response with another state is ignored, and the right one still works', async () => {
    const serving = service()
    const client = await newClient(serving)
    const running = perform(startHere, serving, client)
    const address = await addressIn(running)
    const callback = `http://127.0.0.1:${client.port}/callback`
    const state = new URLSearchParams(address).get('state') ?? ''
    for (const query of [
      '',
      '?code=x',
      '?code=x&state=',
      `?code=x&state=${state}x`,
      `?state=${state}&state=${state}`,
    ]) {
      assert.equal((await follow(`${callback}${query}`)).status, 400, query)
    }
    assert.equal((await follow(`${callback}/else?state=${state}`)).status, 404)
    assert.equal((await follow(await decide(serving, address, 'allow'))).status, 200)
    assert.equal((await running.finished).code, 0)
  })

  test('a response from another server is not redeemed', async () => {
    const serving = service()
    const client = await newClient(serving)
    const running = perform(startHere, serving, client)
    const address = await addressIn(running)
    const state = new URLSearchParams(address).get('state') ?? ''
    const query = new URLSearchParams({ code: 'x', state, iss: 'https://evil.example' })
    await follow(`http://127.0.0.1:${client.port}/callback?${query}`)
    const { code, stdout, stderr } = await running.finished
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^dossier: The response names the issuer https:\/\/evil\.example instead of http:\/\/localhost:\d+\.\n$/,
    )
    assert.doesNotMatch(stdout, /Redeem/)
  })

  test("a wrong secret is reported with the service's response", async () => {
    const serving = service()
    const running = perform(startHere, serving, { ...(await newClient(serving)), secret: 'wrong' })
    await follow(await decide(serving, await addressIn(running), 'allow'))
    const { code, stderr } = await running.finished
    assert.equal(code, 1)
    assert.match(stderr, /^dossier: Redeem the code for a token: the service answered 401, invalid_client/)
  })

  const nowhere = { id: 'careers', secret: 'x' }

  test('Ctrl-C ends it at once and frees the port', async () => {
    const port = await freePort()
    const running = perform(startDossier, { port: 1 }, { ...nowhere, port })
    await addressIn(running)
    running.child.kill('SIGINT')
    const { code, signal, stderr } = await running.finished
    assert.deepEqual([code, signal, stderr], [1, null, 'dossier: Stopped by SIGINT.\n'])
    assert.equal(await isRefused(port), true)
  })

  test('it does not wait forever', async () => {
    const port = await freePort()
    const { code, stderr } = await perform(startHere, { port: 1 }, { ...nowhere, port }, '--timeout', '1')
      .finished
    assert.deepEqual([code, stderr], [1, 'dossier: The browser did not return within 1 s.\n'])
  })

  test('a port in use and a missing secret are reported', async () => {
    const { port, release } = await takePort()
    const taken = await perform(startHere, { port: 1 }, { ...nowhere, port }).finished
    await release()
    assert.equal(taken.code, 1)
    assert.match(
      taken.stderr,
      /^dossier: Cannot listen on http:\/\/127\.0\.0\.1:\d+\/callback \(.*EADDRINUSE.*\)\.\n$/,
    )
    const { code, stderr } = await runHere(['perform', 'authorization-code', '--client-id', 'careers'])
    assert.deepEqual([code, stderr.split(' in ')[0]], [1, 'dossier: Give the secret of careers'])
  })
})
