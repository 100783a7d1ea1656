/** `unscanned` and `not-judged` are no verdicts: they are shown as null and never as clean. */
export type ScanState =
  | 'clean'
  | 'infected'
  /** Not yet: the scanner was away or too slow. */
  | 'unscanned'
  /** The scanner will not: the file is beyond its limits, or locked. */
  | 'not-judged'
/** What a scanner says about a file, for good or until its settings change. */
export type Verdict = Exclude<ScanState, 'unscanned'>
