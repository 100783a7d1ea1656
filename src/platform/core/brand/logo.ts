import { checkSvg } from './svg-check.ts'

/** The images accepted as a logo of the service, a company or an OAuth client. */

export interface Logo {
  type: 'image/png' | 'image/svg+xml'
  bytes: Buffer
}

/** A logo appears in the header of every page: larger files are photographs or have not been optimised. */
export const maxLogoBytes = 64 * 1024
const maxPixels = 2048

/** A logo's URL changes with its content, so that browsers can cache it forever. */
export const logosPath = '/assets/logos'
export const logoUrl = (hash: string | null): string | undefined =>
  hash === null ? undefined : `${logosPath}/${hash}`

/**
 * Throws an Error that says what to change. Pages show logos as images, in which browsers run no scripts and load
 * nothing; the check protects programs that open a logo's URL directly, and reports problems to the operator early.
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
  const chunks = chunksOf(bytes)
  if (chunks.at(0) !== 'IHDR' || chunks.at(-1) !== 'IEND' || bytes.length < 33) {
    throw new Error('must be a complete PNG image, and this one is damaged')
  }
  if (chunks.includes('acTL')) throw new Error('must be a PNG image that does not move')
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (width < 1 || height < 1 || width > maxPixels || height > maxPixels) {
    throw new Error(`must be at most ${maxPixels} pixels wide and high`)
  }
  return { type: 'image/png', bytes }
}

/**
 * Types of the parts of a PNG, each with its length before it and a checksum after it; none if they do not fill the
 * file.
 */
function chunksOf(bytes: Buffer): string[] {
  const types: string[] = []
  let at = pngSignature.length
  while (at + 12 <= bytes.length) {
    types.push(bytes.toString('latin1', at + 4, at + 8))
    at += 12 + bytes.readUInt32BE(at)
  }
  return at === bytes.length ? types : []
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not text, and therefore not SVG.
    return undefined
  }
}
