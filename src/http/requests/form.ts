import { Problem } from '../../core/problems.ts'

/** The fields of a form or query, in the order sent; names may repeat. */
export class FormFields {
  /** As it was sent. */
  readonly text: string
  #read: Pairs | undefined
  #named: Map<string, string[]> | undefined

  constructor(text: string) {
    this.text = text
  }

  /** For fields in another encoding, such as multipart. */
  static of(pairs: Iterable<readonly [string, string]>): FormFields {
    const fields = new FormFields('')
    fields.#read = readable([...pairs])
    return fields
  }

  /** Parsed on first use, because the token endpoint parses the text itself. */
  get #pairs(): Pairs {
    this.#read ??= readable([...new URLSearchParams(this.text)])
    return this.#read
  }

  /** Indexed once, on first use. */
  get #byName(): Map<string, string[]> {
    if (this.#named === undefined) {
      this.#named = new Map()
      for (const [name, value] of this.#pairs) {
        const values = this.#named.get(name)
        if (values === undefined) this.#named.set(name, [value])
        else values.push(value)
      }
    }
    return this.#named
  }

  pairs(): Pairs {
    return this.#pairs
  }

  /** The first value with this name; undefined if there is none. */
  get(name: string): string | undefined {
    return this.#byName.get(name)?.[0]
  }

  all(name: string): string[] {
    return [...(this.#byName.get(name) ?? [])]
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  names(): string[] {
    return [...this.#byName.keys()]
  }

  /** All pairs, for forms with thousands of fields. */
  entries(): Pairs {
    return this.#pairs
  }

  repeated(): string | undefined {
    const seen = new Set<string>()
    return this.#pairs.find(([name]) => seen.size === seen.add(name).size)?.[0]
  }
}

type Pairs = readonly (readonly [string, string])[]

/** Rejects NUL, which no field needs and PostgreSQL cannot store. */
function readable(pairs: Pairs): Pairs {
  if (pairs.some(pair => pair.some(part => part.includes('\0')))) {
    throw new Problem('bad-request', 'A field contains a NUL character. Remove it.')
  }
  return pairs
}

/** Everything after the question mark, unchanged. */
export function searchOf(url: string | undefined): string {
  const start = url?.indexOf('?') ?? -1
  return start === -1 ? '' : (url ?? '').slice(start + 1)
}

/** Counted before parsing, because a field of two bytes costs a hundred times as much to parse. */
export function hasMoreFields(body: Buffer, max: number): boolean {
  let fields = body.length === 0 ? 0 : 1
  for (let at = body.indexOf('&'); at !== -1 && fields <= max; at = body.indexOf('&', at + 1)) fields++
  return fields > max
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function decodeBody(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch (error) {
    throw new Problem('bad-request', 'The body is not in UTF-8.', { cause: error })
  }
}

export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(decodeBody(body))
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('bad-request', 'The body is not valid JSON.', { cause: error })
  }
}
