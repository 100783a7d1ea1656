import type { RandomReader } from '../core/random-reader.ts'
import { type DocumentBuilder, headingOf, itemOf, type Shape, Unreadable } from './builder.ts'
import { readRootStreams } from './compound-file.ts'
import {
  Bytes,
  operations,
  type PropertyRange,
  readBulletedLists,
  readPages,
  readStyles,
  type Style,
} from './word-properties.ts'

/** Offsets in the header of the stream WordDocument ([MS-DOC], FIB), from Word 97 on. */
const header = {
  mark: 0,
  version: 2,
  flags: 10,
  /** Character counts, in the order of the text. */
  body: 0x4c,
  footnotes: 0x50,
  headers: 0x54,
  macros: 0x58,
  comments: 0x5c,
  endnotes: 0x60,
  textBoxes: 0x64,
  /** Positions in the table stream, each followed by the size. */
  styles: 0xa2,
  characterPages: 0xfa,
  paragraphPages: 0x102,
  pieces: 0x1a2,
  lists: 0x2e2,
  listOverrides: 0x2ea,
} as const
const wordMark = 0xa5ec
const word97 = 0xc1
const flags = { isEncrypted: 0x100, usesTable1: 0x200 }

/** Characters with a special meaning in Word. */
const marks = {
  cell: 0x07,
  lineBreak: 0x0b,
  page: 0x0c,
  paragraph: 0x0d,
  fieldStart: 0x13,
  fieldSeparator: 0x14,
  fieldEnd: 0x15,
  nonBreakingHyphen: 0x1e,
  optionalHyphen: 0x1f,
}

/** Word rewrites a document when it has some thousand pieces. */
const maxPieces = 50_000

/** A piece of the text: its characters are at `offset` in the stream, in Windows-1252 or UTF-16. */
interface Piece {
  start: number
  end: number
  offset: number
  width: 1 | 2
}

/**
 * Reads the text of a Word document of 1997 to 2003 with its headings, lists, tables, bold and italics; then footnotes,
 * endnotes and text boxes. Omits deleted and hidden text and the instructions of fields.
 */
export async function readDoc(file: RandomReader, builder: DocumentBuilder): Promise<void> {
  const streams = await readRootStreams(file, ['WordDocument', '0Table', '1Table'])
  const [document, table0, table1] = streams.map(stream => stream && new Bytes(stream))
  if (document?.u16(header.mark) !== wordMark || document.u16(header.version) < word97)
    throw new Unreadable('not a Word document of 1997 or later')
  const bits = document.u16(header.flags)
  const table = bits & flags.usesTable1 ? table1 : table0
  if (bits & flags.isEncrypted || table === undefined) throw new Unreadable('encrypted or incomplete')
  const place = (at: number) => ({ start: document.u32(at), size: document.u32(at + 4) })

  const styleSheet = place(header.styles)
  const reader = new DocReader(document, builder, {
    pieces: readPieces(table, place(header.pieces)),
    characters: readPages(document, table, { ...place(header.characterPages), isOfParagraphs: false }),
    paragraphs: readPages(document, table, { ...place(header.paragraphPages), isOfParagraphs: true }),
    styles: readStyles(table, styleSheet.start, styleSheet.size),
    bulleted: readBulletedLists(table, place(header.lists), place(header.listOverrides)),
  })
  const counts = [
    header.body,
    header.footnotes,
    header.headers,
    header.macros,
    header.comments,
    header.endnotes,
    header.textBoxes,
  ]
  const shown: number[] = [header.body, header.footnotes, header.endnotes, header.textBoxes]
  let start = 0
  for (const at of counts) {
    const end = start + document.u32(at)
    if (shown.includes(at)) reader.read(start, end)
    start = end
  }
}

function readPieces(table: Bytes, { start, size }: { start: number; size: number }): Piece[] {
  const end = Math.min(start + size, table.length)
  let offset = start
  // Properties of pieces come first; we need none of them.
  while (offset < end && table.u8(offset) === 1) offset += 3 + table.u16(offset + 1)
  if (table.u8(offset) !== 2) throw new Unreadable('no text')
  const first = offset + 5
  const count = Math.floor((Math.min(table.u32(offset + 1), end - first) - 4) / 12)
  if (count > maxPieces) throw new Unreadable('too many pieces')
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const place = table.u32(first + (count + 1) * 4 + index * 8 + 2)
    const isNarrow = (place & 0x40000000) !== 0
    return {
      start: table.u32(first + index * 4),
      end: table.u32(first + index * 4 + 4),
      offset: isNarrow ? (place & 0x3fffffff) / 2 : place & 0x3fffffff,
      width: isNarrow ? 1 : 2,
    }
  })
}

