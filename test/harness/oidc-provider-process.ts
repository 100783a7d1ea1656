/** oidc-provider, as an honest OpenID provider in its own process; prints its issuer. See `startOidcProvider`. */

import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'
import { listenLocally } from './listen-locally.ts'

const server = createServer()
const issuer = `http://127.0.0.1:${await listenLocally(server)}`
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const [id = '', secret = '', logoutUri] = process.argv.slice(2)

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: id,
      client_secret: secret,
      redirect_uris: ['http://127.0.0.1/any'],
      ...(logoutUri === undefined ? {} : { backchannel_logout_uri: logoutUri }),
      backchannel_logout_session_required: true,
    },
  ],
  claims: {
    openid: ['sub', 'sid'],
    email: ['email', 'email_verified'],
    profile: ['given_name', 'family_name'],
  },
  features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
  cookies: { keys: ['of-no-importance'] },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  pkce: { required: () => true },
  findAccount: (_context, accountId) => ({
    accountId,
    claims: () => ({
      sub: accountId,
      email: `${accountId}@example.org`,
      email_verified: !accountId.startsWith('unverified'),
      given_name: accountId,
      family_name: 'Example',
    }),
  }),
  // The person has agreed to everything.
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client?.clientId ?? '',
      accountId: oidc.session?.accountId ?? '',
    })
    grant.addOIDCScope('openid email profile')
    await grant.save()
    return grant
  },
})
// The service chooses its port after the provider has started.
provider.Client.prototype.redirectUriAllowed = () => true

const handle = provider.callback()
server.on('request', async (request, response) => {
  if (!request.url?.startsWith('/interaction/')) return handle(request, response)
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html')
    return response.end(
      '<!doctype html><title>Login</title><form method="post"><label>User <input name="user"></label><button>Log in</button></form>',
    )
  }
  let body = ''
  for await (const chunk of request) body += chunk
  const accountId = new URLSearchParams(body).get('user') ?? ''
  return provider.interactionFinished(request, response, { login: { accountId } })
})
process.stdout.write(`${issuer}\n`)
