import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainDraft, uploaded } from '../harness/applications.ts'
import { formTo, wordsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import type { Browser } from '../harness/oauth.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { harbourId } from './apply-form.ts'

const list = `/console/${harbourId}/applications`

inDemoWorld('working on an application in the console', (world, { signedIn }) => {
  const rex = signedIn('rex@example.com')
  const rae = signedIn('rae@example.com')

  async function arrive(): Promise<{ id: number; path: string }> {
    const { id } = await world().services.submissions.add(harbourId, plainDraft())
    return { id, path: `${list}/${id}` }
  }
  const statusOf = async (id: number) =>
    (await world().services.applicationSearch.detail(harbourId, id)).status

  /** Sends the form of a page as it was shown, with what the person typed and the button that they pressed. */
  function send(who: Browser, page: Answer, path: string, typed: Record<string, string>): Promise<Answer> {
    const { action, fields } = formTo(path, page.text)
    const kept = fields.filter(([name]) => !(name in typed))
    return who.post(action, [...kept, ...Object.entries(typed)])
  }

  test('to open it makes it seen, but not to ask for its head or to fetch it ahead', async () => {
    const { id, path } = await arrive()
    await rex.send('HEAD', path)
    await rex.send('GET', path, { headers: { 'sec-purpose': 'prefetch;prerender' } })
    assert.equal(await statusOf(id), 'new')
    const { text } = await rex.get(path)
    assert.equal(await statusOf(id), 'seen')
    assert.match(wordsOf(text), /Status Seen .* You changed the status from New to Seen/)
    assert.match(await rae.words(path), /Rex .* changed the status from New to Seen/)
  })

  test('one list shows what people, programs and the scanner did, newest first', async () => {
    const { services, clock } = world()
    const file = await uploaded(services, { type: 'coverLetter', scan: 'unscanned' }, 'a letter')
    const { id } = await services.submissions.add(harbourId, plainDraft({ files: [file] }))
    const path = `${list}/${id}`
    const pass = () => clock.advance(1000)
    pass()
    services.reads.list(harbourId, 'agent:20000001', 1, id)
    pass()
    services.reads.list(harbourId, 'credential:gone', id, id)
    pass()
    services.reads.fetch(harbourId, 'agent:20000001', id)
    await services.reads.flush()
    await services.applications.recordVerdict(harbourId, id, 'coverLetter', 'clean')
    pass()
    const { text } = await rex.get(path)
    const [, shown = ''] = /<ul class="plain history">(.*?)<\/ul>/s.exec(text) ?? []
    const lines = shown.split('</li>').map(line => wordsOf(line.split('<span')[0] ?? '').trim())
    assert.deepEqual(
      lines.filter(line => line !== ''),
      [
        'You changed the status from New to Seen',
        'The virus scanner found nothing in the cover letter',
        'Your program collected it with a former credential',
        'Northwind ATS collected it for you',
        'The candidate sent the application',
      ],
    )
    await services.erasure.erase(harbourId, id)
    const after = await rex.words(path)
    assert.match(
      after,
      /Notes and history The personal data was erased .* The candidate sent the application/,
    )
    assert.doesNotMatch(after, /Northwind|virus scanner/)
  })

  test('a status with a note, and the way back', async () => {
    const { id, path } = await arrive()
    const page = await rex.get(`${path}?q=mary`)
    const sent = await send(rex, page, path, { status: 'shortlisted', note: 'Call <b>her</b>\r\nsoon' })
    const location = sent.headers.get('location') ?? ''
    assert.match(location, /\?q=mary&done=[\w-]{43}\.status$/)
    const after = await rex.get(location)
    assert.match(wordsOf(after.text), /Status changed from Seen to Shortlisted\. Change back to Seen/)
    assert.match(after.text, /<bdi>Call &lt;b&gt;her&lt;\/b&gt;\nsoon<\/bdi>/)
    // A colleague is not offered to take it back, and a link from elsewhere claims nothing.
    for (const [reader, link] of [
      [rae, location],
      [rex, `${path}?done=status`],
      [rex, location.replace(/status$/, 'told')],
      [rex, `${path}?done=note`],
    ] as const)
      assert.doesNotMatch((await reader.get(link)).text, /Change back to|Note added|emailing/)
    await send(rex, after, path, { status: 'seen' })
    assert.equal(await statusOf(id), 'seen')
  })

  test('of two people the second reads what the first did, and keeps what they typed', async () => {
    const { id, path } = await arrive()
    const [one, other] = [await rex.get(path), await rae.get(path)]
    assert.equal((await send(rex, one, path, { status: 'hired' })).status, 303)
    const stale = await send(rae, other, path, { status: 'not-suitable', note: 'Too <late>' })
    assert.equal(stale.status, 409)
    assert.match(wordsOf(stale.text), /Nothing was saved\. While this page was open, Rex .* to Hired\./)
    assert.match(stale.text, /Too &lt;late&gt;<\/textarea>/)
    assert.equal(await statusOf(id), 'hired')
    assert.equal((await send(rae, stale, path, { status: 'not-suitable' })).status, 303)
    assert.equal(await statusOf(id), 'not-suitable')
    assert.match((await rex.get(path)).text, /<bdi>Too &lt;late&gt;<\/bdi>/)
  })

  test('a note alone does not mind another status, and is added once', async () => {
    const { path } = await arrive()
    const page = await rex.get(path)
    await send(rae, await rae.get(path), path, { status: 'hired' })
    const notes = await Promise.all([1, 2].map(() => send(rex, page, path, { note: 'Only once' })))
    assert.deepEqual(
      notes.map(({ status }) => status),
      [303, 303],
    )
    const { text } = await rex.get(path)
    assert.equal(text.match(/Only once/g)?.length, 1)
  })

  test('a note that is empty or too long is refused, and stays', async () => {
    const { path } = await arrive()
    const empty = await send(rex, await rex.get(path), path, { note: ' ' })
    assert.equal(empty.status, 422)
    assert.match(wordsOf(empty.text), /The note wasn’t saved\. .* Write a note first\./)
    const long = await send(rex, empty, path, { note: 'x'.repeat(5_001), status: 'hired' })
    assert.equal(long.status, 422)
    assert.match(long.text, /x{5001}<\/textarea>/)
  })

  test('what is new again leads back to the list, where it stays new', async () => {
    const { id, path } = await arrive()
    const sent = await send(rex, await rex.get(`${path}?q=mary`), path, { status: 'new' })
    assert.equal(sent.headers.get('location'), `${list}?q=mary`)
    await rex.get(`${list}?q=mary`)
    assert.equal(await statusOf(id), 'new')
  })

  test('the page says why the candidate is not notified by email', async () => {
    const { path } = await arrive()
    const page = await rex.get(path)
    assert.match(
      wordsOf(page.text),
      /You can’t tell the candidate by email\. This service doesn’t send emails\./,
    )
    for (const [status, why] of [
      ['shortlisted', /We’re not emailing the candidate\. This service doesn’t send emails\./],
      ['seen', /We’re not emailing the candidate\. We email candidates only when you shortlist/],
    ] as const) {
      const { headers } = await send(rex, await rex.get(path), path, { status, tell: 'yes' })
      assert.match(await rex.words(String(headers.get('location'))), why)
    }
  })

  test('what is not a status of ours is refused', async () => {
    const { path } = await arrive()
    const page = await rex.get(path)
    assert.equal((await send(rex, page, path, { shown: 'lost', note: 'x' })).status, 400)
    // As if no status button had been pressed.
    assert.equal((await send(rex, page, path, { status: 'withdrawn' })).status, 422)
  })
})
