import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from './listen-locally.ts'

export const providerClient = { id: 'dossier', secret: 'the secret of dossier' }

type Claims = Record<string, unknown>

/** What the person is, and how the provider lies about it. */
export interface Answering {
  claims?: Claims
  /** For the header of the token, and how it is signed. */
  alg?: 'RS256' | 'none' | 'HS256'
  /** Signs with a key that the provider does not publish. */
  isForged?: boolean
  /** Answers of the endpoint that tells about people. */
  userinfo?: Claims
  /** Parameters of the way back. */
  back?: Record<string, string | undefined>
}

const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/**
 * An OpenID provider that lies as a test wants. It draws no pages: the test plays the browser that it leads back. For what
 * an honest one does there is `oidc-provider`.
 */
export async function startOpenIdProvider() {
  const newKey = () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    return { kid: randomUUID(), privateKey, publicKey }
  }
  let key = newKey()
  const forger = newKey()
  let isAway = false
  let metadata: Claims = {}
  const codes = new Map<string, { answering: Answering; nonce: string; challenge: string }>()
  const userinfo = new Map<string, Claims>()
  const requests: string[] = []

  const server = createServer((request, response) => void answer(request, response))
  const issuer = `http://127.0.0.1:${await listenLocally(server)}/`

  const signed = (claims: Claims, { alg = 'RS256', isForged = false }: Answering, typ?: string) => {
    const header = base64({ alg, kid: key.kid, ...(typ === undefined ? {} : { typ }) })
    const content = `${header}.${base64(claims)}`
    const pem = key.publicKey.export({ type: 'spki', format: 'pem' })
    const signature =
      alg === 'none'
        ? Buffer.alloc(0)
        : alg === 'HS256'
          ? createHmac('sha256', pem).update(content).digest()
          : sign('sha256', Buffer.from(content), (isForged ? forger : key).privateKey as KeyObject)
    return `${content}.${signature.toString('base64url')}`
  }

  const seconds = () => Math.floor(Date.now() / 1000)
  const common = () => ({ iss: issuer, aud: providerClient.id, iat: seconds(), exp: seconds() + 300 })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const path = (request.url ?? '').slice(1)
    requests.push(path)
    if (isAway) return void response.socket?.destroy()
    if (path === '.well-known/openid-configuration')
      return void send(200, {
        issuer,
        authorization_endpoint: `${issuer}authorize`,
        token_endpoint: `${issuer}token`,
        userinfo_endpoint: `${issuer}userinfo`,
        jwks_uri: `${issuer}keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
        ...metadata,
      })
    if (path === 'keys')
      return void send(200, {
        keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, use: 'sig' }],
      })
    if (path === 'userinfo')
      return void send(200, userinfo.get(request.headers.authorization?.replace('Bearer ', '') ?? ''))
    let body = ''
    for await (const chunk of request) body += chunk
    const sent = new URLSearchParams(body)
    const code = sent.get('code') ?? ''
    const given = codes.get(code)
    codes.delete(code)
    const verifier = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url')
    if (given === undefined || verifier !== given.challenge) return void send(400, { error: 'invalid_grant' })
    const { answering, nonce } = given
    const claims = { ...common(), nonce, auth_time: seconds(), ...answering.claims }
    const token = randomUUID()
    userinfo.set(token, answering.userinfo ?? { sub: (claims as Claims)['sub'] })
    const kept = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
    send(200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: 60,
      id_token: signed(kept, answering),
    })
  }

  return {
    issuer,
    requests,
    /** Plays the browser that was led there, and comes back: the path of the way back. */
    authorize(location: string, answering: Answering): string {
      const asked = new URL(location).searchParams
      const code = randomUUID()
      codes.set(code, {
        answering,
        nonce: asked.get('nonce') ?? '',
        challenge: asked.get('code_challenge') ?? '',
      })
      const { pathname } = new URL(asked.get('redirect_uri') ?? '')
      const parameters = { code, state: asked.get('state') ?? '', iss: issuer, ...answering.back }
      const sent = Object.entries(parameters).filter(
        (pair): pair is [string, string] => pair[1] !== undefined,
      )
      return `${pathname}?${new URLSearchParams(sent)}`
    },
    /** A message that a session has ended. */
    logoutToken: (claims: Claims, answering: Answering = {}, typ = 'logout+jwt') => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const all = { ...common(), jti: randomUUID(), events, ...claims }
      const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
      return signed(kept, answering, typ)
    },
    rotate() {
      key = newKey()
    },
    setAway(value: boolean) {
      isAway = value
    },
    /** Says something else about itself from the next discovery on. */
    say(changes: Claims) {
      metadata = changes
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>
