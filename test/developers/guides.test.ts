import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Marked, type Token, type Tokens } from 'marked'
import type { CodeRequest } from '../../src/site/docs/assets/request-code.mjs'
import { readCurl } from '../../src/site/docs/code/curl-markup.ts'
import { call, harbour } from '../harness/http.ts'
import { Browser, doorOf } from '../harness/oauth.ts'
import { readText } from '../harness/repository.ts'
import { onOneEngine } from '../harness/service.ts'
import { sendRequest } from './code-request.ts'

/** In this order, since applications sent in one are listed in the next. */
const guides = [
  'docs/developers/start.md',
  'docs/integrating/collecting.md',
  'docs/integrating/polling.md',
  'docs/integrating/following.md',
  'docs/integrating/webhooks.md',
  'docs/integrating/reporting-progress.md',
  'docs/integrating/sharing.md',
  'docs/integrating/applying.md',
]

interface Exchange {
  request: CodeRequest
  /** Undefined if the guide prints none. */
  response: { status: number; form: string; text: string } | undefined
}

const isCode = (token: Token | undefined): token is Tokens.Code => token?.type === 'code'

/** The requests of a guide, each with the response printed after it. */
function exchangesIn(markdown: string): Exchange[] {
  const tokens = new Marked().lexer(markdown).filter(({ type }) => type !== 'space')
  return tokens.flatMap((token, index) => {
    const request = isCode(token) && token.lang === 'sh' ? readCurl(token.text) : undefined
    if (request === undefined) return []
    const next = tokens[index + 1]
    const [form = '', status] = isCode(next) ? (next.lang ?? '').split(' ') : []
    const response =
      isCode(next) && status !== undefined ? { status: Number(status), form, text: next.text } : undefined
    return [{ request, response }]
  })
}

const anyTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const anyUuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/** Dots stand for anything, a time for any time, a random identifier for any. */
function isLike(actual: string, printed: string): boolean {
  if (anyTime.test(printed)) return anyTime.test(actual)
  const literal = (text: string) => text.replace(/[^\w\s]/g, '\\$&')
  const pattern = printed.split(/(\.\.\.)|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/).map(piece => {
    if (piece === undefined) return ''
    return piece === '...' ? '.*' : anyUuid.test(piece) ? anyUuid.source : literal(piece)
  })
  return new RegExp(`^${pattern.join('')}$`, 's').test(actual)
}

/** The value, with the printed text in place of each text like it. */
function asPrinted(actual: unknown, printed: unknown): unknown {
  if (typeof actual === 'string' && typeof printed === 'string') {
    return isLike(actual, printed) ? printed : actual
  }
  if (actual === null || typeof actual !== 'object' || printed === null || typeof printed !== 'object') {
    return actual
  }
  const other = printed as Record<string, unknown>
  const pairs = Object.entries(actual).map(([key, value]) => [key, asPrinted(value, other[key])])
  return Array.isArray(actual) ? pairs.map(([, value]) => value) : Object.fromEntries(pairs)
}

async function assertPrinted(response: Response, printed: NonNullable<Exchange['response']>, place: string) {
  const { origin } = new URL(response.url)
  const text = (await response.text()).replaceAll(origin, 'http://localhost:8080')
  assert.equal(response.status, printed.status, `${place}: ${text}`)
  if (printed.form === 'json') {
    const expected = JSON.parse(printed.text)
    assert.deepEqual(asPrinted(JSON.parse(text), expected), expected, place)
  } else if (printed.form === 'xml') {
    assert.equal(text, printed.text.replace(/>\n\s*</g, '><'), place)
  } else {
    for (const line of printed.text.split('\n')) {
      const [name = '', value = ''] = line.split(': ')
      assert.ok(isLike(response.headers.get(name) ?? '', value), `${place}: ${line}`)
    }
  }
  return text
}

test('the comparison notices differences', () => {
  const printed = { a: 'dat_...', b: ['x', 1], c: '2026-11-14T00:00:00.000Z' }
  const same = { a: 'dat_123', b: ['x', 1], c: '2027-01-02T03:04:05.678Z' }
  assert.deepEqual(asPrinted(same, printed), printed)
  for (const other of [
    { ...same, a: 'x' },
    { ...same, b: ['x', 2] },
    { ...same, c: 'now' },
    { ...same, d: 1 },
  ]) {
    assert.notDeepEqual(asPrinted(other, printed), printed)
  }
})

onOneEngine('the requests of the guides', service => {
  test('get the printed responses', async () => {
    const { baseUrl } = service()
    const { bytes: file } = await call(service(), '/v1/advertiser/applications/resume/1', {
      headers: harbour,
    })
    const browser = new Browser(doorOf(service()))
    /** What the reader puts in place of the dots, from the steps before. */
    const known: Record<string, string> = {}
    let count = 0
    for (const guide of guides) {
      for (const { request, response: printed } of exchangesIn(readText(guide))) {
        const code = request.form?.some(([, value]) => value === '...') ? await browser.code() : ''
        const filled: CodeRequest = {
          ...request,
          url: request.url
            .replace('http://localhost:8080', baseUrl)
            .replace('/resumes/...', `/resumes/${known['resume']}`)
            .replace('/applications/.../', `/applications/${known['application']}/`),
          headers: request.headers.map(([name, value]): [string, string] => [
            name,
            value.replace('dat_...', known['token'] ?? '').replace('W/"..."', known['etag'] ?? ''),
          ]),
          form: request.form?.map(([name, value]) => [name, value === '...' ? code : value]),
        }
        const response = await sendRequest(filled, file)
        const place = `${guide}: ${request.method} ${request.url}`
        const text =
          printed === undefined ? await response.text() : await assertPrinted(response, printed, place)
        assert.ok(printed !== undefined || response.ok, `${place}: ${response.status} ${text}`)
        known['etag'] = response.headers.get('etag') ?? ''
        if (/"access_token"/.test(text)) known['token'] = JSON.parse(text).access_token
        if (request.url.endsWith('/prefilled')) {
          const { id, resume } = JSON.parse(text)
          Object.assign(known, { application: id, resume: resume.link.split('/').at(-1) })
        }
        count += 1
      }
    }
    assert.ok(count > 15)
  })
})
