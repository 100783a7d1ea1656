/** The control words of RTF that carry text or structure. Readers ignore all others, as the format requires. */

/** Destination of a group's content. */
export type Target = 'text' | 'nothing' | 'fonts' | 'styles' | 'lists' | 'overrides' | 'numbering'

export const targets = new Map<string, Target>([
  ['fonttbl', 'fonts'],
  ['stylesheet', 'styles'],
  ['listtable', 'lists'],
  ['listoverridetable', 'overrides'],
  ['pn', 'numbering'],
  ...(
    'annotation atnauthor atnid colortbl comment fldinst footer footerf footerl footerr footnote header headerf headerl ' +
    'headerr info listtext nonshppict object pict pntext private1 revtbl rxe shpinst shprslt tc template upr userprops xe'
  )
    .split(' ')
    .map(word => [word, 'nothing'] as const),
])

export const characters = new Map<string, string>([
  ['tab', '\t'],
  ['line', '\n'],
  ['emdash', '\u2014'],
  ['endash', '\u2013'],
  ['lquote', '\u2018'],
  ['rquote', '\u2019'],
  ['ldblquote', '\u201C'],
  ['rdblquote', '\u201D'],
  ['bullet', '\u2022'],
  ['emspace', '\u2003'],
  ['enspace', '\u2002'],
  ['zwj', '\u200D'],
  ['zwnj', '\u200C'],
  ['ltrmark', '\u200E'],
  ['rtlmark', '\u200F'],
])
export const symbols = new Map<string, string>([
  ...['\\', '{', '}'].map(symbol => [symbol, symbol] as const),
  ['~', '\u00A0'],
  ['_', '\u2011'],
  ['-', '\u00AD'],
])

/** 12 points by default. */
export const plain = { isBold: false, isItalic: false, isHidden: false, size: 12 }
export const firstParagraph = {
  style: 0,
  outline: -1,
  list: 0,
  level: 0,
  isInTable: false,
  /** For lists before Word 97: whether the paragraph is an item, and its numbering. */
  numbering: undefined as 'bullet' | 'number' | undefined,
}

export const paragraphEnds = new Set(['par', 'sect', 'page', 'nestcell'])

/** Control words for characters, each with the properties that its number sets. */
export const runWords = new Map<string, (number?: number) => Partial<typeof plain>>([
  ['b', number => ({ isBold: number !== 0 })],
  ['i', number => ({ isItalic: number !== 0 })],
  ['v', number => ({ isHidden: number !== 0 })],
  ['deleted', number => ({ isHidden: number !== 0 })],
  ['fs', (number = 24) => ({ size: number / 2 })],
  ['plain', () => plain],
])

/** Control words for paragraphs, with the properties they set. */
export const paragraphWords = new Map<string, (number?: number) => Partial<typeof firstParagraph>>([
  ['pard', () => firstParagraph],
  ['s', (number = 0) => ({ style: number })],
  ['outlinelevel', (number = -1) => ({ outline: number })],
  ['ls', (number = 0) => ({ list: number })],
  ['ilvl', (number = 0) => ({ level: number })],
  ['intbl', () => ({ isInTable: true })],
])
