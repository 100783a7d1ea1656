import type { Profile } from './profile.ts'
import type { ReceivedFile } from './stored-file.ts'

/** How a person proves who they are. A link in an email and a recovery code open a session; they confirm nothing later. */
export type ProofKind = 'password' | 'passkey' | 'totp' | 'recovery' | 'link'

/** What a session knows about its owner's identity. */
export interface SessionProof {
  /** The last time the person proved who they are, at sign-in or since. */
  provedAt: number
  provedBy: ProofKind
  /** How the session was opened: one factor, or a password and a second one. */
  factors: readonly ProofKind[]
}

export type ProofResult =
  | { outcome: 'proved'; at: number; by: ProofKind }
  | { outcome: 'wrong' }
  | { outcome: 'wait'; seconds: number }

/** A signed-in person. */
export interface SessionOwner extends SessionProof {
  sessionId: string
  candidateId: string
  email: string
  firstName: string
  /** Whether this person works for an advertiser. */
  isMember: boolean
  /** Whether this person runs the board. */
  isOperator?: boolean
  /** Whether the mail server rejects this person's address. */
  isMailRefused?: boolean
}

export interface Person {
  email: string
  firstName: string
  lastName: string
}

export interface Resume extends ReceivedFile {
  id: string
  isDefault: boolean
}

/** Everything about a candidate that can be shared. */
export interface Candidate extends Person {
  profile: Profile
  /** The default resume. */
  resume: Resume | null
}
