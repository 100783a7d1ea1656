/**
 * How a person proves who they are. A link or a code in an email and a recovery code open a session, but confirm
 * nothing later. `provider-mfa`: an OpenID provider that has required a second factor.
 */
export type ProofKind = StoredProof | 'code' | 'provider' | 'provider-mfa'

/** Release 0.1.0 reads these words; a code in an email and a provider are stored as others: see session-store.ts. */
export type StoredProof = 'password' | 'passkey' | 'totp' | 'recovery' | 'link'

/** Factors besides the password. */
export type FactorKind = StoredProof & ('passkey' | 'totp' | 'recovery')

/** A person's identity, by the provider's own ID for them. The ID never changes hands; an email address may. */
export interface Identity {
  issuer: string
  subject: string
}

/** A session's record of the sign-in at the provider. */
export interface ProviderProof extends Identity {
  /** The provider's ID for its own session. */
  session: string | null
  /** When the person last proved their identity to the provider; null if it does not say. */
  provedAt: number | null
  /** Whether the provider required a second factor, according to a value that the operator trusts. */
  hasFactor: boolean
}

/** A session's record of how its owner proved their identity. */
export interface SessionProof {
  /** When the person last proved who they are, at sign-in or later. */
  provedAt: number
  provedBy: ProofKind
  /** How the session was opened: one factor, or a password and a second one. */
  factors: readonly ProofKind[]
  /**
   * Opened with a code from an email, and neither the password nor a passkey has been proved since: never valid for a
   * workplace.
   */
  isByCode?: boolean
  /** When the person last proved the password; a passkey that verified its user counts as one. */
  passwordAt?: number | null
  /** When and with which method the person last proved a second factor. */
  factorAt?: number | null
  factorBy?: FactorKind | null
  /** The OpenID provider that opened the session. */
  providerIssuer?: string | null
}

export type ProofResult =
  | { outcome: 'proved'; at: number; by: ProofKind }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

/** Who a signed-in person is. The room that knows accounts adds their ID here: see src/companies/callers/board-callers.ts. */
// biome-ignore lint/suspicious/noEmptyInterface: declarations are merged with it
export interface Person {}

/** A signed-in person. */
export interface SessionOwner extends Person, SessionProof {
  sessionId: string
  email: string
  firstName: string
  /** Whether this person works for a company. */
  isMember: boolean
  /** Whether this person runs the board. */
  isOperator?: boolean
  /** Whether the mail server rejects this person's address. */
  isMailRefused?: boolean
}
