import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { maryId, omarId, southernId, tomId } from '../../src/demo/world/world.ts'
import { hashSecret } from '../../src/platform/core/secrets.ts'
import { addTotp, useSecondFactor } from '../harness/account.ts'
import { putClockInDoubt } from '../harness/clock.ts'
import { type Form, formTo } from '../harness/html-form.ts'
import { type ReceivedEmail, startMailServer } from '../harness/mail-server.ts'
import { joinBoard } from '../harness/memberships.ts'
import { bodyOf, boundary, type Part } from '../harness/multipart.ts'
import { Browser, localPath } from '../harness/oauth.ts'
import { createTestServer } from '../harness/server.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { fillsForms } from './operator-filling.ts'

const mails = await startMailServer()
const backups = await mkdtemp(join(tmpdir(), 'dossier-operator-'))
after(async () => {
  await mails.stop()
  await rm(backups, { recursive: true })
})
// Nothing listens at the scanner's address: a task that cannot scan has been run, too.
const settings = {
  SMTP_URL: mails.url,
  MAIL_FROM: 'board@example.com',
  BACKUP_URL: backups,
  CLAMD_URL: 'tcp://127.0.0.1:9',
  BASE_URL: 'http://localhost:8080',
}
const svg = (path: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="${path}"/></svg>`

inDemoWorldInTurn('forms of the operator', { env: settings }, world => {
  /** By route: the entry in the audit log that each form promises. */
  const promised = new Map<string, string>()
  let omar: Browser
  const services = () => world().services
  const client = async (id = 'demo-ats') => (await services().clients.find(id)) ?? assert.fail(id)
  const count = async (action: string) => {
    const entries = services().database.reader.selectFrom('audit_entries')
    return (await entries.select('number').where('action', '=', action).execute()).length
  }

  /** Others, such as the notice of a shorter retention period to a company's admins, may come before it. */
  async function mailTo(address: string): Promise<ReceivedEmail> {
    let mail = await mails.next()
    while (!mail.to.includes(address)) mail = await mails.next()
    return mail
  }

  before(async () => {
    // Tasks refuse to run while the clock differs from that of PostgreSQL.
    world().clock.set(Date.now())
    const { app, routes } = await createTestServer(services(), world().settings)
    await app.close()
    for (const { method, url, config } of routes)
      if (config?.act !== undefined && [method].flat().includes('POST')) promised.set(url, config.act.audit)
    omar = new Browser(world().door)
    await omar.signIn('omar@example.com')
    assert.match((await mailTo('omar@example.com')).text, /^Subject: New sign-in to your account\r$/m)
    await useSecondFactor(services().database, omarId)
  })

  const { sent, asked, recorded, fill, questionIn, done } = fillsForms({
    omar: () => omar,
    promised,
    count,
  })

  test('Home sends a test email, and shows what the mail server says', async () => {
    const answer = await fill('/operator/test-mail', '/operator', { fields: { email: 'o@quay.example' } })
    assert.match(answer.text, /The mail server accepted the email/)
    await mailTo('o@quay.example')
    const refused = await fill('/operator/test-mail', '/operator', { fields: { email: 'o@550.example' } })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /did not take the email: 550 5\.1\.1/)
    const { status, text } = await omar.submit(formTo('/operator/test-mail', refused.text), {
      fields: { email: 'o' },
    })
    assert.equal(status, 422)
    assert.match(text, /Enter an email address/)
  })

  test('Home asks whether the clock is right while it is in doubt', async () => {
    assert.doesNotMatch((await omar.get('/operator')).text, /Is the clock right/)
    await putClockInDoubt(world().services.database)
    assert.match((await omar.get('/operator')).text, /nothing is removed by age until the service has run/)
    const { warnings } = JSON.parse((await omar.get('/health/ready')).text)
    assert.ok(warnings.includes('clock'), warnings)
    const answer = await fill('/operator/clock', '/operator')
    assert.match(answer.text, /The clock is trusted again/)
    assert.doesNotMatch(answer.text, /Is the clock right|nothing is removed by age/)
  })

  test('reports of a job are dismissed, and the job is held and released', async () => {
    const page = '/operator/reports/31'
    const report = () =>
      world().services.reports.add(31, {
        formKey: crypto.randomUUID(),
        reason: 'fraud',
        details: 'Asks for money.',
        email: '',
      })
    const to = (name: string, fields: Record<string, string> = {}) =>
      done(`/operator/reports/:jobAdId/${name}`, page, { path: `${page}/${name}`, fields })
    await report()
    assert.match((await omar.get('/operator')).text, /1 report of a job is open/)
    assert.match(await to('dismiss'), /The reports were dismissed/)
    await report()
    assert.match(await to('hold', { reason: 'It asks for money.' }), /The ad is held/)
    assert.match(await to('release'), /The ad may be public/)
  })

  test('a company is added, held, released, gets an admin and a retention period', async () => {
    const fields = { name: 'Quay Books', id: '10000077', timeZone: 'Europe/London' }
    assert.match(await done('/operator/companies', '/operator/companies', { fields }), /Quay Books/)
    const page = '/operator/companies/10000077'
    const to = (name: string, fields: Record<string, string> = {}, of = page) =>
      done(`/operator/companies/:advertiserId/${name}`, of, { path: `${of}/${name}`, fields })
    const { status } = await omar.submit(await omar.form('/operator/companies'), { fields })
    assert.equal(status, 422, 'its ID is taken')
    const state = async () => (await services().advertisers.list()).find(({ id }) => id === 10000077)?.status
    await to('hold')
    assert.equal(await state(), 'hold')
    await to('release')
    assert.equal(await state(), 'active')
    await to('invite', { email: 'ana@quay.example' })
    await mailTo('ana@quay.example')
    const withApplications = `/operator/companies/${southernId}`
    await to('retention', { months: '6' }, withApplications)
    assert.equal((await services().retention.of(southernId)).choice, 6)
    const change = await omar.form(`${withApplications}/take-back`, withApplications)
    await to('take-back', {}, withApplications)
    assert.equal((await services().retention.of(southernId)).choice, null)
    const late = await omar.submit(change)
    assert.equal(late.status, 422, 'there is nothing to take back any more')
    assert.match(late.text, /role="alert".*Nothing was changed\./s)
    const wrong = await omar.submit(await omar.form(`${page}/retention`, page), {
      fields: { months: 'x' },
    })
    assert.equal(wrong.status, 422)
  })

  test('an agent and a client are added; the secret is shown once and works', async () => {
    const page = '/operator/clients'
    const agent = { agentName: 'Southwind', ownId: '20000077' }
    assert.match(await done(`${page}/agents`, page, { fields: agent }), /Southwind/)
    const fields = { id: 'southwind', name: 'Southwind', redirectUri: 'https://south.example/back' }
    const { text } = await fill(page, page, { fields })
    const secret = /id="secret" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text)
    assert.deepEqual((await client('southwind')).secretHashes, [hashSecret(secret)])
    assert.doesNotMatch((await omar.get(page)).text, /id="secret"/)
  })

  test('people of an agent are invited', async () => {
    const page = '/operator/clients'
    const invited = { invitedAgent: '20000077', email: 'ann@south.example', role: 'reader' }
    const path = `${page}/invite`
    assert.match(await done(path, page, { fields: invited }), /The invitation was sent by email/)
    await mailTo('ann@south.example')
    const { invitations } = await services().agentMembers.people(20000077)
    assert.deepEqual(
      invitations.map(({ email, role }) => [email, role]),
      [['ann@south.example', 'reader']],
    )
    for (const [wrong, fault] of [
      [{ email: 'ann' }, /#email">Email address: Enter an email address/],
      [{ invitedAgent: '' }, /#invitedAgent">ID of the agent: Enter the ID of an agent/],
      [{ invitedAgent: '99' }, /#invitedAgent">ID of the agent: Enter the ID of an agent/],
    ] as const) {
      const form = await omar.form(path, page)
      const answer = await omar.submit(form, { fields: { ...invited, ...wrong } })
      assert.equal(answer.status, 422)
      assert.match(answer.text, fault)
    }
  })

  test('a client gets new secrets, addresses, a logo, and is disabled', async () => {
    const page = '/operator/clients/southwind'
    const to = (name: string, fields: Record<string, string> = {}) =>
      done(`/operator/clients/:clientId/${name}`, page, { path: `${page}/${name}`, fields })
    const rotate = (pressed: { button?: [string, string] } = {}) =>
      fill('/operator/clients/:clientId/rotate', page, { path: `${page}/rotate`, ...pressed })
    const [first] = (await client('southwind')).secretHashes
    await rotate()
    const both = (await client('southwind')).secretHashes
    assert.ok(both.length === 2 && both.includes(first ?? ''), 'the one before stays valid')
    await rotate({ button: ['only', 'yes'] })
    assert.equal((await client('southwind')).secretHashes.length, 1)
    await to('redirect-uris', { redirectUri: 'https://south.example/a\nhttps://south.example/b' })
    assert.deepEqual((await client('southwind')).redirectUris, [
      'https://south.example/a',
      'https://south.example/b',
    ])
    await to('allow', { advertiser: '10000002' })
    await to('forbid')
    await to('privacy', { privacyUrl: 'https://south.example/privacy' })
    assert.equal((await client('southwind')).privacyUrl, 'https://south.example/privacy')

    const { fields } = await omar.form(page)
    const upload = (part: Part) =>
      omar.upload(page, [...fields.map(([name, content]) => ({ name, content })), part])
    const logo = { name: 'logo', fileName: 'logo.svg' }
    await recorded('/operator/clients/:clientId', () => upload({ ...logo, content: svg('M0 0h8z') }))
    assert.match((await client('southwind')).logoHash ?? '', /^[0-9a-f]{32}$/)
    for (const content of ['GIF89a', 'x'.repeat(70_000)]) {
      const refused = await upload({ ...logo, content })
      assert.equal(refused.status, 422)
      assert.match(refused.text, /id="logo-fault"/)
    }
    assert.equal(localPath(await upload({ name: 'action', content: 'remove' })), `${page}?done=logo-removed`)
    assert.equal((await client('southwind')).logoHash, null)

    await to('disable')
    assert.notEqual((await client('southwind')).disabledAt, null)
  })

  test('an upload that meets an old proof leads to the page that asks for one, and back', async () => {
    const page = '/operator/clients/demo-ats'
    const { fields } = await omar.form(page)
    const sessions = () =>
      services().database.writer.updateTable('sessions').where('candidate_id', '=', omarId)
    const { proved_at } = await services()
      .database.reader.selectFrom('sessions')
      .select('proved_at')
      .where('candidate_id', '=', omarId)
      .executeTakeFirstOrThrow()
    const { logoHash } = await client()
    await sessions().set({ proved_at: 0 }).execute()
    const body = bodyOf([
      ...fields.map(([name, content]) => ({ name, content })),
      { name: 'action', content: 'remove' },
    ])
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    const answer = await omar.send('POST', page, { headers, body })
    assert.equal(localPath(answer), `/account/confirm?continue=${encodeURIComponent(page)}`)
    assert.equal((await client()).logoHash, logoHash)
    await sessions().set({ proved_at }).execute()
  })

  test('changes that agents ask for are shown, confirmed and refused', async () => {
    const { clientChanges } = services()
    const page = '/operator/clients'
    const uris = ['https://north.example/back']
    await clientChanges.ask('demo-ats', { kind: 'redirect-uris', uris }, maryId)
    await clientChanges.ask('demo-ats', { kind: 'privacy', url: 'https://north.example/privacy' }, maryId)
    await clientChanges.ask('demo-ats', { kind: 'logo', bytes: Buffer.from(svg('M0 0h3z')) }, maryId)
    assert.match(
      (await omar.get('/operator')).text,
      /href="\/operator\/clients">3 changes of clients wait for you/,
    )
    const { text } = await omar.get(page)
    for (const wanted of ['https://north.example/back', 'https://north.example/privacy'])
      assert.ok(text.includes(wanted), wanted)
    const image = /src="(\/operator\/clients\/changes\/[^"]+\/image)"/.exec(text)?.[1] ?? assert.fail(text)
    const shown = await omar.get(image)
    assert.deepEqual([shown.status, shown.text], [200, svg('M0 0h3z')])
    assert.equal(shown.headers.get('content-security-policy'), "default-src 'none'; sandbox")

    const list = await clientChanges.list()
    const [ofUris, ofPrivacy, ofLogo] = (['redirect-uris', 'privacy', 'logo'] as const).map(
      kind => `${page}/changes/${list.find(change => change.kind === kind)?.id}`,
    )
    const before = await client()
    const end = (how: string, change = '') =>
      done(`${page}/changes/:changeId/${how}`, page, { path: `${change}/${how}` })
    await end('confirm', ofUris)
    assert.deepEqual((await client()).redirectUris, uris)
    const form: Form = await omar.form(`${ofPrivacy}/refuse`, page)
    await end('refuse', ofPrivacy)
    assert.equal((await client()).privacyUrl, before.privacyUrl)
    assert.match((await omar.get(localPath(await omar.submit(form)))).text, /no longer waits/)
    await end('confirm', ofLogo)
    assert.notEqual((await client()).logoHash, before.logoHash)
    assert.equal((await omar.get(image)).status, 404)
    assert.doesNotMatch((await omar.get(page)).text, /Changes that agents ask for/)
  })

  test('emails are tried again and dropped, and a refusal is lifted', async () => {
    const { writer } = services().database
    const at = world().clock()
    const dead = (id: string) => ({
      id,
      kind: 'receipt',
      content: '{"applicationId":1}',
      state: 'dead' as const,
      due_at: at,
      give_up_at: at,
      created_at: at,
      ended_at: at,
      fault: '550 no',
    })
    await writer
      .insertInto('deliveries')
      .values([dead('one'), dead('two'), { ...dead('three'), state: 'held' }])
      .execute()
    await writer
      .updateTable('candidates')
      .set({ mail_refused_at: at, mail_refusal: '550 no' })
      .where('id', '=', maryId)
      .execute()
    await done('/operator/mail/drop', '/operator/mail', { which: ['mail', 'two'] })
    asked.delete('/operator/mail/drop')
    await done('/operator/mail/drop', '/operator/mail', { which: ['all', 'held'] })
    await done('/operator/mail/retry', '/operator/mail', { which: ['mail', 'one'] })
    const left = await writer.selectFrom('deliveries').select(['id', 'state']).execute()
    assert.ok(!left.some(({ id }) => id === 'two' || id === 'three'))
    assert.notEqual(left.find(({ id }) => id === 'one')?.state, 'dead')
    await done('/operator/mail/lift', '/operator/mail', { which: ['account', maryId] })
    assert.deepEqual(await services().board.refused(9), [])
  })

  test('tasks, a scan and a backup are started', async () => {
    const ran = async (task: string) => {
      await services().background.whenIdle()
      return (await services().taskRuns.list()).find(({ name }) => name === task)
    }
    await done('/operator/work/:task', '/operator/work', { path: '/operator/work/expiry' })
    assert.equal((await ran('expiry'))?.outcome, 'done')
    await done('/operator/files/scan', '/operator/files')
    assert.ok((await ran('rescan')) !== undefined)
    // The second one, too, although the first is new.
    for (const sets of [1, 2]) {
      await done('/operator/backups', '/operator/backups')
      assert.equal((await ran('backup'))?.outcome, 'done')
      assert.equal((await readdir(join(backups, 'sets'))).length, sets)
      world().clock.advance(1_000)
    }
  })

  test('operators are invited and removed, and invitations withdrawn', async () => {
    const page = '/operator/people'
    const invited = await fill(page, page, { fields: { email: 'vic@quay.example', role: 'viewer' } })
    assert.match(invited.text, /\/operator\/join#dli_/)
    const [invitation] = await services().operators.listInvitations()
    await done(`${page}/withdraw`, page, { which: ['invitation', invitation?.id ?? ''] })
    assert.deepEqual(await services().operators.listInvitations(), [])
    await joinBoard(services().database, maryId, 'viewer')
    await done(`${page}/remove`, page, { which: ['person', maryId] })
    assert.equal((await services().operators.list()).length, 1)
  })

  test('a person is looked up and erased, with a reason', async () => {
    const page = '/operator/lookup'
    const fields = { email: 'tom@example.com', reason: 'request 7' }
    const found = await fill(page, page, { fields })
    const reset = questionIn(await omar.submit(formTo(`${page}/reset-factor`, found.text))) ?? assert.fail()
    asked.add(`${page}/reset-factor`)
    await addTotp(services().database, tomId)
    await recorded(`${page}/reset-factor`, () => omar.submit(reset))
    assert.equal(await services().factors.hasSecondFactor(tomId), false)
    const erase = formTo(`${page}/erase`, found.text)
    const question = questionIn(await omar.submit(erase)) ?? assert.fail('erased without a question')
    for (const typed of ['', 'tim@example.com']) {
      const refused = await omar.submit(question, { fields: { typed } })
      assert.equal(refused.status, 422)
      assert.match(refused.text, /This is another address\. Nothing was erased/)
    }
    assert.equal(await count('person.erase'), 0)
    assert.notEqual((await services().board.findPerson('tom@example.com')).account, undefined)
    asked.add(`${page}/erase`)
    const erased = await recorded(`${page}/erase`, () =>
      omar.submit(question, { fields: { typed: ' Tom@Example.com' } }),
    )
    assert.match(erased.text, /class="notice good"/)
    assert.equal((await services().board.findPerson('tom@example.com')).account, undefined)
    const without = await omar.submit(await omar.form(page), {
      fields: { ...fields, reason: '' },
    })
    assert.equal(without.status, 422)
  })

  test('what cannot be taken back is asked first', () => {
    assert.deepEqual([...asked].toSorted(), [
      '/operator/clients/:clientId/disable',
      '/operator/clients/:clientId/forbid',
      '/operator/clients/:clientId/rotate',
      '/operator/companies/:advertiserId/hold',
      '/operator/lookup/erase',
      '/operator/lookup/reset-factor',
      '/operator/mail/drop',
      '/operator/people/remove',
    ])
  })

  test('every form of the operator was sent', () => {
    assert.deepEqual([...sent].toSorted(), [...promised.keys()].toSorted())
  })
})
