import { formDecoded, UrlEncoded } from '../../platform/core/input/url-encoded.ts'

/**
 * Parameters of a query or form body. An empty parameter counts as omitted, unknown ones are ignored, and the
 * endpoint must reject repeated ones (RFC 6749, sections 3.1 and 3.2).
 */
export class Parameters extends UrlEncoded {
  override get(name: string): string | undefined {
    return super.get(name) || undefined
  }
}

/**
 * Returns the `state` of a query for the redirect: percent-encoded, so that decoding yields the bytes that were sent,
 * even if they are not UTF-8. Empty if it was sent empty, undefined if it was not sent.
 */
export function encodedState(query: string): string | undefined {
  for (const part of query.split('&')) {
    const [name = ''] = part.split('=', 1)
    if (formDecoded(name) !== 'state') continue
    return part
      .slice(name.length + 1)
      .replaceAll('+', '%20')
      .replace(/%(?![0-9A-Fa-f]{2})/g, '%25')
      .replace(/[^\w.~%-]/g, character => percentEncoded(character))
  }
  return undefined
}

/** Removes a parameter and keeps the rest of the query byte for byte. */
export function withoutParameter(query: string, name: string): string {
  const others = query.split('&').filter(part => formDecoded(part.split('=', 1)[0] ?? '') !== name)
  return others.join('&')
}

/** Percent-encodes characters that should have been encoded, so that the query fits in a form and in a Location header. */
export function asciiQuery(query: string): string {
  return query.replace(/[^\x21-\x7e]/g, character => percentEncoded(character))
}

/** Node represents each byte of a URL as one character. */
function percentEncoded(character: string): string {
  const code = character.charCodeAt(0)
  return code > 0xff ? encodeURIComponent(character) : `%${code.toString(16).toUpperCase().padStart(2, '0')}`
}
