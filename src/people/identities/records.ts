import type { EpochMs } from '../../platform/core/clock.ts'
import type { Identity } from '../../platform/core/session-owner.ts'

/** An OpenID provider, as the operator has configured it. */
export interface ProviderSettings {
  /** A normalised URL. */
  issuer: string
  clientId: string
  clientSecret: string | undefined
  /** Shown on buttons. */
  name: string
  /** Values of `amr` or `acr` that count as a second factor. */
  factors: readonly string[]
}

/** Part of the redirect URI: the board's provider, or its operators' provider. */
export const providerKeys = ['board', 'operators'] as const
export type ProviderKey = (typeof providerKeys)[number]

/** The path from which a person is sent to the provider. */
export const providerPath = (key: ProviderKey) => `/sign-in/provider/${key}`

export interface LinkedIdentity extends Identity {
  linkedAt: EpochMs
  lastUsedAt: EpochMs
}

/** A provider's details of a person that it has just authenticated. */
export interface ProviderPerson {
  /** Empty if the provider gives none. */
  email: string
  isEmailVerified: boolean
  firstName: string
  lastName: string
}
