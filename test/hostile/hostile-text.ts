/** Text with which an attacker could try to take over a page, break its layout or reverse its words. */

const word = 'Unbreakable'.repeat(19).slice(0, 200)

/** The worst first: short fields get the beginning. */
const pieces = [
  '"><img src=x onerror=alert(1)>',
  '\u202Eمرحبا שלום\u2066',
  '<script>alert(1)</script>',
  "'&amp;</textarea></title>",
  'javascript:alert(1)',
  // The end of an isolation that the text did not begin.
  '\u2069\u202E',
  '</p></bdi></td></select><iframe srcdoc="<script>alert(2)</script>"></iframe>',
  'Z\u0351\u036B\u0343\u032A\u0302\u036B\u033D\u034F\u0334\u0319\u0324',
  '👩‍🚀🏳️‍🌈',
  word,
]

/** The characters that `stripBidi` of src/platform/web/bidi.ts removes. */
export const turning = /[\u202A-\u202E\u2066-\u2069]/g
export const rightToLeft = /[\u0590-\u08FF]/

/** Everything at once after the mark, as long as possible. */
export function hostileText(mark: string, max: number): string {
  return cut(`${mark} ${pieces.join(' ')} ${word.repeat(20)}`, Math.min(max, 500))
}

/** A formula for a spreadsheet, without any place for a line break. */
export function hostileWord(mark: string, max: number): string {
  return cut(`=${mark}${word.repeat(3)}`, Math.min(max, 500))
}

/** Every character that an address may contain, at its maximum length. */
export function hostileEmail(mark: string, serial: number): string {
  const local = `${mark}.${serial}.!#$%&'*+/=?^_\`{|}~-שלום`.padEnd(64, 'o')
  const label = 'd'.repeat(63)
  return `${local}@${label}.${label}.${'e'.repeat(53)}.example`
}

export function hostileFileName(mark: string, max: number, ending: string): string {
  return cut(hostileText(mark, max).replaceAll(turning, ''), max - ending.length) + ending
}

/** A hostile URL that parsing leaves unchanged. */
export function hostileUrl(mark: string): string {
  return `https://evil.example/${mark}/%22%3E%3Cscript%3Ealert(1)%3C/script%3E'&amp;?${word}`
}

function cut(text: string, max: number): string {
  const short = text.slice(0, max)
  return (short.isWellFormed() ? short : short.slice(0, -1)).trim()
}
