import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readerOf } from '../../../test/harness/documents.ts'
import { times } from '../../../test/harness/effort.ts'
import { compoundOf, docOf } from '../../../test/harness/word-documents.ts'
import { DocumentBuilder, Unreadable } from './builder.ts'
import { isDocumentText } from './conversions.ts'
import { readDoc } from './doc-reader.ts'
import type { DocumentText, Paragraph } from './document.ts'
import { readRtf } from './rtf-reader.ts'

const limits = { characters: 10_000, nodes: 500 }

function rtf(source: string, max = limits): DocumentText {
  const builder = new DocumentBuilder(max)
  readRtf(Buffer.from(source, 'latin1'), builder)
  return builder.finish()
}

async function doc(bytes: Uint8Array, max = limits): Promise<DocumentText> {
  const builder = new DocumentBuilder(max)
  await readDoc(readerOf(bytes), builder)
  return builder.finish()
}

/** One line for each block: `# ` for headings, `- ` and `1. ` for items, `|` between cells, `*` around bold. */
function linesOf({ blocks }: DocumentText): string[] {
  const line = ({ runs, heading, item }: Paragraph) => {
    const sign = heading === undefined ? '' : `${'#'.repeat(heading)} `
    const mark = item === undefined ? '' : `${'  '.repeat(item.level)}${item.isOrdered ? '1.' : '-'} `
    const text = runs.map(({ text, isBold, isItalic }) => {
      const inner = isItalic ? `_${text}_` : text
      return isBold ? `*${inner}*` : inner
    })
    return sign + mark + text.join('')
  }
  return blocks.map(block =>
    'cells' in block ? block.cells.map(cell => cell.map(line).join('/')).join('|') : line(block),
  )
}

test('RTF: headings by style, by outline level and by size', () => {
  const text = rtf(
    '{\\rtf1\\ansi{\\stylesheet{\\s0 Normal;}{\\s1 heading 1;}{\\s7\\outlinelevel2 Mine;}}' +
      '\\pard\\s1 One\\par\\pard\\s7 Three\\par\\pard\\outlinelevel1 Two\\par' +
      '{\\pard\\b\\fs48 Large\\par}{\\pard\\fs30 Larger\\par}\\pard\\fs24 Text as usual, more of it than of others\\par}',
  )
  assert.deepEqual(linesOf(text), [
    '## One',
    '#### Three',
    '### Two',
    '## *Large*',
    '### Larger',
    'Text as usual, more of it than of others',
  ])
})

test('RTF: lists of both kinds, old and new, and typed bullets', () => {
  const text = rtf(
    '{\\rtf1{\\*\\listtable{\\list{\\listlevel\\levelnfc23}{\\listlevel\\levelnfc0}\\listid5}{\\list{\\listlevel\\levelnfc0}\\listid6}}' +
      '{\\*\\listoverridetable{\\listoverride\\listid5\\ls1}{\\listoverride\\listid6\\ls2}}' +
      "{\\listtext\\'b7\\tab}\\pard\\ls1\\ilvl0 One\\par\\pard\\ls1\\ilvl1 Two\\par\\pard\\ls2 First\\par" +
      "\\pard{\\*\\pn\\pnlvlblt{\\pntxtb\\'b7}}Old\\par\\pard{\\pntext 1.}{\\*\\pn\\pnlvlbody}Number\\par" +
      '\\pard\\bullet\\tab Typed\\par}',
  )
  assert.deepEqual(linesOf(text), ['- One', '  - Two', '1. First', '- Old', '1. Number', '- Typed'])
})

test('RTF: tables, line breaks and styles; no pictures, fields, headers or hidden text', () => {
  const text = rtf(
    '{\\rtf1{\\header Top\\par}{\\info{\\author Somebody}}\\trowd\\pard\\intbl A\\cell B\\par b\\cell\\row' +
      '\\pard One {\\b bold} {\\i italic}{\\b\\i  both}\\line two{\\v secret}{\\deleted gone}\\par' +
      '{\\field{\\*\\fldinst HYPERLINK "https://evil.example"}{\\fldrslt Link}}{\\pict\\wmetafile8 01ff}\\par' +
      '{\\shp{\\*\\shpinst{\\sp{\\sn a}{\\sv b}}{\\shptxt In a box\\par}}}{\\*\\unknown No}After{\\pict\\bin4 }}}x}\\par}Late',
  )
  assert.deepEqual(linesOf(text), ['A|B/b', 'One *bold* _italic_*_ both_*\ntwo', 'Link', 'In a box', 'After'])
})

test('RTF: characters of every encoding it supports', () => {
  const text = rtf(
    '{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset204 B;}{\\f2\\fcharset128 C;}}' +
      "caf\\'e9 {\\f1\\'cf\\'f0} {\\f2\\'93\\'fa\\'96\\'7b} \\u8364?\\uc2\\u-10179\\'3f\\'3f\\u-8694\\'3f\\'3f\\uc0\\u233" +
      '\\~\\_\\-\\{\\}\\\\\\emdash\\par}',
  )
  assert.deepEqual(linesOf(text), ['café Пр 日本 €😊é\u00A0‑\u00AD{}\\—'])
  // Not characters: half of a surrogate pair, and controls.
  assert.deepEqual(linesOf(rtf("{\\rtf1 a\\u-10179?\\'01\\u65534?b\\par}")), ['a\uFFFDb'])
})

