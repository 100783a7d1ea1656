import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onOneEngine } from '../harness/service.ts'
import { attachments, files, listPath, pick, plainRequest, problem, send, tree } from './reading.ts'

const json = 'application/json; charset=utf-8'
const xml = 'application/xml; charset=utf-8'
const textXml = 'text/xml; charset=utf-8'
const kilobytes = (member: (index: number) => string): string =>
  Array.from({ length: 700 }, (_, index) => member(index))
    .join(', ')
    .slice(0, 8192)

const chosen: [accept: string, type: string][] = [
  ['application/json', json],
  ['application/xml', xml],
  ['APPLICATION/XML', xml],
  ['Application/Json', json],
  ['application/xml; charset=utf-8', xml],
  ['application/json; charset=UTF-8', json],
  // Wildcards: JSON unless XML is preferred.
  ['*/*', json],
  ['application/*', json],
  ['image/*, */*;q=0.1', json],
  // Weights.
  ['application/json;q=0.5, application/xml', xml],
  ['application/xml;q=0.4,application/json;q=0.8', json],
  ['application/xml;q=0.401, application/json;q=0.4', xml],
  ['application/xml ; Q=0.9 , application/json ; q=0.1', xml],
  ['application/xml;q=0.5, */*;q=0.1', xml],
  ['application/json;q=0.2, application/*;q=0.7', xml],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', xml],
  // XML under its older name.
  ['text/xml', textXml],
  ['text/*, */*;q=0.1', textXml],
  ['text/xml, application/xml;q=0.9', textXml],
  ['application/xml, text/xml', xml],
  // As old clients write it: Java before its fix, and weights without their zero.
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', json],
  ['*', json],
  ['application/xml;q=.9, application/json;q=.1', xml],
  // q=0 excludes.
  ['application/json;q=0, */*', xml],
  ['application/xml;q=0, application/*', json],
  ['application/json;q=0.0, application/xml;q=0.001', xml],
  // Unreadable members are ignored; none left counts as absent.
  ['', json],
  ['garbage', json],
  ['application', json],
  [';;;,,,', json],
  ['/', json],
  ['application/', json],
  ['application/xml;q=abc', json],
  ['application/xml;q=2', json],
  ['garbage, application/xml', xml],
  ['application/xml, ;q=1, /', xml],
  ['text/plain;x="a, application/xml", application/json;q=0.1', json],
  ['x'.repeat(8192), json],
  [','.repeat(8192), json],
  [`${kilobytes(index => `text/x${index}`)}, application/xml`, xml],
]
const refused = [
  'text/html',
  'image/png, text/plain;q=0.5',
  'application/jsonp',
  'application/json+ld',
  '*/*;q=0',
  'application/json;q=0',
  'application/xml;q=0',
  'application/*;q=0, text/html',
  'application/json;q=0, application/xml;q=0.000, */*;q=0',
  'garbage, text/html',
  kilobytes(index => `text/x${index}`),
]
const named = (accept: string): string =>
  accept.length > 80 ? `${accept.length} bytes` : JSON.stringify(accept)

onOneEngine('content negotiation', service => {
  const screenPath = async (): Promise<string> => {
    const screen = pick(await attachments(service()), ({ Type }) => Type === 'screen', 'a screen')
    return `/v1/${screen.Href}`
  }

  for (const [accept, type] of chosen) {
    test(`Accept ${named(accept)} gives ${type}`, async () => {
      for (const path of [listPath, await screenPath()]) {
        const answer = await call(service(), path, { headers: { ...harbour, accept } })
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.headers.get('content-type'), type)
        if (type === json) answer.json()
        else tree(answer.text)
      }
    })
  }

  for (const accept of refused) {
    test(`Accept ${named(accept)} is a 406`, async () => {
      for (const path of [listPath, await screenPath()]) {
        const answer = await call(service(), path, { headers: { ...harbour, accept } })
        problem(service(), answer, 406, 'not-acceptable')
      }
    })
  }

  test('without Accept the response is JSON', async () => {
    for (const path of [listPath, await screenPath()]) {
      const answer = await send(service(), plainRequest(service(), path, harbour))
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), json)
    }
  })

  test('downloads ignore Accept', async () => {
    const file = pick(await files(service()), ({ HasVirus }) => HasVirus === false, 'a clean file')
    for (const accept of ['text/html', '*/*;q=0', 'garbage', 'application/xml']) {
      const answer = await call(service(), `/v1/${file.Href}`, { headers: { ...harbour, accept } })
      assert.equal(answer.status, 200, accept)
      assert.equal(answer.bytes.length, file.Size)
    }
  })

  test('a problem is XML when XML is preferred, and JSON otherwise', async () => {
    const paths: [path: string, status: number, code: string][] = [
      [`${listPath}?afterid=abc`, 400, 'invalid-parameter'],
      [`${listPath}/resume/abc`, 404, 'not-found'],
      [`${listPath}/screen/abc`, 404, 'not-found'],
      ['/v1/nothing', 404, 'no-such-route'],
    ]
    for (const [path, status, code] of paths) {
      const at = (accept: string) => call(service(), path, { headers: { ...harbour, accept } })
      for (const accept of [
        'application/json',
        '*/*',
        'garbage',
        'application/xml;q=0.5, application/json',
      ]) {
        problem(service(), await at(accept), status, code)
      }
      for (const accept of ['application/xml', 'text/xml', 'application/json;q=.5, application/xml;q=.6']) {
        const answer = await at(accept)
        assert.equal(answer.status, status)
        assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+xml(;|$)/)
        assert.match(answer.text, /<problem xmlns=["']urn:ietf:rfc:7807["']/)
        const { name, children } = tree(answer.text)
        assert.equal(name, 'problem')
        const told = Object.fromEntries(children.map(child => [child.name, child.text]))
        assert.ok(told['title'] && told['detail'])
        assert.deepEqual(
          { type: told['type'], status: told['status'], code: told['code'], requestId: told['requestId'] },
          {
            type: `${service().baseUrl}/problems/${code}`,
            status: `${status}`,
            code,
            requestId: answer.headers.get('x-request-id'),
          },
        )
      }
    }
  })
})
