import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { createPublicServer } from '../../src/assembly/servers.ts'
import { raeId } from '../../src/demo/world/world.ts'
import { readConfig } from '../../src/settings.ts'
import { open } from '../harness/database.ts'
import { type Form, formBody, formsOf, formTo, textOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { joinAgent } from '../harness/memberships.ts'
import type { Part } from '../harness/multipart.ts'
import { authorizePath, Browser, consentForm, demoPassword, doorOf, mary } from '../harness/oauth.ts'
import { serverOptions } from '../harness/server.ts'
import { onOneEngine, type Service } from '../harness/service.ts'
import { appOf } from '../harness/services.ts'
import { behindTheScenes } from './apply-form.ts'
import { otherForms, ownId, type SampleForm, sampleForms } from './held-form-samples.ts'

/** Admin of Harbour, and a candidate like every person. */
const rae = 'rae@example.com'
const strangeId = '0198a000-0000-7000-8000-00000000dead'

onOneEngine(
  'forms that cannot be taken as they were sent',
  { env: { WORK: 'elsewhere' } },
  (service, scenario) => {
    const browser = () => new Browser(doorOf(service()))
    let routes: RouteOptions[]
    const signedIn = scenario.signedIn(rae)
    const other = scenario.signedIn(rae)
    let candidateId: string

    before(async () => {
      await behindTheScenes(service(), ({ database }) => joinAgent(database, raeId))
      const all = await formRoutesOf(service())
      // The operator’s forms are built like all others, and the people of this test are no operators.
      routes = all.filter(({ url }) => !url.startsWith('/operator'))
      const apply = await signedIn.form('/jobs/32/apply')
      candidateId = new Map(apply.fields).get('candidate') ?? ''
    })

    const samples = () => Object.values(sampleForms)
    const send = (who: Browser, sample: SampleForm, options: Sending = {}) =>
      sendSample(who, sample, { id: candidateId, ...options })

    test('every form of the service is on the list', () => {
      const found = routes.map(({ url }) => url)
      assert.deepEqual(found.toSorted(), [...Object.keys(sampleForms), ...otherForms].toSorted())
    })

    test('without its token, with a made-up one and with that of another session: all typed text, and no password', async () => {
      const state = contentOf(service())
      for (const sample of samples()) {
        // People who are signed in do not need the form to sign in.
        const who = sample.path === '/sign-in' ? browser() : signedIn
        const key = other.session ?? ''
        for (const token of [
          undefined,
          'made up',
          tokenOf(key, [sample.path]),
          tokenOf(key, ['held form', sample.path]),
        ]) {
          const answer = await send(who, sample, { token })
          assert.equal(answer.status, 403, `${sample.path} ${answer.text}`)
          assertHolds(answer, sample)
          const again = formTo(sample.path, answer.text)
          assert.ok(new Map(again.fields).get('form_token'), sample.path)
        }
      }
      assert.deepEqual(contentOf(service()), state)
    })

    test('prepared by another website, or from an unknown page: rejected, without its content on the page', async () => {
      const state = contentOf(service())
      for (const sample of samples()) {
        const who = sample.path === '/sign-in' ? browser() : signedIn
        for (const site of ['cross-site', 'same-site', 'none', undefined]) {
          const answer = await send(who, sample, { site, id: strangeId })
          assert.equal(answer.status, 403, sample.path)
          // Short words may occur on any page.
          for (const value of typedIn(sample).filter(({ length }) => length > 6)) {
            assert.ok(!textOf(answer.text).includes(value), `${sample.path} ${value}`)
          }
        }
      }
      assert.deepEqual(contentOf(service()), state)
    })

    test('after the session has ended: the sign-in keeps all of it, and no password', async () => {
      const gone = browser()
      gone.cookies.set('dossier-session', `dse_${'x'.repeat(43)}`)
      const state = contentOf(service())
      const guarded = routes.filter(
        ({ url, config }) =>
          ['session', 'console', 'agent'].includes(config?.auth ?? '') && url in sampleForms,
      )
      assert.ok(guarded.length > 5)
      for (const { url } of guarded) {
        const sample = sampleForms[url] as SampleForm
        const answer = await send(gone, sample)
        assert.equal(answer.status, 401, `${url} ${answer.text}`)
        // A person who sends the form that deletes the account twice has no account to sign in to.
        const isDeletion = url === '/account/data/delete'
        const told = isDeletion ? /just deleted your account/ : /nothing you typed is lost/
        assert.match(answer.text, told, url)
        const held = JSON.stringify(heldIn(answer))
        for (const value of typedIn(sample))
          assert.ok(held.includes(JSON.stringify(value)), `${url} ${value}`)
        for (const secret of Object.values(sample.secrets ?? {})) assert.ok(!held.includes(secret), url)
        // From another website it is the usual redirect.
        const foreign = await send(gone, sample, { site: 'cross-site' })
        assert.deepEqual([foreign.status, foreign.text], [303, ''])
      }
      assert.deepEqual(contentOf(service()), state)
    })

    test('can be sent again after signing in, even after a wrong password', async () => {
      const visitor = browser()
      const sample = sampleForms['/account/profile/about'] as SampleForm
      const asked = await send(visitor, sample)
      const wrong = await visitor.submitSignIn(asked, rae, 'not the password')
      assert.equal(wrong.status, 401)
      const offered = await visitor.submitSignIn(wrong, rae)
      assert.equal(offered.status, 200, offered.text)
      assert.ok(offered.text.includes(rae))
      // The header names them, too.
      assert.match(offered.text, /Sign out /)
      assertHolds(offered, sample)
      // Reloading gives the same result.
      const reloaded = await visitor.submitSignIn(wrong, rae)
      assertHolds(reloaded, sample)
      const sent = await visitor.submit(formTo(sample.path, reloaded.text))
      assert.equal(sent.headers.get('location'), '/account?done=about', sent.text)
      const saved = new Map((await visitor.form(sample.path)).fields)
      assert.equal(saved.get('lastName'), sample.fields['lastName'])
    })

    test('of an upload everything but the file is there, and the form asks for the file', async () => {
      const visitor = browser()
      const sample = sampleForms['/jobs/:jobAdId/apply'] as SampleForm
      const [, page = ''] = (await signedIn.get(sample.path)).text.split(`action="${sample.path}"`)
      const hidden = [
        ...page
          .split('</form>', 1)
          .join()
          .matchAll(/<input type="hidden" name="(\w+)"/g),
      ].map(([, name]) => String(name))
      const own = Object.fromEntries(
        hidden.filter(name => name !== 'form_token').map(name => [name, 'not typed']),
      )
      assert.ok(hidden.includes('keep_until') && hidden.includes('ad'), String(hidden))
      const asked = await send(visitor, { ...sample, fields: { ...own, ...sample.fields } })
      const offered = await visitor.submitSignIn(asked, rae)
      assertHolds(offered, sample)
      assert.doesNotMatch(offered.text, /<bdi>not typed/)
      assert.match(offered.text, /enctype="multipart\/form-data"/)
      assert.match(offered.text, /We can’t keep files/)
      const form = formTo(sample.path, offered.text)
      const again = await sendUpload(visitor, form)
      assert.equal(again.status, 403, again.text)
      assertHolds(again, sample)
    })

    test('a rejected token is replaced for the same form, and for no other', async () => {
      const sample = sampleForms['/account/profile/about'] as SampleForm
      const form = formTo(sample.path, (await send(signedIn, sample)).text)
      const elsewhere = await signedIn.submit({ ...form, action: '/account/resumes/delete' })
      assert.equal(elsewhere.status, 403)
      const sent = await signedIn.submit(form)
      assert.equal(sent.headers.get('location'), '/account?done=about', sent.text)
    })

    test('a forged form does nothing, however often it is sent again', async () => {
      for (const path of ['/account/security', '/console/10000001/people']) {
        const offered = await send(signedIn, { path, fields: { action: 'constructor' } })
        assert.equal((await signedIn.submit(formTo(path, offered.text))).status, 400, path)
      }
    })

    test('the sign-in accepts a held form only from us and for this browser', async () => {
      const sample = sampleForms['/account/profile/about'] as SampleForm
      const victim = browser()
      const prepared = await send(browser(), sample)
      const foreign = new Map(formTo('/sign-in', prepared.text).fields).get('held') ?? ''
      const own = new Map(formTo('/sign-in', (await send(victim, sample)).text).fields).get('held') ?? ''
      const changed = `${own.split('.')[0]}.${Buffer.from('{"action":"https://evil.example"}').toString('base64url')}`
      for (const held of [foreign, changed, '.', 'x', '']) {
        const page = await victim.form('/sign-in')
        const fields = { email: rae, password: demoPassword, held }
        const answer = await victim.submit({ ...page, fields: [...page.fields, ['held', held]] }, { fields })
        assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/account'], held)
        victim.cookies.delete('dossier-session')
      }
    })

    test('fields too long to keep are reported, with a way to keep them', async () => {
      const long = { path: '/account/profile/skills', fields: { skills: 'x'.repeat(300_000) } }
      const answer = await send(browser(), long)
      assert.equal(answer.status, 401)
      assert.match(answer.text, /too long for us to keep/)
      assert.ok(answer.text.length < 20_000)
    })

    test('a form with very many fields gets no page, for any sender', async () => {
      const many = (count: number, field = 'a=1') => Array(count).fill(field).join('&')
      const sendText = (who: Browser, path: string, body: string) =>
        who.send('POST', path, {
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...fromOwnPage },
          body,
        })
      const preview = '/console/10000001/screens/501/preview'
      for (const [who, path, count, status, text] of [
        [browser(), '/forgotten', 16_000, 413, /too many fields: send 1000 at most/],
        [signedIn, '/account/profile/skills', 16_000, 413, /too many fields/],
        [signedIn, preview, 1_000_000, 413, /This questionnaire is too long/],
        [signedIn, preview, 60_000, 403, /reload the page and send it from there/],
        [signedIn, '/console/10000001/screens/new', 500_000, 413, /This questionnaire is too long/],
        [browser(), '/console/10000001/screens/new', 60_000, 401, /too long for us to keep/],
      ] as const) {
        const answer = await sendText(who, path, many(count))
        assert.equal(answer.status, status, `${path} ${answer.text.slice(0, 500)}`)
        assert.match(answer.text, text)
        assert.ok(answer.text.length < 20_000, path)
      }
      // The same holds for a few very long fields.
      const long = await sendText(signedIn, preview, `a=${'x'.repeat(300_000)}`)
      assert.deepEqual([long.status, long.text.length < 20_000], [403, true])
    })

    test('a form sent twice at once takes effect once', async () => {
      const list = () => signedIn.get('/account/resumes')
      const form = formTo('/account/resumes/upload', (await list()).text)
      const parts = [
        ...form.fields.map(([name, content]) => ({ name, content })),
        { name: 'file', fileName: 'pressed-twice.txt', content: 'x'.repeat(200_000) },
      ]
      const answers = await Promise.all([1, 2, 3].map(() => sendParts(signedIn, form.action, parts)))
      for (const { status, text } of answers) assert.equal(status, 303, text)
      const later = await sendParts(signedIn, form.action, parts)
      assert.equal(later.headers.get('location'), '/account/resumes?done=uploaded')
      const count = async () => [...(await list()).text.matchAll(/<bdi>pressed-twice\.txt<\/bdi>/g)].length
      assert.equal(await count(), 1)
      // Reopened with the back button, and sent with another file of the same name.
      const others = [
        ...parts.slice(0, -1),
        { name: 'file', fileName: 'pressed-twice.txt', content: 'other' },
      ]
      assert.equal((await sendParts(signedIn, form.action, others)).status, 303)
      assert.equal(await count(), 2)
      // With a mistake, no notice says that it worked.
      const wrong = [
        ...parts.slice(0, -1),
        { name: 'file', fileName: 'no-text.txt', content: '\0'.repeat(99) },
      ]
      const refused = await Promise.all([1, 2].map(() => sendParts(signedIn, form.action, wrong)))
      for (const { status, text } of refused) assert.equal(status, 422, text)
    })

    test('a consent on an outdated page is asked for again with the same ticks, and a no stays a no', async () => {
      const visitor = browser()
      await visitor.signIn(mary)
      const form = consentForm(await visitor.authorize({ prompt: 'consent' }))
      const stale = (decision: string) =>
        sendFields(visitor, form.action, [
          ...form.fields.map(([name, value]): [string, string] => [
            name,
            name === 'form_token' ? 'x' : value,
          ]),
          ['release', 'salary'],
          ['decision', decision],
        ])
      const asked = await stale('allow')
      assert.equal(asked.status, 403)
      assert.match(asked.text, /Nothing was shared/)
      const ticked = consentForm(asked).boxes.filter(({ isTicked }) => isTicked)
      assert.deepEqual(
        ticked.map(({ value }) => value),
        ['salary'],
      )
      const allowed = await visitor.submit(consentForm(asked), {
        ticked: consentForm(asked).boxes.map(({ value }) => value),
        button: ['decision', 'allow'],
      })
      assert.match(allowed.headers.get('location') ?? '', /[?&]code=/)
      // Remembered by now: pressing Decline must not become that yes.
      assert.match((await visitor.get(authorizePath())).headers.get('location') ?? '', /[?&]code=/)
      assert.match((await stale('decline')).headers.get('location') ?? '', /error=access_denied/)
    })
  },
)