test('RTF: too deep nesting is rejected, too long text is cut', () => {
  assert.throws(() => rtf(`{\\rtf1 ${'{'.repeat(100_000)}`), Unreadable)
  assert.throws(() => rtf('plain text'), Unreadable)
  const cut = { isCut: true, blocks: [{ runs: [{ text: 'abc', isBold: false, isItalic: false }] }] }
  assert.deepEqual(rtf('{\\rtf1 abcdef\\par}', { characters: 3, nodes: 9 }), cut)
  const runs = rtf(`{\\rtf1 ${'{\\b a}{\\i b}'.repeat(1000)}\\par}`)
  assert.equal(runs.isCut, true)
  assert.equal(runs.blocks.length, 1)
  assert.equal(rtf(`{\\rtf1 ${'x\\cell '.repeat(10_000)}\\row}`).isCut, true)
})

const plain = { text: 'Plain text of a usual length' }

test('doc: headings, lists, tables and bold; deleted text is left out', async () => {
  const bytes = docOf([
    { text: 'Résumé 履歴', style: 1 },
    { text: 'Work', style: 2 },
    { ...plain, isBold: true },
    { text: 'deleted', isDeleted: true },
    { text: 'One', list: 1 },
    { text: 'Deeper', list: 1, level: 1 },
    { text: 'First', list: 2 },
    { text: 'A', ends: 'cell' },
    { text: 'B', ends: 'cell' },
    { text: '', ends: 'row' },
    {
      text: 'Line\u000Bbreak\u001Ehyphen \u0013 HYPERLINK "https://evil.example" \u0014Link\u0015 \u0001end',
    },
  ])
  assert.deepEqual(linesOf(await doc(bytes)), [
    '## Résumé 履歴',
    '### Work',
    `*${plain.text}*`,
    '- One',
    '  - Deeper',
    '1. First',
    'A|B',
    'Line\nbreak\u2011hyphen Link end',
  ])
})

test('doc: a broken, protected or circular file is rejected or shortened, and reading always ends', async () => {
  const set = (at: number, value: number) =>
    docOf([plain], ({ document }) => document.writeUInt32LE(value, at))
  await assert.rejects(doc(Buffer.from('x')), Unreadable)
  await assert.rejects(doc(set(0, 0)), Unreadable)
  await assert.rejects(doc(docOf([plain], ({ document }) => document.writeUInt16LE(0x300, 10))), Unreadable)
  await assert.rejects(doc(set(0x1a2, 0x7fffffff)), Unreadable)
  await assert.rejects(
    doc(compoundOf({ WordDocument: Buffer.alloc(4096), Other: Buffer.alloc(9) })),
    Unreadable,
  )
  // Lists of pages, styles and lists that are longer than the file.
  for (const at of [0xfe, 0x106, 0xa6, 0x2e2, 0x4c, 0x50]) {
    const lines = linesOf(await doc(set(at, 0xfffffff0)))
    assert.ok(lines.join().startsWith(plain.text), `${at}: ${lines}`)
  }
  // Each sector of the text is followed by itself.
  const circle = docOf([plain])
  for (let sector = 3; sector < 11; sector++) circle.writeUInt32LE(sector, 512 + sector * 4)
  await doc(circle).catch(error => assert.ok(error instanceof Unreadable))
  assert.equal((await doc(docOf(new Array(40).fill(plain)), { characters: 100, nodes: 99 })).isCut, true)
})

test('any bytes are either read or rejected', async () => {
  const samples = [
    docOf([{ text: 'Title', style: 1 }, plain, { text: 'x', list: 1 }]),
    Buffer.from(
      '{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset204 A;}}{\\b x}\\u8364?\\pard\\ls1\\intbl a\\cell\\row}',
    ),
  ]
  const change = fc.record({ at: fc.nat(20_000), byte: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(fc.nat(1), fc.array(change, { maxLength: 40 }), async (which, changes) => {
      const bytes = Buffer.from(samples[which] ?? '')
      for (const { at, byte } of changes) bytes[at % bytes.length] = byte
      try {
        const text = which === 0 ? await doc(bytes) : rtf(bytes.toString('latin1'))
        assert.ok(isDocumentText(text))
      } catch (error) {
        assert.ok(error instanceof Unreadable, String(error))
      }
    }),
    { numRuns: times(300, 20_000) },
  )
})

test('only the text of a document passes as a document', () => {
  const run = { text: 'x', isBold: false, isItalic: false }
  assert.ok(isDocumentText({ isCut: false, blocks: [{ runs: [run] }, { cells: [[{ runs: [run] }]] }] }))
  for (const blocks of [
    'x',
    [null],
    [{ runs: [{ text: 1 }] }],
    [{ runs: [run], heading: 1 }],
    [{ runs: [run], item: { level: '0' } }],
    [{ cells: [{ runs: [run] }] }],
  ])
    assert.equal(isDocumentText({ isCut: false, blocks }), false, JSON.stringify(blocks))
})
