import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createApplyClient, newPkce } from './apply-client.ts'
import { type Exchange, readable, requestText, shortened } from './apply-exchange.ts'

/** A client of a service with these responses, the requests it made and the exchanges it reported. */
function clientOf(answer: (url: string) => Response | Promise<Response>) {
  const asked: { url: string; init: RequestInit }[] = []
  const exchanges: Exchange[] = []
  const client = createApplyClient({
    fetch: async (input, init = {}) => {
      asked.push({ url: String(input), init })
      return answer(String(input))
    },
    baseUrl: 'https://api.example.com',
    authUrl: 'https://auth.example.com',
    clientId: 'careers',
    clientSecret: 'dcs_secret-of-careers',
    redirectUri: 'https://careers.example.com/cb',
    timeoutMs: 1000,
    onExchange: exchange => exchanges.push(exchange),
  })
  return { client, asked, exchanges }
}

const resume = 'https://api.example.com/v2/resumes/1'

test('the code is redeemed with the secret, the redirect URI and the verifier', async () => {
  const { client, asked, exchanges } = clientOf(() => Response.json({ access_token: 'dat_0123456789abcdef' }))
  assert.equal(await client.redeem('dac_0123456789abcdef', 'verifier-0123456789'), 'dat_0123456789abcdef')
  const [{ url, init } = { url: '', init: {} }] = asked
  assert.equal(url, 'https://auth.example.com/api/iam/oauth2/token')
  assert.equal(init.method, 'POST')
  assert.equal(init.redirect, 'error')
  assert.deepEqual(init.headers, {
    authorization: `Basic ${Buffer.from('careers:dcs_secret-of-careers').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  })
  assert.deepEqual(Object.fromEntries(new URLSearchParams(String(init.body))), {
    grant_type: 'authorization_code',
    code: 'dac_0123456789abcdef',
    redirect_uri: 'https://careers.example.com/cb',
    code_verifier: 'verifier-0123456789',
  })
  const trace = JSON.stringify(exchanges)
  assert.match(trace, /dac_0123…/)
  assert.match(trace, /dat_0123…/)
  assert.doesNotMatch(trace, /01234|secret-of-careers/)
})

test('a challenge is the hash of its verifier', () => {
  const { verifier, challenge } = newPkce()
  assert.match(verifier, /^[\w-]{43}$/)
  assert.equal(challenge, createHash('sha256').update(verifier).digest('base64url'))
})

test('an error includes the reason the service gave', async () => {
  const refusals: [body: string, says: string][] = [
    [
      '{"error":"invalid_grant","error_description":"The code is used."}',
      '400, invalid_grant: The code is used.',
    ],
    [
      '{"code":"invalid-fields","detail":"Some fields are wrong."}',
      '400, invalid-fields: Some fields are wrong.',
    ],
    ['{"error":7}', '400.'],
    ['null', '400.'],
    ['<html>', '400.'],
  ]
  for (const [body, says] of refusals) {
    const { client, exchanges } = clientOf(() => new Response(body, { status: 400 }))
    await assert.rejects(client.clientToken(), {
      name: 'StepFailure',
      message: `Get the client's own token: the service answered ${says}`,
    })
    assert.equal(exchanges.length, 1)
  }
})

test('an unusable response fails the step', async () => {
  for (const body of ['', '{}', 'null', '{"access_token":7}', '[']) {
    const { client, exchanges } = clientOf(() => new Response(body))
    await assert.rejects(client.redeem('code'), { name: 'StepFailure' }, body)
    assert.equal(exchanges.length, 1)
  }
  for (const body of ['', 'null', '{}', '{"applicantInfo":null}']) {
    const { client } = clientOf(() => new Response(body))
    const request = { advertiserId: '1', applicationFormUrl: 'https://careers.example.com' }
    await assert.rejects(client.prefill('token', request), { name: 'StepFailure' }, body)
  }
})

test('a token is sent only to the service, whatever URL a response names', async () => {
  const { client, asked } = clientOf(() => assert.fail('it was asked'))
  for (const url of [
    'https://evil.example/v2/resumes/1',
    'http://api.example.com/v2/resumes/1',
    'nonsense',
  ]) {
    await assert.rejects(client.downloadResume('token', url), { name: 'StepFailure' }, url)
    await assert.rejects(client.complete('token', url, new Date()), { name: 'StepFailure' }, url)
  }
  assert.deepEqual(asked, [])
})

const kinds: [beginning: string, kind: string][] = [
  ['%PDF-1.7 and so on', 'a PDF document'],
  ['PK\x03\x04rest of it', 'a Word document (docx)'],
  ['{\\rtf1 rest', 'an RTF document'],
  ['Mary Nguyen', 'plain text'],
  ['', 'plain text'],
]
for (const [content, kind] of kinds) {
  test(`the type of a resume comes from its first bytes: ${kind}, ${content.length} bytes`, async () => {
    // One byte at a time, because the beginning may arrive in pieces.
    const body = ReadableStream.from([...content].map(letter => Buffer.from(letter)))
    const headers = {
      'content-disposition': 'attachment; filename="a \\"b\\".pdf"; filename*=UTF-8\'\'%C3%A4.pdf',
      'content-length': String(content.length),
    }
    const { client } = clientOf(
      () => new Response(body as ConstructorParameters<typeof Response>[0], { headers }),
    )
    assert.deepEqual(await client.downloadResume('token', resume), {
      fileName: 'ä.pdf',
      size: content.length,
      kind,
    })
  })
}

test('a truncated resume is an error', async () => {
  const { client } = clientOf(() => new Response('%PDF-', { headers: { 'content-length': '6' } }))
  await assert.rejects(client.downloadResume('token', resume), { message: /5 bytes came instead of 6/ })
})

test('file names are decoded, with a fallback', async () => {
  const names: [disposition: string, name: string][] = [
    ['attachment; filename="Mary Nguyen - Resume.pdf"', 'Mary Nguyen - Resume.pdf'],
    ['attachment; filename=resume.pdf', 'resume.pdf'],
    ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
    ["attachment; filename=x; filename*=UTF-8''%zz", 'x'],
    ['', 'resume'],
  ]
  for (const [disposition, name] of names) {
    const { client } = clientOf(() => new Response('x', { headers: { 'content-disposition': disposition } }))
    assert.equal((await client.downloadResume('token', resume)).fileName, name)
  }
})

test('a trace is readable and contains no secrets', () => {
  assert.equal(shortened('short'), 'short')
  assert.equal(shortened('123456789'), '12345678…')
  assert.equal(
    requestText(
      'GET',
      'https://careers.example.com/cb?code=dac_0123456789&state=abcdefghijklmnop&iss=https%3A%2F%2Fx',
    ),
    'GET https://careers.example.com/cb\n?code=dac_0123…\n&state=abcdefghijklmnop\n&iss=https%3A%2F%2Fx',
  )
  assert.equal(requestText('GET', 'https://x/?code=dac_0123456789'), 'GET https://x/?code=dac_0123…')
  assert.equal(
    readable('{"access_token":"dat_0123456789","a":[1]}'),
    '{\n  "access_token": "dat_0123…",\n  "a": [\n    1\n  ]\n}',
  )
  assert.equal(readable('not JSON'), 'not JSON')
})
