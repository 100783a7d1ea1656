import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundApplication } from '../../src/collect/search/results.ts'
import { raeId } from '../../src/demo/world/world.ts'
import { plainDraft, uploaded } from '../harness/applications.ts'
import { wordsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { joinCompany } from '../harness/memberships.ts'
import { Browser, doorInto } from '../harness/oauth.ts'
import { createTestServer } from '../harness/server.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { harbourId, summaryOf } from './apply-form.ts'

const southernId = 10000002
const harbour = `/console/${harbourId}/applications`
const southern = `/console/${southernId}/applications`

/** The rows of the table, in words. */
function rowsOf({ text }: Answer): string[] {
  const [, body = ''] = /<tbody>(.*)<\/tbody>/s.exec(text) ?? []
  return [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) => wordsOf(row).trim())
}

const linkOf = ({ text }: Answer, label: string) =>
  new RegExp(`href="([^"]*)"[^>]*>${label}<`).exec(text)?.[1]?.replaceAll('&amp;', '&')

inDemoWorld('the applications of an advertiser', { on: ['sqlite'] }, (world, { signedIn }) => {
  const rae = signedIn('rae@example.com')
  const rex = signedIn('rex@example.com')

  test('are listed in a table, newest first, with their files and results', async () => {
    const rows = rowsOf(await rex.page(harbour))
    assert.equal(rows.length, 16)
    assert.match(await rex.words(harbour), / 16 applications /)
    assert.match(
      rows[1] ?? '',
      /^Aroha Parata \w+ Wholesale trainer HCR-12 10 Nov( 2026)? Failed Resume aroha\.parata@example\.com$/,
    )
    assert.match(rows.join('\n'), /Chloe Abernethy .* Resume: infected /)
  })

  test('are found by the beginning of either name, an address or a reference', async () => {
    for (const [typed, name] of [
      ['mary ng', 'Mary Nguyen'],
      ['NGUYEN, ', undefined],
      ['nguyen m', 'Mary Nguyen'],
      ['zoe', 'Zoë Brennan'],
      ['d.kowal', 'Daniel Kowalczyk'],
      ['hcr-16', 'Олена Шевченко'],
      ['oconnor', "Liam O'Connor"],
      ['o’connor l', "Liam O'Connor"],
      ['20', 'Олена Шевченко'],
    ] as const) {
      const rows = rowsOf(await rae.page(`${harbour}?q=${encodeURIComponent(typed)}`))
      if (name === undefined) assert.deepEqual(rows, [])
      else assert.ok(rows.length > 0 && rows.every(row => row.startsWith(name)), `${typed}: ${rows}`)
    }
  })

  test('are filtered by outcome, virus and date, and each filter can be removed', async () => {
    const answer = await rae.page(`${harbour}?screen=failed&from=2026-10-07&to=2026-10-08`)
    assert.deepEqual(
      rowsOf(answer).map(row => row.slice(0, 11)),
      ['Priya Raman'],
    )
    const chip = /<a class="chip" href="([^"]*)"><span[^>]*>[^<]*<\/span><bdi>Questionnaire failed/.exec(
      answer.text,
    )?.[1]
    assert.equal(chip, `${harbour}?from=2026-10-07&amp;to=2026-10-08`)
    assert.match(wordsOf(answer.text), /From 7 October 2026 .*To 8 October 2026 /)
    assert.match(wordsOf(answer.text), /Days and times are in Australia\/Brisbane time\./)
    assert.equal(rowsOf(await rae.page(`${harbour}?virus=yes`)).length, 1)
    const barista = rowsOf(await rae.page(`${harbour}?ad=31`))
    assert.equal(barista.length, 3)
    assert.ok(barista.every(row => row.includes('Head barista HCR-7')))
  })

  test('an unreadable filter is reported at its field and kept, and the others still apply', async () => {
    const answer = await rae.page(`${harbour}?q=priya&from=2026-02-30&ad=x&screen=perhaps`)
    assert.deepEqual(
      summaryOf(answer.text).map(([field]) => field),
      ['ad', 'from', 'screen'],
    )
    assert.match(answer.text, /<details open><summary>More filters/)
    assert.match(answer.text, /id="from" name="from" value="2026-02-30" type="text"/)
    assert.equal(rowsOf(answer).length, 1)
  })

  test('an empty list says why, and what to do', async () => {
    assert.match(
      (await rae.page(`${harbour}?q=nobody`)).text,
      /No applications match.*href="\/console\/10000001\/applications"/s,
    )
    const { id } = await world().services.advertisers.add('Empty')
    await joinCompany(world().services.database, raeId, id)
    const empty = await rae.page(`/console/${id}/applications`)
    assert.match(empty.text, /No applications yet/)
    assert.match(empty.text, new RegExp(`href="/console/${id}/jobs">Your job ads<`))
    assert.doesNotMatch(empty.text, /Export as CSV/)
  })

  test('come in pages with links in both directions, which keep the filter', async () => {
    for (let serial = 1; serial <= 30; serial++) {
      const contact = {
        email: `p${serial}@example.com`,
        firstName: 'Pat',
        lastName: `P ${serial}`,
        phone: '',
      }
      await world().services.submissions.add(southernId, plainDraft({ contact }))
    }
    const first = await rae.page(`${southern}?q=pat`)
    assert.equal(rowsOf(first).length, 25)
    assert.match(wordsOf(first.text), / 30 applications /)
    assert.match(rowsOf(first)[0] ?? '', /^Pat P 30 /)
    const second = await rae.page(linkOf(first, 'Older') ?? '')
    assert.deepEqual(
      rowsOf(second).map(row => row.slice(0, 7)),
      ['Pat P 5', 'Pat P 4', 'Pat P 3', 'Pat P 2', 'Pat P 1'],
    )
    assert.equal(linkOf(second, 'Older'), undefined)
    assert.deepEqual(rowsOf(await rae.page(linkOf(second, 'Newer') ?? '')), rowsOf(first))
    assert.match(linkOf(second, 'Newest') ?? '', /\?q=pat$/)
  })

  test('of another advertiser are not found', async () => {
    assert.equal((await rex.get(southern)).status, 404)
    assert.equal((await rex.get(`${southern}.csv`)).status, 404)
    const [, id] = new RegExp(`${southern}/(\\d+)"`).exec((await rae.page(southern)).text) ?? []
    for (const path of [`${harbour}/${id}`, `${harbour}/${id}/files/resume`, `${harbour}/x`]) {
      assert.equal((await rae.get(path)).status, 404, path)
    }
  })

  test('are exported as filtered, and no cell is a formula', async () => {
    const { services } = world()
    const contact = {
      email: 'f@example.com',
      firstName: '=cmd|calc',
      lastName: 'O"Hara, jr',
      phone: '+61 491',
    }
    const resume = await uploaded(services, { type: 'resume', fileName: 'r.txt' }, 'x')
    await services.submissions.add(southernId, plainDraft({ contact, files: [resume] }))
    const answer = await rae.get(`${southern}.csv?q=${encodeURIComponent('=cmd')}`)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    assert.match(
      answer.headers.get('content-disposition') ?? '',
      /^attachment; filename=applications-10000002-\d{4}-\d\d-\d\d\.csv$/,
    )
    assert.deepEqual([...answer.bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
    const [head = '', line = '', ...rest] = answer.bytes.toString().slice(1).split('\r\n')
    assert.match(head, /^"ID","Submitted","First name","Last name","Email","Phone",/)
    assert.match(
      line,
      /^\d+,"\d{4}-.*\+10:00","'=cmd\|calc","O""Hara, jr","f@example\.com","'\+61 491",,,,,,,"Resume","no","New"$/,
    )
    assert.deepEqual(rest, [''])
    // Without a file, infected, unscanned, and clean.
    const harbours = (await rae.get(`${harbour}.csv`)).text.split('\r\n')
    const virusOf = (id: number) =>
      harbours
        .find(each => each.startsWith(`${id},`))
        ?.split(',')
        .at(-2)
    assert.deepEqual([2, 8, 10, 1].map(virusOf), ['', '"yes"', '"not checked"', '"no"'])
    assert.equal((await rae.send('HEAD', `${southern}.csv`)).status, 200)
    const all = (await rae.get(`${southern}.csv`)).text.split('\r\n')
    assert.ok(all.length > 32, String(all.length))
  })

  test('an unreadable filter exports nothing, and is reported at its field', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await rae.send(method, `${harbour}.csv?from=2026-02-30&q=mary`)
      assert.equal(answer.status, 422)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
      assert.equal(answer.headers.get('content-disposition'), null)
    }
    const { text } = await rae.get(`${harbour}.csv?from=2026-02-30&q=mary`)
    assert.deepEqual(
      summaryOf(text).map(([field]) => field),
      ['from'],
    )
    assert.match(wordsOf(text), /Nothing was exported\. .* From: “2026-02-30” isn’t a date/)
    // The export does not ask for columns that the table leaves out.
    const table = await rae.page(`${harbour}?from=2026-02-30&q=mary`)
    assert.equal(linkOf(table, 'Export as CSV'), `${harbour}.csv?q=mary`)
  })

  test('each sign-in has at most two exports in progress', async () => {
    const gate = Promise.withResolvers<void>()
    const all = async () =>
      (async function* (): AsyncGenerator<FoundApplication[]> {
        await gate.promise
        yield []
      })()
    const { services, settings } = world()
    const { app } = await createTestServer(
      { ...services, applicationSearch: { ...services.applicationSearch, all } },
      settings,
    )
    const browser = new Browser(doorInto(app))
    for (const [name, value] of rae.cookies) browser.cookies.set(name, value)
    try {
      const underWay = [browser.get(`${harbour}.csv`), browser.get(`${harbour}.csv`)]
      let refused = await browser.get(`${harbour}.csv`)
      while (refused.status === 200) refused = await browser.get(`${harbour}.csv`)
      assert.equal(refused.status, 429)
      assert.ok(refused.headers.get('retry-after') !== null)
      assert.match(refused.text, /other exports running/)
      gate.resolve()
      for (const answer of await Promise.all(underWay)) assert.equal(answer.status, 200)
      assert.equal((await browser.get(`${harbour}.csv`)).status, 200)
    } finally {
      gate.resolve()
      await app.close()
    }
  })

  test('an export that needs several reads takes one of two slots shared by all nodes', async () => {
    const { services, settings } = world()
    const long: typeof services.applicationSearch.all = async (_advertiserId, _filter, beforeMore) => {
      await beforeMore?.()
      return (async function* () {})()
    }
    const { app } = await createTestServer(
      { ...services, applicationSearch: { ...services.applicationSearch, all: long } },
      settings,
    )
    const browser = new Browser(doorInto(app))
    for (const [name, value] of rae.cookies) browser.cookies.set(name, value)
    const sessions = await services.database.reader.selectFrom('sessions').select('id').execute()
    const elsewhere = services.slots('export', 2)
    const held = sessions.flatMap(({ id }) => [elsewhere.take(id), elsewhere.take(id)])
    for (const slot of held) assert.equal(await slot?.share(), true)
    try {
      assert.equal((await browser.get(`${harbour}.csv`)).status, 429)
      assert.equal((await rae.get(`${harbour}.csv`)).status, 200, 'all of it in one read')
    } finally {
      for (const slot of held) slot?.release()
      await app.close()
    }
  })

  test('a visitor who is not signed in is asked to, and returns to the same filter', async () => {
    const nobody = new Browser(world().door)
    const answer = await nobody.get(`${harbour}?q=mary`)
    assert.equal(
      answer.headers.get('location'),
      `/sign-in?continue=${encodeURIComponent(`${harbour}?q=mary`)}`,
    )
    assert.ok(await nobody.form('/sign-in', answer.headers.get('location') ?? ''))
  })
})