interface Parts {
  pieces: Piece[]
  characters: PropertyRange[]
  paragraphs: PropertyRange[]
  styles: Style[]
  bulleted: ReadonlySet<number>
}

const windows1252 = new TextDecoder('windows-1252')
const unstyled: PropertyRange = { end: 0, style: 0, properties: new Map() }

class DocReader {
  readonly #document: Bytes
  readonly #builder: DocumentBuilder
  readonly #parts: Parts
  /** For each open field, whether its instructions have ended and its result follows. */
  #fields: boolean[] = []

  constructor(document: Bytes, builder: DocumentBuilder, parts: Parts) {
    this.#document = document
    this.#builder = builder
    this.#parts = parts
  }

  /** Reads the characters from `start` up to, but excluding, `end`. */
  read(start: number, end: number): void {
    this.#fields = []
    for (const piece of this.#parts.pieces) {
      if (this.#builder.isFull) return
      const from = Math.max(start, piece.start)
      const to = Math.min(end, piece.end)
      if (from < to) this.#readPiece(piece, from, to)
    }
    this.#builder.endParagraph()
  }

  #readPiece(piece: Piece, from: number, to: number): void {
    const offsetAt = (position: number) => piece.offset + (position - piece.start) * piece.width
    const last = Math.min(offsetAt(to), this.#document.length)
    for (let offset = offsetAt(from); offset < last && !this.#builder.isFull; ) {
      const { end, properties } = rangeAt(this.#parts.characters, offset) ?? { ...unstyled, end: last }
      const stop = Math.min(last, Math.max(end, offset + piece.width))
      const isShown =
        !isOn(properties.get(operations.isDeleted)) && !isOn(properties.get(operations.isHidden))
      const style = {
        isBold: isOn(properties.get(operations.isBold)),
        isItalic: isOn(properties.get(operations.isItalic)),
        size: (properties.get(operations.halfPoints) ?? 20) / 2,
      }
      const write = (text: string) => {
        if (isShown && this.#fields.every(hasResult => hasResult)) this.#builder.add(text, style)
      }
      this.#readRange(piece.width, offset, stop, write)
      offset = stop
    }
  }

  #readRange(width: 1 | 2, from: number, to: number, write: (text: string) => void): void {
    let text = ''
    for (let offset = from; offset < to; offset += width) {
      const code = width === 1 ? this.#document.u8(offset) : this.#document.u16(offset)
      if (code >= 0x20 || code === 0x09) text += width === 1 ? narrow[code] : String.fromCharCode(code)
      else {
        write(text)
        text = ''
        this.#takeMark(code, offset, write)
      }
    }
    write(text)
  }

  #takeMark(code: number, offset: number, write: (text: string) => void): void {
    if (code === marks.lineBreak) write('\n')
    else if (code === marks.nonBreakingHyphen) write('\u2011')
    else if (code === marks.optionalHyphen) write('\u00AD')
    else if (code === marks.fieldStart && this.#fields.length < 100) this.#fields.push(false)
    else if (code === marks.fieldSeparator && this.#fields.length > 0) this.#fields.splice(-1, 1, true)
    else if (code === marks.fieldEnd) this.#fields.pop()
    else if (code === marks.paragraph || code === marks.page || code === marks.cell) {
      const { style, properties } = rangeAt(this.#parts.paragraphs, offset) ?? unstyled
      const shape = this.#shapeOf(style, properties)
      const isInTable = properties.get(operations.isInTable) === 1
      if (code !== marks.cell) this.#builder.endParagraph(shape, isInTable)
      else if (properties.get(operations.isRowEnd) === 1) this.#builder.endRow()
      else this.#builder.endCell(shape)
    }
  }

  #shapeOf(style: number, properties: PropertyRange['properties']): Shape {
    const { heading, list: listOfStyle } = this.#parts.styles[style] ?? {}
    // Outline level 9 means body text.
    const outline = properties.get(operations.outline)
    const shape = headingOf(outline === undefined || outline > 8 ? heading : outline + 1)
    if (shape.heading !== undefined) return shape
    const list = properties.get(operations.list) ?? listOfStyle ?? 0
    if (list === 0 || list > 0x7ff) return {}
    return itemOf(properties.get(operations.listLevel) ?? 0, !this.#parts.bulleted.has(list))
  }
}

const narrow = Array.from({ length: 256 }, (_, code) => windows1252.decode(Uint8Array.of(code)))

/** 0x80 and 0x81 repeat or invert the style, whose text is plain in almost every document. */
function isOn(value: number | undefined): boolean {
  return value === 1 || value === 0x81
}

/** The first range that ends after the offset: ranges are in the order of the file. */
function rangeAt(ranges: readonly PropertyRange[], offset: number): PropertyRange | undefined {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle] as PropertyRange).end > offset) high = middle
    else low = middle + 1
  }
  return ranges[low]
}
