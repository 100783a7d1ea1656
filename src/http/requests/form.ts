import { Problem } from '../../core/problems.ts'

/** The fields of a form or of a query, in the order in which they were sent; names may repeat. */
export class FormFields {
  /** As it was sent. */
  readonly text: string
  #read: Pairs | undefined
  #named: Map<string, string[]> | undefined

  constructor(text: string) {
    this.text = text
  }

  /** What came in another form than that of a query, such as multipart. */
  static of(pairs: Iterable<readonly [string, string]>): FormFields {
    const fields = new FormFields('')
    fields.#read = readable([...pairs])
    return fields
  }

  /** Taken apart when somebody asks for a field: the token endpoint does that its own way. */
  get #pairs(): Pairs {
    this.#read ??= readable([...new URLSearchParams(this.text)])
    return this.#read
  }

  /** Gone through once, however many are asked for. */
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

  /** The first with this name; undefined when there is none. */
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

  /** Everything at once, for forms with thousands of fields. */
  entries(): Pairs {
    return this.#pairs
  }

  repeated(): string | undefined {
    const seen = new Set<string>()
    return this.#pairs.find(([name]) => seen.size === seen.add(name).size)?.[0]
  }
}

type Pairs = readonly (readonly [string, string])[]

/** No field of ours has a use for NUL, and PostgreSQL has no text with it. */
function readable(pairs: Pairs): Pairs {
  if (pairs.some(pair => pair.some(part => part.includes('\0')))) {
    throw new Problem('bad-request', 'A field holds a character that cannot be read.')
  }
  return pairs
}

/** What follows the question mark, byte for byte. */
export function searchOf(url: string | undefined): string {
  const start = url?.indexOf('?') ?? -1
  return start === -1 ? '' : (url ?? '').slice(start + 1)
}

/** Counted before anything is taken apart: a field may have two bytes, and costs a hundred times as much. */
export function hasMoreFields(body: Buffer, most: number): boolean {
  let fields = body.length === 0 ? 0 : 1
  for (let at = body.indexOf('&'); at !== -1 && fields <= most; at = body.indexOf('&', at + 1)) fields++
  return fields > most
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
