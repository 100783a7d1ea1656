/** The result of a check of the service. */
export interface CheckResult {
  what: string
  isFine: boolean
  /** It works as it is, and should be changed before many people rely on it. */
  isAdvised?: boolean
  /** What was found, and how to fix it if it is wrong. */
  says: string
}
