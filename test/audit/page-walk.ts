import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { maryId, tomId } from '../../src/demo/world/world.ts'
import { hashSecret } from '../../src/platform/core/secrets.ts'
import { plainDraft } from '../harness/applications.ts'
import { putClockInDoubt } from '../harness/clock.ts'
import { formTo } from '../harness/html-form.ts'
import { bearer, mary, requestToken, tokenOf } from '../harness/oauth.ts'
import { putFile } from '../harness/tenant.ts'
import {
  addAccount,
  contactOf,
  idOf,
  linkIn,
  mark,
  newAddress,
  newForm,
  password,
  type Stage,
  svg,
  useSecondFactor,
  Walker,
} from './walk.ts'

const logo = { name: 'logo', fileName: `${mark}.svg`, content: svg }

/** What every part of the walk is about. */
export interface Scene {
  advertiserId: number
  agentId: number
  clientId: string
  applications: number[]
}

/** An operator makes a company, an agent and a client, and does everything else on the pages under /operator. */
export async function walkAsOperator(stage: Stage): Promise<Scene & { operator: Walker; link: string }> {
  const { services, door } = stage
  const invited = await services.operators.invite(newAddress(), 'operator', 'http://localhost:8080')
  const operator = new Walker(door)
  await operator.join(invited.outcome === 'link' ? invited.url : '')
  await useSecondFactor(stage)
  const go = (path: string, fields: Record<string, string> = {}) => operator.fill(`/operator/${path}`, fields)

  await go('companies', { name: `Company ${mark}` })
  const advertiserId = (await services.advertisers.list()).find(({ name }) => name.includes(mark))?.id ?? 0
  const company = `companies/${advertiserId}`
  for (const state of ['hold', 'release']) await go(`${company}/${state}`, { confirmed: 'yes' })
  const link = linkIn(await go(`${company}/invite`, { email: newAddress() }))
  await go(`${company}/retention`, { months: '6' })

  const ad = { title: mark, location: mark, description: mark, reference: null, screenId: null }
  const { id: adId } = await services.jobs.add(advertiserId, { ...ad, closingDate: null })
  for (const act of ['dismiss', 'hold', 'release']) {
    const formKey = crypto.randomUUID()
    const report = { formKey, reason: 'other', details: mark, email: '' }
    if (act !== 'release') await services.reports.add(adId, report)
    const { updatedAt } = await services.reports.review(adId)
    await go(`reports/${adId}/${act}`, { reason: mark, reports: formKey, seen: String(updatedAt) })
  }

  await go('clients/agents', { agentName: `Agent ${mark}` })
  const agentId = (await services.agents.list()).find(({ name }) => name.includes(mark))?.id ?? 0
  await go('clients/invite', { invitedAgent: String(agentId), email: newAddress() })
  await services.agents.authorise(advertiserId, agentId)
  const [clientId, client] = ['walked', 'clients/walked']
  await go('clients', {
    id: clientId,
    name: `Client ${mark}`,
    redirectUri: `https://client.example/back`,
    agentId: String(agentId),
    scope: 'r_profile_apply w_applications m_webhooks',
    advertiser: String(advertiserId),
  })
  await go(`${client}/rotate`)
  await go(`${client}/redirect-uris`, { redirectUri: `https://client.example/other` })
  for (const act of ['forbid', 'allow'])
    await go(`${client}/${act}`, { advertiser: String(advertiserId), confirmed: 'yes' })
  await go(`${client}/privacy`, { privacyUrl: `https://client.example/privacy` })
  await operator.fill(`/operator/${client}`, {}, [logo])
  for (const end of ['confirm', 'refuse']) {
    const url = `https://client.example/${end}`
    await services.clientChanges.ask(clientId, { kind: 'privacy', url }, maryId)
    const [change] = await services.clientChanges.listOf(clientId)
    await go(`clients/changes/${change?.id}/${end}`)
  }
  await go('clients', { id: 'ended', name: mark, redirectUri: `https://client.example/` })
  await go('clients/ended/disable', { confirmed: 'yes' })

  await addMails(stage)
  await go('mail/retry', { mail: 'mail-1' })
  await go('mail/drop', { all: 'dead', confirmed: 'yes' })
  await go('mail/lift', { account: tomId })
  await go('work/expiry')
  await go('backups')

  const other = await services.operators.invite(newAddress(), 'viewer', 'http://localhost:8080')
  const viewer = new Walker(door)
  await viewer.join(other.outcome === 'link' ? other.url : '')
  const [viewerId] = (await services.operators.list()).filter(({ role }) => role === 'viewer')
  await go('people/remove', { person: viewerId?.candidateId ?? '', confirmed: 'yes' })
  await go('people', { email: newAddress(), role: 'viewer' })
  const [open] = await services.operators.listInvitations()
  await go('people/withdraw', { invitation: open?.id ?? '' })
  const third = await services.operators.invite(mary, 'viewer', 'http://localhost:8080')
  const signedIn = new Walker(door)
  await signedIn.signIn(mary)
  const token = third.outcome === 'link' ? new URL(third.url).hash.slice(1) : ''
  await signedIn.fill('/operator/join/accept', { token })
  await services.operators.remove(maryId)

  await services.submissions.add(advertiserId, plainDraft({ contact: contactOf('erased') }))
  await addAccount(stage, `erased.${mark}@example.net`)
  await go('lookup', { email: `erased.${mark}@example.net`, reason: 'request 7' })
  const erased = `erased.${mark}@example.net`
  await go('lookup/reset-factor', { email: erased, reason: 'request 7', confirmed: 'yes' })
  await go('lookup/erase', { email: erased, reason: 'request 7', confirmed: 'yes', typed: erased })
  const applications: number[] = []
  for (const name of ['one', 'two', 'three', 'four']) {
    const resume = await putFile(services, 'resume', Buffer.from(mark))
    const draft = plainDraft({ contact: contactOf(name), files: [resume] })
    applications.push((await services.submissions.add(advertiserId, draft)).id)
  }
  return { advertiserId, agentId, clientId, applications, operator, link }
}

