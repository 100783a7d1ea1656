import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { type Form, formBody, formTo, wordsOf } from './html-form.ts'
import { type Answer, type CallOptions, send } from './http.ts'
import { bodyOf, boundary, type Part } from './multipart.ts'
import type { Service } from './service.ts'

export const authorizeEndpoint = '/api/iam/oauth2/authorize'
export const tokenEndpoint = '/api/iam/oauth2/token'
export const revokeEndpoint = '/api/iam/oauth2/revoke'
export const metadataPath = '/.well-known/oauth-authorization-server'

export const mary = 'mary@example.com'
export const tom = 'tom@example.com'
export const demoPassword = 'demo-password'

export interface TestClient {
  id: string
  secret: string
  redirectUri: string
}

export const demoClient: TestClient = {
  id: 'demo-ats',
  secret: 'demo-ats-secret',
  redirectUri: 'http://127.0.0.1:9090/callback',
}

/** Failures are counted per address, codes per sign-in, and every test uses the same one. */
export const manyFailures = {
  RATE_LIMIT_CODES_PER_MINUTE: '999999999',
  RATE_LIMIT_AUTH_FAILURES_PER_ADDRESS_PER_MINUTE: '999999999',
  RATE_LIMIT_AUTH_FAILURES_PER_CLIENT_PER_MINUTE: '999999999',
}

/** The way to a server: over a socket, or directly to one in this process. */
export interface Door {
  origin: string
  send(method: string, path: string, options?: Omit<CallOptions, 'method'>): Promise<Answer>
}

export function doorOf({ baseUrl }: Pick<Service, 'baseUrl'>): Door {
  return { origin: baseUrl, send: (method, path, options = {}) => send(baseUrl, path, method, options) }
}

export function doorInto(app: FastifyInstance, remoteAddress = '127.0.0.1'): Door {
  return {
    origin: 'http://localhost:8080',
    async send(method, path, { headers = {}, body } = {}) {
      const response = await app.inject({
        method: method as NonNullable<InjectOptions['method']>,
        url: path,
        remoteAddress,
        headers: { host: 'localhost:8080', ...headers },
        ...(body === undefined ? {} : { payload: body }),
      })
      const answered = new Headers()
      for (const [name, value] of Object.entries(response.headers)) {
        for (const each of [value].flat()) answered.append(name, String(each))
      }
      return {
        status: response.statusCode,
        headers: answered,
        text: response.payload,
        bytes: response.rawPayload,
        json: () => response.json(),
      }
    },
  }
}

/** A list repeats the parameter, undefined leaves it out. */
export type Parameters = Record<string, string | readonly string[] | undefined>

export function encode(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map(each => [name, each as string] as [string, string]),
  )
  return new URLSearchParams(pairs).toString()
}

/** A valid request, with these changes. */
export function authorizePath(changes: Parameters = {}, client: TestClient = demoClient): string {
  const parameters = {
    client_id: client.id,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: 'r_profile_apply',
    state: 'state-1',
  }
  return `${authorizeEndpoint}?${encode({ ...parameters, ...changes })}`
}

/** A browser without a browser: a cookie jar, and forms that are filled in and sent. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #door: Door

  constructor(door: Door) {
    this.#door = door
  }

  /** The fragment of a link is not sent with it: the form of the page sends it. */
  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const [sent = '', token] = path.split('#', 2)
    const answer = await this.send('GET', sent, { headers })
    return token === undefined ? answer : this.submit(formTo(sent, answer.text), { fields: { token } })
  }

  /** The page at this path, which must be there. */
  async page(path: string): Promise<Answer> {
    const answer = await this.get(path)
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    return answer
  }

  /** The form of a page that goes to this path; of the page at the same path unless another is named. */
  async form(path: string, page: string = path): Promise<Form> {
    return formTo(path, (await this.page(page)).text)
  }

  /** The words of a page, as a person reads them. */
  async words(path: string): Promise<string> {
    return wordsOf((await this.get(path)).text)
  }

  post(
    path: string,
    fields: readonly (readonly [string, string])[],
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const contentType = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.send('POST', path, { headers: { ...contentType, ...headers }, body: formBody(fields) })
  }

  /** A form with files, byte for byte. */
  upload(path: string, parts: readonly Part[], headers: Record<string, string> = {}): Promise<Answer> {
    const contentType = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    return this.send('POST', path, { headers: { ...contentType, ...headers }, body: bodyOf(parts) })
  }

  async send(method: string, path: string, options: Omit<CallOptions, 'method'> = {}): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...options.headers }
    const answer = await this.#door.send(method, path, { ...options, headers })
    for (const line of answer.headers.getSetCookie()) this.#keep(line)
    return answer
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/; */)
    const [name = '', ...value] = pair.split('=')
    if (attributes.some(attribute => /^max-age=0$/i.test(attribute))) this.cookies.delete(name)
    else this.cookies.set(name, value.join('='))
  }

  /** Sends the form as it is, with these fields instead of its own, and the button that was pressed. */
  submit(
    form: Form,
    changes: {
      fields?: Record<string, string>
      ticked?: readonly string[]
      button?: [string, string]
      headers?: Record<string, string>
    } = {},
  ): Promise<Answer> {
    const { fields = {}, ticked, button, headers } = changes
    const boxes = form.boxes.filter(box => (ticked === undefined ? box.isTicked : ticked.includes(box.value)))
    const sent = [
      ...form.fields.map(([name, value]): [string, string] => [name, fields[name] ?? value]),
      ...boxes.map(({ name, value }): [string, string] => [name, value]),
      ...(button === undefined ? [] : [button]),
    ]
    return this.post(form.action, sent, headers)
  }

  /** A new browser in which this person has signed in. */
  static async signedIn(door: Door, email: string = mary, password: string = demoPassword): Promise<Browser> {
    const browser = new Browser(door)
    await browser.signIn(email, password)
    return browser
  }

  async signIn(email: string = mary, password: string = demoPassword): Promise<void> {
    const answer = await this.submitSignIn(await this.get('/sign-in'), email, password)
    assert.equal(answer.status, 303, answer.text)
  }

  submitSignIn(page: Answer, email: string = mary, password: string = demoPassword): Promise<Answer> {
    return this.submit(formTo('/sign-in', page.text), { fields: { email, password } })
  }

  get session(): string | undefined {
    return this.cookies.get('dossier-session')
  }

  authorize(changes: Parameters = {}, client: TestClient = demoClient): Promise<Answer> {
    return this.get(authorizePath(changes, client))
  }

  /** The whole flow: signs in if asked to, and presses the button if the consent is not remembered. */
  async decide(
    path: string,
    decision: 'allow' | 'decline' = 'allow',
    { email = mary, ticked }: { email?: string; ticked?: readonly string[] } = {},
  ): Promise<Answer> {
    let answer = await this.get(path)
    if (answer.status === 200 && isSignInPage(answer)) {
      const signedIn = await this.submitSignIn(answer, email)
      assert.equal(signedIn.status, 303, signedIn.text)
      answer = await this.get(localPath(signedIn))
    }
    if (answer.status !== 200) return answer
    return this.submit(consentForm(answer), {
      button: ['decision', decision],
      ...(ticked === undefined ? {} : { ticked }),
    })
  }

  async code(changes: Parameters = {}, client: TestClient = demoClient): Promise<string> {
    const answer = await this.decide(authorizePath(changes, client))
    return codeOf(answer)
  }
}

