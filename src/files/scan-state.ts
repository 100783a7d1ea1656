/** `unscanned` is no verdict: it is shown as null and never as clean. */
export type ScanState = 'unscanned' | 'clean' | 'infected'
export type Verdict = Exclude<ScanState, 'unscanned'>
