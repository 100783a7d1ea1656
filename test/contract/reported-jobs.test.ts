import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, beforeEach, test } from 'node:test'
import { createOwnApplicationStore } from '../../src/apply/form/own-application-store.ts'
import { omarId } from '../../src/demo/world/world.ts'
import { createReportStore } from '../../src/jobs/reports/report-store.ts'
import { withAuditContext } from '../../src/platform/core/async/audit-context.ts'
import { newUuid } from '../../src/platform/core/ids.ts'
import { useSecondFactor } from '../harness/account.ts'
import { wordsOf } from '../harness/html-form.ts'
import { applicationOf, applicationPart, demoBoard, intakeToken, post } from '../harness/intake.ts'
import { Browser, localPath, mary } from '../harness/oauth.ts'
import { usePostBox } from '../harness/post-box.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { newSubmission } from '../store/scene.ts'
import { harbourId, roasterAd } from './apply-form.ts'

const path = `/jobs/${roasterAd}/report`
const env = { SMTP_URL: 'smtp://127.0.0.1:9', AD_REVIEW: 'new-companies' }

inDemoWorld('a reported job', { env }, (world, { door, signedIn }) => {
  let box: ReturnType<typeof usePostBox>
  before(() => {
    world().services.stopWaking()
    box = usePostBox(world().services)
  })
  const rae = signedIn('rae@example.com')
  const candidate = signedIn(mary)
  const visitor = new Browser(door)
  // The reports of an earlier test no longer count towards the limits.
  beforeEach(() => world().clock.advance(3_700_000))

  const form = () => visitor.form(path)
  const omarAtWork = { kind: 'operator', id: omarId, proof: 'password' } as const
  const signedInOmar = async () => {
    const omar = await Browser.signedIn(world().door, 'omar@example.com')
    await useSecondFactor(world().services.database, omarId)
    return omar
  }
  const open = async () => (await world().services.reports.queue()).open

  test('is reported without an account, once for each form, and the reporter gets a receipt', async () => {
    assert.match((await visitor.get(`/jobs/${roasterAd}`)).text, new RegExp(`href="${path}"`))
    const opened = await form()
    const fields = { reason: 'fraud', details: 'Asks for\r\nmoney.', email: 'Reporter@Example.com ' }
    assert.equal(localPath(await visitor.submit(opened, { fields })), `${path}?done=sent`)
    await visitor.submit(opened, { fields })
    const [report, ...others] = await open()
    assert.deepEqual(others, [])
    assert.equal(report?.details, 'Asks for\nmoney.')
    const [receipt, ...more] = (await box.sent()).filter(({ to }) => to === 'reporter@example.com')
    assert.deepEqual(more, [])
    assert.equal(receipt?.subject, 'We received your report')
    assert.ok(!receipt?.text.includes('money'), 'it may reach a stranger')
  })

  test('needs a reason, a form of this browser, and a pace', async () => {
    const known = (await open()).length
    for (const fields of [
      { reason: '' },
      { reason: 'other', details: ' ' },
      { reason: 'fraud', email: 'nowhere' },
      { reason: 'fraud', details: 'x'.repeat(2_001) },
    ])
      assert.equal((await visitor.submit(await form(), { fields })).status, 422, JSON.stringify(fields))
    const foreign = await new Browser(world().door).submit(await form(), { fields: { reason: 'fraud' } })
    assert.equal(foreign.status, 403)
    assert.equal((await visitor.get('/jobs/999999/report')).status, 404)
    assert.equal((await open()).length, known)
    const statuses: number[] = []
    for (let sent = 0; sent < 8; sent++)
      statuses.push((await visitor.submit(await form(), { fields: { reason: 'gone' } })).status)
    assert.deepEqual(statuses.slice(-3), [303, 429, 429])
  })

  test('that is held is nowhere, takes no application, and its company reads why', async () => {
    const { services, door } = world()
    await services.reports.hold(roasterAd, 'It asks for money.')
    assert.deepEqual(await open(), [], 'they are answered')
    assert.ok((await box.sent()).some(({ subject }) => subject === 'We have decided about your report'))

    const late = { id: newUuid(), advertiserId: harbourId, jobAdId: roasterAd, details: '', email: null }
    const store = createReportStore(services.database)
    const isAdded = await store.add({ ...late, reason: 'gone' }, world().clock())
    assert.equal(isAdded, false, 'it would stay open, and be dismissed')
    assert.deepEqual(await open(), [])

    for (const url of [`/jobs/${roasterAd}`, path, `/jobs/${roasterAd}/apply`])
      assert.equal((await candidate.get(url)).status, 404, url)
    for (const url of ['/jobs', '/', '/sitemap.xml'])
      assert.ok(!(await visitor.get(url)).text.includes(`/jobs/${roasterAd}`), url)
    const answer = await post(door, await intakeToken(door), [
      applicationPart(applicationOf({ jobAdId: roasterAd })),
    ])
    assert.equal(answer.status, 422, answer.text)
    assert.match(answer.text, /Job ad \d+ is closed/)
    const own = await services.jobs.find(harbourId, roasterAd)
    assert.equal(own.hold?.kind, 'held')

    const page = `/console/${harbourId}/jobs/${roasterAd}`
    assert.match(await rae.words(page), /have taken this ad down.*It asks for money\./)
    await services.jobs.setStatus(harbourId, roasterAd, 'closed')
    await services.jobs.setStatus(harbourId, roasterAd, 'open')
    assert.equal((await candidate.get(`/jobs/${roasterAd}`)).status, 404, 'reopening releases nothing')

    assert.equal(await services.reports.release(roasterAd), 'released')
    assert.equal(await services.reports.release(roasterAd), 'not-held')
    assert.equal((await candidate.get(`/jobs/${roasterAd}`)).status, 200)
  })

  test('that is held while the files of a form arrive takes no application', async () => {
    const { services, clock } = world()
    const { candidateId } = (await services.accountStore.findByEmail('mary@example.com')) ?? assert.fail()
    const submission = newSubmission({ advertiserId: harbourId, jobAdId: roasterAd }, newUuid())
    const store = createOwnApplicationStore(services.database)
    await services.reports.hold(roasterAd, 'It asks for money.')
    assert.deepEqual(await store.send(candidateId, submission, clock()), { kind: 'held' })
    assert.equal(await store.findSent(candidateId, submission.formKey), undefined)
    await services.reports.release(roasterAd)
    assert.equal((await store.send(candidateId, submission, clock())).kind, 'sent')
  })

  test('that is held while the files of a job board arrive takes no application', async () => {
    const { services } = world()
    const submission = await services.intake.begin(demoBoard.id, undefined)
    submission.open(applicationOf({ jobAdId: roasterAd }))
    await submission.take('resume', { name: 'resume.txt', content: Readable.from([Buffer.from('Mary')]) })
    await services.reports.hold(roasterAd, 'It asks for money.')
    await assert.rejects(submission.finish(), /Job ad \d+ is closed/)
    await submission.abandon()
    await services.reports.release(roasterAd)
  })

  test('keeps each decision about it, with who made it and what the company read', async () => {
    const { services, clock } = world()
    const { id: company } = await services.advertisers.add('Decided Co')
    const ad = { title: 'Clerk', location: 'Perth', description: 'Do.', reference: null, screenId: null }
    const { id } = await services.jobs.add(company, { ...ad, closingDate: null })
    const report = { advertiserId: company, jobAdId: id, reason: 'gone', details: '', email: null } as const
    const store = createReportStore(services.database)
    const reportId = newUuid()
    const decide: (() => Promise<unknown>)[] = [
      () => services.reports.release(id),
      () => services.reports.hold(id, 'It asks for money.'),
      () => services.reports.hold(id, 'It asks for a passport.'),
      () => services.reports.release(id),
      () => store.add({ ...report, id: reportId }, clock()),
      () => services.reports.dismiss(id, [reportId]),
      () => services.reports.dismiss(id, [reportId]),
    ]
    for (const each of decide) await withAuditContext({ clock, actor: omarAtWork }, each)
    const { decisions } = await services.reports.review(id)
    const by = `operator:${omarId}`
    assert.deepEqual(
      decisions.map(({ act, reason, actor, at }) => [act, reason, actor, at]),
      [
        ['dismiss', null, by, clock()],
        ['release', null, by, clock()],
        ['hold', 'It asks for a passport.', by, clock()],
        ['hold', 'It asks for money.', by, clock()],
        ['approve', null, by, clock()],
      ],
    )
    assert.match(
      await (await signedInOmar()).words(`/operator/reports/${id}`),
      /Decisions.* Reports dismissed .* Held operator:\S+ It asks for a passport\. .* Approved/,
    )
  })

  test('stays as it is when its reports are dismissed, those alone that were shown', async () => {
    const { services } = world()
    for (let sent = 0; sent < 2; sent++) await visitor.submit(await form(), { fields: { reason: 'gone' } })
    const [shown, late] = await open()
    assert.equal(await services.reports.dismiss(roasterAd, [shown?.id ?? '']), 1)
    assert.equal(await services.reports.dismiss(roasterAd, [shown?.id ?? '']), 0)
    assert.deepEqual(
      (await open()).map(({ id }) => id),
      [late?.id],
    )
    assert.equal((await visitor.get(`/jobs/${roasterAd}`)).status, 200)
  })

  test('the first ads of a new company wait for an operator, and those of others do not', async () => {
    const { services } = world()
    const { id: company } = await services.advertisers.add('New Co')
    const ad = { title: 'Clerk', location: 'Perth', description: 'Do.', reference: null, screenId: null }
    const add = (advertiserId: number) => services.jobs.add(advertiserId, { ...ad, closingDate: null })
    const [first, second] = [await add(company), await add(company)]
    assert.equal(first.hold?.kind, 'review')
    assert.equal((await visitor.get(`/jobs/${first.id}`)).status, 404)
    assert.equal((await services.reports.counts()).reviews, 2)
    await services.reports.release(first.id)
    assert.equal((await visitor.get(`/jobs/${first.id}`)).status, 200)
    assert.equal((await visitor.get(`/jobs/${second.id}`)).status, 404)
    const third = await add(company)
    assert.equal((await visitor.get(`/jobs/${third.id}`)).status, 200)
    const { updatedAt } = await services.reports.review(second.id)
    const changed = { ...ad, description: 'Send money.', closingDate: null }
    await services.jobs.replace(company, second.id, changed)
    assert.equal(await services.reports.release(second.id, updatedAt), 'changed', 'another text was read')
    assert.equal((await visitor.get(`/jobs/${second.id}`)).status, 404)
    const now = await services.reports.review(second.id)
    assert.equal(await services.reports.release(second.id, now.updatedAt), 'released')
    await services.reports.hold(second.id, 'It asks for money.')
    const copy = await add(company)
    assert.equal(copy.hold?.kind, 'review', 'a company with a held ad could post it again')
    const known = await add(harbourId)
    assert.equal(known.hold ?? null, null)

    for (let held = 0; held < 100; held++)
      await services.reports.hold((await add(harbourId)).id, 'It asks for money.')
    const late = await add(company)
    const { waiting } = await services.reports.queue()
    assert.deepEqual(
      waiting.map(({ jobAdId }) => jobAdId),
      [copy.id, late.id],
      'held ads leave room for those that wait',
    )
    assert.match(await (await signedInOmar()).words('/operator/reports'), /The 100 newest ads that are held/)
  })
})

const folder = mkdtempSync(join(tmpdir(), 'policy-'))
const policy = join(folder, 'policy.md')
writeFileSync(policy, '## What we remove\n\nJobs that ask for **money** & <b>documents</b>.')

inDemoWorldInTurn(
  'the policy about reports',
  { env: { BOARD_REPORT_POLICY: policy, BOARD_REPORT_POLICY_URL: 'https://quay.example/policy' } },
  world => {
    after(() => rmSync(folder, { recursive: true }))

    test('the text and the address of the operator are on the page that reporters find', async () => {
      const visitor = new Browser(world().door)
      assert.match((await visitor.get(path)).text, /<a href="\/about\/reports">/)
      const { status, text } = await visitor.get('/about/reports')
      assert.equal(status, 200)
      assert.match(text, /<h2>What we remove<\/h2>/)
      assert.match(text, /ask for <strong>money<\/strong> &amp; &lt;b&gt;documents/)
      assert.match(text, /<a href="https:\/\/quay\.example\/policy">Read our policy about job ads<\/a>/)
      assert.match(wordsOf(text), /What happens with a report/)
    })
  },
)
