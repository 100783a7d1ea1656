import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionSeen } from '../../src/jobs/ad-version-store.ts'
import type { KeptVersion } from '../../src/model/ad-version.ts'
import type { Form } from '../harness/html-form.ts'
import { wordsOf } from '../harness/html-form.ts'
import { applicationOf, applicationPart, idOf, intakeToken, post, southernId } from '../harness/intake.ts'
import { Browser, mary } from '../harness/oauth.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { baristaAd, goodAnswers, harbourId, openForm, partsOf, roasterAd, sentId } from './apply-form.ts'

const newAd = (title: string, screenId: number | null = null) => ({
  title,
  location: 'Hobart',
  description: 'Work.',
  reference: null,
  screenId,
  closingDate: null,
})

inDemoWorld('versions of job ads', (world, { signedIn }) => {
  const rae = signedIn('rae@example.com')
  const candidate = signedIn(mary)
  const send = (form: Form, fields: Record<string, string | readonly string[]> = {}) =>
    candidate.upload(form.action, partsOf(form, { fields: { resume: 'none', ...fields } }))
  async function all(advertiserId = harbourId): Promise<KeptVersion[]> {
    const kept: KeptVersion[] = []
    for await (const some of world().services.adVersions.all(advertiserId)) kept.push(...some)
    return kept
  }
  const versionsOf = async (jobAdId: number) => (await all()).filter(each => each.jobAdId === jobAdId)
  async function change(jobAdId: number, fields: object) {
    const { jobs } = world().services
    const { status: _, createdAt: __, updatedAt: ___, ...ad } = await jobs.find(harbourId, jobAdId)
    await jobs.replace(harbourId, jobAdId, { ...ad, ...fields })
  }
  const pages = (id: number) =>
    Promise.all([
      candidate.get(`/account/applications/${id}`),
      rae.get(`/console/${harbourId}/applications/${id}`),
    ]).then(answers => answers.map(({ text }) => wordsOf(text)))

  test('an application shows the ad and the questionnaire that its candidate saw', async () => {
    const first = sentId(await send(await openForm(candidate, baristaAd), goodAnswers))
    await change(baristaAd, { description: 'Now with **chai**.', details: { openings: 7 } })
    const { questionnaires } = world().services
    const { name, questions } = await questionnaires.find(harbourId, 501)
    const asked = questions.map((each, index) => (index === 0 ? { ...each, text: 'Why <b>chai</b>?' } : each))
    await questionnaires.replace(harbourId, 501, { name, questions: asked })
    const second = sentId(await send(await openForm(candidate, baristaAd), goodAnswers))

    for (const page of await pages(first)) {
      assert.match(page, /As it was when the application was sent Version 1, since/)
      assert.doesNotMatch(page, /chai/)
    }
    for (const page of await pages(second)) {
      assert.match(page, /Version 3, since .*\b7\b.*Now with chai.*Why .*chai/)
      assert.doesNotMatch(page, /passes/)
    }
    const kept = await versionsOf(baristaAd)
    assert.deepEqual(
      kept.map(({ version, description, questionnaire }) => [
        version,
        description === 'Now with **chai**.',
        questionnaire?.questions[0]?.text === 'Why <b>chai</b>?',
      ]),
      [
        [1, false, false],
        [2, true, false],
        [3, true, true],
      ],
    )
    assert.deepEqual(
      kept.map(({ replacedAt }) => replacedAt),
      [...kept.slice(1).map(({ createdAt }) => createdAt), null],
    )

    await world().services.erasure.erase(harbourId, first)
    for (const page of await pages(first)) assert.doesNotMatch(page, /As it was when/)
  })

  test('a form opened before a change is shown again, unless the candidate could not see it', async () => {
    const stale = await openForm(candidate, roasterAd)
    await change(roasterAd, { location: 'Hobart' })
    const late = await send(stale)
    assert.equal(late.status, 422)
    assert.match(wordsOf(late.text), /The company has changed the job ad since you opened this page/)

    const form = await openForm(candidate, roasterAd)
    await change(roasterAd, { reference: 'NEW-REF' })
    const id = sentId(await send(form))
    assert.match((await pages(id))[0] ?? '', /Version 3, since .* Hobart/)
    // A form of release 0.1.0 has no mark of the ad.
    const { action, fields } = await openForm(candidate, roasterAd)
    sentId(await send({ action, fields: fields.filter(([field]) => field !== 'ad') } as Form))
  })

  test('a version keeps the time zone of its closing date, and the kinds of its questions', async () => {
    const { services, clock } = world()
    const { database, advertisers, jobs, questionnaires } = services
    const typed = { type: 'Text' as const, options: [], passingTexts: [] }
    const { id: screenId } = await questionnaires.add(harbourId, {
      name: 'Kinds',
      questions: [
        { ...typed, id: 'n', kind: 'number' as const, text: 'Which salary?', isRequired: false },
        { ...typed, id: 's', kind: 'statement' as const, text: 'We record interviews.', isRequired: true },
      ],
    })
    const { id } = await jobs.add(harbourId, { ...newAd('Sailor', screenId), closingDate: '2026-12-24' })
    const apply = async () => {
      const form = await openForm(candidate, id)
      const box = /name="(question-[^"]+)" value="Read"/.exec((await candidate.get(`/jobs/${id}/apply`)).text)
      return sentId(await send(form, { [box?.[1] ?? '']: 'Read' }))
    }
    const zones = async () => (await versionsOf(id)).map(({ timeZone, createdAt }) => [timeZone, createdAt])
    const start = clock()
    const first = await apply()
    for (const page of await pages(first)) {
      assert.match(page, /Closing date: 24 December 2026 \(Brisbane time\)/)
      assert.match(page, /Which salary\? Number We record interviews\. Statement to read, required/)
    }
    clock.advance(20_000)
    // Says the same afterwards.
    await jobs.setStatus(harbourId, id, 'closed')
    await jobs.setStatus(harbourId, id, 'open')
    clock.advance(40_000)
    const stale = await openForm(candidate, id)
    await advertisers.setTimeZone(harbourId, 'America/St_Johns')
    assert.match(wordsOf((await send(stale)).text), /The company has changed the job ad/)
    const second = await apply()
    for (const page of await pages(first)) assert.match(page, /2026 \(Brisbane time\)/)
    for (const page of await pages(second)) assert.match(page, /Version 2, .*2026 \(St Johns time\)/)
    assert.deepEqual(await zones(), [
      ['Australia/Brisbane', start],
      ['America/St_Johns', start + 60_000],
    ])
    const { text } = await rae.get(`/console/${harbourId}/jobs/versions.csv`)
    assert.match(text, /"2026-12-24","America\/St_Johns"/)

    // An ad without a closing date has no zone, so that its versions stay the same.
    const count = (await versionsOf(roasterAd)).length
    await advertisers.setTimeZone(harbourId, null)
    assert.equal((await versionsOf(roasterAd)).length, count)

    const { closingDate, title, location, description, reference, details, questionnaire } =
      (await versionsOf(id))[0] ?? assert.fail()
    const old = { closingDate, title, location, description, reference, details, questionnaire }
    await database.writer
      .updateTable('ad_versions')
      .set({ content: JSON.stringify(old) })
      .where('job_ad_id', '=', id)
      .execute()
    for (const page of await pages(first)) assert.match(page, /Closing date: 24 December 2026 (?!\()/)
  })

  test('only changes of published ads are versions', async () => {
    const { jobs } = world().services
    const { id } = await jobs.add(harbourId, newAd('Baker'))
    const count = async () => (await versionsOf(id)).length
    assert.equal(await count(), 1)
    await change(id, {})
    assert.equal(await count(), 1, 'unchanged')
    await jobs.setStatus(harbourId, id, 'closed')
    await change(id, { title: 'Head baker' })
    assert.equal(await count(), 1, 'closed')
    await jobs.setStatus(harbourId, id, 'open')
    assert.equal(await count(), 2, 'opened with another title')
    await jobs.setStatus(harbourId, id, 'closed')
    await jobs.setStatus(harbourId, id, 'open')
    assert.equal(await count(), 2, 'opened unchanged')
    const { reports } = world().services
    await reports.hold(id, 'Looks odd.')
    await change(id, { title: 'Chief baker' })
    assert.equal(await count(), 2, 'held')
    await reports.release(id)
    assert.equal((await versionsOf(id)).at(-1)?.title, 'Chief baker')
  })

  test('what release 0.1.0 writes becomes a version before it is replaced or exported', async () => {
    const { jobs, database } = world().services
    const { id } = await jobs.add(harbourId, newAd('Cook'))
    const write = (title: string) =>
      database.writer
        .updateTable('job_ads')
        .set(({ eb }) => ({ title, updated_at: eb('updated_at', '+', 5) }))
        .where('id', '=', id)
        .execute()
    await write('Old cook')
    await change(id, { title: 'New cook' })
    await write('Last cook')
    const versions = await versionsOf(id)
    assert.deepEqual(
      versions.map(({ title }) => title),
      ['Cook', 'Old cook', 'New cook', 'Last cook'],
    )
    await database.writer.deleteFrom('ad_versions').where('job_ad_id', '=', id).execute()
    const sent = sentId(await send(await openForm(candidate, id)))
    assert.match((await pages(sent))[0] ?? '', /Version 1, since .*Last cook/)
  })

  test('applications from job boards point to the version of the moment', async () => {
    const token = await intakeToken(world().door)
    const id = idOf(await post(world().door, token, [applicationPart(applicationOf({ jobAdId: roasterAd }))]))
    assert.match(await rae.words(`/console/${harbourId}/applications/${id}`), /Version 3, since/)
  })

  test('an application adds no version that was never published, nor an older one as the newest', async () => {
    const { services } = world()
    const { database } = services
    const { id } = await services.jobs.add(harbourId, newAd('Before'))
    const [seen] = await versionsOf(id)
    assert.ok(seen)
    const { jobAdId: _, version: __, createdAt: ___, replacedAt: ____, ...snapshot } = seen
    await change(id, { title: 'After' })
    const look = (title: string) =>
      database.writer
        .transaction()
        .execute(trx =>
          versionSeen(
            trx,
            database.dialect,
            { advertiserId: harbourId, jobAdId: id },
            { ...snapshot, title },
            world().clock(),
          ),
        )
    assert.equal(await look('Never'), null)
    assert.equal(await look('Before'), 1)
    assert.deepEqual(
      (await versionsOf(id)).map(({ title, replacedAt }) => [title, replacedAt === null]),
      [
        ['Before', false],
        ['After', true],
      ],
    )
  })

  test('concurrent changes and applications leave no gap and no duplicate', async () => {
    const { jobs, questionnaires } = world().services
    const { id: screenId } = await questionnaires.add(harbourId, { name: 'Race', questions: [] })
    const { id } = await jobs.add(harbourId, newAd('Race', screenId))
    const forms = await Promise.all(Array.from({ length: 4 }, () => openForm(candidate, id)))
    await Promise.all([
      ...forms.map(form => send(form)),
      ...Array.from({ length: 6 }, (_, index) => change(id, { reference: `R-${index}` })),
      ...Array.from({ length: 6 }, (_, index) =>
        questionnaires.replace(harbourId, screenId, { name: `Race ${index}`, questions: [] }),
      ),
    ])
    const kept = await versionsOf(id)
    assert.deepEqual(
      kept.map(({ version }) => version),
      kept.map((_, index) => index + 1),
    )
    const [ad, questionnaire] = [
      await jobs.find(harbourId, id),
      await questionnaires.find(harbourId, screenId),
    ]
    const newest = kept.at(-1)
    assert.deepEqual([newest?.reference, newest?.questionnaire?.name], [ad.reference, questionnaire.name])
  })

  test('admins export them, of their own company alone', async () => {
    const path = `/console/${harbourId}/jobs/versions.csv`
    assert.match((await rae.get(`/console/${harbourId}/jobs`)).text, new RegExp(path))
    const { status, text, headers } = await rae.get(path)
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /text\/csv/)
    assert.match(text, /^\uFEFF"jobAdId","version","since"/)
    assert.match(text, /\r\n31,3,"20[^"]+",,/)
    const { id } = await world().services.jobs.add(southernId, newAd('Ours'))
    assert.equal((await all(southernId)).at(-1)?.jobAdId, id)
    assert.doesNotMatch((await rae.get(path)).text, /"Ours"/)
    assert.equal((await rae.get('/console/10000003/jobs/versions.csv')).status, 404)
    const recruiter = await Browser.signedIn(world().door, 'rex@example.com')
    assert.equal((await recruiter.get(path)).status, 403)
    await assert.rejects(all(99), /does not exist/)
  })
})
