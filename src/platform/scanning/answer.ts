import type { Exchange } from './connection.ts'

/** `none`: clamd did not judge the file; if this is final, it would not do so next time either. */
export type Answer =
  | { verdict: 'clean' }
  | { verdict: 'infected'; signature: string }
  | { verdict: 'none'; reason: string; isSilent?: true; isFinal?: true }

export function answerOf(exchange: Exchange): Answer {
  if ('lost' in exchange) return { verdict: 'none', reason: exchange.lost, isSilent: true }
  const { reply } = exchange
  if (reply === 'stream: OK') return { verdict: 'clean' }
  const signature = /^stream: (.+) FOUND$/.exec(reply)?.[1]
  // A file that clamd cannot open is neither infected nor clean.
  if (signature === undefined) {
    const reason = printable(reply)
    return { verdict: 'none', reason, ...(reason.includes('size limit exceeded') ? { isFinal: true } : {}) }
  }
  if (isBeyondLimits(signature) || signature.startsWith('Heuristics.Encrypted')) {
    // A scan that timed out may succeed when the machine is less busy.
    const isFinal = !signature.endsWith('MaxScanTime')
    return { verdict: 'none', reason: signature, ...(isFinal ? { isFinal } : {}) }
  }
  return { verdict: 'infected', signature }
}

export const isBeyondLimits = (reason: string) => reason.startsWith('Heuristics.Limits.Exceeded')

/** The text appears in the log and on the operator's terminal. */
const printable = (text: string) => text.replace(/[^ -~]+/g, '?').slice(0, 200)
