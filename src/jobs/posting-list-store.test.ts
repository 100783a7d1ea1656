import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { movableClock } from '../../test/harness/clock.ts'
import { withServices } from '../../test/harness/database.ts'
import type { JobAdFields } from '../model/job-ad.ts'

const clock = movableClock()
const today = '2026-11-15'
const plain: JobAdFields = {
  title: 'Baker',
  location: 'Newcastle',
  description: 'Bread.',
  reference: null,
  screenId: null,
  closingDate: null,
}
const question = (id: string) => ({
  id,
  type: 'Text' as const,
  text: 'Why?',
  isRequired: false,
  options: [],
  passingTexts: [],
})

withServices('the lists of an advertiser', { clock }, services => {
  let owner: number
  let ads: number[]
  before(async () => {
    owner = (await services().advertisers.add('Owner')).id
    const other = (await services().advertisers.add('Other')).id
    ads = []
    // In between, so that a list by ID alone would show them.
    for (let i = 0; i < 7; i++) {
      ads.push((await services().jobs.add(owner, { ...plain, title: `Ad ${i}` })).id)
      await services().jobs.add(other, plain)
    }
  })

  const page = async (position: { beforeId?: number; afterId?: number }) => {
    const { entries, ...ends } = await services().postingLists.jobAds(owner, { ...position, limit: 3 }, today)
    return { titles: entries.map(({ title }) => title), ids: entries.map(({ id }) => id), ...ends }
  }

  test('ads are listed newest first, with pages in both directions', async () => {
    const top = await page({})
    assert.deepEqual(top.titles, ['Ad 6', 'Ad 5', 'Ad 4'])
    assert.deepEqual([top.hasNewer, top.hasOlder], [false, true])
    const middle = await page({ beforeId: top.ids.at(-1) as number })
    assert.deepEqual(middle.titles, ['Ad 3', 'Ad 2', 'Ad 1'])
    assert.deepEqual([middle.hasNewer, middle.hasOlder], [true, true])
    const end = await page({ beforeId: middle.ids.at(-1) as number })
    assert.deepEqual([end.titles, end.hasNewer, end.hasOlder], [['Ad 0'], true, false])
    const up = await page({ afterId: end.ids[0] as number })
    assert.deepEqual(up, middle)
    assert.deepEqual(await page({ afterId: middle.ids[0] as number }), top)
  })

  test('ads past their closing date count as closed', async () => {
    const [closed = 0, past = 0, last = 0] = ads
    await services().jobs.setStatus(owner, closed, 'closed')
    await services().jobs.replace(owner, past, { ...plain, closingDate: '2026-11-14' })
    await services().jobs.replace(owner, last, { ...plain, closingDate: today })
    const idsOf = async (status: 'open' | 'closed') =>
      (await services().postingLists.jobAds(owner, { limit: 10, status }, today)).entries.map(({ id }) => id)
    assert.deepEqual(await idsOf('closed'), [past, closed])
    assert.deepEqual(await idsOf('open'), ads.slice(2).toReversed())
  })

  test('questionnaires are listed with the number of their questions and ads', async () => {
    const { questionnaires, jobs, postingLists } = services()
    const used = await questionnaires.add(owner, {
      name: 'Used',
      questions: [question('1'), question('2')],
    })
    const idle = await questionnaires.add(owner, { name: 'Idle', questions: [question('1')] })
    await questionnaires.setStatus(owner, idle.id, 'closed')
    const [first = 0, second = 0] = ads.slice(-2)
    for (const id of [first, second]) await jobs.replace(owner, id, { ...plain, screenId: used.id })
    const { entries } = await postingLists.screens(owner, { limit: 10 })
    assert.deepEqual(
      entries.map(({ name, questionCount, adCount, status }) => [name, questionCount, adCount, status]),
      [
        ['Idle', 1, 0, 'closed'],
        ['Used', 2, 2, 'open'],
      ],
    )
    const offered = await postingLists.openScreens(owner, 10)
    assert.deepEqual(
      offered.map(({ id, name }) => [id, name]),
      [[used.id, 'Used']],
    )
    const named = await postingLists.adsWithScreen(owner, used.id, 10)
    assert.deepEqual(
      named.map(({ id }) => id),
      [second, first],
    )
    const [row] = (await postingLists.jobAds(owner, { limit: 1 }, today)).entries
    assert.equal(row?.screenName, 'Used')
  })

  test('a change applies only to the version that was seen', async () => {
    const { jobs, questionnaires } = services()
    const ad = await jobs.add(owner, plain)
    const made = await questionnaires.add(owner, { name: 'A', questions: [question('1')] })
    // The clock stands still, and the two versions differ all the same.
    const second = await jobs.revise(owner, ad.id, { ...plain, title: 'Second' }, ad.updatedAt)
    assert.equal(second?.title, 'Second')
    assert.ok((second?.updatedAt ?? 0) > ad.updatedAt)
    assert.equal(await jobs.revise(owner, ad.id, { ...plain, title: 'Third' }, ad.updatedAt), undefined)
    const closed = await jobs.setStatus(owner, ad.id, 'closed')
    assert.equal(await jobs.revise(owner, ad.id, plain, second?.updatedAt ?? 0), undefined)
    assert.equal((await jobs.find(owner, ad.id)).title, 'Second')
    assert.equal((await jobs.setStatus(owner, ad.id, 'closed')).updatedAt, closed.updatedAt)

    const content = { name: 'B', questions: [question('1')] }
    assert.equal((await questionnaires.revise(owner, made.id, content, made.updatedAt))?.name, 'B')
    assert.equal(
      await questionnaires.revise(owner, made.id, { ...content, name: 'C' }, made.updatedAt),
      undefined,
    )
    assert.equal((await questionnaires.find(owner, made.id)).name, 'B')
    // The words that a form may send instead of a time.
    for (const odd of ['abc', '1.5', '1e300', 'Infinity', '99999999999999999999'].map(Number)) {
      assert.equal(await jobs.revise(owner, ad.id, plain, odd), undefined)
      assert.equal(await questionnaires.revise(owner, made.id, content, odd), undefined)
    }
  })

  test('of several concurrent changes to the same ad, one succeeds', async () => {
    const { jobs } = services()
    const ad = await jobs.add(owner, plain)
    const titles = ['1', '2', '3', '4']
    const all = await Promise.all(
      titles.map(title => jobs.revise(owner, ad.id, { ...plain, title }, ad.updatedAt)),
    )
    const [winner, ...others] = all.filter(each => each !== undefined)
    assert.deepEqual(others, [])
    assert.equal((await jobs.find(owner, ad.id)).title, winner?.title)
  })
})
