import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour, southern } from '../harness/http.ts'
import { onFileStoresInTurn } from '../harness/one-engine.ts'
import { RawClient } from '../harness/raw-client.ts'
import {
  attachments,
  everything,
  files,
  kinds,
  listPath,
  pick,
  problem,
  sha256,
  unknownId,
} from './reading.ts'

const nothing = sha256('')
/** `filename` in ASCII without characters that are special in a file system or a header; `filename*` only beside it. */
const safeDisposition =
  /^attachment; filename=("[ !#-.0-\x5b\x5d-~]+"|[\w.-]+)(; filename\*=UTF-8''([\w.~!$&+^`|%-]+))?$/
const contentOf: Record<string, (bytes: Buffer) => boolean> = {
  'application/pdf': bytes => bytes.subarray(0, 5).toString() === '%PDF-',
  'application/rtf': bytes => bytes.subarray(0, 5).toString() === '{\\rtf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': bytes =>
    bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04',
  'text/plain': bytes => new TextDecoder('utf-8', { fatal: true }).decode(bytes).length > 0,
}

onFileStoresInTurn('downloads', service => {
  test('every Href works against /v1/ and /, and returns the promised bytes', async () => {
    for (const advertiser of [harbour, southern]) {
      const all = await attachments(service(), advertiser)
      assert.ok(all.length > 0)
      for (const { Href, Hash, Size } of all) {
        for (const base of [`${service().baseUrl}/v1/`, `${service().baseUrl}/`]) {
          const path = new URL(Href, base).href.slice(service().baseUrl.length)
          const answer = await call(service(), path, {
            headers: { ...advertiser, accept: 'application/xml' },
          })
          assert.equal(answer.status, 200, path)
          assert.equal(sha256(answer.bytes), Hash, path)
          assert.equal(answer.bytes.length, Size, path)
        }
      }
    }
  })

  test('files carry the headers of the contract', async () => {
    for (const { Href, Hash, HasVirus } of await files(service())) {
      const { status, headers } = await call(service(), `/v1/${Href}`, { headers: harbour })
      assert.equal(status, 200)
      assert.ok(headers.get('content-type'))
      assert.match(headers.get('content-disposition') ?? '', safeDisposition)
      assert.equal(headers.get('cache-control'), 'private')
      assert.equal(headers.get('etag'), `"${Hash}"`)
      const modified = headers.get('last-modified') ?? ''
      assert.equal(new Date(modified).toUTCString(), modified)
      assert.equal(headers.get('content-encoding'), null, 'also when gzip was offered')
      assert.equal(headers.get('x-has-virus'), HasVirus ? 'true' : null)
    }
  })

  test('a whole file is sent in chunks', async () => {
    const file = pick(await files(service()), ({ Size }) => Size > 0, 'a file with content')
    const { headers } = await call(service(), `/v1/${file.Href}`, { headers: harbour })
    assert.equal(headers.get('transfer-encoding'), 'chunked')
    assert.equal(headers.get('content-length'), null)
  })

  test('Content-Type is the type of the upload, for pdf, docx, rtf and txt', async () => {
    const seen = new Set<string>()
    for (const { Href, HasVirus } of await files(service())) {
      if (HasVirus) continue
      const answer = await call(service(), `/v1/${Href}`, { headers: harbour })
      const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
      assert.ok(contentOf[type]?.(answer.bytes), `${Href} is ${type}`)
      seen.add(type)
    }
    assert.deepEqual([...seen].sort(), Object.keys(contentOf).sort())
  })

  test('a file name beyond ASCII is in filename*, an ASCII name is not', async () => {
    const names: (string | undefined)[] = []
    for (const { Href } of await files(service())) {
      const { headers } = await call(service(), `/v1/${Href}`, { headers: harbour })
      const [, , , encoded] = safeDisposition.exec(headers.get('content-disposition') ?? '') ?? []
      names.push(encoded && decodeURIComponent(encoded))
    }
    const extended = names.filter(name => name !== undefined)
    assert.ok(extended.length > 0 && extended.length < names.length)
    for (const name of extended) assert.match(name, /[^\x20-\x7e]/)
  })

  test('an infected file is 200 and empty, with X-Has-Virus and the hash of an empty file', async () => {
    const infected = pick(await files(service()), ({ HasVirus }) => HasVirus === true, 'an infected file')
    assert.equal(infected.Size, 0)
    assert.equal(infected.Hash, nothing)
    for (const prefix of ['/v1/', '/']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await call(service(), prefix + infected.Href, { method, headers: harbour })
        assert.equal(answer.status, 200)
        assert.equal(answer.bytes.length, 0)
        assert.equal(answer.headers.get('x-has-virus'), 'true')
        assert.equal(answer.headers.get('etag'), `"${nothing}"`)
      }
    }
  })

  test('HEAD gives the headers of GET and no body', async () => {
    for (const { Href } of await files(service())) {
      const get = await call(service(), `/v1/${Href}`, { headers: harbour })
      const head = await call(service(), `/v1/${Href}`, { method: 'HEAD', headers: harbour })
      assert.equal(head.status, 200)
      assert.equal(head.bytes.length, 0)
      const compared = ['content-type', 'content-disposition', 'cache-control', 'etag', 'last-modified']
      for (const name of compared) assert.equal(head.headers.get(name), get.headers.get(name), name)
    }
  })

  test('the type in the path matches in any letter case', async () => {
    const file = pick(await files(service()), ({ Type }) => Type === 'coverLetter', 'a cover letter')
    const id = file.Href.split('/').at(-1)
    const paths = [
      `/v1/advertiser/applications/coverLetter/${id}`,
      `/V1/Advertiser/APPLICATIONS/COVERLETTER/${id}`,
    ]
    for (const path of [...paths, `/ADVERTISER/applications/CoverLetter/${id}`]) {
      const answer = await call(service(), path, { headers: harbour })
      assert.equal(answer.status, 200, path)
      assert.equal(sha256(answer.bytes), file.Hash)
    }
  })

  test('an attachment that the application does not have is a 404', async () => {
    const applications = await everything(service())
    for (const kind of kinds) {
      const without = pick(
        applications,
        ({ Attachments }) => Attachments.every(({ Type }) => Type.toLowerCase() !== kind),
        `an application without ${kind}`,
      )
      for (const path of [
        `${listPath}/${kind}/${without.ID}`,
        `/advertiser/applications/${kind}/${without.ID}`,
      ]) {
        problem(service(), await call(service(), path, { headers: harbour }), 404, 'not-found')
      }
    }
  })

  test('an invalid or unknown ID is a 404', async () => {
    const wrong = [
      unknownId,
      '0',
      'abc',
      '-1',
      '1.5',
      '1e0',
      '9'.repeat(19),
      '9'.repeat(40),
      '%00',
      '1%00',
      '1%20',
    ]
    for (const id of [...wrong, '%2e%2e%2f1', "1'", '%EF%BC%91']) {
      for (const kind of kinds) {
        const answer = await call(service(), `${listPath}/${kind}/${id}`, { headers: harbour })
        problem(service(), answer, 404, 'not-found')
      }
    }
  })

  test('HTTP/1.0, which has no chunks, gets the length: a truncated response must not look complete', async () => {
    const { Href, Size } = pick(await attachments(service(), harbour), each => each.Size > 0, 'a file')
    const client = await RawClient.connect(service().port)
    const authorization = harbour.authorization
    client.socket.write(
      `GET /v1/${Href} HTTP/1.0\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`,
    )
    const { status, headers } = await client.head()
    client.socket.destroy()
    assert.deepEqual([status, headers.get('content-length')], [200, String(Size)])
  })

  test('HEAD of a missing file is a 404 without a body', async () => {
    const path = `${listPath}/resume/${unknownId}`
    const answer = await call(service(), path, { method: 'HEAD', headers: harbour })
    assert.equal(answer.status, 404)
    assert.equal(answer.bytes.length, 0)
  })
})
