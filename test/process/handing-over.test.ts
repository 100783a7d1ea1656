import assert from 'node:assert/strict'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { files, pick, sha256, unknownId } from '../contract/reading.ts'
import { grantedToken, prefilled, resumePath } from '../contract/version2.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { type Answer, harbour, send, southern } from '../harness/http.ts'
import { type Nginx, startNginx } from '../harness/nginx.ts'
import { downloadsServer } from '../harness/nginx-downloads.ts'
import { Browser, bearer, doorOf } from '../harness/oauth.ts'
import { storedBlobs } from '../harness/s3.ts'
import { type Service, startServiceHere } from '../harness/service.ts'
import { folderFor, refusalHere } from './support.ts'

let database: TestDatabase
let service: Service
let hrefs: string[]
let token: string
let resume: string

async function set(engine: 'sqlite' | 's3', DOWNLOADS: string): Promise<void> {
  database = await createTestDatabase(engine, 'demo')
  service = await startServiceHere(database, { env: { DOWNLOADS, TRUSTED_PROXIES: '127.0.0.1' } })
  hrefs = (await files(service)).filter(({ HasVirus }) => !HasVirus).map(({ Href }) => `/v1/${Href}`)
  const door = doorOf(service)
  token = await grantedToken(door, { browser: new Browser(door) })
  resume = resumePath(await prefilled(door, token))
}

async function unset(): Promise<void> {
  await service.stop()
  await database.remove()
}

/** As sent, whatever the document says. */
const ask = (
  path: string,
  headers: Record<string, string> = harbour,
  method = 'GET',
  url = service.baseUrl,
) => send(url, path, method, { headers })

function onDatabase<T>(use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(String(database.settings['DATA_DIR']), 'dossier.db'))
  try {
    return use(db)
  } finally {
    db.close()
  }
}

const disclosures = () =>
  onDatabase(db => Number(db.prepare('select count(*) n from disclosures').get()?.['n']))

