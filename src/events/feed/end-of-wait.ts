/**
 * A wait ends up to a sixteenth of its time early, so that requests that began together do not come back together. All end
 * on the beat of a common clock where that leaves room: one wake-up of the process and one look-up then serve many.
 */
export function endOfWait(now: number, waitMs: number, random: number, tickMs: number): number {
  const end = now + waitMs
  const first = end - waitMs / 16
  const any = end - random * (end - first)
  const onBeat = Math.floor(any / tickMs) * tickMs
  return [onBeat, onBeat + tickMs].find(at => at >= first && at <= end) ?? any
}
