import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, call, harbour, southern } from '../harness/http.ts'
import { onBothEngines } from '../harness/service.ts'
import { everything, ids, kinds, problem, type RequestHeaders, read, unknownId } from './reading.ts'

/** May differ between two equal responses: the time and the remaining requests. */
const changing = new Set(['date', 'ratelimit'])

function everythingOf({ status, headers, text }: Answer): unknown {
  return { status, text, headers: [...headers].filter(([name]) => !changing.has(name)) }
}

const asked: [what: string, method: string, headers: RequestHeaders][] = [
  ['GET', 'GET', {}],
  ['HEAD', 'HEAD', {}],
  ['GET for XML', 'GET', { accept: 'application/xml' }],
  ['GET if changed', 'GET', { 'if-none-match': '*' }],
  ['GET of a part', 'GET', { range: 'bytes=0-1' }],
]

onBothEngines('another advertiser', service => {
  for (const [what, method, extra] of asked) {
    test(`${what} of its attachments gets the same response as an unknown ID`, async () => {
      const pairs: [RequestHeaders, RequestHeaders][] = [
        [harbour, southern],
        [southern, harbour],
      ]
      for (const [caller, owner] of pairs) {
        const headers = { ...caller, ...extra, 'x-request-id': 'isolation' }
        const at = (kind: string, prefix: string, id: number | string) =>
          call(service(), `${prefix}advertiser/applications/${kind}/${id}`, { method, headers })
        const theirs = ids(await everything(service(), owner))
        for (const kind of kinds) {
          for (const prefix of ['/v1/', '/']) {
            const unknown = everythingOf(await at(kind, prefix, unknownId))
            for (const id of theirs) {
              const foreign = await at(kind, prefix, id)
              assert.equal(foreign.status, 404)
              assert.deepEqual(everythingOf(foreign), unknown, `${kind} ${id}`)
            }
          }
        }
      }
    })
  }

  test('its IDs are not-found problems', async () => {
    const [theirs] = await everything(service(), southern)
    const answer = await call(service(), `/v1/advertiser/applications/resume/${theirs?.ID}`, {
      headers: harbour,
    })
    problem(service(), answer, 404, 'not-found')
  })

  test('its IDs are just numbers in a filter', async () => {
    const ours = ids(await everything(service()))
    for (const id of ids(await everything(service(), southern))) {
      const after = (await read(service(), `?afterid=${id}`)).JobApplicationsList
      assert.deepEqual(
        ids(after),
        ours.filter(own => own > id),
      )
    }
  })
})