export const isSignInPage = (answer: Answer) => /<form\b[^>]*action="\/sign-in"/.test(answer.text)
export const consentForm = (answer: Answer) => formTo(authorizeEndpoint, answer.text)
export const isConsentPage = (answer: Answer) =>
  answer.status === 200 && answer.text.includes('name="decision"') && !isSignInPage(answer)

/** Where a redirect within the service leads. */
export function localPath(answer: Answer): string {
  const { pathname, search } = new URL(answer.headers.get('location') ?? '', 'http://localhost')
  return pathname + search
}

/** The parameters with which the browser was sent back to the client. */
export function callbackOf(
  answer: Answer,
  redirectUri: string = demoClient.redirectUri,
): Map<string, string> {
  const location = answer.headers.get('location') ?? ''
  assert.equal(answer.status, 303, `${answer.status} ${answer.text}`)
  assert.ok(location.startsWith(redirectUri), `sent to ${location}`)
  const separator = redirectUri.includes('?') ? '&' : '?'
  const rest = location.slice(redirectUri.length)
  assert.equal(rest[0], separator, location)
  const pairs = [...new URLSearchParams(rest.slice(1))]
  assert.equal(new Set(pairs.map(([name]) => name)).size, pairs.length, `a repeated parameter: ${location}`)
  return new Map(pairs)
}

export function codeOf(answer: Answer, redirectUri?: string): string {
  const location = answer.headers.get('location') ?? ''
  const callback = callbackOf(answer, redirectUri ?? location.replace(/[?&]code=.*$/, ''))
  const code = callback.get('code')
  assert.ok(code !== undefined, `no code in ${location}`)
  return code
}

export interface Credentials {
  id: string
  secret: string
}

export function basic({ id, secret }: Credentials): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}

/** `client: null` sends no credentials. */
export function requestToken(
  door: Door,
  fields: Parameters,
  options: { client?: Credentials | null; headers?: Record<string, string>; path?: string } = {},
): Promise<Answer> {
  const { client = demoClient, headers = {}, path = tokenEndpoint } = options
  return door.send('POST', path, {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(client === null ? {} : { authorization: basic(client) }),
      ...headers,
    },
    body: encode(fields),
  })
}

/** Redeems the code as its client would, with these changes. */
export function redeem(
  door: Door,
  code: string,
  changes: Parameters = {},
  client: TestClient = demoClient,
): Promise<Answer> {
  const fields = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri }
  return requestToken(door, { ...fields, ...changes }, { client })
}

export function tokenOf(answer: Answer): string {
  assert.equal(answer.status, 200, answer.text)
  return answer.json().access_token
}

export function assertOauthError(answer: Answer, status: number, error: string | RegExp): void {
  assert.equal(answer.status, status, `${answer.status} ${answer.text}`)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/)
  const body = answer.json()
  if (typeof error === 'string') assert.equal(body.error, error, answer.text)
  else assert.match(body.error, error, answer.text)
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export function prefill(
  door: Door,
  token: string,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = bearer(token),
): Promise<Answer> {
  return door.send('POST', '/v2/applications/prefilled', {
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      advertiserId: '10000001',
      applicationFormUrl: 'https://ats.example.com/apply/1',
      ...body,
    }),
  })
}

/** Does this token still open the candidate's data? */
export async function isAlive(door: Door, token: string): Promise<boolean> {
  const { status, text } = await prefill(door, token)
  assert.ok(status === 200 || status === 401, `${status} ${text}`)
  return status === 200
}

export interface Pkce {
  verifier: string
  challenge: string
  /** For the authorization request. */
  parameters: { code_challenge: string; code_challenge_method: 'S256' }
}

export function newPkce(verifier = randomBytes(32).toString('base64url')): Pkce {
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return {
    verifier,
    challenge,
    parameters: { code_challenge: challenge, code_challenge_method: 'S256' },
  }
}
