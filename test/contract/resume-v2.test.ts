import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { formsOf, formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import {
  Browser,
  bearer,
  type Door,
  manyFailures,
  mary,
  requestToken,
  revokeEndpoint,
  type TestClient,
  tom,
} from '../harness/oauth.ts'
import { onFileStoresInTurn } from '../harness/one-engine.ts'
import type { Service } from '../harness/service.ts'
import { registerClient } from '../oauth/registering.ts'
import { external, sha256 } from './reading.ts'
import {
  assertProblem,
  getResume,
  grantedToken,
  harbourId,
  ownToken,
  prefilled,
  resumePath,
  southernId,
  unknownUuid,
  uuid,
} from './version2.ts'

const marysFile = readFileSync(new URL('../../src/demo/world/files/mary-nguyen-resume.pdf', import.meta.url))
const etag = `"${sha256(marysFile)}"`

/** Uploads a text file on the page, as a browser does. */
async function upload(browser: Browser, fileName: string, text: string): Promise<void> {
  const { action, fields } = await browser.form('/account/resumes/upload', '/account/resumes')
  const [, token = ''] = fields.find(([name]) => name === 'form_token') ?? []
  const answer = await browser.upload(action, [
    { name: 'form_token', content: token },
    { name: 'file', fileName, content: text, type: 'application/octet-stream' },
  ])
  assert.equal(answer.status, 303, answer.text)
}

/** The resume that is not the default becomes it. */
async function makeOtherDefault(browser: Browser): Promise<void> {
  const page = await browser.get('/account/resumes')
  const [form] = formsOf(page.text).filter(({ action }) => action === '/account/resumes/default')
  assert.ok(form !== undefined, 'there is another resume')
  assert.equal((await browser.submit(form)).status, 303)
}

async function removeResume(browser: Browser, fileName: string): Promise<void> {
  const list = await browser.get('/account/resumes')
  const [item] = list.text.split('<li').filter(part => part.includes(`>${fileName}<`))
  const path = /\/account\/resumes\/delete\?resume=[0-9a-f-]+/.exec(item ?? '')?.[0] ?? ''
  const page = await browser.get(path)
  assert.equal((await browser.submit(formTo('/account/resumes/delete', page.text))).status, 303)
}

async function withdrawAll(browser: Browser): Promise<void> {
  for (;;) {
    const page = await browser.get('/account/sharing')
    const [form] = formsOf(page.text).filter(({ action }) => action === '/account/sharing/withdraw')
    if (form === undefined) return
    assert.equal((await browser.submit(form)).status, 303)
  }
}

function assertNotFound(door: Door, answer: Answer, what: string): void {
  assert.equal(answer.status, 404, what)
  assertProblem(door, answer, 404, 'not-found')
  for (const name of ['etag', 'content-disposition', 'last-modified', 'accept-ranges']) {
    assert.equal(answer.headers.get(name), null, `${what}: ${name}`)
  }
}

onFileStoresInTurn('the resume of version 2', { env: manyFailures }, (service, { door }) => {
  const browser = new Browser(door)
  let token: string
  let path: string
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    getResume(door, token, path, headers, method)

  before(async () => {
    token = await grantedToken(door, { browser })
    const { resume, ...rest } = await prefilled(door, token)
    assert.ok(resume?.link.startsWith(`${service().baseUrl}/v2/resumes/`))
    path = resumePath({ resume, ...rest })
  })

  test('has exactly the headers of the spec, and the bytes that were uploaded', async () => {
    const answer = await get({ accept: 'application/octet-stream' })
    assert.equal(answer.status, 200)
    assert.ok(answer.bytes.equals(marysFile))
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream')
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="Mary Nguyen - Resume.pdf"')
    assert.equal(answer.headers.get('content-length'), `${marysFile.length}`)
    assert.equal(answer.headers.get('transfer-encoding'), null)
    assert.equal(answer.headers.get('content-encoding'), null)
    assert.equal(answer.headers.get('cache-control'), 'private')
    assert.equal(answer.headers.get('etag'), etag)
    assert.equal(answer.headers.get('accept-ranges'), 'bytes')
    const modified = answer.headers.get('last-modified') ?? ''
    assert.equal(new Date(modified).toUTCString(), modified)
  })

  test('ignores Accept and encodings', async () => {
    for (const headers of [
      { accept: 'text/html' },
      { accept: 'image/*;q=0' },
      { 'accept-encoding': 'gzip, br' },
    ]) {
      const answer = await get(headers)
      assert.equal(answer.status, 200)
      assert.ok(answer.bytes.equals(marysFile))
      assert.equal(answer.headers.get('content-encoding'), null)
    }
  })

  test('HEAD has the same headers and no body', async () => {
    const names = [
      'content-type',
      'content-disposition',
      'content-length',
      'etag',
      'last-modified',
      'cache-control',
      'accept-ranges',
    ]
    const [head, whole] = [await get({}, 'HEAD'), await get()]
    assert.equal(head.status, 200)
    assert.equal(head.bytes.length, 0)
    for (const name of names) assert.equal(head.headers.get(name), whole.headers.get(name), name)
  })

  test('a range is a 206 with exactly those bytes', async () => {
    const size = marysFile.length
    const ranges: [range: string, start: number, end: number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=0-99', 0, 99],
      ['bytes=100-', 100, size - 1],
      ['bytes=-10', size - 10, size - 1],
      [`bytes=${size - 1}-${size + 500}`, size - 1, size - 1],
      [`bytes=-${size * 2}`, 0, size - 1],
    ]
    for (const [range, start, end] of ranges) {
      const answer = await get({ range })
      assert.equal(answer.status, 206, range)
      assert.ok(answer.bytes.equals(marysFile.subarray(start, end + 1)), range)
      assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end}/${size}`)
      assert.equal(answer.headers.get('content-length'), `${end - start + 1}`)
      assert.equal(answer.headers.get('content-type'), 'application/octet-stream')
      assert.equal(answer.headers.get('etag'), etag)
    }
  })

  test('a range beyond the end is a 416 that gives the length', async () => {
    for (const range of [`bytes=${marysFile.length}-`, 'bytes=-0', 'bytes=99999999-99999999']) {
      const answer = await get({ range })
      assertProblem(door, answer, 416, 'range-not-satisfiable')
      assert.equal(answer.headers.get('content-range'), `bytes */${marysFile.length}`)
      assert.equal(answer.headers.get('content-disposition'), null)
      assert.equal(answer.headers.get('content-length'), `${answer.bytes.length}`)
    }
  })

  test('an unreadable range, and several at once, mean the whole', async () => {
    for (const range of ['bytes=5-1', 'bytes=a-b', 'lines=0-1', 'bytes=0-1,5-6', 'bytes=-', 'bytes']) {
      const answer = await get({ range })
      assert.equal(answer.status, 200, range)
      assert.ok(answer.bytes.equals(marysFile), range)
    }
  })

  test('If-Range with the ETag or the date gives the range, with anything else the whole', async () => {
    const modified = (await get({}, 'HEAD')).headers.get('last-modified') ?? ''
    for (const value of [etag, modified]) {
      const answer = await get({ range: 'bytes=0-9', 'if-range': value })
      assert.equal(answer.status, 206, value)
      assert.equal(answer.bytes.length, 10)
    }
    for (const value of ['"other"', `W/${etag}`, new Date(0).toUTCString(), 'garbage']) {
      const answer = await get({ range: 'bytes=0-9', 'if-range': value })
      assert.equal(answer.status, 200, value)
      assert.ok(answer.bytes.equals(marysFile), value)
    }
  })

  test('If-None-Match with the ETag is a 304 without a body, on HEAD as well', async () => {
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get({ 'if-none-match': value }, method)
        assert.equal(answer.status, 304, `${method} ${value}`)
        assert.equal(answer.bytes.length, 0)
        assert.equal(answer.headers.get('etag'), etag)
        assert.equal(answer.headers.get('cache-control'), 'private')
      }
    }
    assert.equal((await get({ 'if-none-match': '"other"' })).status, 200)
    assert.equal((await get({ 'if-none-match': '"other"', range: 'bytes=0-0' })).status, 206)
    assert.equal((await get({ 'if-none-match': etag, range: 'bytes=0-0' })).status, 304)
  })

  test('If-Modified-Since with its date is a 304', async () => {
    const modified = (await get({}, 'HEAD')).headers.get('last-modified') ?? ''
    assert.equal((await get({ 'if-modified-since': modified })).status, 304)
    assert.equal((await get({ 'if-modified-since': new Date(0).toUTCString() })).status, 200)
  })

  test('its identifier stays within a grant and differs between grants', { skip: external }, async () => {
    const client: TestClient = await registerClient(service() as Service, 'another-ats')
    const again = await grantedToken(door, { browser })
    assert.equal(resumePath(await prefilled(door, again)), path, 'another token of the same consent')
    assert.equal(
      resumePath(await prefilled(door, token, { applicationFormUrl: 'https://x.example/2' })),
      path,
    )
    const others = [
      resumePath(await prefilled(door, await grantedToken(door, { browser, client }))),
      resumePath(await prefilled(door, await grantedToken(door, { browser, advertiserId: harbourId }))),
      resumePath(
        await prefilled(door, await grantedToken(door, { browser, client, advertiserId: southernId }), {
          advertiserId: southernId,
        }),
      ),
    ]
    assert.equal(new Set([path, ...others]).size, 4)
    for (const other of others) assertNotFound(door, await getResume(door, token, other), 'another grant')
    assert.equal((await getResume(door, again, path)).status, 200)
  })

  test('an identifier that is not of this grant is not found', async () => {
    const id = path.slice('/v2/resumes/'.length)
    assert.match(id, uuid)
    const wrong = [
      unknownUuid,
      id.toUpperCase(),
      `${id}x`,
      id.slice(0, -1),
      id.replaceAll('-', ''),
      `{${id}}`,
      'abc',
      '1',
      '-'.repeat(36),
      '%00',
      "'",
      '..%2f..',
      `${id}%00`,
      `%20${id}`,
      'x'.repeat(3000),
    ]
    for (const each of wrong) {
      const answer = await getResume(door, token, `/v2/resumes/${each}`)
      assertNotFound(door, answer, each)
      assert.equal((await getResume(door, token, `/v2/resumes/${each}`, {}, 'HEAD')).status, answer.status)
    }
    for (const unreadable of ['%ff', '%', '%zz', `${id}%`]) {
      const answer = await getResume(door, token, `/v2/resumes/${unreadable}`)
      assertProblem(door, answer, 400, 'bad-request')
    }
    assert.equal((await getResume(door, token, '/v2/resumes/')).status, 404)
    assert.equal((await getResume(door, token, '/v2/resumes')).status, 404)
    const upper = await getResume(door, token, `/V2/RESUMES/${id}`)
    assert.equal(upper.status, 200, 'literal segments match in any letter case')
  })

  test('a candidate cannot be read with the token of another', async () => {
    const toms = await grantedToken(door, { email: tom })
    assert.equal((await prefilled(door, toms)).applicantInfo['emailAddress'], tom)
    assert.equal((await prefilled(door, token)).applicantInfo['emailAddress'], mary)
    assertNotFound(door, await getResume(door, toms, path), "tom's token")
  })

  test('only a token of a candidate opens it', async () => {
    const own = await ownToken(door)
    for (const headers of [
      bearer(own),
      { authorization: `SWS ${token}` },
      bearer('sws_demo_harbour'),
      { cookie: `dossier-session=${browser.session}` },
    ]) {
      const answer = await door.send('GET', path, { headers })
      assertProblem(door, answer, 401, 'invalid-token')
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer /)
    }
    const inUrl = await door.send('GET', `${path}?access_token=${token}`, {})
    assertProblem(door, inUrl, 401, 'invalid-token')
  })

  test('an identifier keeps pointing at the released file, until that is deleted', async () => {
    await upload(browser, 'Résumé 2026.txt', 'Mary Nguyen\nRoastery manager\n')
    assert.equal(resumePath(await prefilled(door, token)), path, 'the default has not changed')
    await makeOtherDefault(browser)
    assert.equal(resumePath(await prefilled(door, token)), path, 'the new default was not in view')
    const client = await registerClient(service() as Service, 'second-ats')
    const other = await grantedToken(door, { browser, client })
    const second = resumePath(await prefilled(door, other))
    assert.notEqual(second, path)
    const newer = await getResume(door, other, second)
    assert.equal(newer.text, 'Mary Nguyen\nRoastery manager\n')
    assert.equal(newer.headers.get('content-type'), 'application/octet-stream')
    const disposition = newer.headers.get('content-disposition') ?? ''
    assert.match(
      disposition,
      /^attachment; filename="?R.sum. 2026\.txt"?; filename\*=UTF-8''R%C3%A9sum%C3%A9%202026\.txt$/,
    )
    assert.ok((await get()).bytes.equals(marysFile), 'the old link still leads to the old file')

    await makeOtherDefault(browser)
    assert.equal(resumePath(await prefilled(door, token)), path, 'back again, the same identifier')

    await removeResume(browser, 'Résumé 2026.txt')
    assertNotFound(door, await getResume(door, other, second), 'deleted')
    assertNotFound(door, await getResume(door, other, second, { 'if-none-match': '*' }), 'deleted, 304')
    assert.equal((await get()).status, 200)
  })

  test('withdrawn: the token is rejected, and a new consent gives a new identifier', async () => {
    await withdrawAll(browser)
    assertProblem(door, await get(), 401, 'invalid-token')
    token = await grantedToken(door, { browser })
    const now = resumePath(await prefilled(door, token))
    assert.notEqual(now, path)
    assertNotFound(door, await get(), 'the identifier of the consent before')
    path = now
    assert.equal((await get()).status, 200)
  })

  test('revoked by its client: the token is rejected', async () => {
    const other = await grantedToken(door, { browser })
    assert.equal((await requestToken(door, { token: other }, { path: revokeEndpoint })).status, 200)
    assertProblem(door, await getResume(door, other, path), 401, 'invalid-token')
    assert.equal((await get()).status, 200)
  })

  test('every resume deleted: none is offered, and the link is not found', async () => {
    await removeResume(browser, 'Mary Nguyen - Resume.pdf')
    assert.equal((await prefilled(door, token)).resume, null)
    assertNotFound(door, await get(), 'deleted')
    assert.equal((await get({}, 'HEAD')).status, 404)
  })
})
