import type { AdvertiserStatus } from './rules.ts'

/** Which advertisers a job board may act for. */
export interface BoardDirectory {
  /** Undefined if the advertiser is not listed on the client, or does not exist. */
  statusOf(clientId: string, advertiserId: number): Promise<AdvertiserStatus | undefined>
}

export interface BoardAccess {
  /** Throws unless the advertiser is currently listed on the client and active. */
  assertMayActFor(clientId: string, advertiserId: number): Promise<void>
}
