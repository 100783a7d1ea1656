import type { Profile } from './profile.ts'
import type { ReceivedFile } from './stored-file.ts'

/** Who a session belongs to; the structure that http/sessions.ts hands to pages. */
export interface SessionOwner {
  sessionId: string
  candidateId: string
  email: string
  firstName: string
  /** Whether they work for an advertiser. */
  isMember: boolean
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

/** Everything that could be released about a candidate. */
export interface Candidate extends Person {
  profile: Profile
  /** The default one. */
  resume: Resume | null
}