interface Sending {
  token?: string | undefined
  /** The headers in which the browser names the page of the form. */
  site?: string | undefined
  id?: string
}

const siteHeaders = (site: string | undefined): Record<string, string> =>
  site === undefined ? {} : { 'sec-fetch-site': site }

function sendSample(who: Browser, sample: SampleForm, sending: Sending): Promise<Answer> {
  const { token, id = '' } = sending
  const headers = 'site' in sending ? siteHeaders(sending.site) : fromOwnPage
  const fields = Object.entries({ ...sample.fields, ...sample.secrets }).map(
    ([name, value]): [string, string] => [name, value === ownId ? id : value],
  )
  if (token !== undefined) fields.unshift(['form_token', token])
  if (sample.files === undefined) return sendFields(who, sample.path, fields, headers)
  const parts = fields.map(([name, content]) => ({ name, content }))
  const files = sample.files.map((name, index) =>
    index === 0
      ? { name, fileName: 'typed.txt', content: 'x'.repeat(100_000) }
      : { name, fileName: '', content: '' },
  )
  return sendParts(who, sample.path, [...parts, ...files], headers)
}

/** As a page of ours sends it, unless the browser says otherwise or nothing about that. */
const fromOwnPage = { 'sec-fetch-site': 'same-origin' }

