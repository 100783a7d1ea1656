import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { createAuthenticator } from '../harness/authenticator.ts'
import type { TestDatabase } from '../harness/database.ts'
import { formTo, textOf } from '../harness/html-form.ts'
import { raw } from '../harness/http.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
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
      const database = await databaseFor(t, engine, 'empty')
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
      await browser.submit(await browser.form('/sign-up'), { fields })
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
      await forgotten.submit(await forgotten.form('/forgotten'), {
        fields: { email },
      })
      const resetPath = await mails.nextLink()
      keep('reset link', resetPath.split('#')[1])
      const reset = await forgotten.form('/reset', resetPath)
      assert.equal(
        (await forgotten.submit(reset, { fields: { password: passwords[1] as string } })).status,
        303,
      )
      await forgotten.signIn(email, passwords[1])
      for (const [name, value] of forgotten.cookies) keep(`cookie ${name} after`, value)
      // An unused one stays in the database.
      await stranger.submit(await stranger.form('/forgotten'), {
        fields: { email },
      })
      keep('unused reset link', (await mails.nextLink()).split('#')[1])

      await keepInvitations(serving, door, keep, tenant.advertiserId)
      await keepFactors(forgotten, `http://localhost:${serving.port}`, keep)
      const webhook = { settings: { ...serving.settings, WEBHOOK_ALLOW: '127.0.0.1' } }
      const owner = ['--advertiser', String(tenant.advertiserId)]
      const added = await mustOperate(webhook, 'webhook', 'add', 'http://127.0.0.1:9999/hook', ...owner)
      keep('webhook secret', /whsec_(\S+)/.exec(added)?.[1])

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
      assert.ok(secrets.size >= 50)
      const found = places.flatMap(([place, bytes]) =>
        [...secrets].flatMap(([name, secret]) =>
          [...formsOf(secret), ...bytesOf(name, secret)].some(form => bytes.includes(form))
            ? [`${name} in ${place}`]
            : [],
        ),
      )
      assert.deepEqual(found, [])
    })
  })
}

type Keep = (name: string, value: string | undefined) => string

/** Links that are not used, one that was looked at, and one of an operator. */
async function keepInvitations(
  serving: { settings: Record<string, string> },
  door: Door,
  keep: Keep,
  advertiserId: number,
): Promise<void> {
  const invite = (...args: string[]) => mustOperate(serving, ...args)
  const company = await invite('advertiser', 'invite', String(advertiserId), 'rae@mail.example')
  const operator = await invite('operator', 'invite', 'omar@mail.example')
  for (const [name, url] of Object.entries({ company, operator })) {
    const [, path = '', token] = /(\/[\w/]+)#(dli_[\w-]+)/.exec(url) ?? []
    keep(`invitation of the ${name}`, token)
    assert.equal((await new Browser(door).get(`${path}#${token}`)).status, 200)
  }
}

/** An app, its recovery codes and a passkey are added, and open sessions. */
async function keepFactors(browser: Browser, origin: string, keep: Keep): Promise<void> {
  const factors = '/account/security/two-step'
  const submit = async (page: string, path: string, fields: Record<string, string>) => {
    const form = formTo(path, page)
    for (const [name, value] of form.fields)
      if (/ticket|^secret$/.test(name)) keep(`${name} of ${path} ${value.slice(-6)}`, value)
    return browser.submit(form, { fields })
  }
  const app = (await browser.get(`${factors}/app`)).text
  const secret = keep('TOTP secret', /<code>([A-Z2-7 ]+)<\/code>/.exec(app)?.[1]?.replaceAll(' ', ''))
  const shown = await submit(app, `${factors}/app`, { code: codeByOathtool(secret, Date.now()) })
  const codes = [...shown.text.matchAll(/<li><code>([a-z0-9-]+)<\/code>/g)].map(([, code = '']) => code)
  assert.equal(codes.length, 10)
  for (const code of codes) {
    keep(`recovery code ${code}`, code)
    keep(`recovery code ${code} without hyphens`, code.replaceAll('-', ''))
  }

  const device = createAuthenticator(origin)
  const optionsOf = (page: string) => {
    const options = textOf(/data-options="([^"]*)"/.exec(page)?.[1] ?? '')
    const { challenge } = JSON.parse(options)
    keep(`passkey challenge ${challenge}`, challenge)
    return options
  }
  const page = (await browser.get(`${factors}/passkey`)).text
  const passkey = device.create(optionsOf(page))
  const made = await submit(page, `${factors}/passkey`, { name: 'A phone', passkey })
  assert.equal(made.status, 303, made.text)

  const signOut = async () => browser.submit(await browser.form('/sign-out', '/account/security'))
  await signOut()
  for (const fields of [
    () => ({ code: codeByOathtool(secret, Date.now() + 30_000) }),
    () => ({ code: codes[0] ?? '' }),
    (second: string) => ({ passkey: device.get(optionsOf(second)) }),
  ]) {
    const asked = await browser.submitSignIn(await browser.get('/sign-in'), email, passwords[1])
    assert.equal(asked.status, 200, asked.text)
    const done = await submit(asked.text, '/sign-in/code', fields(asked.text))
    assert.equal(done.status, 303, done.text)
    keep(`session ${browser.session}`, browser.session)
    await signOut()
  }
  const signIn = (await browser.get('/sign-in')).text
  const alone = await submit(signIn, '/sign-in', { passkey: device.get(optionsOf(signIn)) })
  assert.equal(alone.status, 303, alone.text)
  keep('session by passkey', browser.session)
}

/** What the texts of some secrets stand for, as it would be stored in a column of bytes. */
function bytesOf(name: string, secret: string): (Buffer | string)[] {
  const bits = name === 'TOTP secret' ? base32Bits(secret) : undefined
  const isBase64 = /webhook secret|challenge|session|link|invitation/.test(name)
  const bytes =
    bits !== undefined
      ? Buffer.from(bits.map(each => Number.parseInt(each, 2)))
      : isBase64
        ? Buffer.from(secret.replace(/^d\w\w_/, ''), 'base64')
        : undefined
  return bytes === undefined || bytes.length < 10 ? [] : [bytes, ...formsOf(bytes.toString('hex'))]
}

const base32Bits = (secret: string) =>
  [...secret]
    .map(letter => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
    .match(/.{8}/g) ?? []

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
