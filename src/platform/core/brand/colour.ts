/** Colours as a board sets them, and the shades of an accent that pages need, each readable where it is used. */

type Rgb = readonly [red: number, green: number, blue: number]

/** The stylesheet's surfaces on which the accent is shown; src/platform/web/accent.test.ts compares them with it. */
export const surfaces = { light: '#f7f8fa', dark: '#171c23' } as const

/** Minimum contrast for text: WCAG 2.2, level AA. */
const readable = 4.5

/** Undefined unless it has the form `#1a2b3c`. */
export function parseColour(text: string): Rgb | undefined {
  const [, red, green, blue] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)]
}

/** The contrast ratio of two colours according to WCAG, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map(part => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Mixes `share` of one colour over another. */
const mix = (one: Rgb, other: Rgb, share: number): Rgb =>
  one.map((part, index) => Math.round(part * share + (other[index] ?? 0) * (1 - share))) as unknown as Rgb

const hex = (colour: Rgb) => `#${colour.map(part => part.toString(16).padStart(2, '0')).join('')}`

const colourOf = (text: string) => parseColour(text) as Rgb
const white = colourOf('#ffffff')
const black = colourOf('#000000')

/** An accent, the text on it, and a faint shade of it behind text. */
export interface Accent {
  accent: string
  ink: string
  soft: string
}

const softOf = (colour: Rgb, surface: Rgb) => mix(colour, surface, 0.1)

const isReadable = (colour: Rgb, surface: Rgb) =>
  contrast(colour, softOf(colour, surface)) >= readable && contrast(colour, surface) >= readable

/** Changes the colour step by step towards another one until it is readable on the surface. */
function towards(end: Rgb, colour: Rgb, surface: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.02) {
    const changed = mix(end, colour, share)
    if (isReadable(changed, surface)) return changed
  }
  return end
}

/**
 * The accent in light and in dark. Throws, naming the nearest darker colour, if the accent would be hard to read on
 * light pages; for dark pages it is lightened automatically.
 */
export function accentsOf(text: string): { light: Accent; dark: Accent } {
  const colour = parseColour(text)
  if (colour === undefined) throw new Error('must be a colour such as #0b5cad')
  const [light, dark] = [colourOf(surfaces.light), colourOf(surfaces.dark)]
  if (!isReadable(colour, light)) {
    const ratio = contrast(colour, light).toFixed(1)
    const nearest = hex(towards(black, colour, light))
    throw new Error(
      `must be darker to be readable on light pages: its contrast is ${ratio}:1, and 4.5:1 is needed beside its own tint. ${nearest} would do`,
    )
  }
  const lightened = towards(white, colour, dark)
  return {
    light: { accent: hex(colour), ink: '#ffffff', soft: hex(softOf(colour, light)) },
    dark: { accent: hex(lightened), ink: surfaces.dark, soft: hex(softOf(lightened, dark)) },
  }
}
