import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import type { TestDatabase } from '../harness/database.ts'
import { formTo } from '../harness/html-form.ts'
import { raw } from '../harness/http.ts'
import {
  Browser,
  basic,
  type Door,
  doorOf,
  encode,
  isAlive,
  manyFailures,
  newPkce,
  prefill,
  redeem,
  requestToken,
  revokeEndpoint,
  tokenEndpoint,
  tokenOf,
} from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { prepareTenant } from '../harness/tenant.ts'
import { databaseFor, serveFor } from '../process/support.ts'
import { mustOperate, registerClient } from './registering.ts'

const email = 'ana@mail.example'
const passwords = ['a few words that fit', 'other words that fit as well']

/** The next path with a token that arrives by email. */
async function startMailServer(t: TestContext): Promise<{ url: string; nextLink(): Promise<string> }> {
  const links: string[] = []
  let arrived = () => {}
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onData(stream, _session, callback) {
      const body = (await text(stream)).replace(/=\r\n/g, '').replaceAll('=3D', '=')
      // Notifications have no link with a token.
      links.push(...(/\/\w+#dli_[\w-]+/.exec(body) ?? []))
      callback()
      arrived()
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.after(() => new Promise<void>(resolve => server.close(() => resolve())))
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    async nextLink() {
      while (links.length === 0) {
        await new Promise<void>(resolve => {
          arrived = resolve
        })
      }
      return links.shift() as string
    },
  }
}

/** Everything in the database, in every table; for SQLite the bytes of its files. */
async function dump({ engine, settings }: TestDatabase): Promise<Buffer> {
  if (engine === 'sqlite') {
    const folder = String(settings['DATA_DIR'])
    const files = readdirSync(folder).filter(name => name.startsWith('dossier.db'))
    return Buffer.concat(files.map(name => readFileSync(join(folder, name))))
  }
  const client = new pg.Client(settings['DATABASE_URL'])
  await client.connect()
  try {
    const { rows } = await client.query(`select tablename from pg_tables where schemaname = 'public'`)
    const parts: string[] = []
    for (const { tablename } of rows) {
      const { rows: lines } = await client.query(`select row_to_json(t)::text as line from "${tablename}" t`)
      parts.push(tablename, ...lines.map(({ line }) => line))
    }
    return Buffer.from(parts.join('\n'))
  } finally {
    await client.end()
  }
}

/** The encodings in which a secret may be stored. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // Within a longer text, base64 depends on the position; the edges belong to the neighbours.
  const shifted = [0, 1, 2].map(shift => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return encoded.slice(shift === 0 ? 0 : 4, -2)
  })
  return [
    secret,
    encodeURIComponent(secret),
    encode({ x: secret }).slice(2),
    JSON.stringify(secret).slice(1, -1),
    [...bytes].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    bytes.toString('hex'),
    ...shifted,
    ...shifted.map(each => each.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

for (const engine of oneEngine) {
  describe(`secrets at rest [${engine}]`, () => {
    test('B38 after a complete journey the database and the logs contain no secret in clear', async t => {
      const mails = await startMailServer(t)
      const database = await databaseFor(t, engine)
      const tenant = await prepareTenant(database)
      const serving = await serveFor(t, database, {
        env: { ...manyFailures, SMTP_URL: mails.url, LOG_LEVEL: 'trace' },
      })
      const door = doorOf(serving)
      const secrets = new Map<string, string>([['SWS credential', tenant.credential]])
      const keep = (name: string, value: string | undefined) => {
        assert.ok(value !== undefined && value.length >= 10, name)
        secrets.set(name, value)
        return value
      }
      passwords.forEach((password, index) => void keep(`password ${index}`, password))

      // Sign-up, confirmation, sign-in.
      const browser = new Browser(door)
      const keepCookies = (when: string) => {
        for (const [name, value] of browser.cookies) keep(`cookie ${name} ${when}`, value)
      }
      const fields = { firstName: 'Ana', lastName: 'Silva', email, password: passwords[0] as string }
      await browser.submit(formTo('/sign-up', (await browser.get('/sign-up')).text), { fields })
      keepCookies('before')
      const confirmPath = await mails.nextLink()
      keep('confirmation link', confirmPath.split('#')[1])
      assert.equal((await browser.get(confirmPath)).status, 303)
      keepCookies('confirmed')
      const stranger = new Browser(door)
      await stranger.submitSignIn(
        await stranger.get('/sign-in'),
        email,
        keep('wrong password', 'guessed-wrongly'),
      )

      // A client, its consent, its codes and tokens.
      const agentId = await mustOperate(serving, 'agent', 'add', 'Agent')
      await mustOperate(serving, 'agent', 'authorise', agentId, String(tenant.advertiserId))
      const client = await registerClient(serving, 'client-1', { options: ['--agent', agentId] })
      keep('client secret', client.secret)
      const pkce = newPkce()
      keep('verifier', pkce.verifier)
      const code = keep('code', await browser.code(pkce.parameters, client))
      const token = keep('token', tokenOf(await redeem(door, code, { code_verifier: pkce.verifier }, client)))
      const body = { advertiserId: String(tenant.advertiserId) }
      assert.equal((await prefill(door, token, body)).status, 200)
      keep('unused code', await browser.code({}, client))
      const grant_type = 'client_credentials'
      const agent = { grant_type, scope: 'r_applications', advertiser_id: String(tenant.advertiserId) }
      keep('client token', tokenOf(await requestToken(door, { grant_type }, { client })))
      const agents = keep('agent token', tokenOf(await requestToken(door, agent, { client })))
      for (const credential of [agents, tenant.credential]) {
        const headers = { authorization: `SWS ${credential}` }
        assert.equal((await door.send('GET', '/v1/advertiser/applications', { headers })).status, 200)
      }
      keep('rotated secret', await mustOperate(serving, 'client', 'rotate', client.id))
      keep('Basic header', basic(client).slice('Basic '.length))

      await misuse(serving, door, token, code, client.secret)
      await requestToken(door, { token }, { client, path: revokeEndpoint })
      assert.equal(await isAlive(door, token), false)

      // A forgotten password, and the next sign-in.
      const forgotten = new Browser(door)
      await forgotten.submit(formTo('/forgotten', (await forgotten.get('/forgotten')).text), {
        fields: { email },
      })
      const resetPath = await mails.nextLink()
      keep('reset link', resetPath.split('#')[1])
      const reset = formTo('/reset', (await forgotten.get(resetPath)).text)
      assert.equal(
        (await forgotten.submit(reset, { fields: { password: passwords[1] as string } })).status,
        303,
      )
      await forgotten.signIn(email, passwords[1])
      for (const [name, value] of forgotten.cookies) keep(`cookie ${name} after`, value)
      // An unused one stays in the database.
      await stranger.submit(formTo('/forgotten', (await stranger.get('/forgotten')).text), {
        fields: { email },
      })
      keep('unused reset link', (await mails.nextLink()).split('#')[1])

      const whileRunning = await dump(database)
      await serving.stop()
      const places: [string, Buffer][] = [
        ['the database', whileRunning],
        ['the database after the end', await dump(database)],
        ['the log', Buffer.from(serving.log())],
        ['the error log', Buffer.from(serving.running.stderr())],
      ]
      assert.ok(places[0]?.[1].includes(email), 'the dump holds what it should')
      assert.ok(serving.log().includes(tokenEndpoint), 'so does the log')
      assert.ok(secrets.size >= 20)
      const found = places.flatMap(([place, bytes]) =>
        [...secrets].flatMap(([name, secret]) =>
          formsOf(secret).some(form => bytes.includes(form)) ? [`${name} in ${place}`] : [],
        ),
      )
      assert.deepEqual(found, [])
    })
  })
}

/** Secrets in every place where they do not belong, so that any log line about it has a chance to leak them. */
async function misuse(
  serving: { baseUrl: string; port: number },
  door: Door,
  token: string,
  code: string,
  secret: string,
): Promise<void> {
  const query = encode({ access_token: token, code, client_secret: secret })
  const json = { 'content-type': 'application/json' }
  await door.send('POST', `/v2/applications/prefilled?${query}`, { headers: json, body: '{}' })
  await door.send('GET', `/nothing/${token}/${code}?${query}`)
  await door.send('GET', `/v2/resumes/${token}`, { headers: { authorization: `Bearer ${token}` } })
  await door.send('GET', `/api/iam/oauth2/authorize?client_id=${secret}&redirect_uri=${token}&${query}`)
  await door.send('POST', `${tokenEndpoint}?${query}`, { headers: json, body: `{"code":"${code}", broken` })
  await door.send('POST', tokenEndpoint, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: `code=${code}%00&client_secret=${secret}`,
  })
  await door.send('GET', '/v1/advertiser/applications', { headers: { authorization: `SWS ${token}` } })
  await door.send('GET', '/account', { headers: { cookie: `dossier-session=${token}` } })
  const service = serving as Parameters<typeof raw>[0]
  await raw(service, `GET /${token} HTTP/9.9\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await raw(service, `${token} ${code}\r\nX: ${secret}\r\n\r\n`)
}

test('the search finds a secret in each encoding', () => {
  const secret = 'dat_Zq3-x/y+z w"ä'
  const within = (encoded: (text: Buffer) => string) =>
    ['', 'a', 'ab', 'abc'].map(before => encoded(Buffer.from(`${before}${secret}:after`)))
  const texts = [
    `before ${secret} after`,
    `?x=${encodeURIComponent(secret)}&y`,
    `?x=${new URLSearchParams({ x: secret })}`,
    JSON.stringify({ deep: { secret } }),
    ...within(bytes => bytes.toString('base64')),
    ...within(bytes => bytes.toString('base64url')),
    ...within(bytes => bytes.toString('hex')),
  ]
  for (const each of texts)
    assert.ok(
      formsOf(secret).some(form => each.includes(form)),
      each,
    )
  assert.ok(!formsOf(secret).some(form => form.length < 10))
})
