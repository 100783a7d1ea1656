import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from '../harness/listen-locally.ts'
import { authorizePath, basic, type Parameters, type TestClient } from '../harness/oauth.ts'

export interface ReceivedProfile {
  // biome-ignore lint/suspicious/noExplicitAny: as it came over the wire.
  prefill: any
  resume: { type: string | null; disposition: string | null; bytes: number; hash: string } | null
}

/** The parameters of one arrival at the redirect URI. */
export interface Landing {
  query: Map<string, string>
  token?: string
  received?: ReceivedProfile
}

export interface ClientSite {
  origin: string
  redirectUri: string
  landings: Landing[]
  /** Once it is known: both parties learn each other's address. */
  connect(client: TestClient, authUrl: string, baseUrl: string): void
  /** The link behind its button, with its own state. */
  applyUrl(changes?: Parameters): string
  /** From now on the callback redirects to a page on a third origin, or no longer; returns its address. */
  leadOnTo(isCustomer: boolean): string
  /** The status of one more prefill with this token. */
  prefillStatus(token: string): Promise<number>
  close(): Promise<void>
}

const advertiserId = '10000001'

/**
 * A website of a third party on its own origin. It speaks the protocol with fetch, as any client would, and shows what
 * it has received.
 */
export async function openClientSite(): Promise<ClientSite> {
  let client: TestClient
  let authUrl: string
  let baseUrl: string
  const states = new Set<string>()
  const landings: Landing[] = []

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => page(response, 500, error.stack ?? error.message))
  })
  // Cookies ignore ports: another address is another site.
  const origin = `http://127.0.0.2:${await listenLocally(server, '127.0.0.2')}`
  const customer = createServer((_request, response) => page(response, 200, 'the careers page of a customer'))
  const redirectUri = `${origin}/callback`
  const customerUrl = `http://127.0.0.3:${await listenLocally(customer, '127.0.0.3')}/jobs`
  let leadsOn = false

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === '/violation') return violation(response)
    if (url.pathname === '/favicon.ico') return void response.writeHead(204).end()
    if (url.pathname === '/frame') return frame(response, url.searchParams.get('of') ?? '')
    if (url.pathname !== '/callback') return page(response, 404, 'no such page')
    const landing: Landing = { query: new Map(url.searchParams) }
    landings.push(landing)
    if (!states.has(landing.query.get('state') ?? '') || landing.query.get('iss') !== authUrl) {
      return page(response, 400, 'not an answer to a question of ours')
    }
    const code = landing.query.get('code')
    if (code === undefined) return page(response, 200, landing.query.get('error') ?? 'nothing')
    landing.token = await redeem(code)
    landing.received = await collect(landing.token)
    if (leadsOn) return void response.writeHead(302, { location: customerUrl }).end()
    return page(response, 200, JSON.stringify(landing.received))
  }

  async function redeem(code: string): Promise<string> {
    const response = await fetch(`${authUrl}/api/iam/oauth2/token`, {
      method: 'POST',
      headers: { authorization: basic(client) },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }),
    })
    const body = (await response.json()) as { access_token: string }
    if (response.status !== 200) throw new Error(`token: ${response.status} ${JSON.stringify(body)}`)
    return body.access_token
  }

  const askPrefill = (token: string) =>
    fetch(`${baseUrl}/v2/applications/prefilled`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ advertiserId, applicationFormUrl: `${origin}/apply` }),
    })

  async function collect(token: string): Promise<ReceivedProfile> {
    const response = await askPrefill(token)
    if (response.status !== 200) throw new Error(`prefill: ${response.status} ${await response.text()}`)
    const prefill = (await response.json()) as ReceivedProfile['prefill']
    if (prefill.resume === null) return { prefill, resume: null }
    const file = await fetch(prefill.resume.link, { headers: { authorization: `Bearer ${token}` } })
    if (file.status !== 200) throw new Error(`resume: ${file.status} ${await file.text()}`)
    const bytes = await file.arrayBuffer()
    const digest = await crypto.subtle.digest('SHA-256', bytes)
    return {
      prefill,
      resume: {
        type: file.headers.get('content-type'),
        disposition: file.headers.get('content-disposition'),
        bytes: bytes.byteLength,
        hash: Buffer.from(digest).toString('hex'),
      },
    }
  }

  return {
    origin,
    redirectUri,
    landings,
    connect(registered, atAuthUrl, atBaseUrl) {
      client = registered
      authUrl = atAuthUrl
      baseUrl = atBaseUrl
    },
    applyUrl(changes = {}) {
      const state = randomBytes(16).toString('base64url')
      states.add(state)
      return `${authUrl}${authorizePath({ state, ...changes }, client)}`
    },
    leadOnTo(isCustomer) {
      leadsOn = isCustomer
      return customerUrl
    },
    prefillStatus: async token => (await askPrefill(token)).status,
    async close() {
      for (const each of [server, customer]) {
        each.closeAllConnections()
        each.close()
        await once(each, 'close')
      }
    },
  }
}

function page(response: ServerResponse, status: number, text: string): void {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><html lang="en"><title>Client</title><h1>Client</h1><pre>${escaped}</pre>`)
}

/** Breaks its own policy, to prove that a violation would be noticed. */
function violation(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; form-action 'self'",
  })
  response.end('<!doctype html><html lang="en"><title>Client</title><p style="color: red">Client</p>')
}

function frame(response: ServerResponse, address: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><html lang="en"><title>Client</title><iframe src="${address}"></iframe>`)
}
