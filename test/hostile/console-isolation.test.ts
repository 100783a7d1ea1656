import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { dryDockId, harbourId, raeId, rexId, southernId, tomId } from '../../src/demo/world/world.ts'
import type { Role } from '../../src/model/principal.ts'
import { sampleForms } from '../contract/held-form-samples.ts'
import { plainDraft } from '../harness/applications.ts'
import type { Answer } from '../harness/http.ts'
import { joinCompany } from '../harness/memberships.ts'
import { Browser, mary, tom } from '../harness/oauth.ts'
import { everyRow } from '../harness/person.ts'
import { createTestServer } from '../harness/server.ts'
import { putFile } from '../harness/tenant.ts'
import { inDemoWorld } from '../oauth/world.ts'

interface ConsoleRoute {
  method: string
  url: string
  role: Role | undefined
}

/** The sender has the page open that shows another person's change, so it says more than "not found". */
const tellsOfAChange = ['POST /console/:advertiserId/people/:personId/remove']

const nameOf = ({ method, url }: ConsoleRoute) => `${method} ${url}`
const hasObject = ({ url }: ConsoleRoute) => /:(?!advertiserId)/.test(url)

inDemoWorld(
  'pages of an advertiser, requested by people without access',
  { on: ['sqlite'] },
  (world, { signedIn }) => {
    let routes: ConsoleRoute[]
    /** Harbour's objects, by the name of the parameter. */
    let objects: Record<string, string>

    before(async () => {
      const { services } = world()
      const { app, routes: all } = await createTestServer(services, world().settings)
      await app.close()
      routes = all
        .filter(({ url, method }) => url.startsWith('/console/') && method !== 'HEAD')
        .map(({ method, url, config }: RouteOptions) => ({
          // Routes that answer HEAD too are requested with GET.
          method: [method].flat()[0] as string,
          url,
          role: config?.role,
        }))
      const { writer } = services.database
      const created_at = world().clock()
      // An admin of another advertiser, and of one that is on hold.
      for (const advertiserId of [southernId, dryDockId]) await joinCompany({ writer }, tomId, advertiserId)
      await writer
        .insertInto('invitations')
        .values({
          hash: 'invitation-hash',
          id: 'invitation-of-harbour',
          advertiser_id: harbourId,
          email: 'new@example.org',
          role: 'admin',
          created_at,
          expires_at: created_at + 86_400_000,
        })
        .execute()
      const text = await putFile(services, 'resume', Buffer.from('Mary'))
      const { id } = await services.submissions.add(harbourId, plainDraft({ files: [text] }))
      const [credential] = await services.credentials.list(harbourId)
      const fields = { types: ['application.created'], description: '', scheme: 'v1' as const }
      const { endpoint } = await services.webhooks.add(
        { advertiserId: harbourId },
        { url: 'https://receiver.example/hook', ...fields },
      )
      objects = {
        applicationId: String(id),
        type: 'resume',
        credentialId: credential?.id ?? '',
        agentId: '20000001',
        endpointId: endpoint.id,
        personId: rexId,
        jobAdId: '31',
        screenId: '501',
      }
    })
    const admin = signedIn('rae@example.com')
    const recruiter = signedIn('rex@example.com')
    const stranger = signedIn(tom)
    const candidate = signedIn(mary)

    /** The objects are always Harbour's, whichever advertiser the path names. */
    function pathOf({ url }: ConsoleRoute, advertiserId: number): string {
      return url.replaceAll(/:(\w+)/g, (_, name) => {
        const value = name === 'advertiserId' ? String(advertiserId) : objects[name]
        return value ?? assert.fail(`${url}: what stands for :${name} is not known here`)
      })
    }

    /** With a token that is valid for this address in this session. */
    function post(
      who: Browser,
      path: string,
      fields: Record<string, string>,
      isUpload = false,
    ): Promise<Answer> {
      const token = createHmac('sha256', who.session ?? '')
        .update(JSON.stringify(['held form', path]))
        .digest('base64url')
      const entries = Object.entries({ ...fields, form_token: token })
      if (!isUpload) return who.post(path, entries)
      const parts = entries.map(([name, content]) => ({ name, content }))
      return who.upload(path, parts)
    }

    function ask(who: Browser, route: ConsoleRoute, advertiserId: number): Promise<Answer> {
      const path = pathOf(route, advertiserId)
      if (route.method !== 'POST') return who.get(path)
      const sample = sampleForms[route.url] ?? assert.fail(`${route.url} is not in held-form-samples.ts`)
      return post(who, path, sample.fields, sample.files !== undefined)
    }

    /** The page must contain nothing of Harbour's, and no row may have changed. */
    async function refused(
      who: Browser,
      of: readonly ConsoleRoute[],
      advertiserId: number,
      expected: (route: ConsoleRoute) => number,
    ): Promise<void> {
      // Pages before may still keep what they have counted.
      await world().services.background.whenIdle()
      await world().services.reads.flush()
      const rows = await everyRow(world().services)
      // The header names the person who is signed in, and no one else.
      const ofHarbour = who === recruiter ? /Harbour|Head [Bb]arista/ : /Harbour|Rex|Head [Bb]arista/
      assert.ok(of.length > 0)
      for (const route of of) {
        const answer = await ask(who, route, advertiserId)
        assert.equal(answer.status, expected(route), `${nameOf(route)}: ${answer.text}`)
        assert.doesNotMatch(answer.text, ofHarbour, nameOf(route))
      }
      assert.deepEqual(await everyRow(world().services), rows)
    }

    test('the right people see them: the refusals below have no other reason', async () => {
      const pages = routes.filter(({ method }) => method === 'GET')
      assert.ok(pages.length >= 15)
      for (const route of pages) {
        const { status, text } = await ask(admin, route, harbourId)
        assert.equal(status, 200, `${nameOf(route)}: ${text}`)
      }
    })

    test('an admin of another advertiser: there is no such page', () =>
      refused(stranger, routes, harbourId, () => 404))

    test('a candidate without a company: there is no such page', () =>
      refused(candidate, routes, harbourId, () => 404))

    test('a visitor who is not signed in: asked to sign in', async () => {
      const nobody = new Browser(world().door)
      await refused(nobody, routes, harbourId, () => 303)
      const { headers } = await nobody.get(`/console/${harbourId}/people`)
      assert.match(headers.get('location') ?? '', /^\/sign-in\?/)
    })

    test('an advertiser that does not exist, or has an odd ID', async () => {
      const [route] = routes as [ConsoleRoute]
      for (const id of [
        '99999999',
        '0',
        '-1',
        '1e7',
        '010000001',
        '10000001%20',
        '10000001.0',
        'null',
        '%00',
      ]) {
        const path = route.url.replace(':advertiserId', id)
        assert.equal((await stranger.get(path)).status, 404, path)
        assert.equal((await admin.get(path)).status, 404, path)
      }
    })

    test('Harbour’s objects under the ID of the stranger’s own advertiser: not found', () =>
      refused(stranger, routes.filter(hasObject), southernId, route =>
        tellsOfAChange.includes(nameOf(route)) ? 409 : 404,
      ))

    test('Harbour’s objects named in a stranger’s own form or search are not found either', async () => {
      const rows = await everyRow(world().services)
      const own = `/console/${southernId}`
      const ad = { title: 'Driver', location: 'Perth', description: 'Drives.', form_key: crypto.randomUUID() }
      for (const [path, fields, status] of [
        ['people', { action: 'take-back', invitation: 'invitation-of-harbour' }, 409],
        ['people', { action: 'role', person: rexId, role: 'admin' }, 409],
        ['jobs/new', { ...ad, screen: '501', screenId: '501', do: 'save' }, 422],
      ] as const) {
        const answer = await post(stranger, `${own}/${path}`, fields)
        assert.equal(answer.status, status, answer.text)
        assert.doesNotMatch(answer.text, /Harbour|Rex|new@example\.org/)
      }
      assert.deepEqual(await everyRow(world().services), rows)
      for (const path of [`${own}/applications?ad=31`, `${own}/applications.csv?ad=31`]) {
        const { status, text } = await stranger.get(path)
        assert.equal(status, 200, text)
        assert.doesNotMatch(text, /Mary|Head [Bb]arista/)
      }
    })

    test('an advertiser on hold: its own admin reads so, on every page', async () => {
      const rows = await everyRow(world().services)
      for (const route of routes) {
        const answer = await ask(stranger, route, dryDockId)
        assert.equal(answer.status, 403, nameOf(route))
        assert.match(answer.text, /on hold/, nameOf(route))
      }
      assert.deepEqual(await everyRow(world().services), rows)
    })

    test('a recruiter: pages for admins are refused, above all credentials and people', async () => {
      const forAdmins = routes.filter(({ role }) => role === 'admin')
      assert.ok(forAdmins.some(({ url }) => url.endsWith('/new-credential')))
      const rows = await everyRow(world().services)
      for (const route of forAdmins) {
        const answer = await ask(recruiter, route, harbourId)
        assert.equal(answer.status, 403, `${nameOf(route)}: ${answer.text}`)
        // Not because of the token.
        assert.match(answer.text, /admin/i, nameOf(route))
      }
      assert.deepEqual(await everyRow(world().services), rows)
    })

    test('a recruiter sees the pages for recruiters; a former member sees none', async () => {
      const forRecruiters = routes.filter(({ role }) => role === 'recruiter')
      assert.equal(forRecruiters.length + routes.filter(({ role }) => role === 'admin').length, routes.length)
      const isLast = ({ method, url }: ConsoleRoute) => method === 'POST' && url.endsWith('/leave')
      for (const route of forRecruiters.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
        const { status, text } = await ask(recruiter, route, harbourId)
        // A status may have changed since the page of the sample was shown.
        assert.ok([200, 303, 409].includes(status), `${nameOf(route)}: ${status} ${text}`)
      }
      // The last form was to leave. The session stays, and opens nothing.
      assert.equal((await recruiter.get('/account')).status, 200)
      await refused(recruiter, routes, harbourId, () => 404)
    })

    test('an admin may send every form: none was refused above because of its fields', async () => {
      const forms = routes.filter(({ method, url }) => method === 'POST' && !url.endsWith('/leave'))
      for (const route of forms) {
        const { status, text } = await ask(admin, route, harbourId)
        // Some samples name something deleted by now, or have an invalid field, which the page reports.
        assert.ok([200, 303, 409, 422].includes(status), `${nameOf(route)}: ${status} ${text}`)
      }
      assert.equal((await world().services.members.find(harbourId, raeId))?.role, 'admin')
    })
  },
)
