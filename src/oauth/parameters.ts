/**
 * Parameters of a query or of a form body. An empty one counts as omitted, unknown ones are ignored, and a
 * repeated one is for the endpoint to refuse (RFC 6749, sections 3.1 and 3.2).
 */
export class Parameters {
  readonly #values = new Map<string, string>()
  readonly #repeated = new Set<string>()

  constructor(text: string) {
    for (const [name, value] of new URLSearchParams(text)) {
      if (this.#values.has(name)) this.#repeated.add(name)
      else this.#values.set(name, value)
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name) || undefined
  }

  isRepeated(name: string): boolean {
    return this.#repeated.has(name)
  }

  get firstRepeated(): string | undefined {
    return this.#repeated.values().next().value
  }
}

/**
 * The `state` of a query as it goes back: percent-encoded, so that decoding it gives byte for byte what was
 * sent, also where that is no UTF-8. Empty when it was sent empty, undefined when it was not sent.
 */
export function encodedState(query: string): string | undefined {
  for (const part of query.split('&')) {
    const [name = ''] = part.split('=', 1)
    if (new URLSearchParams(`${name}=`).keys().next().value !== 'state') continue
    return part
      .slice(name.length + 1)
      .replaceAll('+', '%20')
      .replace(/%(?![0-9A-Fa-f]{2})/g, '%25')
      .replace(/[^\w.~%-]/g, character => percentEncoded(character))
  }
  return undefined
}

/** A query that can stand in a form and in a Location: bytes that should have been percent-encoded are. */
export function asciiQuery(query: string): string {
  return query.replace(/[^\x21-\x7e]/g, character => percentEncoded(character))
}

/** Node hands over each byte of a URL as one character. */
function percentEncoded(character: string): string {
  const code = character.charCodeAt(0)
  return code > 0xff ? encodeURIComponent(character) : `%${code.toString(16).toUpperCase().padStart(2, '0')}`
}
