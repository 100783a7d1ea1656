/** What we accept as a logo, of the board, an advertiser or an OAuth client. */

export interface Logo {
  type: 'image/png' | 'image/svg+xml'
  bytes: Buffer
}

/** A logo stands in the header of every page: larger files are photographs or have not been optimised. */
export const maxLogoBytes = 64 * 1024
const maxPixels = 2048

/** The address of a logo changes with its content, so that browsers can cache it forever. */
export const logosPath = '/assets/logos'
export const logoUrl = (hash: string | null): string | undefined =>
  hash === null ? undefined : `${logosPath}/${hash}`

/**
 * Throws an Error that says what to change. Pages show logos as images, in which browsers run no script and load
 * nothing; the check is for whatever opens the address of a logo by itself, and to tell the operator early.
 */
export function checkLogo(bytes: Buffer): Logo {
  if (bytes.length > maxLogoBytes) {
    throw new Error(`must be at most 64 KiB, and this file has ${Math.ceil(bytes.length / 1024)} KiB`)
  }
  if (bytes.subarray(0, 8).equals(pngSignature)) return checkPng(bytes)
  const text = decode(bytes)
  if (text !== undefined && /^\s*(<\?xml [^<>]*\?>\s*)?(<!--((?!-->).)*-->\s*)*<svg[\s>]/s.test(text)) {
    checkSvg(text)
    return { type: 'image/svg+xml', bytes }
  }
  throw new Error('must be an SVG or PNG image')
}

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

function checkPng(bytes: Buffer): Logo {
  if (bytes.length < 45 || bytes.toString('latin1', 12, 16) !== 'IHDR' || !bytes.includes('IEND')) {
    throw new Error('must be a complete PNG image, and this one is damaged')
  }
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (width < 1 || height < 1 || width > maxPixels || height > maxPixels) {
    throw new Error(`must be at most ${maxPixels} pixels wide and high`)
  }
  return { type: 'image/png', bytes }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not text, and so no SVG.
    return undefined
  }
}

/** Shapes, text, gradients and masks. Not here: scripts, foreign content, images, animations and style sheets. */
const elements = new Set(
  `svg g defs symbol use title desc metadata path rect circle ellipse line polyline polygon text tspan
  linearGradient radialGradient stop clipPath mask pattern filter feGaussianBlur feOffset feBlend feColorMatrix feFlood
  feComposite feMerge feMergeNode feDropShadow`.split(/\s+/),
)

function checkSvg(text: string): void {
  if (/<!(DOCTYPE|ENTITY|\[CDATA)/i.test(text)) throw new Error('must be an SVG without DOCTYPE and CDATA')
  const markup = text.replace(/<!--.*?-->/gs, '').replace(/<\?xml [^<>]*\?>/, '')
  for (const [, name = '', attributes = ''] of markup.matchAll(
    /<(?!\/)([^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)/g,
  )) {
    if (!elements.has(name)) throw new Error(`must be an SVG without <${name.slice(0, 30)}>`)
    for (const [, attribute = '', double, single] of attributes.matchAll(
      /([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
    )) {
      checkAttribute(attribute, double ?? single ?? '')
    }
  }
}

function checkAttribute(name: string, value: string): void {
  if (/^on/i.test(name)) throw new Error(`must be an SVG without ${name.slice(0, 30)}`)
  const isForeign = /^(xlink:)?href$/i.test(name)
    ? !value.startsWith('#')
    : /url\(\s*['"]?(?!#)|\\|@import/i.test(value)
  if (isForeign) throw new Error('must be an SVG that refers to nothing outside the file')
}
