import type { EpochMs } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import { invalidFields } from './prefill-request.ts'

const iso =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i
const dayMs = 86_400_000

/** Reads when the candidate submitted the client's form, by the client's own clock. */
export function readCompletionDate(body: unknown, now: EpochMs): EpochMs {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem('bad-request', 'The body must be a JSON object.')
  }
  const value = new Map<string, unknown>(Object.entries(body)).get('completionDate')
  const refuse = (code: string, message: string) =>
    invalidFields([{ field: 'completionDate', code, message }])
  if (value === undefined || value === null || value === '') throw refuse('required', 'It is required.')
  if (typeof value !== 'string') throw refuse('wrong-type', 'It must be a string.')
  const day = iso.exec(value)?.[1]
  const at = day === undefined ? Number.NaN : Date.parse(value.toUpperCase())
  // Date.parse reads 31 February as a day in March.
  const isReal =
    !Number.isNaN(at) && at >= 0 && new Date(`${day}T00:00:00Z`).toISOString().startsWith(`${day}`)
  if (!isReal) throw refuse('invalid', 'It must be a time with a time zone, such as 2026-11-14T00:00:00Z.')
  if (at > now + dayMs) throw refuse('in-the-future', 'It must be at most 24 hours in the future.')
  return at
}
