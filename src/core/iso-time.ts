import type { EpochMs } from './clock.ts'

const iso =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/** Parses ISO 8601 with a time zone, from 1970 on; undefined if it is not a real calendar time. */
export function parseIsoTime(text: string): EpochMs | undefined {
  const day = iso.exec(text)?.[1]
  if (day === undefined) return undefined
  const at = Date.parse(text.toUpperCase())
  // Date.parse rolls 31 February over to March.
  const isReal = at >= 0 && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
  return isReal ? at : undefined
}