function sendFields(
  who: Browser,
  path: string,
  fields: readonly [string, string][],
  headers: Record<string, string> = fromOwnPage,
): Promise<Answer> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return who.send('POST', path, { headers: { ...type, ...headers }, body: formBody(fields) })
}

function sendParts(
  who: Browser,
  path: string,
  parts: readonly Part[],
  headers: Record<string, string> = fromOwnPage,
): Promise<Answer> {
  return who.upload(path, parts, headers)
}

/** As a browser does when no file was chosen. */
const sendUpload = (who: Browser, form: Form) =>
  sendParts(
    who,
    form.action,
    form.fields.map(([name, content]) => ({ name, content })),
  )

/**
 * The values that a person would miss: hidden fields are kept as well, except those that the page can restore itself.
 */
function typedIn({ fields }: SampleForm): string[] {
  return Object.values(fields).filter(value => value !== ownId && !value.startsWith('/'))
}

/** Every value is in the form that sends it again, or in the form that it came from; no secret is anywhere. */
function assertHolds(answer: Answer, { path, fields, secrets = {} }: SampleForm): void {
  const values = formsOf(answer.text)
    .filter(({ action }) => action === path)
    .flatMap(form => [...form.fields.map(([, value]) => value), ...form.buttons.map(({ value }) => value)])
  for (const value of typedIn({ path, fields })) {
    const wanted = value.replaceAll('\r\n', '\n')
    assert.ok(values.includes(wanted), `${path} has lost ${value}:\n${answer.text}`)
  }
  for (const secret of Object.values(secrets)) assert.ok(!textOf(answer.text).includes(secret), path)
}

