/** Who asks on version 1, and for which advertiser. */
export interface Principal {
  credentialId: string
  advertiserId: number
  /** The agent that acts for the advertiser, when one does. */
  agentId: number | null
  /** Recognised, but not to be served. */
  isOnHold: boolean
}
