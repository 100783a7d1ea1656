import fc, { type Arbitrary } from 'fast-check'

const charactersOf = (text: string) => fc.constantFrom(...text)
const letter = charactersOf('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')
const digit = charactersOf('0123456789')
const inLabel = fc.oneof(letter, digit)

const label = fc
  .tuple(inLabel, fc.string({ unit: fc.oneof(inLabel, fc.constant('-')), maxLength: 20 }), inLabel)
  .map(parts => parts.join(''))
const host = fc
  .tuple(
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.string({ unit: letter, minLength: 2, maxLength: 8 }),
  )
  .map(([labels, top]) => [...labels, top].join('.'))

const escaped = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter(point => point < 0xd800 || point > 0xdfff)
  .map(point => encodeURIComponent(String.fromCodePoint(point)))
const inPath = fc.oneof(inLabel, charactersOf("-._~!$&'()*+,;=:@"), escaped)
const segment = fc.string({ unit: inPath, maxLength: 10 })
const path = fc.array(segment, { maxLength: 4 }).map(segments => segments.map(text => `/${text}`).join(''))
const rest = fc.string({ unit: fc.oneof(inPath, charactersOf('/?')), maxLength: 20 })

/**
 * An address as RFC 3986 writes it. `webUrl` of fast-check has the same ones, but first lists every character with its
 * escape, which takes more than a second.
 */
export const webAddress: Arbitrary<string> = fc
  .tuple(fc.constantFrom('http://', 'https://'), host, path)
  .map(parts => parts.join(''))

export const webAddressWithQuery: Arbitrary<string> = fc
  .tuple(webAddress, fc.option(rest, { nil: undefined }), fc.option(rest, { nil: undefined }))
  .map(([address, query, fragment]) =>
    [address, query === undefined ? '' : `?${query}`, fragment === undefined ? '' : `#${fragment}`].join(''),
  )
