import { InvalidArgumentError } from 'commander'
import { parseNumericId } from '../../core/ids.ts'

export function numericId(text: string): number {
  const id = parseNumericId(text)
  if (id === undefined) throw new InvalidArgumentError('It must be a positive whole number.')
  return id
}

/** Parses a day (00:00 UTC) or a full time with a zone. */
export function pointInTime(text: string): number {
  const isReadable = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const at = isReadable ? Date.parse(text) : Number.NaN
  const isReal =
    !Number.isNaN(at) &&
    new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))
  if (!isReal)
    throw new InvalidArgumentError('It must be a date such as 2027-01-31 or 2027-01-31T17:00:00+10:00.')
  return at
}

/** For an option that may be repeated. */
export function each(text: string, before: string[] = []): string[] {
  return [...before, text]
}

export function eachId(text: string, before: number[] = []): number[] {
  return [...before, numericId(text)]
}
