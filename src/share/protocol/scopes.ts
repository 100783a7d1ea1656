/** The scopes of tokens; a token without scope is for completion calls. */
export const scopes = {
  profile: 'r_profile_apply',
  applications: 'r_applications',
  intake: 'w_applications',
  webhooks: 'm_webhooks',
} as const

export const grantTypes = ['authorization_code', 'client_credentials'] as const

export function splitScope(scope: string | undefined): Set<string> {
  return new Set((scope ?? '').split(' ').filter(word => word !== ''))
}
