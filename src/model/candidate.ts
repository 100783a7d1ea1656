import type { ReceivedFile } from '../platform/blobs/stored-file.ts'
import type { Profile } from './profile.ts'

export interface Person {
  email: string
  firstName: string
  lastName: string
}

export interface Resume extends ReceivedFile {
  id: string
  isDefault: boolean
}

/** All of a candidate's data that can be shared. */
export interface Candidate extends Person {
  profile: Profile
  /** The default resume. */
  resume: Resume | null
}
