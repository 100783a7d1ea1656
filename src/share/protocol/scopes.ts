/** The scopes of tokens; a token without scope is for completion calls. */
export const scopes = {
  profile: 'r_profile_apply',
  applications: 'r_applications',
  progress: 'w_progress',
  intake: 'w_applications',
  webhooks: 'm_webhooks',
} as const

/** The scopes of an agent's tokens for one advertiser; one token may have both. */
export const advertiserScopes = [scopes.applications, scopes.progress] as const

export const grantTypes = ['authorization_code', 'client_credentials'] as const

export function splitScope(scope: string | undefined): Set<string> {
  return new Set((scope ?? '').split(' ').filter(word => word !== ''))
}
