import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onBothEngines, type Service } from '../harness/service.ts'
import { type Application, everything, ids, listing, listPath, tree } from './reading.ts'

interface Page {
  applications: Application[]
  url: string
}

/** The target of the only Link, which must be rel="next" on the service's own address. */
function nextOf(service: Service, link: string | null): URL | null {
  if (link === null) return null
  const [, target = ''] = /^<([^>]+)>; rel="next"$/.exec(link) ?? []
  assert.ok(target.startsWith(`${service.baseUrl}${listPath}?`), link)
  return new URL(target)
}

/** Follows Link to the end, from a query. */
async function follow(service: Service, query: string): Promise<Page[]> {
  const pages: Page[] = []
  let url: string | null = service.baseUrl + listPath + query
  while (url !== null) {
    const answer = await call(service, url.slice(service.baseUrl.length), { headers: harbour })
    const applications = listing(answer).JobApplicationsList
    const next = nextOf(service, answer.headers.get('link'))
    if (next !== null) {
      const last = applications.at(-1)?.ID
      assert.equal(next.searchParams.get('afterid'), `${last}`, 'goes on behind the last of the page')
      assert.ok(pages.length < 100, 'comes to an end')
    }
    pages.push({ applications, url })
    url = next?.href ?? null
  }
  return pages
}

onBothEngines('paging of the list', service => {
  for (const limit of [1, 3, 5, 999, 1000]) {
    test(`limit=${limit}: following Link to the end gives the whole list`, async () => {
      const whole = await everything(service())
      const pages = await follow(service(), `?include=primaryjobseekinginfo&limit=${limit}`)
      assert.deepEqual(
        pages.flatMap(page => page.applications),
        whole,
      )
      assert.equal(pages.length, Math.max(1, Math.ceil(whole.length / limit)))
      for (const page of pages.slice(0, -1)) assert.equal(page.applications.length, limit)
    })
  }

  test('Link is present only if more applications follow', async () => {
    const whole = await everything(service())
    const linkAt = async (limit: number): Promise<string | null> =>
      (await call(service(), `${listPath}?limit=${limit}`, { headers: harbour })).headers.get('link')
    assert.equal(await linkAt(whole.length), null)
    assert.notEqual(await linkAt(whole.length - 1), null)
    assert.equal(await linkAt(whole.length + 1), null)
  })

  test('Link keeps the filters and the limit', async () => {
    const filters = {
      beforeid: '999999999999',
      afterdate: '2026-10-01T00:00:00',
      beforedate: '2026-11-10T00:00:00',
      include: 'primaryjobseekinginfo',
      limit: '2',
    }
    const [first, second] = await follow(service(), `?${new URLSearchParams(filters)}`)
    assert.ok(first && second)
    const { searchParams } = new URL(second.url)
    const sent = { ...filters, afterid: `${first.applications.at(-1)?.ID}` }
    assert.deepEqual(
      Object.fromEntries([...searchParams].sort()),
      Object.fromEntries(Object.entries(sent).sort()),
    )
  })

  test('pages under filters add up to the unpaged list under the same filters', async () => {
    const all = ids(await everything(service()))
    const filters = `afterid=${all[1]}&beforeid=${all.at(-1)}&beforedate=2026-11-12T00:00:00`
    const whole = await call(service(), `${listPath}?${filters}`, { headers: harbour })
    const expected = ids(listing(whole).JobApplicationsList)
    assert.ok(expected.length > 4)
    const paged = await follow(service(), `?${filters}&limit=2`)
    assert.deepEqual(ids(paged.flatMap(page => page.applications)), expected)
  })

  test("a page reached by a link echoes the link's afterid", async () => {
    const [first, second] = await follow(service(), '?limit=2')
    assert.ok(first && second)
    const answer = await call(service(), second.url.slice(service().baseUrl.length), { headers: harbour })
    assert.equal(listing(answer).AfterID, `${first.applications.at(-1)?.ID}`)
  })

  test('pages of XML have the same applications and the same Link', async () => {
    const json = await call(service(), `${listPath}?limit=3`, { headers: harbour })
    const xml = await call(service(), `${listPath}?limit=3`, {
      headers: { ...harbour, accept: 'application/xml' },
    })
    assert.equal(xml.headers.get('link'), json.headers.get('link'))
    const list = tree(xml.text).children.at(-1)
    assert.equal(list?.name, 'JobApplicationsList')
    assert.deepEqual(
      list.children.map(application => Number(application.children[0]?.text)),
      ids(listing(json).JobApplicationsList),
    )
  })

  test('an empty page has no Link', async () => {
    const answer = await call(service(), `${listPath}?limit=1&afterid=9999999999999999999`, {
      headers: harbour,
    })
    assert.deepEqual(listing(answer).JobApplicationsList, [])
    assert.equal(answer.headers.get('link'), null)
  })
})
