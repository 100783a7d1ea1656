import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider'
import { listenLocally } from '../harness/listen-locally.ts'
import { Browser, type Door, doorOf, type TestClient } from '../harness/oauth.ts'

export interface ReferenceServer {
  door: Door
  /** Is signed in, and has consented to everything. */
  browser: Browser
  close(): Promise<void>
}

export const referencePaths = { authorize: '/auth', token: '/token' }

/** oidc-provider, configured as much like ours as possible, with a candidate who agrees to everything. */
export async function startReferenceServer(client: TestClient): Promise<ReferenceServer> {
  const server = createServer()
  const baseUrl = `http://127.0.0.1:${await listenLocally(server)}`
  const provider = new Provider(baseUrl, configurationFor(client))
  // It would log each refusal on the console.
  provider.on('server_error', () => {})
  const handle = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      void provider.interactionFinished(request, response, { login: { accountId: 'mary' } })
    } else {
      void handle(request, response)
    }
  })
  const door = doorOf({ baseUrl })
  const browser = new Browser(door)
  await signIn(browser, client)
  return {
    door,
    browser,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function signIn(browser: Browser, client: TestClient): Promise<void> {
  const query = new URLSearchParams({
    client_id: client.id,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: 'r_profile_apply',
  })
  let path = `${referencePaths.authorize}?${query}`
  while (!path.startsWith(client.redirectUri)) {
    const answer = await browser.get(path)
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`the reference server answered ${answer.status}: ${answer.text}`)
    path = location.replace(/^http:\/\/127\.0\.0\.1:(?!9090)\d+/, '')
  }
}

function configurationFor(client: TestClient): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    adapter: inMemory,
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [client.redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
        application_type: 'web',
        scope: 'r_profile_apply',
      },
    ],
    scopes: ['r_profile_apply'],
    responseTypes: ['code'],
    pkce: { required: () => false },
    ttl: {
      AuthorizationCode: 300,
      AccessToken: 1200,
      Session: 3600,
      Interaction: 3600,
      Grant: 3600,
      IdToken: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    renderError: (context, { error }) => {
      context.body = error
    },
    cookies: { keys: ['of-no-importance'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    // The candidate has agreed to every requested scope.
    async loadExistingGrant({ oidc }) {
      const { Grant } = oidc.provider
      const grant = new Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope(String(oidc.params?.['scope'] ?? ''))
      await grant.save()
      return grant
    },
  }
}

/** An adapter as its documentation describes it, in maps. */
function inMemory(name: string): Adapter {
  const entries = stored.get(name) ?? new Map<string, AdapterPayload>()
  stored.set(name, entries)
  const findBy = (key: 'uid' | 'userCode', value: string) =>
    [...entries.values()].find(payload => payload[key] === value)
  return {
    upsert: async (id, payload) => void entries.set(id, payload),
    find: async id => entries.get(id),
    findByUid: async uid => findBy('uid', uid),
    findByUserCode: async userCode => findBy('userCode', userCode),
    destroy: async id => void entries.delete(id),
    consume: async id => {
      const payload = entries.get(id)
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
    },
    revokeByGrantId: async grantId => {
      for (const [id, payload] of entries) if (payload.grantId === grantId) entries.delete(id)
    },
  }
}

const stored = new Map<string, Map<string, AdapterPayload>>()
