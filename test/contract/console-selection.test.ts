import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOwnApplicationStore } from '../../src/apply/form/own-application-store.ts'
import { notifiedText } from '../../src/console/applications/pages.ts'
import { southernId, tomId } from '../../src/demo/world/world.ts'
import { giveToCandidate, plainDraft, uploaded } from '../harness/applications.ts'
import { formTo, wordsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { readZip } from '../harness/zip.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { harbourId } from './apply-form.ts'

const list = `/console/${harbourId}/applications`

inDemoWorld('a list of applications to choose from', (world, { signedIn }) => {
  const rae = signedIn('rae@example.com')

  async function arrive(lastName: string, advertiserId = harbourId): Promise<number> {
    const { services } = world()
    const contact = { email: 'kim@example.com', firstName: 'Kim', lastName, phone: '' }
    const resume = await uploaded(services, { type: 'resume', fileName: 'cv.txt', scan: 'clean' }, lastName)
    const infected = { ...resume, type: 'coverLetter' as const, scan: 'infected' as const, blob: null }
    const files = lastName === 'Bare' ? [] : [resume, infected]
    return (await services.submissions.add(advertiserId, plainDraft({ contact, files }))).id
  }
  const statusOf = async (id: number) =>
    (await world().services.applicationSearch.detail(harbourId, id)).status
  const tabsOf = ({ text }: Answer) => wordsOf(/<nav class="status-tabs".*?<\/nav>/s.exec(text)?.[0] ?? '')

  /** Sends the form of the list with these boxes ticked. */
  function choose(page: Answer, ids: readonly number[], typed: Record<string, string>, to = 'selection') {
    const { fields } = formTo(`${list}/selection`, page.text)
    const kept = fields.filter(([name]) => name.startsWith('form_'))
    const boxes = ids.map(
      id => ['chosen', new RegExp(`value="(${id}:[^"]*)"`).exec(page.text)?.[1] ?? `${id}:new`] as const,
    )
    return rae.post(`${list}/${to}`, [...kept, ...boxes, ...Object.entries(typed)])
  }

  test('shows each status with its number, filters by it, and puts the unread first', async () => {
    const first = await arrive('Tabbed')
    const before = await rae.get(list)
    const [, count = ''] = / New (\d+) /.exec(tabsOf(before)) ?? []
    const second = await arrive('Tabbed')
    assert.match(tabsOf(await rae.get(list)), new RegExp(` New ${Number(count) + 1} `))
    await rae.get(`${list}/${second}`)
    const seen = await rae.get(`${list}?status=seen`)
    assert.match(seen.text, new RegExp(`${list}/${second}\\?status=seen`))
    assert.doesNotMatch(seen.text, new RegExp(`${list}/${first}\\?`))
    const unread = await rae.get(`${list}?order=unread`)
    assert.ok(unread.text.indexOf(`${list}/${first}?`) < unread.text.indexOf(`${list}/${second}?`))
    // Other conditions are not counted.
    assert.doesNotMatch(tabsOf(await rae.get(`${list}?q=tabbed`)), /\d/)
    assert.match((await rae.get(`${list}?status=lost`)).text, /“lost” isn’t one of the choices/)
  })

  test('changes those that are still as shown, and says which are not', async () => {
    const ids = [await arrive('Many'), await arrive('Many'), await arrive('Many')]
    const page = await rae.get(`${list}?q=many`)
    await world().services.progress.open(harbourId, ids[0] ?? 0, 'colleague')
    const stale = await choose(page, ids, { status: 'shortlisted' })
    assert.equal(stale.status, 409)
    assert.match(wordsOf(stale.text), /2 applications changed to Shortlisted\. 1 application was not changed/)
    assert.deepEqual(await Promise.all(ids.map(statusOf)), ['seen', 'shortlisted', 'shortlisted'])
    const done = await choose(await rae.get(list), ids, { status: 'hired' })
    assert.equal(done.status, 303)
    const back = await rae.get(done.headers.get('location') ?? '')
    assert.match(wordsOf(back.text), /3 applications changed to Hired\./)
    for (const link of [
      '?changed=3&now=hired',
      '?changed=3-hired',
      (done.headers.get('location') ?? '').replace('3-hired', '9-hired').slice(list.length),
    ])
      assert.doesNotMatch(await rae.words(`${list}${link}`), /applications changed to/)
    const twice = await rae.get(list)
    for (const press of ['first', 'second'])
      assert.equal((await choose(twice, ids, { status: 'seen' })).status, 303, `the ${press} press`)
  })

  test('says that the candidates are emailed only if they are', async () => {
    const ids = [await arrive('Told'), await arrive('Told')]
    for (const [status, words] of [
      [
        'shortlisted',
        /2 applications changed to Shortlisted\. We’re not emailing the candidates\. This service/,
      ],
      ['seen', /2 applications changed to Seen\. We email candidates only when you shortlist/],
    ] as const) {
      const done = await choose(await rae.get(`${list}?q=told`), ids, { status, tell: 'yes' })
      assert.match(await rae.words(done.headers.get('location') ?? ''), words)
    }
    assert.match(notifiedText(0, 2), /not emailing .* None has an account/)
    assert.match(notifiedText(1, 2), /emailing the candidates of 1 of them\. The others have no account/)
    assert.equal(notifiedText(2, 2), 'We’re emailing the candidates.')
  })

  test('nothing selected, no status, too many, or another company’s: nothing changes', async () => {
    const page = await rae.get(list)
    assert.equal((await choose(page, [], { status: 'hired' })).status, 422)
    const id = await arrive('Kept')
    assert.equal((await choose(page, [id], {})).status, 422)
    assert.equal(
      (
        await choose(
          page,
          Array.from({ length: 101 }, () => id),
          { status: 'hired' },
        )
      ).status,
      422,
    )
    assert.equal(await statusOf(id), 'new')
    const others = await arrive('Others', southernId)
    assert.equal((await choose(page, [others], { status: 'hired' })).status, 409)
    assert.equal((await world().services.applicationSearch.detail(southernId, others)).status, 'new')
  })

  test('packs the files of several in one archive, without infected ones and those of others', async () => {
    const [one, bare, others] = [
      await arrive('Packed'),
      await arrive('Bare'),
      await arrive('Secret', southernId),
    ]
    const page = await rae.get(list)
    const answer = await choose(page, [one, bare, others], {}, 'selection/files.zip')
    assert.equal(answer.headers.get('content-type'), 'application/zip')
    const files = await readZip(answer.bytes)
    assert.deepEqual([...files.keys()], [`Kim Packed ${one}/resume-cv.txt`, 'Files left out.txt'])
    assert.equal(String(files.get(`Kim Packed ${one}/resume-cv.txt`)), 'Packed')
    assert.match(String(files.get('Files left out.txt')), new RegExp(`Kim Bare ${bare}: No documents`))
    // Names that are alike as far as a folder can show, and names that look like paths.
    const long = `${'\u{1F600}'.repeat(99)}x`
    const alike = [await arrive(long), await arrive(long), await arrive('../../x'), await arrive('a\\..\\x')]
    const folders = await readZip((await choose(page, alike, {}, 'selection/files.zip')).bytes)
    assert.equal(folders.size, 5)
    for (const id of alike)
      assert.ok([...folders.keys()].some(path => path.split('/')[0]?.endsWith(` ${id}`)))
    assert.equal((await choose(page, [], {}, 'selection/files.zip')).status, 400)
    assert.equal(
      (
        await choose(
          page,
          Array.from({ length: 101 }, (_, id) => id + 1),
          {},
          'selection/files.zip',
        )
      ).status,
      400,
    )
  })

  test('a document that its candidate replaces or adds just before is in the archive, under its own name', async t => {
    const { services } = world()
    const file = (type: 'resume' | 'coverLetter', name: string) =>
      uploaded(services, { type, fileName: `${name}.txt`, contentType: 'text/plain', scan: 'clean' }, name)
    const { database, reads } = services
    const { replaceFile } = createOwnApplicationStore(database)
    const addRead = reads.download
    for (const way of ['one', 'many'] as const) {
      const id = (
        await services.submissions.add(harbourId, plainDraft({ files: [await file('resume', 'old')] }))
      ).id
      await giveToCandidate(services, tomId, { advertiser_id: harbourId, application_id: id })
      t.mock.method(reads, 'download', async (...read: Parameters<typeof addRead>) => {
        const bounds = { now: Date.now(), recordedSince: 0, max: 20 }
        for (const sent of [await file('resume', 'new'), await file('coverLetter', 'added')])
          assert.equal(await replaceFile(tomId, id, sent, bounds), 'replaced')
        return addRead(...read)
      })
      const answer =
        way === 'one'
          ? await rae.get(`${list}/${id}/files.zip`)
          : await choose(await rae.get(list), [id], {}, 'selection/files.zip')
      t.mock.restoreAll()
      assert.equal(answer.status, 200, answer.text)
      const files = await readZip(answer.bytes)
      const packed = [...files].map(([path, bytes]) => [path.replace(/.*\//, ''), String(bytes)])
      assert.deepEqual(packed, [
        ['resume-new.txt', 'new'],
        ['coverLetter-added.txt', 'added'],
      ])
    }
  })
})
