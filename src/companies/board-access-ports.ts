export interface BoardAccess {
  /**
   * Throws unless the advertiser is currently listed on the client and active. Returns the settings that apply to its
   * ads.
   */
  assertMayActFor(clientId: string, advertiserId: number): Promise<{ timeZone: string }>
}
