import type { EpochMs } from '../clock.ts'
import { parseNumericId } from '../ids.ts'
import { parseIsoTime } from '../iso-time.ts'
import { type FieldError, maxFieldErrors, Problem } from '../problems.ts'

/**
 * Reads a JSON object and reports all its errors at once, each with its path: missing fields, wrong types, unknown
 * fields. Domain rules are checked elsewhere. Reading stops once there are more errors than are reported.
 */
export function readJsonObject<T>(value: unknown, read: (fields: JsonFields) => T): T {
  const errors: FieldError[] = []
  const result = JsonFields.read(value, '', errors, read)
  if (result === undefined || errors.length > 0) throw wrongFields(errors)
  return result
}

function wrongFields(errors: readonly FieldError[]): Problem {
  return new Problem('invalid-fields', 'Correct the fields listed in "errors" and send the request again.', {
    errors,
  })
}

/**
 * Treats null as not sent. A wrong value is read as an empty one, so that reading goes on and finds the other errors;
 * the result is then discarded.
 */
export class JsonFields {
  readonly #sent: Map<string, unknown>
  readonly #asked = new Set<string>()
  readonly #path: string
  readonly #errors: FieldError[]

  private constructor(sent: object, path: string, errors: FieldError[]) {
    this.#sent = new Map(Object.entries(sent))
    this.#path = path
    this.#errors = errors
  }

  static read<T>(
    value: unknown,
    path: string,
    errors: FieldError[],
    read: (fields: JsonFields) => T,
  ): T | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const name = path === '' ? 'It' : path
      addError(errors, { field: path, code: 'wrong-type', message: `${name} must be a JSON object.` })
      return undefined
    }
    const fields = new JsonFields(value, path, errors)
    const result = read(fields)
    for (const key of fields.#sent.keys()) {
      if (!fields.#asked.has(key)) fields.refuse(shownKey(key), 'unknown', 'is not a known field')
    }
    return result
  }

  /** `is`: the rest of the message after the field's path, such as "must be a string". */
  refuse(key: string, code: string, is: string): void {
    const field = this.#pathOf(key)
    addError(this.#errors, { field, code, message: `${field} ${is}.` })
  }

  isSent(key: string): boolean {
    return this.#take(key) !== undefined
  }

  text(key: string): string {
    return this.#required(key, this.optionalText(key)) ?? ''
  }

  optionalText(key: string): string | undefined {
    return this.#optional(key, 'a string', value => (typeof value === 'string' ? value : undefined))
  }

  flag(key: string): boolean {
    const flag = this.#optional(key, 'true or false', value =>
      typeof value === 'boolean' ? value : undefined,
    )
    return this.#required(key, flag) ?? false
  }

  optionalNumber(key: string): number | undefined {
    return this.#optional(key, 'a number', value => (typeof value === 'number' ? value : undefined))
  }

  /** A number, or a string with the same digits. */
  id(key: string): number {
    const id = this.#optional(key, 'a positive whole number', readId)
    return this.#required(key, id) ?? 0
  }

  time(key: string): EpochMs {
    return this.#required(key, this.optionalTime(key)) ?? 0
  }

  optionalTime(key: string): EpochMs | undefined {
    return this.#optional(key, 'a time with its zone, such as 2026-11-14T10:00:00+10:00', readTime)
  }

  oneOf<const Word extends string>(key: string, words: readonly [Word, ...Word[]]): Word {
    const word = this.#optional(key, `one of ${words.join(', ')}`, value =>
      words.find(known => known === value),
    )
    return this.#required(key, word) ?? words[0]
  }

  object<T>(key: string, read: (fields: JsonFields) => T): T | undefined {
    return this.#required(key, this.optionalObject(key, read))
  }

  optionalObject<T>(key: string, read: (fields: JsonFields) => T): T | undefined {
    const value = this.#take(key)
    return value === undefined ? undefined : JsonFields.read(value, this.#pathOf(key), this.#errors, read)
  }

  /** Empty when it was not sent. */
  list<T>(key: string, read: (fields: JsonFields) => T): T[] {
    const list = this.#optional(key, 'an array', value => (Array.isArray(value) ? value : undefined)) ?? []
    return list.flatMap((value, index) => {
      const item = JsonFields.read(value, `${this.#pathOf(key)}[${index}]`, this.#errors, read)
      return item === undefined ? [] : [item]
    })
  }

  /** May be empty, but must be sent. */
  requiredList<T>(key: string, read: (fields: JsonFields) => T): T[] {
    return this.#required(key, this.list(key, read)) ?? []
  }

  /** Empty when it was not sent. */
  texts(key: string): string[] {
    const isText = (value: unknown) => typeof value === 'string'
    const texts = this.#optional(key, 'an array of strings', value =>
      Array.isArray(value) && value.every(isText) ? value : undefined,
    )
    return texts ?? []
  }

  #pathOf(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`
  }

  #take(key: string): unknown {
    this.#asked.add(key)
    return this.#sent.get(key) ?? undefined
  }

  #optional<T>(key: string, what: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    const result = read(value)
    if (result === undefined) this.refuse(key, 'wrong-type', `must be ${what}`)
    return result
  }

  #required<T>(key: string, value: T | undefined): T | undefined {
    if (!this.isSent(key)) this.refuse(key, 'required', 'must be sent')
    return value
  }
}

function addError(errors: FieldError[], error: FieldError): void {
  errors.push(error)
  if (errors.length > maxFieldErrors) throw wrongFields(errors)
}

export function readId(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'string' ? parseNumericId(String(value)) : undefined
}

export function readTime(value: unknown): EpochMs | undefined {
  return typeof value === 'string' ? parseIsoTime(value) : undefined
}

/** A key that is safe to repeat in a message: short and on one line. */
export function shownKey(key: string): string {
  return /^[\w$-]{1,50}$/.test(key) ? key : JSON.stringify(key.toWellFormed().slice(0, 50))
}
