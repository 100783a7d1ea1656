/** The result of a check of the service. */
export interface CheckResult {
  what: string
  isFine: boolean
  /** Works as it is, but should be changed before many people rely on it. */
  isAdvised?: boolean
  /** The finding, and how to fix it if it is wrong. */
  says: string
}
