import { type ZipEntry, zipOf } from './documents.ts'

/** Small Word documents, made on the spot as the programs write them. */

const wordNames =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageNames = 'http://schemas.openxmlformats.org/package/2006'

/** A docx with this body (WordprocessingML). */
export function docxOf(body: string, more: readonly ZipEntry[] = []): Buffer {
  const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
  const part = (name: string, content: string) => ({
    name,
    content: `<?xml version="1.0" encoding="UTF-8"?>${content}`,
  })
  const style = (id: string, name: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`
  const level = (format: string) =>
    `<w:lvl w:ilvl="0"><w:numFmt w:val="${format}"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="${format}"/></w:lvl>`
  return zipOf([
    part(
      '[Content_Types].xml',
      `<Types xmlns="${packageNames}/content-types"><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
    ),
    part(
      '_rels/.rels',
      `<Relationships xmlns="${packageNames}/relationships"><Relationship Id="r1" Type="${relationships}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    part('word/document.xml', `<w:document ${wordNames}><w:body>${body}</w:body></w:document>`),
    part(
      'word/styles.xml',
      `<w:styles ${wordNames}>${style('h1', 'heading 1')}${style('h2', 'heading 2')}${style('lb', 'List Bullet')}</w:styles>`,
    ),
    part(
      'word/numbering.xml',
      `<w:numbering ${wordNames}><w:abstractNum w:abstractNumId="0">${level('bullet')}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level('decimal')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
    ),
    ...more,
  ])
}

