import type { EpochMs } from '../../platform/core/clock.ts'
import type { Identity } from '../../platform/core/session-owner.ts'

/** An OpenID provider, as the operator has set it. */
export interface ProviderSettings {
  /** As a URL in its usual form. */
  issuer: string
  clientId: string
  clientSecret: string | undefined
  /** On buttons. */
  name: string
  /** Values of `amr` or `acr` that count as a second factor. */
  factors: readonly string[]
}

/** Part of the address that the provider returns to: a provider of the board, or that of its operators. */
export const providerKeys = ['board', 'operators'] as const
export type ProviderKey = (typeof providerKeys)[number]

/** Where a person sets out to it. */
export const providerPath = (key: ProviderKey) => `/sign-in/provider/${key}`

export interface LinkedIdentity extends Identity {
  linkedAt: EpochMs
  lastUsedAt: EpochMs
}

/** What the provider says about a person that it has just authenticated. */
export interface ProviderPerson {
  /** Empty if it says none. */
  email: string
  isEmailVerified: boolean
  firstName: string
  lastName: string
}
