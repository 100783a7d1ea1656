import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formTo, textOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, localPath, requestToken, tokenOf } from '../harness/oauth.ts'
import { dayMs, inDemoWorld } from '../oauth/world.ts'
import { listPath } from './reading.ts'

const access = '/console/10000001/access'
const southernAccess = '/console/10000002/access'
const northwindId = 20000001

inDemoWorld('API access', { on: ['sqlite'] }, (world, { signedIn }) => {
  const admin = signedIn('rae@example.com')
  const recruiter = signedIn('rex@example.com')
  const nora = signedIn('nora@example.com')

  const list = (credential: string) =>
    world().door.send('GET', `${listPath}?limit=1`, { headers: { authorization: `SWS ${credential}` } })
  const count = async () => (await world().services.credentials.list(10000001)).length

  const credentialForm = async () => await admin.form(`${access}/new-credential`)
  const send = async (fields: Record<string, string>) => admin.submit(await credentialForm(), { fields })
  const shown = (answer: Answer) =>
    textOf(/<input id="secret" value="([^"]*)" readonly/.exec(answer.text)?.[1] ?? '')

  /** The row of the table that has this text, without its markup. */
  async function rowWith(text: string): Promise<string> {
    const { text: markup } = await admin.page(access)
    const rows = [...markup.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => row)
    return rows.find(row => textOf(row).includes(text)) ?? assert.fail(`no row with ${text}`)
  }

  test('a credential is issued, shown once with a working command, and listed by its hint', async () => {
    const answer = await send({ label: ' Payroll <import> & "co" ', expires: '' })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const value = shown(answer)
    assert.match(value, /^sws_\w{8}_[\w-]{43}$/)
    assert.equal((await list(value)).status, 200)
    const line = `curl -H 'Authorization: SWS ${value}' 'http://localhost:8080${listPath}?limit=2'`
    // In a block that wraps, since it is longer than a field.
    const [, command = ''] = /<pre[^>]*><code id="command">(.*?)<\/code>/.exec(answer.text) ?? []
    assert.equal(textOf(command), line)

    const overview = await admin.page(access)
    assert.ok(!overview.text.includes(value))
    const row = await rowWith('Payroll')
    assert.ok(row.includes('Payroll &lt;import&gt; &amp; &quot;co&quot;'), row)
    assert.ok(row.includes(value.slice(0, 12)), row)
    assert.match(row, />Active</)
  })

  test('no agent can be chosen once every agent is authorised', async () => {
    const { text } = await admin.page(`${access}/new-agent`)
    assert.match(text, /Every agent is already authorised/)
    assert.doesNotMatch(text, /name="agent_id"/)
  })

  test('a form sent twice issues one credential, and says that it was shown', async () => {
    const form = await credentialForm()
    const before = await count()
    const fields = { label: 'Doubled', expires: '' }
    const answers = await Promise.all([1, 2, 3].map(() => admin.submit(form, { fields })))
    assert.equal(await count(), before + 1)
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 303, 303])
    const again = answers.find(({ status }) => status === 303) as Answer
    assert.equal(localPath(again), `${access}?done=shown-once`)
    assert.match(
      (await admin.page(localPath(again))).text,
      /role="status"><p>This credential has already been created/,
    )
    // Reopened with the back button, and filled in differently.
    assert.equal((await admin.submit(form, { fields: { ...fields, label: 'Another' } })).status, 200)
    assert.equal(await count(), before + 2)
  })

  test('wrong fields come back with what was typed, and nothing is issued', async () => {
    const before = await count()
    for (const [fields, fault] of [
      [{ label: ' ', expires: '2099-01-01' }, /The label must be one line/],
      [{ label: 'Kept', expires: '2026-02-30' }, /Enter a date such as/],
      [{ label: 'Kept', expires: 'tomorrow' }, /Enter a date such as/],
      [{ label: 'Kept', expires: '2026-11-13' }, /must be in the future/],
      [{ label: 'x'.repeat(201), expires: '' }, /1 to 200 characters/],
    ] as const) {
      const shown = await credentialForm()
      // Pressed twice, it is just as wrong.
      for (const answer of await Promise.all([1, 2].map(() => admin.submit(shown, { fields })))) {
        assert.equal(answer.status, 422, answer.text)
        assert.match(answer.text, fault)
        assert.match(answer.text, /role="alert"/)
        const form = formTo(`${access}/new-credential`, answer.text)
        assert.deepEqual(Object.fromEntries(form.fields.filter(([name]) => name in fields)), fields)
      }
    }
    assert.equal(await count(), before)
  })

  test('a last day includes the whole day in the zone of the company; then it has expired, and says so', async () => {
    const now = world().clock()
    const { advertisers } = world().services
    await advertisers.setTimeZone(10000001, 'Pacific/Auckland')
    assert.match((await admin.page(`${access}/new-credential`)).text, /time zone, Pacific\/Auckland/)
    const value = shown(await send({ label: 'For a day', expires: '2026-11-14' }))
    world().clock.set(Date.parse('2026-11-14T10:59:59.999Z'))
    assert.equal((await list(value)).status, 200)
    world().clock.set(Date.parse('2026-11-14T11:00:00Z'))
    assert.equal((await list(value)).status, 401)
    const row = await rowWith('For a day')
    assert.match(row, /datetime="2026-11-15T00:00:00\.000\+13:00"/)
    assert.match(row, />Expired</)
    assert.doesNotMatch(row, /revoke/)
    const [credential] = (await world().services.credentials.list(10000001)).filter(
      ({ label }) => label === 'For a day',
    )
    assert.match((await admin.page(`${access}/credentials/${credential?.id}/revoke`)).text, /has expired/)
    await advertisers.setTimeZone(10000001, null)
    world().clock.set(now)
  })

  test('a revocation asks for confirmation, and takes effect on the next request', async () => {
    const value = shown(await send({ label: 'To be revoked', expires: '' }))
    const path = /href="([^"]+\/revoke)"/.exec(await rowWith('To be revoked'))?.[1] ?? ''
    const question = await admin.page(path)
    assert.match(question.text, /To be revoked/)
    assert.equal((await list(value)).status, 200)
    const answer = await admin.submit(formTo(path, question.text))
    assert.equal(localPath(answer), `${access}?done=revoked`)
    assert.equal((await list(value)).status, 401)
    assert.match(await rowWith('To be revoked'), />Revoked</)
    assert.match((await admin.page(path)).text, /has already been revoked/)
    // From a page that was left open.
    assert.equal((await admin.submit(formTo(path, question.text))).status, 303)
  })

  test("another advertiser's credential is not found", async () => {
    const [southern] = await world().services.credentials.list(10000002)
    const revoke = (base: string) => `${base}/credentials/${southern?.id}/revoke`
    const form = await admin.form(revoke(southernAccess))
    assert.equal((await admin.get(revoke(access))).status, 404)
    // Rae is an admin of both, and so has a valid token for either: the path decides.
    const own = await admin.form(`${access}/new-credential`)
    for (const token of [form, own].map(({ fields }) => Object.fromEntries(fields)['form_token'] ?? '')) {
      const answer = await admin.post(revoke(access), [['form_token', token]])
      assert.ok(answer.status === 404 || answer.status === 403, String(answer.status))
    }
    assert.equal((await list('sws_demo_southern')).status, 200)
    assert.ok(!(await admin.page(access)).text.includes('Demo credential of Southern'))

    const withdrawal = `${southernAccess}/agents/${northwindId}/withdraw`
    assert.equal((await admin.get(withdrawal)).status, 404)
    for (const path of [access, `${access}/new-credential`, `${access}/agents/${northwindId}/withdraw`]) {
      const stranger = path.replace('10000001', '10000003')
      assert.equal((await admin.get(stranger)).status, 404, stranger)
    }
  })

  test('a recruiter, a candidate and a visitor see none of it', async () => {
    const candidate = await Browser.signedIn(world().door)
    const token = Object.fromEntries((await credentialForm()).fields)['form_token'] ?? ''
    const before = await count()
    for (const path of ['', '/new-credential', '/new-agent', `/agents/${northwindId}/withdraw`]) {
      assert.equal((await recruiter.get(access + path)).status, 403, path)
      assert.equal((await candidate.get(access + path)).status, 404, path)
      assert.equal((await new Browser(world().door).get(access + path)).status, 303, path)
    }
    const fields: [string, string][] = [
      ['form_token', token],
      ['label', 'Forged'],
    ]
    assert.equal((await recruiter.post(`${access}/new-credential`, fields)).status, 403)
    assert.equal((await candidate.post(`${access}/new-credential`, fields)).status, 404)
    const forged = await admin.post(`${access}/new-credential`, [['label', 'Forged']])
    assert.ok(forged.status >= 400, String(forged.status))
    assert.equal(await count(), before)
  })

  test('an agent is authorised by name or ID; withdrawing ends its tokens', async () => {
    const ask = () =>
      requestToken(world().door, {
        grant_type: 'client_credentials',
        scope: 'r_applications',
        advertiser_id: '10000002',
      })
    const path = `${southernAccess}/new-agent`
    const authorise = async (fields: Record<string, string>) =>
      admin.submit(await admin.form(path), { fields })
    assert.match((await admin.page(southernAccess)).text, /No authorised agents/)
    for (const [fields, fault] of [
      [{ agent: '', agent_id: '' }, /Choose an agent or enter its ID/],
      [{ agent: '', agent_id: 'Northwind' }, /No agent has this ID/],
      [{ agent: '', agent_id: '29999999' }, /No agent has this ID/],
      [{ agent: String(northwindId), agent_id: '29999999' }, /Use only one of them/],
    ] as const) {
      const answer = await authorise(fields)
      assert.equal(answer.status, 422, answer.text)
      assert.match(answer.text, fault)
    }
    assert.equal((await ask()).status, 400)
    for (const fields of [
      { agent: String(northwindId), agent_id: '' },
      { agent: '', agent_id: ` ${northwindId} ` },
    ]) {
      const done = await authorise(fields)
      assert.equal(localPath(done), `${southernAccess}?done=authorised`)
      const token = tokenOf(await ask())
      assert.equal((await list(token)).status, 200)

      const reports = `${southernAccess}/agents/${northwindId}/progress`
      for (const [words, isGranted] of [
        ['may only read', true],
        ['Its reports change their status', false],
      ] as const) {
        const shown = await admin.page(reports)
        for (const part of [words, 'your choice under “Telling candidates”'])
          assert.ok(shown.text.includes(part), shown.text)
        assert.equal(localPath(await admin.submit(formTo(reports, shown.text))), reports)
        const [agent] = await world()
          .services.agents.companiesOf(northwindId)
          .then(companies => companies.filter(({ advertiserId }) => advertiserId === 10000002))
        assert.equal(agent?.progressGrantedAt !== null, isGranted)
        const own = textOf((await nora.get(`/agent/${northwindId}`)).text)
        assert.equal(/10000002.*Reads only/s.test(own), !isGranted, own)
      }

      const withdrawal = `${southernAccess}/agents/${northwindId}/withdraw`
      const question = await admin.page(withdrawal)
      assert.match(question.text, /Northwind ATS/)
      const answer = await admin.submit(formTo(withdrawal, question.text))
      assert.equal(localPath(answer), `${southernAccess}?done=withdrawn`)
      assert.equal((await list(token)).status, 403)
      assert.equal((await admin.get(withdrawal)).status, 404)
      assert.equal((await admin.get(reports)).status, 404)
    }
    // Harbour's own is untouched.
    assert.match((await admin.page(access)).text, /Northwind ATS/)
  })

  test('calls are on the chart, those of agents too, and those without a valid credential are not', async () => {
    const { usage } = world().services
    await usage.flush()
    world().clock.advance(dayMs)
    const token = tokenOf(
      await requestToken(world().door, {
        grant_type: 'client_credentials',
        scope: 'r_applications',
        advertiser_id: '10000001',
      }),
    )
    for (const credential of [token, 'sws_demo_harbour', 'sws_demo_southern', 'sws_demo_nobody'])
      await list(credential)
    await world().door.send('GET', `${listPath}?limit=none`, {
      headers: { authorization: 'SWS sws_demo_harbour' },
    })
    await usage.flush()
    assert.equal((await usage.lastDays(10000001)).at(-1)?.calls, 3)
    assert.equal((await usage.lastDays(10000002)).at(-1)?.calls, 1)
    const { text } = await admin.page(access)
    assert.match(text, /<title>15 Nov: 3<\/title>/)
    assert.match(text, /<svg [^>]*role="img" aria-label="Bar chart of API calls per day: /)
    assert.equal(text.match(/<tr><td data-label="Day">/g)?.length, 30)
  })
})
