import type { Exchange } from './connection.ts'

/** `none` says that clamd did not judge the file; when that is final, it would not the next time either. */
export type Answer =
  | { verdict: 'clean' }
  | { verdict: 'infected'; signature: string }
  | { verdict: 'none'; reason: string; isSilent?: true; isFinal?: true }

export function answerOf(exchange: Exchange): Answer {
  if ('lost' in exchange) return { verdict: 'none', reason: exchange.lost, isSilent: true }
  const { reply } = exchange
  if (reply === 'stream: OK') return { verdict: 'clean' }
  const signature = /^stream: (.+) FOUND$/.exec(reply)?.[1]
  // What it cannot look into is not infected because of that, and not clean either.
  if (signature === undefined) {
    const reason = printable(reply)
    return { verdict: 'none', reason, ...(reason.includes('size limit exceeded') ? { isFinal: true } : {}) }
  }
  if (isBeyondLimits(signature) || signature.startsWith('Heuristics.Encrypted')) {
    // A scan that took too long may be quicker on a machine with less to do.
    const isFinal = !signature.endsWith('MaxScanTime')
    return { verdict: 'none', reason: signature, ...(isFinal ? { isFinal } : {}) }
  }
  return { verdict: 'infected', signature }
}

export const isBeyondLimits = (reason: string) => reason.startsWith('Heuristics.Limits.Exceeded')

/** It goes into the log and onto the screen of an operator. */
const printable = (text: string) => text.replace(/[^ -~]+/g, '?').slice(0, 200)
