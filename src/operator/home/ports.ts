/** The result of a check of the service. */
export interface Finding {
  what: string
  isFine: boolean
  /** What was found, and how to fix it if it is wrong. */
  says: string
}
