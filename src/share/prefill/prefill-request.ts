import { parseNumericId } from '../../core/ids.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import { textFault } from '../../core/text.ts'

export interface PrefillRequest {
  advertiserId: number
  applicationFormUrl: string
  positionTitle: string | null
  positionUri: string | null
  positionReference: string | null
  countryCode: string | null
  postalCode: string | null
}

export interface PrefillLimits {
  formUrlLength: number
  nameLength: number
  referenceLength: number
  postalCodeLength: number
}

type Fault = Omit<FieldError, 'field'>
type Reading<T> = { value: T | null } | { fault: Fault }

/** Treats null, an empty string and a missing field alike: as not sent. */
function readText(
  value: unknown,
  maxLength: number,
  form?: (text: string) => Fault | undefined,
): Reading<string> {
  if (value === undefined || value === null || value === '') return { value: null }
  if (typeof value !== 'string') return { fault: { code: 'wrong-type', message: 'It must be a string.' } }
  const fault = textFault(value, { maxLength })
  if (fault === 'too-long') {
    return { fault: { code: fault, message: `It must have at most ${maxLength} characters.` } }
  }
  if (fault !== undefined)
    return { fault: { code: fault, message: 'It contains characters that cannot be stored.' } }
  const wrongForm = form?.(value)
  return wrongForm === undefined ? { value } : { fault: wrongForm }
}

/** Requires an absolute URL as written, not only one that a URL parser would repair. */
function urlFault(text: string): Fault | undefined {
  const isAbsolute = /^https?:\/\/[^/?#\s][^\s]*$/i.test(text) && URL.canParse(text)
  return isAbsolute
    ? undefined
    : { code: 'invalid-url', message: 'It must be an absolute URL starting with http:// or https://.' }
}

function countryFault(text: string): Fault | undefined {
  return /^[A-Za-z]{2}$/.test(text)
    ? undefined
    : { code: 'invalid', message: 'It must be two letters, such as AU.' }
}

/** Existing clients send a string; a number means the same. */
function readAdvertiserId(value: unknown): Reading<number> {
  if (value === undefined || value === null || value === '') return { value: null }
  if (typeof value !== 'string' && typeof value !== 'number') {
    return { fault: { code: 'wrong-type', message: 'It must be a string of digits.' } }
  }
  const id = parseNumericId(String(value))
  return id === undefined
    ? { fault: { code: 'invalid', message: 'It must be a string of digits.' } }
    : { value: id }
}

/** Throws a problem that lists every invalid field. */
export function readPrefillRequest(body: unknown, limits: PrefillLimits): PrefillRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem('bad-request', 'The body must be a JSON object.')
  }
  const sent = new Map(Object.entries(body))
  const errors: FieldError[] = []

  function take<T>(field: string, reading: Reading<T>, isRequired = false): T | null {
    if ('fault' in reading) errors.push({ field, ...reading.fault })
    else if (reading.value !== null) return reading.value
    else if (isRequired) errors.push({ field, code: 'required', message: 'It is required.' })
    return null
  }
  const text = (field: string, maxLength: number, form?: (text: string) => Fault | undefined) =>
    readText(sent.get(field), maxLength, form)

  const advertiserId = take('advertiserId', readAdvertiserId(sent.get('advertiserId')), true)
  const formUrl = take('applicationFormUrl', text('applicationFormUrl', limits.formUrlLength, urlFault), true)
  const request = {
    positionTitle: take('positionTitle', text('positionTitle', limits.nameLength)),
    positionUri: take('positionUri', text('positionUri', limits.formUrlLength, urlFault)),
    positionReference: take('positionReference', text('positionReference', limits.referenceLength)),
    countryCode: take('countryCode', text('countryCode', 2, countryFault)),
    postalCode: take('postalCode', text('postalCode', limits.postalCodeLength)),
  }
  if (advertiserId === null || formUrl === null || errors.length > 0) throw invalidFields(errors)
  return { advertiserId, applicationFormUrl: formUrl, ...request }
}

export function invalidFields(errors: readonly FieldError[]): Problem {
  const fields = errors.map(({ field }) => field).join(', ')
  return new Problem('invalid-fields', `Invalid fields: ${fields}.`, { errors })
}
