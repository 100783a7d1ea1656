import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { run } from '../../src/assembly/commands/program.ts'
import { harbourId, noraId } from '../../src/demo/world/world.ts'
import { auditActions } from '../../src/model/audit-acts.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, demoClient, doorInto, mary, tom } from '../harness/oauth.ts'
import { addPerson, everyRow, type Person, personRedirectUri, personSecretHash } from '../harness/person.ts'
import { createTestServer } from '../harness/server.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { storesOver } from '../store/stores.ts'

interface OperatorRoute {
  method: string
  url: string
  act: { command: string; audit: string } | undefined
  role: string | undefined
}

/** Values for every parameter of a path. */
const objects: Record<string, string> = {
  advertiserId: String(harbourId),
  clientId: demoClient.id,
  jobAdId: '31',
  task: 'expiry',
}

const pathOf = ({ url }: OperatorRoute) =>
  url.replaceAll(/:(\w+)/g, (_, name) => objects[name] ?? assert.fail(`${url}: :${name} is unknown`))
const nameOf = ({ method, url }: OperatorRoute) => `${method} ${url}`

inDemoWorld('pages of the operator', world => {
  let routes: OperatorRoute[]
  let operator: Browser
  let viewer: Browser

  /** With a token that is valid for this address in this session. */
  function post(who: Browser, path: string, fields: Record<string, string> = {}): Promise<Answer> {
    const token = createHmac('sha256', who.session ?? '')
      .update(JSON.stringify(['held form', path]))
      .digest('base64url')
    return who.post(path, Object.entries({ ...fields, form_token: token }))
  }
  const ask = (who: Browser, route: OperatorRoute) =>
    route.method === 'POST' ? post(who, pathOf(route)) : who.get(pathOf(route))
  const pages = () => routes.filter(({ method }) => method === 'GET')

  async function joined(email: string, role: 'operator' | 'viewer'): Promise<Browser> {
    const { operators } = world().services
    const invited = await operators.invite(email, role, '')
    const link = invited.outcome === 'link' ? invited.url : ''
    const browser = new Browser(world().door)
    const page = await browser.get(link)
    assert.match(page.text, /Create account and accept/)
    const [, token = ''] = link.split('#')
    const password = 'a few words that fit'
    const fields = { token, firstName: 'Olga', lastName: 'Orr', password }
    const formToken = createHmac('sha256', browser.cookies.get('dossier-form') ?? '')
      .update(JSON.stringify(['/operator/join']))
      .digest('base64url')
    const answer = await browser.post('/operator/join', Object.entries({ ...fields, form_token: formToken }))
    assert.equal(answer.status, 303, answer.text)
    assert.equal(answer.headers.get('location'), '/operator')
    return browser
  }

  /** As if every session had been opened with a code of an authenticator app. */
  const useSecondFactor = () =>
    world().services.database.writer.updateTable('sessions').set({ factors: 'link totp' }).execute()

  before(async () => {
    const { app, routes: all } = await createTestServer(world().services, world().settings)
    await app.close()
    routes = all
      .filter(({ url, method }) => /^\/operator(\/|$)/.test(url) && method !== 'HEAD')
      .filter(({ url }) => !url.startsWith('/operator/join'))
      .map(({ method, url, config }: RouteOptions) => ({
        method: [method].flat()[0] as string,
        url,
        act: config?.act,
        role: config?.operatorRole,
      }))
    const { clientChanges } = world().services
    const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8z"/></svg>'
    await clientChanges.ask(demoClient.id, { kind: 'logo', bytes: Buffer.from(logo) }, noraId)
    objects['changeId'] = (await clientChanges.list())[0]?.id ?? ''
    operator = await joined('olga@operator.example', 'operator')
    viewer = await joined('vic@operator.example', 'viewer')
    await useSecondFactor()
  })

  test('an operator and a viewer see every page', async () => {
    assert.ok(pages().length > 5)
    for (const route of pages()) {
      for (const who of [operator, viewer]) {
        const { status, text } = await ask(who, route)
        assert.equal(status, 200, `${nameOf(route)}: ${text}`)
      }
    }
  })

  test('without a second factor there is no way in', async () => {
    const fresh = await joined('fay@operator.example', 'operator')
    for (const route of routes) {
      const { status, headers } = await ask(fresh, route)
      assert.equal(status, 303, nameOf(route))
      assert.match(headers.get('location') ?? '', /^\/account\/security\/two-step/, nameOf(route))
    }
  })

  test('a viewer changes nothing and sees no form', async () => {
    const rows = await everyRow(world().services)
    for (const route of routes.filter(({ method }) => method === 'POST'))
      assert.equal((await ask(viewer, route)).status, 403, nameOf(route))
    assert.deepEqual(await everyRow(world().services), rows)
    for (const route of pages()) {
      const main = (await ask(viewer, route)).text.split('<main')[1]?.split('</main>')[0] ?? ''
      assert.doesNotMatch(main, /method="post"/, nameOf(route))
    }
  })

  test('for everyone else there is no such page; a visitor is asked to sign in', async () => {
    const others = [mary, tom, 'rae@example.com'].map(email => ({ email, who: new Browser(world().door) }))
    for (const { email, who } of others) await who.signIn(email)
    const rows = await everyRow(world().services)
    for (const { who } of others) {
      for (const route of routes) assert.equal((await ask(who, route)).status, 404, nameOf(route))
    }
    const visitor = new Browser(world().door)
    for (const route of routes) {
      const { status, headers } = await ask(visitor, route)
      assert.equal(status, 303, nameOf(route))
      assert.match(headers.get('location') ?? '', /^\/sign-in\?/)
    }
    assert.deepEqual(await everyRow(world().services), rows)
  })

  test('OPERATOR_NETWORKS: from elsewhere nothing is there, not even for an operator', async () => {
    const settings = { ...world().settings, OPERATOR_NETWORKS: '192.0.2.0/24', TRUSTED_PROXIES: '127.0.0.1' }
    const { open } = await import('../harness/database.ts')
    const services = await open(settings, world().clock)
    const { app } = await createTestServer(services, settings)
    const door = doorInto(app)
    const outside = new Browser(door)
    for (const [name, value] of operator.cookies) outside.cookies.set(name, value)
    for (const route of [
      ...pages(),
      { method: 'GET', url: '/operator/join', act: undefined, role: undefined },
    ]) {
      assert.equal((await outside.get(pathOf(route))).status, 404, nameOf(route))
      const inside = await outside.get(pathOf(route), { 'x-forwarded-for': '192.0.2.7' })
      assert.equal(inside.status, 200, nameOf(route))
    }
    await app.close()
    await services.close()
  })

  test('every form names the command that does the same, and its entry in the audit log', async () => {
    for (const { method, act, role, url } of routes) {
      assert.equal(role, method === 'POST' ? 'operator' : 'viewer', url)
      assert.equal(act !== undefined, method === 'POST', url)
      if (act === undefined) continue
      let help = ''
      const context = {
        environment: {},
        user: 'root',
        isTerminal: false,
        complain: () => {},
        onRestartRequested: () => {},
        print: (text: string) => {
          help += text
        },
        untilStopRequested: () => new Promise<string>(() => {}),
        openWorkers: () => assert.fail(),
      }
      await run([...act.command.split(' '), '--help'], context)
      assert.match(help, new RegExp(`^Usage: dossier ${act.command}( |$)`, 'm'), url)
      assert.ok(act.audit in auditActions, `${url}: ${act.audit}`)
    }
  })

  test('no page contains a word of a candidate', async () => {
    const { services } = world()
    const { database } = services
    const stores = storesOver(database)
    const client = {
      id: 'marked',
      name: 'Client',
      agentId: null,
      scopes: ['r_profile_apply'],
      requirePkce: false,
      redirectUris: [personRedirectUri],
    }
    await stores.clients.add(client, personSecretHash, world().clock())
    const person: Person = await addPerson(services, stores, {
      name: 'Zmarked',
      advertiserId: harbourId,
      clientId: 'marked',
    })
    const words = `550 5.1.1 <${person.email}>: user unknown`
    await database.writer
      .updateTable('candidates')
      .set({ mail_refused_at: world().clock(), mail_refusal: words })
      .where('id', '=', person.candidateId)
      .execute()
    const at = world().clock()
    await database.writer
      .insertInto('deliveries')
      .values({
        id: 'dead-mail',
        kind: 'receipt',
        content: '{}',
        state: 'dead',
        due_at: at,
        give_up_at: at,
        created_at: at,
        ended_at: at,
        fault: words,
      })
      .execute()
    for (const route of pages()) {
      const { text } = await ask(operator, route)
      for (const mark of person.marks.filter(mark => mark.trim() !== 'Zmarked-')) {
        // The account's ID begins with the name.
        const shown = text.replaceAll(person.candidateId, '')
        assert.ok(!shown.includes(mark.trim()), `${nameOf(route)}: ${mark}`)
      }
    }
  })
})
