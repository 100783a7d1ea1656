import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour } from '../harness/http.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { everything, ids, listing, listPath, pick, plainRequest, problem, send } from './reading.ts'

onOneEngineInTurn('paths', service => {
  /** The target is sent unchanged: fetch would resolve dots before it sends. */
  const at = (target: string) => send(service(), plainRequest(service(), target, harbour))

  const withResume = async (): Promise<number> =>
    pick(
      await everything(service()),
      ({ Attachments }) => Attachments.some(({ Type }) => Type === 'resume'),
      'an application with a resume',
    ).ID

  test('literal segments match in any letter case', async () => {
    const expected = ids(await everything(service()))
    for (const path of ['/V1/ADVERTISER/APPLICATIONS', '/v1/Advertiser/applicationS']) {
      const answer = await call(service(), path, { headers: harbour })
      assert.deepEqual(ids(listing(answer).JobApplicationsList), expected)
    }
  })

  test('an encoded slash is not a separator', async () => {
    const id = await withResume()
    const targets = [
      `/v1%2Fadvertiser/applications`,
      `/v1/advertiser%2fapplications`,
      `${listPath}/resume%2F${id}`,
      `${listPath}%2Fresume/${id}`,
      `${listPath}/resume/${id}%2F`,
      `${listPath}/resume/${id}%2F..%2F${id}`,
      `${listPath}/resume%5C${id}`,
    ]
    for (const target of targets) {
      const answer = await at(target)
      assert.equal(answer.status, 404, target)
      assert.match(answer.json().code, /^(not-found|no-such-route)$/)
    }
  })

  test('dots are not resolved', async () => {
    const id = await withResume()
    const targets = [
      `${listPath}/../applications`,
      `${listPath}/./resume/${id}`,
      `${listPath}/coverletter/../resume/${id}`,
      `${listPath}/%2e%2e/applications`,
      `${listPath}/resume/../../../../../../etc/passwd`,
      `${listPath}/resume/..%2f..%2f..%2fetc%2fpasswd`,
      `${listPath}/resume/..`,
      `${listPath}/resume/%2e%2e`,
      '/../../etc/passwd',
      '/..%5c..%5cetc%5cpasswd',
    ]
    for (const target of targets) {
      const answer = await at(target)
      assert.equal(answer.status, 404, target)
      assert.ok(!answer.text.includes('root:'))
    }
  })

  test('an encoded NUL or space is part of an unknown identifier', async () => {
    const id = await withResume()
    for (const tail of [
      '%00',
      `${id}%00`,
      `%00${id}`,
      `${id}%00.pdf`,
      `${id}%20`,
      `%20${id}`,
      `${id}%0d%0aX:1`,
    ]) {
      problem(service(), await at(`${listPath}/resume/${tail}`), 404, 'not-found')
    }
  })

  test('an encoded digit is that digit', async () => {
    const id = `${await withResume()}`
    const encoded = [...id].map(digit => `%3${digit}`).join('')
    const answer = await call(service(), `${listPath}/resume/${encoded}`, { headers: harbour })
    assert.equal(answer.status, 200)
  })

  test('a percent sign that encodes nothing is invalid', async () => {
    for (const tail of ['%', '%z', '%zz', '1%2', '%c3%28', '%ff']) {
      problem(service(), await at(`${listPath}/resume/${tail}`), 400, 'bad-request')
    }
    const page = await call(service(), '/%ff', { headers: { accept: 'text/html' } })
    assert.deepEqual([page.status, page.headers.get('content-type')], [400, 'text/html; charset=utf-8'])
  })

  test('extra slashes are not found', async () => {
    const id = await withResume()
    for (const target of [
      '//v1/advertiser/applications',
      `/v1//advertiser/applications`,
      `${listPath}/resume//${id}`,
    ]) {
      assert.equal((await at(target)).status, 404, target)
    }
  })

  test('a fragment or a semicolon is part of the identifier', async () => {
    const id = await withResume()
    for (const tail of [`${id};v=1`, `${id}%23x`, `${id}%3Flimit=1`]) {
      problem(service(), await at(`${listPath}/resume/${tail}`), 404, 'not-found')
    }
  })
})
