import type { EpochMs } from '../platform/core/clock.ts'
import type { Principal } from './principal.ts'

/** Who read an application: a person of the company, one of its credentials, or an agent that acts for it. */
export type Reader = `member:${string}` | `credential:${string}` | `agent:${number}`

/** `list`: through the API; `export`: in a file with others. */
export type ReadWay = 'view' | 'download' | 'list' | 'export'

export const readerOf = ({ agentId, credentialId }: Pick<Principal, 'agentId' | 'credentialId'>): Reader =>
  agentId === null ? `credential:${credentialId}` : `agent:${agentId}`

export const memberReader = ({ candidateId }: { candidateId: string }): Reader => `member:${candidateId}`

/** Reads are on record since this time, so only an application sent later is known to be unread. */
export const readsRecordedSince = (now: EpochMs, { readDays }: { readDays: number }): EpochMs =>
  now - readDays * 86_400_000

/** What a candidate is shown, gathered by day, by company or agent, and by way. */
export interface ReadOnRecord {
  /** YYYY-MM-DD, in UTC. */
  day: string
  /** Null: the company itself, by its people or its credentials. */
  agentName: string | null
  way: ReadWay
  /** Whether a program read it, with a credential or as an agent. */
  isByProgram: boolean
  /** Of the day. A program's later reads of a day are not on record. */
  firstAt: EpochMs
  lastAt: EpochMs
}
