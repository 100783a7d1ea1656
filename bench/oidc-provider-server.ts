// The library that authorization servers in Node are usually built on, in its own process. Arguments: the location of its
// database, and its client, both as JSON.
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { type RegisteredClient, redirectUri, scope } from './authorization-server.ts'
import { createAdapterFactory } from './oidc-adapter.ts'
import type { Place } from './row-writer.ts'

const [place = '', client = ''] = process.argv.slice(2)
const { id, secret } = JSON.parse(client) as RegisteredClient

/** Everything optional is off: no signed cookies, no look-up of accounts or clients. */
const provider = new Provider('http://localhost', {
  adapter: await createAdapterFactory(JSON.parse(place) as Place),
  clients: [
    {
      client_id: id,
      client_secret: secret,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  scopes: ['openid', scope],
  findAccount: async (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
  // Our tokens outlive the session, too; otherwise each exchange would also look up the session.
  expiresWithSession: async () => false,
  pkce: { required: () => false },
  features: { devInteractions: { enabled: false } },
  ttl: { AccessToken: 1_200, AuthorizationCode: 300, Grant: 90 * 86_400, Session: 86_400 },
})

const server = provider.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ msg: 'listening', port }))
})
