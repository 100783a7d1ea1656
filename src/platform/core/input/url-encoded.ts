import { Problem } from '../problems.ts'

export type Pairs = readonly (readonly [name: string, value: string])[]

/** The fields of a form body or a query, in the order sent; names may repeat. Parsed and indexed on first use. */
export class UrlEncoded {
  /** The text as sent; '' for fields in another encoding. */
  readonly text: string
  #pairs: Pairs | undefined
  #byName: Map<string, string[]> | undefined

  /** `pairs`: fields in another encoding, such as multipart. */
  constructor(text: string, pairs?: Pairs) {
    this.text = text
    this.#pairs = pairs
  }

  protected parse(): Pairs {
    const pairs: [string, string][] = []
    forEachField(this.text, (name, value) => pairs.push([name, value]))
    return pairs
  }

  pairs(): Pairs {
    this.#pairs ??= this.parse()
    return this.#pairs
  }

  #values(name: string): string[] | undefined {
    if (this.#byName === undefined) {
      this.#byName = new Map()
      for (const [each, value] of this.pairs()) {
        const values = this.#byName.get(each)
        if (values === undefined) this.#byName.set(each, [value])
        else values.push(value)
      }
    }
    return this.#byName.get(name)
  }

  /** First value with this name; undefined if there is none. */
  get(name: string): string | undefined {
    return this.#values(name)?.[0]
  }

  all(name: string): string[] {
    return [...(this.#values(name) ?? [])]
  }

  has(name: string): boolean {
    return this.#values(name) !== undefined
  }

  names(): string[] {
    return [...new Set(this.pairs().map(([name]) => name))]
  }

  isRepeated(name: string): boolean {
    return (this.#values(name)?.length ?? 0) > 1
  }

  /** The first name that was sent more than once. */
  repeated(): string | undefined {
    const seen = new Set<string>()
    return this.pairs().find(([name]) => seen.size === seen.add(name).size)?.[0]
  }
}

/**
 * The known parameters of a call of version 1: names are case-insensitive, each at most once, and an empty value counts
 * as not sent. Other names are ignored.
 */
export class KnownParameters<Name extends string> {
  readonly #names: ReadonlyMap<string, Name>

  constructor(names: readonly Name[]) {
    this.#names = new Map(names.map(name => [name.toLowerCase(), name]))
  }

  /** The name in our spelling; undefined if it is unknown. */
  nameOf(sent: string): Name | undefined {
    return this.#names.get(formDecoded(sent).toLowerCase())
  }

  read(search: string): { [name in Name]?: string } {
    const sent: { [name in Name]?: string } = {}
    forEachField(search, (sentName, value) => {
      const name = this.#names.get(sentName.toLowerCase())
      if (name === undefined) return
      if (sent[name] !== undefined) {
        throw new Problem('repeated-parameter', `The parameter ${name} was sent more than once.`)
      }
      sent[name] = value
    })
    return sent
  }
}

/** Like URLSearchParams, but four times as fast; it parses every request of a client. */
function forEachField(text: string, take: (name: string, value: string) => void): void {
  if (text === '') return
  for (const part of (text.startsWith('?') ? text.slice(1) : text).split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    if (equals === -1) take(formDecoded(part), '')
    else take(formDecoded(part.slice(0, equals)), formDecoded(part.slice(equals + 1)))
  }
}

export function formDecoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // Invalid UTF-8 or a literal percent sign: URLSearchParams defines how to decode them.
    return new URLSearchParams(`value=${text}`).get('value') ?? ''
  }
}
