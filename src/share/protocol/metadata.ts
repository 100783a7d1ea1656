import { grantTypes, scopes } from './scopes.ts'

export const endpoints = {
  authorize: '/api/iam/oauth2/authorize',
  token: '/api/iam/oauth2/token',
  revoke: '/api/iam/oauth2/revoke',
  metadata: '/.well-known/oauth-authorization-server',
} as const

const clientAuthentication = ['client_secret_basic', 'client_secret_post']

/** Authorization server metadata (RFC 8414). Lists only what is supported. */
export function authorizationServerMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}${endpoints.authorize}`,
    token_endpoint: `${issuer}${endpoints.token}`,
    revocation_endpoint: `${issuer}${endpoints.revoke}`,
    scopes_supported: Object.values(scopes),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...grantTypes],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent'],
    authorization_response_iss_parameter_supported: true,
  }
}
