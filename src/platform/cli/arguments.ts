import { Argument, InvalidArgumentError, Option } from 'commander'
import { parseNumericId } from '../core/ids.ts'

/** An argument or an option of a command. Its name is the key under which it is declared. */
export interface Parameter<Kind extends Argument | Option, Value> {
  make(name: string): Kind
  /** Gives the value parsed by Commander its type. */
  typed(parsed: unknown): Value
}
type Read = (text: string) => unknown
type Text = (text: string) => string

const argumentLike =
  (form: (name: string) => string) =>
  <Reader extends Read = Text>(about: string, read?: Reader): Parameter<Argument, ReturnType<Reader>> => ({
    make(name) {
      const made = new Argument(form(name), about)
      return read === undefined ? made : made.argParser(read)
    },
    typed: parsed => parsed as ReturnType<Reader>,
  })

export const argument = argumentLike(name => `<${name}>`)
export const optionalArgument: <Reader extends Read = Text>(
  about: string,
  read?: Reader,
) => Parameter<Argument, ReturnType<Reader> | undefined> = argumentLike(name => `[${name}]`)
export const repeatedArgument = (about: string) =>
  argumentLike(name => `[${name}...]`)<(text: string) => string[]>(about)

const flagsOf = (name: string, form: string) =>
  `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)} ${form}`.trimEnd()

function optionLike<Value>(
  form: string,
  about: string,
  read: Read | undefined,
  refine: (made: Option) => Option = made => made,
): Parameter<Option, Value> {
  return {
    make(name) {
      const made = new Option(flagsOf(name, form), about)
      return refine(read === undefined ? made : made.argParser(read))
    },
    typed: parsed => parsed as Value,
  }
}

/** `form`: `<word>` for its value, `[word]` if the value may be omitted. */
export const option = <Reader extends Read = Text>(form: string, about: string, read?: Reader) =>
  optionLike<ReturnType<Reader> | undefined>(form, about, read)

export const requiredOption = <Reader extends Read = Text>(form: string, about: string, read?: Reader) =>
  optionLike<ReturnType<Reader>>(form, about, read, made => made.makeOptionMandatory())

export const defaultOption = <Reader extends Read = Text>(
  form: string,
  about: string,
  value: ReturnType<Reader>,
  read?: Reader,
) => optionLike<ReturnType<Reader>>(form, about, read, made => made.default(value))

export const choice = <const Values extends readonly string[]>(
  form: string,
  about: string,
  choices: Values,
  value: Values[number],
) => optionLike<Values[number]>(form, about, undefined, made => made.choices(choices).default(value))

/** May be repeated. */
export const repeatedOption = <Reader extends Read = Text>(form: string, about: string, read?: Reader) =>
  optionLike<ReturnType<Reader>[] | undefined>(form, about, undefined, made =>
    made.argParser((text: string, before: unknown[] = []) => [
      ...before,
      read === undefined ? text : read(text),
    ]),
  )

export const flag = (about: string): Parameter<Option, boolean> => ({
  make: name => new Option(flagsOf(name, ''), about),
  typed: parsed => parsed === true,
})

/** True unless `--no-<name>` is given. */
export const negatedFlag = (about: string): Parameter<Option, boolean> => ({
  ...flag(about),
  make: name => new Option(`--no-${name}`, about),
})

/** A flag that the parent command declares. */
export const inheritedFlag = flag('')

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
