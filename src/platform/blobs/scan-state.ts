/** Limit: Retry-After of the download of a file that has no verdict yet. */
export const unscannedRetryAfterSeconds = 30

/** `unscanned` and `not-judged` are shown as null, never as clean. */
export type ScanState =
  | 'clean'
  | 'infected'
  /** Not scanned yet: the scanner was unavailable or too slow. */
  | 'unscanned'
  /** The scanner cannot judge the file: it exceeds the limits or is locked. */
  | 'not-judged'
/** A scanner's result for a file, final unless its settings change. */
export type Verdict = Exclude<ScanState, 'unscanned'>
