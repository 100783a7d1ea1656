import type { EpochMs } from '../../core/clock.ts'

export interface IdRange {
  firstId: number
  lastId: number
  firstAt: EpochMs
  lastAt: EpochMs
}

/**
 * Adds a range to ranges in ascending order, of which no two touch, and keeps them so. Returns the range that it became;
 * undefined if it was covered already. Most readers continue where they stopped, so it looks from the end.
 */
export function coverIds(
  ranges: IdRange[],
  { firstId, lastId }: Pick<IdRange, 'firstId' | 'lastId'>,
  at: EpochMs,
): IdRange | undefined {
  let end = ranges.length
  while (end > 0 && (ranges[end - 1] as IdRange).firstId > lastId + 1) end -= 1
  let start = end
  while (start > 0 && (ranges[start - 1] as IdRange).lastId >= firstId - 1) start -= 1
  const [first, last] = [ranges[start], ranges[end - 1]]
  const isTouched = start < end && first !== undefined && last !== undefined
  if (isTouched && first.firstId <= firstId && first.lastId >= lastId) return undefined
  const whole = {
    firstId: isTouched ? Math.min(firstId, first.firstId) : firstId,
    lastId: isTouched ? Math.max(lastId, last.lastId) : lastId,
    firstAt: Math.min(at, ...ranges.slice(start, end).map(each => each.firstAt)),
    lastAt: at,
  }
  ranges.splice(start, end - start, whole)
  return whole
}
