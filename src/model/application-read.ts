import type { EpochMs } from '../platform/core/clock.ts'
import type { Principal } from './principal.ts'

/** Who read an application: a member of the company, one of its credentials, or an agent that acts for it. */
export type Reader = `member:${string}` | `credential:${string}` | `agent:${number}`

/** `list`: through the API; `export`: in a file with others. */
export type ReadWay = 'view' | 'download' | 'list' | 'export'

export const readerOf = ({ agentId, credentialId }: Pick<Principal, 'agentId' | 'credentialId'>): Reader =>
  agentId === null ? `credential:${credentialId}` : `agent:${agentId}`

export const memberReader = ({ candidateId }: { candidateId: string }): Reader => `member:${candidateId}`

/** Reads are kept back to this time, so only applications sent later are known to be unread. */
export const readsRecordedSince = (now: EpochMs, { readDays }: { readDays: number }): EpochMs =>
  now - readDays * 86_400_000

/** Reads as a candidate sees them: grouped by day, by company or agent, and by way of reading. */
export interface ReadOnRecord {
  /** YYYY-MM-DD, in UTC. */
  day: string
  /** Null: the company itself, through its members or its credentials. */
  agentName: string | null
  way: ReadWay
  /** Whether a program made the read, with a credential or as an agent. */
  isByProgram: boolean
  /** First read of the day. A program's later reads that day are not recorded. */
  firstAt: EpochMs
  lastAt: EpochMs
}