/** Two failed emails, and an address that rejects them. */
export async function addMails({ services }: Stage): Promise<void> {
  const at = services.clock()
  const mail = {
    kind: 'receipt',
    content: '{"applicationId":1}',
    state: 'dead' as const,
    due_at: at,
    give_up_at: at + 1e9,
  }
  await services.database.writer.deleteFrom('deliveries').where('id', 'like', 'mail-%').execute()
  await services.database.writer
    .insertInto('deliveries')
    .values(
      ['mail-1', 'mail-2'].map(id => ({ ...mail, id, created_at: at, ended_at: at, fault: `550 ${mark}` })),
    )
    .execute()
  await services.database.writer
    .updateTable('candidates')
    .set({ mail_refused_at: at, mail_refusal: `550 ${mark}` })
    .where('id', '=', tomId)
    .execute()
}

/** An admin does everything on the pages of the company. */
export async function walkAsCompany(
  stage: Stage,
  scene: Scene,
  link: string,
  receiver: string,
): Promise<Walker> {
  const { services, door } = stage
  const { advertiserId, agentId, applications } = scene
  const base = `/console/${advertiserId}`
  const admin = new Walker(door)
  await admin.join(link)
  const go = (path: string, fields: Record<string, string> | [string, string][] = {}) =>
    admin.fill(`${base}/${path}`, fields)

  // People: one joins and is removed, one leaves, one is never joined.
  const colleague = newAddress()
  const invite = { action: 'invite', role: 'recruiter' }
  const first = new Walker(door)
  await first.join(linkIn(await go('people', { ...invite, ...newForm(), email: colleague })))
  const person = await idOf(stage, colleague)
  await go('people', { action: 'role', person, role: 'admin' })
  await go(`people/${person}/remove`)
  const second = new Walker(door)
  await second.join(linkIn(await go('people', { ...invite, ...newForm(), email: newAddress() })))
  await second.fill(`${base}/people/leave`)
  await go('people', { ...invite, ...newForm(), email: newAddress() })
  const { invitations } = await services.members.peopleOf(advertiserId)
  await go('people', { action: 'take-back', invitation: invitations[0]?.id ?? '' })
  await useSecondFactor(stage)
  for (const required of ['yes', 'no']) await go('people', { action: 'second-factor', required })
  await go('access/new-credential', { ...newForm(), label: `Label ${mark}` })
  const [credential] = await services.credentials.list(advertiserId)
  await go(`access/credentials/${credential?.id}/revoke`)
  await go(`access/agents/${agentId}/progress`, { allow: 'yes' })
  await go(`access/agents/${agentId}/withdraw`)
  await go('access/new-agent', { agent: String(agentId) })
  await go('applications/time-zone', { timeZone: 'Europe/London' })
  await go('applications/answer-days', { days: '30' })
  await go('telling', { emails: 'everything', reasons: 'shown' })
  await go('privacy', { url: 'https://company.example/privacy' })
  await go('retention', { months: '3' })
  await go('retention/keep', { keepMonths: '6' })
  await admin.fill(`${base}/logo`, {}, [logo])

  await go(`applications/${applications[0]}`, {
    shown: 'new',
    status: 'shortlisted',
    note: mark,
    ...newForm(),
  })
  const chosen: [string, string][] = applications.slice(1, 3).map(id => ['chosen', `${id}:new`])
  await admin.fill(`${base}/applications/selection/files.zip`, chosen).catch(() => {})
  await go('applications/selection', [...chosen, ['status', 'hired'], ...Object.entries(newForm())])
  const until = services.clock() + 600_000
  await services.database.writer
    .insertInto('recent_decisions')
    .values({
      advertiser_id: advertiserId,
      application_id: applications[1] ?? 0,
      former: 'new',
      status: 'hired',
      decided_at: until - 600_000,
      held_until: until,
      delivery_id: null,
    })
    .execute()
  await go('applications/take-back', { status: 'hired', until: String(until) })
  await go(`applications/${applications[0]}/hold`, { reason: `Because of ${mark}` })
  await go(`applications/${applications[0]}/hold`, { action: 'release' })
  assert.equal((await admin.get(`${base}/applications.csv`)).status, 200)
  assert.equal((await admin.get(`${base}/applications/${applications[3]}`)).status, 200)

  await walkEndpoints(admin, `${base}/events`, receiver, () => services.webhooks.list({ advertiserId }))
  const ad = { title: `Title ${mark}`, location: mark, description: mark }
  await go('jobs/new', { ...newForm(), ...ad, do: 'save' })
  await walkPosting(stage, admin, `${base}/jobs`, 'job_ads', ad)
  const questions = { name: `Name ${mark}`, 'q-0-type': 'Text', 'q-0-text': mark }
  await go('screens/new', { ...newForm(), ...questions, do: 'save' })
  await walkPosting(stage, admin, `${base}/screens`, 'screens', questions)
  await go('audit/export')
  return admin
}

