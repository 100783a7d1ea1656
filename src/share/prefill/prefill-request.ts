import { isWebAddress } from '../../model/questionnaire-answers.ts'
import { nameLength, referenceLength } from '../../model/text-lengths.ts'
import {
  Fault,
  isJsonObject,
  notSent,
  optional,
  readBy,
  readId,
  readJson,
  wrongType,
} from '../../platform/core/input/json-body.ts'
import { type Static, type TSchema, Type } from '../../platform/core/input/json-schema.ts'
import { type FieldError, Problem } from '../../platform/core/problems.ts'
import { textFault, textFaultInWords } from '../../platform/core/text.ts'

/** Limit: The longest URL that every browser accepts. */
export const formUrlLength = 2_000
/** Limit: The longest postal codes have 10 characters. */
export const postalCodeLength = 20

export type PrefillBody = ReturnType<typeof prefillBody>
export type PrefillRequest = ReturnType<typeof readPrefillRequest>

type Check = (text: string) => Fault | undefined

const checkUrl: Check = text =>
  isWebAddress(text)
    ? undefined
    : new Fault('invalid-url', 'must be an absolute URL starting with http:// or https://')

const checkCountry: Check = text =>
  /^[A-Za-z]{2}$/.test(text) ? undefined : new Fault('invalid', 'must be two letters, such as AU')

/** An empty string is treated as not sent, like null. */
export const isNothing = (sent: unknown) => sent === undefined || sent === ''

function text(shown: TSchema, maxLength: number, check?: Check, whenNothing?: Fault) {
  return readBy<string>(shown, sent => {
    if (isNothing(sent)) return whenNothing
    if (typeof sent !== 'string') return wrongType('a string')
    const fault = textFault(sent, { maxLength })
    if (fault !== undefined) return new Fault(fault, textFaultInWords(fault, sent, { maxLength }))
    return check?.(sent) ?? sent
  })
}

const optionalText = (maxLength: number, check?: Check, description?: string) =>
  optional(text(Type.String({ maxLength, ...(description && { description }) }), maxLength, check))

/** Existing clients send a string; a number means the same. */
const AdvertiserId = readBy<number>(
  Type.Union([Type.String({ pattern: '^\\d+$' }), Type.Integer({ minimum: 1 })], {
    description: 'A string of digits, or a number.',
  }),
  sent => {
    if (isNothing(sent)) return notSent
    if (typeof sent !== 'string' && typeof sent !== 'number') return wrongType('a string of digits')
    return readId(sent) ?? new Fault('invalid', 'must be a string of digits')
  },
)

/** Describes the body of a prefill request. Unknown fields are ignored. */
export function prefillBody() {
  const formUrl = Type.String({
    minLength: 1,
    maxLength: formUrlLength,
    description: "Absolute URL of the client's own application form.",
  })
  const country = Type.String({ pattern: '^([A-Za-z]{2})?$', description: 'Two letters.' })
  return Type.Object({
    advertiserId: AdvertiserId,
    applicationFormUrl: text(formUrl, formUrlLength, checkUrl, notSent),
    positionTitle: optionalText(nameLength),
    positionUri: optionalText(formUrlLength, checkUrl, 'An absolute URL.'),
    positionReference: optionalText(referenceLength),
    countryCode: optional(text(country, 2, checkCountry)),
    postalCode: optionalText(postalCodeLength),
  })
}

const nothingSent = {
  positionTitle: null,
  positionUri: null,
  positionReference: null,
  countryCode: null,
  postalCode: null,
}

/** Throws one problem that lists all invalid fields. */
export function readPrefillRequest(body: unknown, description: PrefillBody) {
  return { ...nothingSent, ...readVersion2(description, body) }
}

/** Parses a body for version 2: a body that is not an object is malformed. */
export function readVersion2<T extends TSchema>(description: T, body: unknown): Static<T> {
  if (!isJsonObject(body)) throw new Problem('bad-request', 'The body must be a JSON object.')
  return readJson(description, body, { message: (_field, is) => `It ${is}.`, problem: invalidFields })
}

export function invalidFields(errors: readonly FieldError[]): Problem {
  const fields = errors.map(({ field }) => field).join(', ')
  return new Problem('invalid-fields', `Invalid fields: ${fields}.`, { errors })
}
