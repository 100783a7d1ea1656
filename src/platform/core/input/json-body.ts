import { parseNumericId } from '../ids.ts'
import { type FieldError, maxFieldErrors, Problem } from '../problems.ts'
import { parseIsoTime } from '../time/iso-time.ts'
import { type Static, type TObject, type TProperties, type TSchema, Type } from './json-schema.ts'

/** Why a value is rejected; `is` is the rest of the message after the field's path, such as "must be a string". */
export class Fault {
  readonly code: string
  readonly is: string

  constructor(code: string, is: string) {
    this.code = code
    this.is = is
  }
}

export const wrongType = (what: string) => new Fault('wrong-type', `must be ${what}`)
export const notSent = new Fault('required', 'must be sent')

/** Symbols do not appear in the OpenAPI document. */
const reader = Symbol('reader')
const rules = Symbol('rules')
const otherwise = Symbol('read by another schema')

type Reader = (value: unknown) => unknown

/** Rules about an object that a schema cannot express. A field that was sent but is invalid is missing from `read`. */
export type Rules<Fields> = (
  read: Partial<Fields>,
  refuse: (field: string, code: string, is: string) => void,
  isSent: (field: keyof Fields) => boolean,
) => void

/**
 * A value that is documented as `schema` and read by a function. The function gets undefined if a required value was
 * not sent, and returns undefined for a value that counts as not sent.
 */
export function readBy<T>(schema: TSchema, read: (value: unknown) => T | Fault | undefined) {
  return Type.Unsafe<T>({ ...schema, [reader]: read as Reader })
}

/** A value that is documented as `shown`, such as one of several objects, and read by a schema that covers them all. */
export function documentAs<T extends TSchema>(shown: TSchema, schema: T) {
  return Type.Unsafe<Static<T>>({ ...shown, [otherwise]: schema })
}

/** An object without unknown fields. */
export function closedObject<Properties extends TProperties>(
  properties: Properties,
  { rules: own, ...options }: { description?: string; rules?: Rules<Static<TObject<Properties>>> } = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options, [rules]: own })
}

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** May be omitted or null, which means the same. */
export const optional = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T>>(orNull(schema)))

/** A number, or a string with the same digits. */
export const numericId = (description: string) =>
  readBy(
    Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^\\d+$' })], { description }),
    value => (value === undefined ? notSent : (readId(value) ?? wrongType('a positive whole number'))),
  )

export const time = (description?: string) =>
  readBy(
    Type.String({ format: 'date-time', ...(description === undefined ? {} : { description }) }),
    value =>
      value === undefined
        ? notSent
        : (readTime(value) ?? wrongType('a time with its zone, such as 2026-11-14T10:00:00+10:00')),
  )

export function readId(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'string' ? parseNumericId(String(value)) : undefined
}

export function readTime(value: unknown): number | undefined {
  return typeof value === 'string' ? parseIsoTime(value) : undefined
}

export function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface ReadingOptions<Body> {
  /** Rules about the whole body that the schema cannot express. */
  rules?: Rules<Body>
  /** The sentence about a field; by default it begins with the field's path. */
  message?: (field: string, is: string) => string
  problem?: (errors: readonly FieldError[]) => Problem
}

const messageOf = (field: string, is: string) => `${field === '' ? 'It' : field} ${is}.`
const problemOf = (errors: readonly FieldError[]) =>
  new Problem('invalid-fields', 'Correct the fields listed in "errors" and send the request again.', {
    errors,
  })

/**
 * Reads a JSON body according to its schema; throws with every invalid field. Null counts as not sent. Reading stops
 * once there are more errors than are reported.
 */
export function readJson<T extends TSchema>(
  schema: T,
  body: unknown,
  { rules: own, message = messageOf, problem = problemOf }: ReadingOptions<Static<T>> = {},
): Static<T> {
  const errors: FieldError[] = []
  const refuse = (field: string, { code, is }: Fault) => {
    errors.push({ field, code, message: message(field, is) })
    if (errors.length > maxFieldErrors) throw problem(errors)
  }
  const described = (own === undefined ? schema : { ...schema, [rules]: own }) as Schema
  const read = readValue(described, body ?? null, '', refuse)
  if (errors.length > 0) throw problem(errors)
  return read as Static<T>
}