/** A paragraph of a docx; `properties` is what its `w:pPr` holds. */
export function docxParagraph(text: string, properties = '', runProperties = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${runProperties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

export interface DocParagraph {
  text: string
  /** 0 is plain text, 1 to 9 are headings. */
  style?: number
  /** 1 has bullets, 2 has numbers. */
  list?: 1 | 2
  level?: number
  isBold?: boolean
  isDeleted?: boolean
  /** The paragraph ends a table cell, or a table row. */
  ends?: 'cell' | 'row'
}

const operation = (code: number, ...operand: number[]) => [code & 0xff, code >> 8, ...operand]
const u16 = (value: number) => [value & 0xff, value >> 8]

/** Properties of ranges of the text on pages of 512 bytes, two ranges on each. */
function pagesOf(
  ranges: readonly { start: number; end: number; content: number[] }[],
  entryBytes: number,
): Buffer[] {
  const pages: Buffer[] = []
  for (let index = 0; index < ranges.length; index += 2) {
    const here = ranges.slice(index, index + 2)
    const page = Buffer.alloc(512)
    let place = 256
    here.forEach(({ start, end, content }, number) => {
      page.writeUInt32LE(start, number * 4)
      page.writeUInt32LE(end, number * 4 + 4)
      page[(here.length + 1) * 4 + number * entryBytes] = place / 2
      Buffer.from(content).copy(page, place)
      place += content.length + (content.length % 2)
    })
    page[511] = here.length
    pages.push(page)
  }
  return pages
}

/** A Word document of 1997 with these paragraphs. `change` may break its streams before they are packed. */
export function docOf(
  paragraphs: readonly DocParagraph[],
  change: (streams: { document: Buffer; table: Buffer }) => void = () => {},
): Buffer {
  const textAt = 1024
  const ranges: { start: number; end: number; characters: number[]; paragraph: number[] }[] = []
  let text = ''
  for (const { text: own, style = 0, list, level = 0, isBold, isDeleted, ends } of paragraphs) {
    const start = textAt + text.length * 2
    text += own + (ends === undefined ? '\r' : '\u0007')
    const properties = [
      ...u16(style),
      ...(list === undefined ? [] : [...operation(0x260a, level), ...operation(0x460b, ...u16(list))]),
      ...(ends === undefined ? [] : operation(0x2416, 1)),
      ...(ends === 'row' ? operation(0x2417, 1) : []),
    ]
    const characters = [
      ...(isBold === true ? operation(0x0835, 1) : []),
      ...(isDeleted === true ? operation(0x0800, 1) : []),
    ]
    if (properties.length % 2 === 0) properties.push(0)
    ranges.push({
      start,
      end: textAt + text.length * 2,
      characters: [characters.length, ...characters],
      paragraph: [(properties.length + 1) / 2, ...properties],
    })
  }
  const textEnd = Math.ceil((textAt + text.length * 2) / 512) * 512
  const characterPages = pagesOf(
    ranges.map(({ start, end, characters }) => ({ start, end, content: characters })),
    1,
  )
  const paragraphPages = pagesOf(
    ranges.map(({ start, end, paragraph }) => ({ start, end, content: paragraph })),
    13,
  )
  const document = Buffer.alloc(
    Math.max(4096, textEnd + (characterPages.length + paragraphPages.length) * 512),
  )
  document.writeUInt16LE(0xa5ec, 0)
  document.writeUInt16LE(0xc1, 2)
  document.writeUInt16LE(0x200, 10)
  document.writeUInt32LE(text.length, 0x4c)
  document.write(text, textAt, 'utf16le')
  ;[...characterPages, ...paragraphPages].forEach((page, index) => {
    page.copy(document, textEnd + index * 512)
  })

  const parts: Buffer[] = []
  let size = 0
  const place = (at: number, part: Buffer) => {
    document.writeUInt32LE(size, at)
    document.writeUInt32LE(part.length, at + 4)
    parts.push(part)
    size += part.length
  }
  const numbers = (...values: number[]) => Buffer.from(new Uint32Array(values).buffer)
  const listOf = (pages: readonly Buffer[], first: number) =>
    numbers(
      ...Array.from({ length: pages.length + 1 }, (_, index) => textAt + index),
      ...pages.map((_, index) => first + index),
    )
  place(0xfa, listOf(characterPages, textEnd / 512))
  place(0x102, listOf(paragraphPages, textEnd / 512 + characterPages.length))
  // One piece contains all of the text.
  const piece = Buffer.alloc(8)
  piece.writeUInt32LE(textAt, 2)
  place(0x1a2, Buffer.concat([Buffer.from([2]), numbers(16), numbers(0, text.length), piece]))
  place(
    0xa2,
    Buffer.concat([Buffer.from([...u16(18), ...u16(10), ...u16(10)]), Buffer.alloc(14), styleSheet()]),
  )
  const list = (id: number) => Buffer.concat([numbers(id), Buffer.alloc(22), Buffer.from([1, 0])])
  const level = (format: number) => Buffer.from([0, 0, 0, 0, format, ...new Array(23).fill(0), 0, 0])
  place(0x2e2, Buffer.concat([Buffer.from(u16(2)), list(71), list(72), level(23), level(0)]))
  const override = (id: number) => Buffer.concat([numbers(id), Buffer.alloc(12)])
  place(0x2ea, Buffer.concat([numbers(2), override(71), override(72)]))
  const table = Buffer.concat(parts)
  change({ document, table })
  return compoundOf({ WordDocument: document, '1Table': table })
}

/** Styles 0 to 9: plain text and headings. */
function styleSheet(): Buffer {
  return Buffer.concat(
    Array.from({ length: 10 }, (_, id) => {
      const style = Buffer.alloc(20)
      style.writeUInt16LE(18, 0)
      style.writeUInt16LE(id, 2)
      style.writeUInt16LE(0xfff1, 4)
      return style
    }),
  )
}

const none = 0xffffffff
const endOfChain = 0xfffffffe
const tableMark = 0xfffffffd

/** An Office file with two streams in its root folder: the first in sectors of 512 bytes, the second in small ones. */
export function compoundOf(streams: Record<string, Buffer>): Buffer {
  const [[largeName, large], [smallName, small]] = Object.entries(streams) as [
    [string, Buffer],
    [string, Buffer],
  ]
  const sectorsOf = (bytes: number) => Math.ceil(bytes / 512)
  // Sector 0 is the table, 1 the directory, 2 the table of small sectors; the streams follow.
  const largeAt = 3
  const smallAt = largeAt + sectorsOf(large.length)
  const count = smallAt + sectorsOf(small.length)
  const file = Buffer.alloc((count + 1) * 512)
  const sector = (number: number) => file.subarray((number + 1) * 512)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file)
  file.writeUInt16LE(3, 26)
  file.writeUInt16LE(0xfffe, 28)
  file.writeUInt16LE(9, 30)
  file.writeUInt32LE(1, 48)
  file.writeUInt32LE(2, 60)
  file.writeUInt32LE(endOfChain, 68)
  for (let index = 0; index < 109; index++) file.writeUInt32LE(index === 0 ? 0 : none, 76 + index * 4)
  const chain = (table: Buffer, first: number, length: number) => {
    for (let index = 0; index < length; index++)
      table.writeUInt32LE(index === length - 1 ? endOfChain : first + index + 1, (first + index) * 4)
  }
  sector(0).fill(0xff, 0, 512)
  sector(0).writeUInt32LE(tableMark, 0)
  chain(sector(0), 1, 1)
  chain(sector(0), 2, 1)
  chain(sector(0), largeAt, sectorsOf(large.length))
  chain(sector(0), smallAt, sectorsOf(small.length))
  sector(2).fill(0xff, 0, 512)
  chain(sector(2), 0, Math.ceil(small.length / 64))
  large.copy(sector(largeAt))
  small.copy(sector(smallAt))
  const entries = [
    { name: 'Root Entry', type: 5, child: 1, start: smallAt, size: small.length },
    { name: largeName, type: 2, right: 2, start: largeAt, size: large.length },
    { name: smallName, type: 2, start: 0, size: small.length },
  ]
  entries.forEach(({ name, type, right = none, child = none, start, size }, index) => {
    const entry = sector(1).subarray(index * 128)
    entry.write(name, 0, 'utf16le')
    entry.writeUInt16LE((name.length + 1) * 2, 64)
    entry.writeUInt8(type, 66)
    entry.writeUInt32LE(none, 68)
    entry.writeUInt32LE(right, 72)
    entry.writeUInt32LE(child, 76)
    entry.writeUInt32LE(start, 116)
    entry.writeUInt32LE(size, 120)
  })
  return file
}