async function walkEndpoints(
  admin: Walker,
  base: string,
  receiver: string,
  list: () => Promise<{ id: string }[]>,
): Promise<void> {
  const fields = { url: `${receiver}/${mark}`, description: mark, types: 'application.created', scheme: 'v1' }
  await admin.fill(`${base}/new-endpoint`, { ...newForm(), ...fields })
  const [endpoint] = await list()
  const path = `${base}/endpoints/${endpoint?.id}`
  await admin.fill(path, { do: 'test' })
  await admin.fill(path, { do: 'pause' })
  await admin.fill(path, { do: 'resume' })
  await admin.fill(`${path}/rotate`, newForm())
  await admin.fill(path, { do: 'retire' })
  await admin.fill(`${path}/remove`)
}

/** The newest job ad or questionnaire is closed, opened and changed. */
async function walkPosting(
  { services }: Stage,
  admin: Walker,
  base: string,
  table: 'job_ads' | 'screens',
  fields: Record<string, string>,
): Promise<void> {
  const newest = await services.database.writer
    .selectFrom(table)
    .select(['id', 'updated_at'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const path = `${base}/${newest.id}`
  const page = await admin.get(path)
  const shown = new Map(formTo(path, page.text).fields).get('updatedAt') ?? String(newest.updated_at)
  await admin.fill(path, { ...fields, updatedAt: shown, do: 'save' })
  await admin.fill(path, { do: 'closed' })
  await admin.fill(path, { do: 'open' })
}

/** An admin does everything on the pages of the agent. */
export async function walkAsAgent(
  stage: Stage,
  { agentId, clientId }: Scene,
  link: string,
  receiver: string,
) {
  const { services, door } = stage
  const base = `/agent/${agentId}`
  const admin = new Walker(door)
  await admin.join(link)
  const go = (path: string, fields: Record<string, string> = {}) => admin.fill(`${base}/${path}`, fields)

  const colleague = newAddress()
  const invite = { action: 'invite', role: 'reader' }
  const first = new Walker(door)
  await first.join(linkIn(await go('people', { ...invite, ...newForm(), email: colleague })))
  const person = await idOf(stage, colleague)
  await go('people', { action: 'role', person, role: 'admin' })
  await go(`people/${person}/remove`)
  const second = new Walker(door)
  await second.join(linkIn(await go('people', { ...invite, ...newForm(), email: newAddress() })))
  await second.fill(`${base}/people/leave`)
  await go('people', { ...invite, ...newForm(), email: newAddress() })
  const { invitations } = await services.agentMembers.peopleOf(agentId)
  await go('people', { action: 'take-back', invitation: invitations[0]?.id ?? '' })

  const client = `clients/${clientId}`
  await go(client, { action: 'rotate', ...newForm() })
  await go(client, { action: 'privacy', privacyUrl: `https://client.example/new` })
  const change = await services.database.reader
    .selectFrom('client_changes')
    .select('id')
    .executeTakeFirstOrThrow()
  await go(client, { action: 'withdraw', change: change.id })
  await admin.fill(`${base}/${client}/logo`, {}, [logo])
  await walkEndpoints(admin, `${base}/webhooks`, receiver, () => services.webhooks.list({ agentId }))
}

/** A program of the agent keeps ads, questionnaires and webhooks through the API. */
export async function walkAsProgram(stage: Stage, { advertiserId, clientId }: Scene, receiver: string) {
  const { services, door } = stage
  const { secret } = await services.clients.rotate(clientId, true)
  const client = { id: clientId, secret, redirectUri: '' }
  const tokenFor = async (scope: string) =>
    tokenOf(await requestToken(door, { grant_type: 'client_credentials', scope }, { client }))
  async function call(token: string, method: string, path: string, body?: object) {
    const headers = {
      ...bearer(token),
      'idempotency-key': crypto.randomUUID(),
      ...(body && { 'content-type': 'application/json' }),
    }
    const answer = await door.send(method, path, { headers, ...(body && { body: JSON.stringify(body) }) })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer.text === '' ? {} : answer.json()
  }
  const board = await tokenFor('w_applications')
  const ad = { advertiserId, title: `Title ${mark}`, location: mark, description: mark }
  const question = { id: 'q1', type: 'Text', text: mark }
  for (const [path, body] of [
    ['/v1/intake/job-ads', ad],
    ['/v1/intake/screens', { advertiserId, name: mark, questions: [question] }],
  ] as const) {
    const { id } = await call(board, 'POST', path, body)
    const { advertiserId: _, ...rest } = body
    await call(board, 'PUT', `${path}/${id}`, { ...rest, advertiserId })
    await call(board, 'POST', `${path}/${id}/close?advertiserId=${advertiserId}`)
    await call(board, 'POST', `${path}/${id}/open?advertiserId=${advertiserId}`)
  }

  const prefilledApplicationId = crypto.randomUUID()
  const said = { prefilledApplicationId, state: 'viewed', at: new Date(services.clock()).toISOString() }
  await call(await tokenFor(''), 'POST', '/v2/progress', { entries: [said] })

  const { id: applicationId } = await services.submissions.add(advertiserId, plainDraft())
  const { value } = await services.credentials.issue(advertiserId, mark, null)
  const entries = [{ applicationId, state: 'viewed', at: new Date(services.clock()).toISOString() }]
  const reported = await door.send('POST', '/v1/advertiser/progress', {
    headers: { authorization: `SWS ${value}`, 'content-type': 'application/json' },
    body: JSON.stringify({ entries }),
  })
  assert.deepEqual(reported.json(), { results: [{ applicationId, result: 'applied' }] })

  const token = await tokenFor('m_webhooks')
  const path = '/v1/agent/webhooks'
  const url = `${receiver}/${mark}`
  const { id } = await call(token, 'POST', path, { url, types: ['application.created'], description: mark })
  await call(token, 'POST', `${path}/${id}/test`)
  await call(token, 'PATCH', `${path}/${id}`, { description: `New ${mark}`, url: `${url}/new` })
  await call(token, 'POST', `${path}/${id}/test`)
  await call(token, 'POST', `${path}/${id}/pause`)
  await call(token, 'POST', `${path}/${id}/resume`)
  await call(token, 'POST', `${path}/${id}/rotate`, {})
  await call(token, 'POST', `${path}/${id}/retire`)
  await call(token, 'DELETE', `${path}/${id}`)
}

/** What an operator can do only with a mail server and a scanner. */
export async function walkWithParts({ services, door }: Stage, operator: Walker): Promise<void> {
  const walker = new Walker(door)
  for (const [name, value] of operator.cookies) walker.cookies.set(name, value)
  // There is no server at this address, and the page says so.
  await assert.rejects(walker.fill('/operator/test-mail', { email: newAddress() }), /ECONNREFUSED/)
  await walker.fill('/operator/files/scan')
  await putClockInDoubt(services.database)
  await walker.fill('/operator/clock')
}

/** A person of the company signs in and out, changes the account, and deletes it. */
export async function walkAsPerson(stage: Stage, { advertiserId }: Scene): Promise<Walker> {
  const { services, door } = stage
  const invited = await services
    .invitations({ mailer: undefined, authUrl: () => 'http://localhost:8080' })
    .invite(advertiserId, newAddress(), 'recruiter')
  const person = new Walker(door)
  await person.join(invited.outcome === 'link' ? invited.url : '')
  const email = invited.outcome === 'link' ? invited.email : ''
  const candidateId = await idOf(stage, email)
  const signedIn = async () => {
    const browser = new Walker(door)
    await browser.signIn(email, password)
    return browser
  }
  // The form of another tab: the session that was started since ends.
  const tab = new Walker(door)
  const page = await tab.get('/sign-in')
  tab.cookies.set('dossier-session', person.session ?? '')
  assert.equal((await tab.submitSignIn(page, email, password)).status, 303)
  const other = await signedIn()
  const guess = new Walker(door)
  await guess.submitSignIn(await guess.get('/sign-in'), email, 'a wrong guess')
  const out = await signedIn()
  await out.fill('/sign-out')
  await other.fill('/account/security', { action: 'end-other-sessions' })
  // Linked to a provider that is not set any longer: the page offers its removal.
  const issuer = 'https://login.example.com/'
  const identity = { issuer, subject: email, candidate_id: candidateId, linked_at: 1, last_used_at: 1 }
  await stage.services.database.writer.insertInto('identities').values(identity).execute()
  await other.fill('/account/security', { action: 'unlink-provider', issuer })
  const next = `${password} next`
  await other.fill('/account/security', { action: 'password', current: password, password: next })

  const enrolment = await other.get('/account/security/two-step/app')
  const form = formTo('/account/security/two-step/app', enrolment.text)
  const secret = (/[A-Z2-7 ]{32,}/.exec(enrolment.text.replace(/<[^>]*>/g, ' '))?.[0] ?? '').replace(
    /\s/g,
    '',
  )
  const added = await other.submit(form, { fields: { code: new TOTP({ secret }).generate() } })
  assert.equal(added.status, 200, added.text)
  await other.fill('/account/security/two-step', { action: 'renew-codes' })
  const codes = await services.factors.renewCodes(candidateId, [])
  const half = new Walker(door)
  const step = await half.submitSignIn(await half.get('/sign-in'), email, next)
  const full = await half.submit(formTo('/sign-in/code', step.text), { fields: { code: codes?.[0] ?? '' } })
  assert.equal(full.status, 303, full.text)
  await other.fill('/account/security/two-step', { action: 'remove-app' })

  const link = { candidateId, expiresAt: services.clock() + 1e6 }
  await services.accountStore.addLink({ ...link, hash: hashSecret('dli_reset'), purpose: 'reset', email })
  await usedLink('/reset', 'dli_reset', password)
  const of = { change_id: 'change', candidate_id: candidateId, kind: 'password' as const, email }
  const row = { ...of, changed_at: 0, expires_at: link.expiresAt }
  const rows = ['change', hashSecret('dli_undo')].map(hash => ({ hash, ...row }))
  await services.database.writer.insertInto('undo_links').values(rows).execute()
  await usedLink('/undo', 'dli_undo', password)
  const change = { ...link, purpose: 'change-email', email: newAddress() } as const
  await services.accountStore.addLink({ ...change, hash: hashSecret('dli_change') })
  const mover = await usedLink('/confirm', 'dli_change', password)
  await mover.fill('/account/data/delete', { sure: 'yes', password })
  return person

  async function usedLink(path: string, token: string, typed: string): Promise<Walker> {
    const who = new Walker(door)
    const opened = await who.get(`${path}#${token}`)
    const answer = await who.submit(formTo(path, opened.text), { fields: { password: typed } })
    assert.equal(answer.status, 303, answer.text)
    return who
  }
}
