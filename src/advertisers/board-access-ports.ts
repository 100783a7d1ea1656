import type { AdvertiserStatus } from './rules.ts'

/** Whom a job board may act for. */
export interface BoardDirectory {
  /** Undefined when the advertiser is not listed on the client, or does not exist. */
  statusOf(clientId: string, advertiserId: number): Promise<AdvertiserStatus | undefined>
}

export interface BoardAccess {
  /** Throws unless the advertiser is listed on the client at this moment, and active. */
  assertMayActFor(clientId: string, advertiserId: number): Promise<void>
}
