import type { EpochMs } from './clock.ts'

const iso =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/** ISO 8601 with its zone, from 1970 on; undefined when it is no real calendar time. */
export function parseIsoTime(text: string): EpochMs | undefined {
  const day = iso.exec(text)?.[1]
  if (day === undefined) return undefined
  const at = Date.parse(text.toUpperCase())
  // A parser takes the 31st of February for a day in March.
  const isReal = at >= 0 && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
  return isReal ? at : undefined
}
