import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServicesOn } from '../../../test/harness/database.ts'
import { formTo } from '../../../test/harness/html-form.ts'
import type { Answer } from '../../../test/harness/http.ts'
import { Browser, demoPassword, doorInto, localPath } from '../../../test/harness/oauth.ts'
import { createTestServer } from '../../../test/harness/server.ts'

const clock = movableClock()
const access = '/console/10000001/access/new-credential'
const ours = { 'sec-fetch-site': 'same-origin' }
const sixteenMinutes = 16 * 60_000

withServicesOn('sqlite', 'a fresh proof', { clock, content: 'demo' }, (services, settings) => {
  let app: FastifyInstance
  let rae: Browser
  before(async () => {
    app = (await createTestServer(services(), settings())).app
  })
  after(() => app.close())

  async function signIn(): Promise<void> {
    rae = new Browser(doorInto(app))
    await rae.signIn('rae@example.com')
  }
  const labels = async () =>
    (await services().credentials.list(10000001))
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ label }) => label)
  const newCredential = async (label: string, headers: Record<string, string> = ours): Promise<Answer> =>
    rae.submit(formTo(access, (await rae.get(access)).text), { fields: { label }, headers })

  test('is as old as the sign-in; a form that comes later waits for the password and is carried out with it', async () => {
    await signIn()
    clock.advance(14 * 60_000)
    assert.match((await newCredential('at once')).text, /at once/)
    clock.advance(2 * 60_000)
    const asked = await newCredential('later')
    assert.equal(asked.status, 401)
    assert.match(asked.text, /Confirm that it’s you/)
    assert.deepEqual((await labels()).includes('later'), false)
    const form = formTo(access, asked.text)
    const wrong = await rae.submit(form, { fields: { proof_password: 'wrong' }, headers: ours })
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /The password is wrong/)
    assert.doesNotMatch(wrong.text, /value="wrong"/)
    const done = await rae.submit(formTo(access, wrong.text), {
      fields: { proof_password: demoPassword },
      headers: ours,
    })
    assert.equal(done.status, 200, done.text)
    assert.ok((await labels()).includes('later'))
    assert.match((await newCredential('fresh again')).text, /fresh again/)
  })

  test('is not bypassed by a form of another site, whose content is never shown', async () => {
    await signIn()
    clock.advance(sixteenMinutes)
    const forged = await rae.post(
      access,
      [
        ['label', 'forged'],
        ['form_token', 'x'],
      ],
      { 'sec-fetch-site': 'cross-site' },
    )
    assert.equal(forged.status, 303)
    assert.match(forged.headers.get('location') ?? '', /^\/account\/confirm\?continue=/)
    const sent = await rae.post(
      access,
      [
        ['label', 'forged'],
        ['proof_password', demoPassword],
      ],
      { 'sec-fetch-site': 'cross-site' },
    )
    assert.equal(sent.status, 403)
    assert.doesNotMatch(sent.text, /forged/)
    assert.ok(!(await labels()).includes('forged'))
  })

  test('of a download is given on a page of its own, which leads back', async () => {
    await signIn()
    clock.advance(sixteenMinutes)
    const list = '/console/10000001/applications.csv?q=mary'
    const refused = await rae.get(list)
    assert.equal(refused.status, 303)
    const page = await rae.get(localPath(refused))
    assert.equal(page.status, 200)
    const form = formTo('/account/confirm', page.text)
    assert.equal((await rae.submit(form, { fields: { proof_password: 'wrong' } })).status, 401)
    const proved = await rae.submit(form, { fields: { proof_password: demoPassword } })
    assert.equal(proved.headers.get('location'), list)
    assert.equal((await rae.get(list)).status, 200)
  })

  test('of a session is no proof of another, and guesses are slowed as at the sign-in', async () => {
    await signIn()
    const other = rae
    await signIn()
    clock.advance(sixteenMinutes)
    const asked = await newCredential('one')
    await rae.submit(formTo(access, asked.text), {
      fields: { proof_password: demoPassword },
      headers: ours,
    })
    assert.equal((await other.get('/console/10000001/applications.csv')).status, 303)
    clock.advance(sixteenMinutes)
    let answer = await newCredential('two')
    for (let guess = 0; answer.status === 401; guess++) {
      assert.ok(guess < 20)
      answer = await rae.submit(formTo(access, answer.text), {
        fields: { proof_password: 'wrong' },
        headers: ours,
      })
    }
    assert.equal(answer.status, 429)
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    assert.equal(
      (
        await rae.submit(formTo(access, answer.text), {
          fields: { proof_password: demoPassword },
          headers: ours,
        })
      ).status,
      429,
    )
    assert.ok(!(await labels()).includes('two'))
  })

  test('of a session from before proofs were recorded is its sign-in by password', async () => {
    await signIn()
    const { database } = services()
    await database.writer
      .updateTable('sessions')
      .set({ proved_at: null, proved_by: null, factors: null })
      .execute()
    assert.match((await newCredential('old session')).text, /old session/)
    clock.advance(sixteenMinutes)
    assert.equal((await newCredential('old proof')).status, 401)
  })
})