type Refuse = (path: string, fault: Fault) => void

/** The subset of JSON Schema that describes our bodies. */
interface Schema {
  type?: string
  anyOf?: Schema[]
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  items?: Schema
  minItems?: number
  maxItems?: number
  [reader]?: Reader
  [otherwise]?: Schema
  [rules]?: Rules<Record<string, unknown>>
}

/** Undefined if it is invalid: the error is recorded, and reading continues to find further errors. */
function readValue(schema: Schema, value: unknown, path: string, refuse: Refuse): unknown {
  const own = schema[reader]
  const read = own === undefined ? readPlain(schema, value, path, refuse) : own(value)
  if (!(read instanceof Fault)) return read
  refuse(path, read)
  return undefined
}

function readPlain(schema: Schema, value: unknown, path: string, refuse: Refuse): unknown {
  // A nullable value is read by its other schema: null counts as not sent.
  const inner = schema[otherwise] ?? schema.anyOf?.[0]
  if (inner !== undefined) return readValue(inner, value, path, refuse)
  if (schema.type === 'array') return readArray(schema, value, path, refuse)
  if (value === undefined) return notSent
  if (schema.type === 'object') return readObject(schema, value, path, refuse)
  if (schema.enum !== undefined) {
    return schema.enum.includes(value) ? value : wrongType(`one of ${schema.enum.join(', ')}`)
  }
  const [type, what] = plainTypes[schema.type ?? ''] ?? []
  return typeof value === type ? value : wrongType(what ?? '')
}

const plainTypes: Record<string, [type: string, what: string]> = {
  string: ['string', 'a string'],
  boolean: ['boolean', 'true or false'],
  integer: ['number', 'a number'],
}

function readArray({ items = {}, ...bounds }: Schema, value: unknown, path: string, refuse: Refuse) {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = bounds
  if (value === undefined && minItems === 0) return notSent
  const list = value ?? []
  const isOfStrings = items.type === 'string'
  if (!Array.isArray(list) || (isOfStrings && !list.every(item => typeof item === 'string'))) {
    return wrongType(isOfStrings ? 'an array of strings' : 'an array')
  }
  if (list.length < minItems) return new Fault('too-few', `must contain at least ${minItems}`)
  if (list.length > maxItems) {
    return new Fault('too-many', `must contain ${maxItems} or fewer; there are ${list.length}`)
  }
  if (isOfStrings) return list
  return list.map((item, index) => readValue(items, item ?? null, `${path}[${index}]`, refuse) ?? {})
}

function readObject(schema: Schema, value: unknown, path: string, refuse: Refuse): unknown {
  if (!isJsonObject(value)) return wrongType('a JSON object')
  const { properties = {}, required = [], additionalProperties } = schema
  const sent = new Map<string, unknown>(Object.entries(value))
  const isSent = (key: string) => (sent.get(key) ?? undefined) !== undefined
  const pathOf = (key: string) => (path === '' ? key : `${path}.${key}`)
  const read: Record<string, unknown> = {}
  for (const [key, property] of Object.entries(properties)) {
    if (!isSent(key) && !required.includes(key)) continue
    const result = readValue(property, sent.get(key) ?? undefined, pathOf(key), refuse)
    if (result !== undefined) read[key] = result
  }
  schema[rules]?.(read, (key, code, is) => refuse(pathOf(key), new Fault(code, is)), isSent)
  if (additionalProperties === false) {
    for (const key of sent.keys()) {
      if (Object.hasOwn(properties, key)) continue
      refuse(pathOf(shownKey(key)), new Fault('unknown', 'is not a known field'))
    }
  }
  return read
}

/** A key that is safe to repeat in a message: short and on one line. */
export function shownKey(key: string): string {
  return /^[\w$-]{1,50}$/.test(key) ? key : JSON.stringify(key.toWellFormed().slice(0, 50))
}
