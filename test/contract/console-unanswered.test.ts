import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { omarId, raeId, rexId } from '../../src/demo/world/world.ts'
import type { ChosenStatus } from '../../src/model/application-status.ts'
import { useSecondFactor } from '../harness/account.ts'
import { plainDraft } from '../harness/applications.ts'
import { wordsOf } from '../harness/html-form.ts'
import { joinCompany } from '../harness/memberships.ts'
import { Browser, localPath } from '../harness/oauth.ts'
import { dayMs, inDemoWorld } from '../oauth/world.ts'
import { summaryOf } from './apply-form.ts'

inDemoWorld('applications without an answer', world => {
  let rae: Browser
  let advertiserId = 0
  let ids: Record<string, number>
  const home = () => `/console/${advertiserId}`
  const list = () => `${home()}/applications`
  const settingPath = () => `${list()}/answer-days`

  const signedIn = (email: string) => Browser.signedIn(world().door, email)
  const listed = async (search: string) => {
    const { text } = await rae.page(`${list()}${search}`)
    return [...text.matchAll(new RegExp(`class="row-link" href="${list()}/(\\d+)`, 'g'))].map(([, id]) =>
      Number(id),
    )
  }
  const chooses = async (days: string) => rae.submit(await rae.form(settingPath()), { fields: { days } })
  const onOverview = async () =>
    /\?unanswered=yes"><strong>([\d,+]+)<\/strong> (No answer for [^<]+)</
      .exec((await rae.page(home())).text)
      ?.slice(1)

  before(async () => {
    const { services, clock } = world()
    const { writer } = services.database
    const { id } = await services.advertisers.add('Quiet Books')
    advertiserId = id
    await joinCompany(services.database, raeId, id)
    await joinCompany(services.database, rexId, id, 'recruiter')
    const arrive = async (to?: ChosenStatus) => {
      const { id: applicationId } = await services.submissions.add(advertiserId, plainDraft())
      const applications = [{ id: applicationId, shown: 'new' as const }]
      if (to !== undefined)
        await services.progress.updateMany(advertiserId, applications, { to, by: 'rae', tells: false })
      return applicationId
    }
    ids = {
      new: await arrive(),
      seen: await arrive('seen'),
      inReview: await arrive('in-review'),
      notSuitable: await arrive('not-suitable'),
      setBack: await arrive('interview'),
      setBackToNew: await arrive('in-review'),
      erased: await arrive('seen'),
      withdrawn: await arrive(),
    }
    // The candidates have had an answer, also if it no longer holds.
    for (const [name, shown, to] of [
      ['setBack', 'interview', 'seen'],
      ['setBackToNew', 'in-review', 'new'],
    ] as const)
      await services.progress.updateMany(advertiserId, [{ id: ids[name] ?? 0, shown }], {
        to,
        by: 'rae',
        tells: false,
      })
    await services.erasure.erase(advertiserId, ids['erased'] ?? 0)
    await writer
      .updateTable('applications')
      .set({ status: 'withdrawn' })
      .where('id', '=', ids['withdrawn'] ?? 0)
      .execute()
    clock.advance(45 * dayMs)
    ids['exactly'] = await arrive()
    clock.advance(1)
    ids['recent'] = await arrive()
    rae = await signedIn('rae@example.com')
  })

  test('are those that were never more than new or seen in 45 days, and were neither withdrawn nor erased', async () => {
    assert.deepEqual(await listed('?unanswered=yes'), [ids['seen'], ids['new']])
    assert.deepEqual(await listed('?unanswered=yes&order=unread'), [ids['new'], ids['seen']])
    assert.deepEqual(await listed('?unanswered=yes&status=seen'), [ids['seen']])
    assert.deepEqual(await listed('?unanswered=yes&status=hired'), [])
    assert.deepEqual(await listed('?unanswered=yes&q=mary'), [ids['seen'], ids['new']])
    assert.deepEqual(await listed('?unanswered=yes&virus=yes'), [])
    const { text } = await rae.page(`${list()}?unanswered=yes`)
    assert.match(text, /name="unanswered" value="yes" checked/)
    assert.match(wordsOf(text), /Remove this filter: No answer for 45 days/)
    assert.match(wordsOf(text), /2 applications · Show unread first/)
    const csv = await rae.page(`${list()}.csv?unanswered=yes`)
    assert.deepEqual(
      [...csv.text.matchAll(/^(\d+),/gm)].map(([, id]) => Number(id)),
      [ids['seen'], ids['new']],
    )
    const detail = await rae.page(`${list()}/${ids['seen']}?unanswered=yes`)
    assert.match(wordsOf(detail.text), /1 of 2/)
  })

  test('are counted on the overview, by the days that an admin has chosen', async () => {
    assert.deepEqual(await onOverview(), ['2', 'No answer for 45 days'])
    assert.match(
      await rae.words(list()),
      /An application counts as unanswered after 45 days\. Change number of days/,
    )
    assert.equal(localPath(await chooses('46')), list())
    assert.deepEqual(await onOverview(), ['0', 'No answer for 46 days'])
    assert.deepEqual(await listed('?unanswered=yes'), [])
    assert.match((await rae.page(settingPath())).text, /name="days"[^>]* value="46"/)
    assert.equal(localPath(await chooses('1')), list())
    assert.deepEqual(await onOverview(), ['2', 'No answer for 1 day'])
    assert.equal(localPath(await chooses('')), list())
    assert.deepEqual(await onOverview(), ['2', 'No answer for 45 days'])
    const { auditLog } = world().services
    const changes = await auditLog.list(
      { ownerId: advertiserId },
      { action: 'company.answer-days' },
      undefined,
      10,
    )
    assert.deepEqual(
      changes.map(({ before, after }) => [JSON.parse(before ?? ''), JSON.parse(after ?? '')]),
      [
        [{ days: 1 }, { days: null }],
        [{ days: 46 }, { days: 1 }],
        [{ days: null }, { days: 46 }],
      ],
    )
  })

  test('the days are 1 to 365, chosen by an admin', async () => {
    for (const wrong of ['0', '366', '-3', '4.5', 'soon']) {
      const answer = await chooses(wrong)
      assert.equal(answer.status, 422)
      assert.deepEqual(summaryOf(answer.text), [['days', 'Choose 1 to 365 days.']])
      assert.ok(answer.text.includes(`value="${wrong}"`))
    }
    await assert.rejects(world().services.advertisers.setAnswerDays(99, 3), { code: 'not-found' })
    const rex = await signedIn('rex@example.com')
    assert.equal((await rex.get(settingPath())).status, 403)
    assert.doesNotMatch((await rex.page(list())).text, /Change number of days/)
    assert.match((await rex.page(home())).text, /No answer for 45 days/)
  })

  test('are counted for the operator in the background, one number for each company', async () => {
    const { services } = world()
    const numberOf = async () =>
      (await services.board.companies('2026-01-01')).find(({ id }) => id === advertiserId)?.unanswered
    const counted = async () => {
      const run = await services.work.run('unanswered')
      return run.outcome === 'done' ? run.did?.['changed'] : run
    }
    const all = await services.board.companies('2026-01-01')
    const omar = await signedIn('omar@example.com')
    await useSecondFactor(services.database, omarId)
    const row = async () =>
      /Quiet Books.*?<\/tr>/s.exec((await omar.page('/operator/companies')).text)?.[0] ?? ''
    assert.equal((await services.upkeepFigures()).unanswered, undefined)
    assert.match(wordsOf(await row()), /Not counted yet/)
    assert.equal(await counted(), all.length)
    assert.equal(await numberOf(), 2)
    const total = (await services.board.companies('2026-01-01')).reduce(
      (sum, { unanswered }) => sum + (unanswered ?? 0),
      0,
    )
    assert.ok(total > 2)
    assert.equal((await services.upkeepFigures()).unanswered, total)
    assert.equal(await counted(), 0)

    await services.advertisers.setAnswerDays(advertiserId, 46)
    assert.equal(await counted(), 1)
    assert.equal(await numberOf(), 0)
    const company = await omar.words(`/operator/companies/${advertiserId}`)
    assert.match(company, /Unanswered 0 after 46 days/)
    await services.advertisers.setAnswerDays(advertiserId, null)
  })

  test('the list shows the stage of the program that reported the status, until someone changes it', async () => {
    const { services, clock } = world()
    const applicationId = ids['recent'] ?? 0
    const { value } = await services.credentials.issue(advertiserId, 'ATS', null)
    const report = async (state: string, label?: string) => {
      clock.advance(1000)
      const entries = [{ applicationId, state, at: new Date(clock()).toISOString(), label }]
      const { status, text } = await world().door.send('POST', '/v1/advertiser/progress', {
        headers: { authorization: `SWS ${value}`, 'content-type': 'application/json' },
        body: JSON.stringify({ entries }),
      })
      assert.match(text, /"applied"/, `${status}`)
    }
    const cell = async () => {
      const { text } = await rae.page(list())
      const row = new RegExp(`value="${applicationId}:.*?</tr>`, 's').exec(text)?.[0] ?? ''
      return wordsOf(row.split('</td>')[2] ?? '').trim()
    }
    await report('inReview', 'Phone <b>screen</b>')
    assert.match(await cell(), /^In review \S*Phone &lt;b&gt;screen&lt;\/b&gt;\S*$/)
    await report('interview')
    assert.equal(await cell(), 'Interview')
    await report('offer', 'Terms sent')
    assert.match(await cell(), /Terms sent/)
    const change = { to: 'hired', by: 'rae', tells: false } as const
    await services.progress.updateMany(advertiserId, [{ id: applicationId, shown: 'offer' }], change)
    assert.equal(await cell(), 'Hired')
  })
})