/** Whole GETs are handed over; these are not. */
const ours: Record<string, Record<string, string>> = {
  'a part': { range: 'bytes=0-9' },
  'two parts': { range: 'bytes=0-1,3-4' },
  'a part of another version': { range: 'bytes=0-9', 'if-range': '"other"' },
  'another version': { 'if-none-match': '"other"' },
  'what has changed since': { 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' },
  'a condition that we do not know': { 'if-match': '"other"' },
}

test('DOWNLOADS=nginx is for the folder: with BLOBS_URL it stops the start', async t => {
  const BLOBS_URL = 's3://bucket?endpoint=http://127.0.0.1:1'
  const line = await refusalHere({ DATA_DIR: await folderFor(t), BLOBS_URL, DOWNLOADS: 'nginx' })
  assert.match(line, /^dossier: wrong setting DOWNLOADS: nginx requires files in the folder/)
})

describe('DOWNLOADS=redirect', () => {
  before(() => set('s3', 'redirect'))
  after(unset)

  async function follow({ status, headers }: Answer): Promise<Response> {
    assert.equal(status, 302)
    return fetch(headers.get('location') as string)
  }

  test('the URL in Location returns a whole file, with the headers of the contract', async () => {
    for (const path of hrefs) {
      const here = await ask(path, { ...harbour, range: 'bytes=0-' })
      const answer = await ask(path)
      const there = await follow(answer)
      const bytes = Buffer.from(await there.arrayBuffer())
      assert.equal(`"${sha256(bytes)}"`, answer.headers.get('etag'))
      for (const name of ['content-type', 'content-disposition', 'cache-control']) {
        assert.equal(there.headers.get(name), here.headers.get(name), name)
      }
      for (const name of ['etag', 'last-modified', 'accept-ranges', 'x-content-type-options']) {
        assert.equal(answer.headers.get(name), here.headers.get(name), name)
      }
      assert.equal(answer.headers.get('cache-control'), 'private, no-store')
      assert.match(answer.headers.get('ratelimit') ?? '', /^"v1"/)
      assert.equal(answer.headers.get('content-type'), null)
      assert.equal(answer.bytes.length, 0)
    }
  })

  test('the URL is signed, and works for a minute', async () => {
    const { headers } = await ask(hrefs[0] as string)
    const { searchParams } = new URL(headers.get('location') as string)
    assert.equal(searchParams.get('X-Amz-Expires'), '60')
    assert.match(searchParams.get('X-Amz-Signature') ?? '', /^[0-9a-f]{64}$/)
  })

  for (const [what, condition] of Object.entries(ours)) {
    test(`requests for ${what} are served by us`, async () => {
      const answer = await ask(hrefs[0] as string, { ...harbour, ...condition })
      assert.ok([200, 206].includes(answer.status), String(answer.status))
      assert.ok(answer.bytes.length > 0)
    })
  }

  test('HEAD, 304, 401 and 404 are served by us', async () => {
    const [path = ''] = hrefs
    const head = await ask(path, harbour, 'HEAD')
    assert.equal(head.status, 200)
    const etag = head.headers.get('etag') as string
    assert.equal((await ask(path, { ...harbour, 'if-none-match': etag })).status, 304)
    assert.equal((await ask(path, {})).status, 401)
    assert.equal((await ask(path, southern)).status, 404)
    assert.equal((await ask(`/v1/advertiser/applications/resume/${unknownId}`)).status, 404)
  })

  test('an infected file is 200 and empty, from us', async () => {
    const { Href } = pick(await files(service), ({ HasVirus }) => HasVirus === true, 'an infected file')
    const { status, headers, bytes } = await ask(`/v1/${Href}`)
    assert.deepEqual([status, headers.get('x-has-virus'), bytes.length], [200, 'true', 0])
  })

  test('of a resume of version 2 it is recorded before the caller gets the address', async () => {
    const before = disclosures()
    const answer = await ask(resume, bearer(token))
    assert.equal(disclosures(), before + 1)
    const there = await follow(answer)
    const bytes = Buffer.from(await there.arrayBuffer())
    assert.equal(`"${sha256(bytes)}"`, answer.headers.get('etag'))
    assert.equal(there.headers.get('content-type'), 'application/octet-stream')
  })

  test('pages for people send their files themselves', async () => {
    const browser = await Browser.signedIn(doorOf(service))
    const [path] = /\/account\/resumes\/file\/[\w-]+/.exec((await browser.get('/account/resumes')).text) ?? []
    const answer = await browser.get(path as string)
    assert.deepEqual([answer.status, answer.bytes.subarray(0, 5).toString()], [200, '%PDF-'])
  })

  test('a file missing in S3 is 503, without a redirect', async () => {
    const bucket = storedBlobs(database.settings)
    for (const name of await bucket.names()) await bucket.remove(name)
    const before = disclosures()
    for (const [path, headers] of [
      [hrefs[0] as string, harbour] as const,
      [resume, bearer(token)] as const,
    ]) {
      const { status, headers: told } = await ask(path, headers)
      assert.deepEqual([status, told.get('retry-after'), told.get('location')], [503, '5', null])
    }
    assert.equal(disclosures(), before, 'nothing went out')
  })
})

describe('DOWNLOADS=nginx, with the nginx of the guide', () => {
  let nginx: Nginx
  let blobs: string
  const through = (path: string, headers: Record<string, string> = harbour, method = 'GET') =>
    ask(path, headers, method, nginx.url)

  before(async () => {
    await set('sqlite', 'nginx')
    const dataDir = String(database.settings['DATA_DIR'])
    blobs = join(dataDir, 'blobs')
    nginx = await startNginx(listen => downloadsServer(listen, service.port, dataDir))
  })
  after(async () => {
    await nginx.stop()
    await unset()
  })

  /** Headers of the connection and of the moment, and the one that states the length. */
  const own = ['connection', 'keep-alive', 'date', 'server', 'transfer-encoding', 'content-length']
  const changing = ['x-request-id', 'ratelimit']
  const headersOf = ({ headers }: Answer) =>
    Object.fromEntries([...headers].filter(([name]) => ![...own, ...changing].includes(name)))

  test('the same bytes and the same headers, from nginx', async () => {
    for (const [path, headers] of [
      ...hrefs.map(href => [href, harbour] as const),
      [resume, bearer(token)] as const,
    ]) {
      const [direct, answer] = [await ask(path, headers), await through(path, headers)]
      assert.deepEqual([answer.status, answer.headers.get('server')?.slice(0, 5)], [200, 'nginx'])
      assert.ok(answer.bytes.length > 0 && answer.bytes.equals(direct.bytes), path)
      assert.deepEqual(headersOf(answer), headersOf(direct))
      assert.equal(answer.headers.get('content-length'), String(direct.bytes.length))
      for (const name of changing) assert.ok(answer.headers.has(name), name)
    }
  })

  test('it is nginx that sends the file', async () => {
    const [path = ''] = hrefs
    const asked = { ...harbour, 'x-sendfile-type': 'X-Accel-Redirect' }
    const { headers, bytes } = await ask(path, asked)
    assert.match(headers.get('x-accel-redirect') ?? '', /^\/dossier-blobs\/\d{8}\/\d\d\/[\w-]+$/)
    assert.equal(bytes.length, 0)
    const requestId = 'from-the-caller'
    const answer = await through(path, { ...harbour, 'x-request-id': requestId })
    assert.equal(answer.headers.get('x-request-id'), requestId)
    assert.equal(answer.headers.get('x-accel-redirect'), null)
  })

  for (const [what, condition] of Object.entries(ours)) {
    test(`nginx changes nothing about requests for ${what}`, async () => {
      const [path = ''] = hrefs
      const [direct, answer] = [
        await ask(path, { ...harbour, ...condition }),
        await through(path, { ...harbour, ...condition }),
      ]
      assert.equal(answer.status, direct.status)
      assert.ok(answer.bytes.equals(direct.bytes))
      assert.deepEqual(headersOf(answer), headersOf(direct))
    })
  }

  test('HEAD, 304, 401, 404 and an infected file are as without nginx', async () => {
    const [path = ''] = hrefs
    const etag = (await ask(path, harbour, 'HEAD')).headers.get('etag') as string
    const { Href } = pick(await files(service), ({ HasVirus }) => HasVirus === true, 'an infected file')
    for (const [wanted, asked, headers, method] of [
      [200, path, harbour, 'HEAD'],
      [304, path, { ...harbour, 'if-none-match': etag }, 'GET'],
      [401, path, {}, 'GET'],
      [404, path, southern, 'GET'],
      [404, `/v1/advertiser/applications/resume/${unknownId}`, harbour, 'GET'],
      [200, `/v1/${Href}`, harbour, 'GET'],
    ] as const) {
      const [direct, answer] = [await ask(asked, headers, method), await through(asked, headers, method)]
      assert.deepEqual([direct.status, answer.status], [wanted, wanted])
      assert.deepEqual(headersOf(answer), headersOf(direct))
    }
  })

  test('the folder is unreachable from outside', async () => {
    const { headers } = await ask(hrefs[0] as string, { ...harbour, 'x-sendfile-type': 'X-Accel-Redirect' })
    const path = headers.get('x-accel-redirect') as string
    for (const outside of [
      path,
      path.replace('/dossier-blobs/', '/dossier-blobs//'),
      '/dossier-blobs/../dossier.db',
      '/x/../dossier-blobs/',
    ]) {
      const answer = await through(outside)
      assert.ok([400, 404].includes(answer.status), `${outside}: ${answer.status}`)
      assert.doesNotMatch(answer.text, /%PDF|SQLite/)
    }
  })

  test('the maximum size of a request is decided by us', async () => {
    const body = Buffer.alloc(2 * 1024 * 1024)
    const upload = await send(nginx.url, '/v1/intake/applications', 'POST', { body })
    assert.equal(upload.status, 401)
    const long = await through(`/v1/advertiser/applications?x=${'x'.repeat(12 * 1024)}`)
    for (const { headers } of [upload, long])
      assert.match(headers.get('content-type') ?? '', /^application\/(problem\+)?json/)
  })

  test('a name in the database cannot lead out of the folder', async () => {
    const [path = ''] = hrefs
    const id = Number(path.split('/').at(-1))
    const type = path.split('/').at(-2)
    const where = `where application_id = ${id} and lower(type) = '${type}'`
    const { size, blob } =
      onDatabase(db => db.prepare(`select * from application_files ${where}`).get()) ?? {}
    await writeFile(join(blobs, '..', 'secret'), 'x'.repeat(Number(size)))
    const name = (text: unknown) =>
      onDatabase(db => void db.exec(`update application_files set blob = '${text}' ${where}`))
    for (const outside of ['../secret', '20261115/../../secret', '%2e%2e/secret', join(blobs, '../secret')]) {
      name(outside)
      assert.equal((await through(path)).status, 503, outside)
      assert.equal((await ask(path)).status, 503, outside)
    }
    name(blob)
    assert.equal((await through(path)).status, 200)
  })

  test('a file that nginx cannot open is 503, not an error of the caller', async () => {
    const other = await startNginx(listen => downloadsServer(listen, service.port, '/nowhere'))
    try {
      const away = await ask(hrefs[0] as string, harbour, 'GET', other.url)
      assert.deepEqual(
        [
          away.status,
          away.headers.get('content-type'),
          away.headers.get('retry-after'),
          JSON.parse(away.text)['status'],
        ],
        [503, 'application/problem+json', '5', 503],
      )
    } finally {
      await other.stop()
    }
  })

  test('a missing or short file is 503, and works when it is back', async () => {
    const [path = ''] = hrefs
    const asked = { ...harbour, 'x-sendfile-type': 'X-Accel-Redirect' }
    const name = (await ask(path, asked)).headers
      .get('x-accel-redirect')
      ?.slice('/dossier-blobs/'.length) as string
    const file = join(blobs, name)
    await rename(file, `${file}.away`)
    const missing = await through(path)
    assert.deepEqual([missing.status, missing.headers.get('retry-after')], [503, '5'])
    await writeFile(file, 'short')
    assert.equal((await through(path)).status, 503)
    await rm(file)
    await rename(`${file}.away`, file)
    assert.equal((await through(path)).status, 200)
  })
})
