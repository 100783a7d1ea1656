/**
 * Reads properties in the binary Word format ([MS-DOC]). Offsets outside the file end a list: a broken file has fewer
 * properties, never an endless loop.
 */

/** The known properties, by the code of their operation ("sprm"). */
export const operations = {
  isDeleted: 0x0800,
  isBold: 0x0835,
  isItalic: 0x0836,
  isHidden: 0x083c,
  halfPoints: 0x4a43,
  listLevel: 0x260a,
  list: 0x460b,
  outline: 0x2640,
  isInTable: 0x2416,
  isRowEnd: 0x2417,
} as const

export type WordProperties = Map<number, number>

/** A view that reads zero outside its bytes. */
export class Bytes {
  readonly #view: DataView
  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  get length(): number {
    return this.#view.byteLength
  }
  u8(offset: number): number {
    return offset >= 0 && offset < this.length ? this.#view.getUint8(offset) : 0
  }
  u16(offset: number): number {
    return offset >= 0 && offset + 2 <= this.length ? this.#view.getUint16(offset, true) : 0
  }
  u32(offset: number): number {
    return offset >= 0 && offset + 4 <= this.length ? this.#view.getUint32(offset, true) : 0
  }
}

const known = new Set<number>(Object.values(operations))
/** Operand sizes in bytes, by the top three bits of the operation; 0 means that a length precedes the operand. */
const operandBytes = [1, 1, 2, 4, 2, 2, 0, 3]
/** The length of this operand has two bytes. */
const tableDefinition = 0xd608

/** Reads a list of operations. */
export function readProperties(bytes: Bytes, start: number, end: number): WordProperties {
  const found: WordProperties = new Map()
  for (let offset = start; offset + 2 < Math.min(end, bytes.length); ) {
    const operation = bytes.u16(offset)
    const operand = offset + 2
    const size = operandBytes[operation >> 13] || 0
    if (known.has(operation)) found.set(operation, size === 1 ? bytes.u8(operand) : bytes.u16(operand))
    if (size > 0) offset = operand + size
    else if (operation === tableDefinition) offset = operand + 1 + bytes.u16(operand)
    else offset = operand + 1 + bytes.u8(operand)
  }
  return found
}

export interface PropertyRange {
  end: number
  /** Style; of a paragraph only. */
  style: number
  properties: WordProperties
}

const pageBytes = 512
/** More than a document of a thousand pages has; a file may list the same page repeatedly. */
const maxRanges = 100_000

/**
 * Reads the properties of characters or paragraphs: ranges in the order of the file, on pages of 512 bytes that `plc`
 * lists. `start` and `size` are the position of the list in the table stream.
 */
export function readPages(
  document: Bytes,
  table: Bytes,
  { start, size, isOfParagraphs }: { start: number; size: number; isOfParagraphs: boolean },
): PropertyRange[] {
  const ranges: PropertyRange[] = []
  const pages = Math.floor((Math.min(size, table.length) - 4) / 8)
  for (let index = 0; index < pages && ranges.length < maxRanges; index++) {
    const page = table.u32(start + (pages + 1) * 4 + index * 4) * pageBytes
    if (page + pageBytes > document.length) continue
    const count = document.u8(page + pageBytes - 1)
    for (let run = 0; run < count; run++) {
      const entry = page + (count + 1) * 4 + run * (isOfParagraphs ? 13 : 1)
      const place = page + document.u8(entry) * 2
      const end = document.u32(page + (run + 1) * 4)
      if (place === page) ranges.push({ end, style: 0, properties: new Map() })
      else
        ranges.push({
          end,
          ...(isOfParagraphs ? paragraphAt(document, place) : charactersAt(document, place)),
        })
    }
  }
  return ranges
}

function charactersAt(document: Bytes, place: number): Omit<PropertyRange, 'end'> {
  return { style: 0, properties: readProperties(document, place + 1, place + 1 + document.u8(place)) }
}

/** The length is in words; if it is zero, the next byte is the length. */
function paragraphAt(document: Bytes, place: number): Omit<PropertyRange, 'end'> {
  const words = document.u8(place)
  const start = words === 0 ? place + 2 : place + 1
  const end = words === 0 ? start + document.u8(place + 1) * 2 : start + words * 2 - 1
  return { style: document.u16(start), properties: readProperties(document, start + 2, end) }
}

export interface Style {
  /** From 1 to 9. */
  heading: number | undefined
  list: number | undefined
}

/** Identifiers of built-in styles: headings are 1 to 9. */
const titleStyle = 62
const noStyle = 0xfff
/** A style's number has twelve bits. */
const maxStyles = 4096

/** Reads the style sheet: which styles are headings or lists, including styles based on one. */
export function readStyles(table: Bytes, start: number, size: number): Style[] {
  const end = Math.min(start + size, table.length)
  const own: (Style & { base: number })[] = []
  const baseBytes = table.u16(start + 4)
  for (let offset = start + 2 + table.u16(start); offset + 2 <= end && own.length < maxStyles; ) {
    const length = table.u16(offset)
    const at = offset + 2
    const id = table.u16(at) & 0xfff
    const kind = table.u16(at + 2) & 0xf
    const heading = id >= 1 && id <= 9 ? id : id === titleStyle ? 1 : undefined
    // The name follows, with its length and a zero, then the properties of paragraphs, with their length and the style.
    const upx = at + baseBytes + 4 + table.u16(at + baseBytes) * 2
    const properties = kind === 1 ? readProperties(table, upx + 4, upx + 2 + table.u16(upx)) : new Map()
    own.push({
      base: length === 0 ? noStyle : table.u16(at + 2) >> 4,
      heading: length === 0 ? undefined : heading,
      list: properties.get(operations.list),
    })
    offset = at + length + (length % 2)
  }
  return own.map(style => {
    let { heading, list, base } = style
    // A Word style has at most eleven ancestors.
    for (let steps = 0; steps < 11; steps++) {
      const parent = own[base]
      if (parent === undefined) break
      heading ??= parent.heading
      list ??= parent.list
      base = parent.base
    }
    return { heading, list }
  })
}

const listBytes = 28
const bullet = 23
const noNumber = 255

/** Reads the lists: returns the numbers, counted from 1, of lists whose first level has bullets. */
export function readBulletedLists(
  table: Bytes,
  lists: { start: number },
  overrides: { start: number; size: number },
): Set<number> {
  const count = Math.min(table.u16(lists.start), 4096)
  const bulleted = new Set<number>()
  let level = lists.start + 2 + count * listBytes
  for (let index = 0; index < count; index++) {
    const list = lists.start + 2 + index * listBytes
    const format = table.u8(level + 4)
    if (format === bullet || format === noNumber) bulleted.add(table.u32(list))
    const levels = (table.u8(list + 26) & 1) === 1 ? 1 : 9
    // A level is followed by its properties and its text.
    for (let each = 0; each < levels; each++) {
      const text = level + 28 + table.u8(level + 24) + table.u8(level + 25)
      level = text + 2 + table.u16(text) * 2
    }
  }
  const numbers = new Set<number>()
  const used = overrides.size === 0 ? 0 : Math.min(table.u32(overrides.start), 4096)
  for (let index = 0; index < used; index++) {
    if (bulleted.has(table.u32(overrides.start + 4 + index * 16))) numbers.add(index + 1)
  }
  return numbers
}
