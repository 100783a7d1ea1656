import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { onOneEngine, type Service } from '../harness/service.ts'
import { type Attachment, external, files, pick, problem, sha256 } from './reading.ts'

/** A scanner that is configured and unavailable: unjudged files stay unjudged during the test. */
const scanner = { CLAMD_URL: 'tcp://127.0.0.1:9' }

async function fileWith(service: Service, verdict: boolean | null): Promise<Attachment> {
  return pick(await files(service), ({ HasVirus }) => HasVirus === verdict, `a file with HasVirus ${verdict}`)
}

async function assertDelivered(service: Service): Promise<void> {
  const unscanned = await fileWith(service, null)
  const answer = await call(service, `/v1/${unscanned.Href}`, { headers: harbour })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('x-has-virus'), null)
  assert.equal(sha256(answer.bytes), unscanned.Hash)
  assert.ok(unscanned.Size > 0)
  assert.equal(answer.bytes.length, unscanned.Size)
  assert.equal((await fileWith(service, null)).Href, unscanned.Href, 'and HasVirus stays null')
}

onOneEngineInTurn('without a scanner', service => {
  test('an unscanned file is delivered and stays unjudged', () => assertDelivered(service()))
})

onOneEngineInTurn('with a scanner that has not yet judged', { env: scanner }, service => {
  test('an unscanned file is withheld with 503 and Retry-After', { skip: external }, async () => {
    const { Href, Hash } = await fileWith(service(), null)
    for (const path of [`/v1/${Href}`, `/${Href}`]) {
      for (const extra of [{}, { range: 'bytes=0-9' }, { 'if-none-match': `"${Hash}"` }]) {
        const answer = await call(service(), path, { headers: { ...harbour, ...extra } })
        problem(service(), answer, 503, 'not-yet-scanned')
        assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
        assert.equal(answer.headers.get('content-disposition'), null)
      }
    }
    const head = await call(service(), `/v1/${Href}`, { method: 'HEAD', headers: harbour })
    assert.equal(head.status, 503)
  })

  test('files judged before are served as usual', { skip: external }, async () => {
    const clean = await fileWith(service(), false)
    const answer = await call(service(), `/v1/${clean.Href}`, { headers: harbour })
    assert.equal(answer.status, 200)
    assert.equal(sha256(answer.bytes), clean.Hash)
    const infected = await call(service(), `/v1/${(await fileWith(service(), true)).Href}`, {
      headers: harbour,
    })
    assert.equal(infected.status, 200)
    assert.equal(infected.bytes.length, 0)
  })
})

// A setting that applies after the row has been read.
onOneEngine(
  'with a scanner and UNSCANNED=deliver',
  { env: { ...scanner, UNSCANNED: 'deliver' } },
  service => {
    test('an unscanned file is delivered', { skip: external }, () => assertDelivered(service()))
  },
)
