import type { Profile } from './profile.ts'
import type { ReceivedFile } from './stored-file.ts'

/** A signed-in person. */
export interface SessionOwner {
  sessionId: string
  candidateId: string
  email: string
  firstName: string
  /** Whether this person works for an advertiser. */
  isMember: boolean
  /** Whether the mail server rejects this person's address. */
  isMailRefused?: boolean
  /** How this person proved themselves when the session began, or since. */
  provedBy?: string
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