const tokenOf = (key: string, parts: readonly string[]) =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')

function heldIn(answer: Answer): unknown {
  const held = new Map(formTo('/sign-in', answer.text).fields).get('held') ?? ''
  return JSON.parse(Buffer.from(held.split('.')[1] ?? '', 'base64url').toString())
}

async function formRoutesOf({ settings = {} }: Service): Promise<RouteOptions[]> {
  const services = await open(settings)
  const routes: RouteOptions[] = []
  const { app } = await createPublicServer(readConfig(settings), appOf(services), {
    ...serverOptions(),
    isDemo: true,
    async beforeRoutes(instance) {
      instance.addHook('onRoute', route => {
        if (['form', 'upload'].includes(route.config?.body ?? '')) routes.push(route)
      })
    },
  })
  await app.close()
  await services.close()
  return routes
}

/** Every row of every table, except sessions and heartbeats. */
function contentOf({ settings = {} }: Service): Record<string, unknown[]> {
  const database = new DatabaseSync(join(settings['DATA_DIR'] ?? '', 'dossier.db'), { readOnly: true })
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all()
    const names = tables
      .map(({ name }) => String(name))
      .filter(name => !['sessions', 'rate_counts', 'nodes'].includes(name))
    return Object.fromEntries(names.map(name => [name, database.prepare(`select * from "${name}"`).all()]))
  } finally {
    database.close()
  }
}
