import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { demoFile, type ZipEntry } from '../../../test/harness/documents.ts'
import { some } from '../../../test/harness/effort.ts'
import { docOf, docxOf, docxParagraph } from '../../../test/harness/word-documents.ts'
import { confinement, createConversions, type Refusal } from './conversions.ts'
import type { DocumentFile, DocumentKind, Paragraph } from './document.ts'

const fileOf = (bytes: Buffer): DocumentFile => ({
  size: bytes.length,
  open: async () => Readable.from([bytes]),
})

/** Converts one file. The time is long: the machine may be busy, and only one test is about time. */
async function convert(
  kind: DocumentKind,
  bytes: Buffer,
  change: Parameters<typeof createConversions>[0]['limits'] = {},
) {
  const refusals: Refusal[] = []
  const limits = { previewMs: 120_000, ...change }
  const { convert } = createConversions({ limits, onRefused: refusal => refusals.push(refusal) })
  const text = await convert(kind, fileOf(bytes), 'mary')
  if (text === 'busy' || text === 'unreadable') return { fault: text, refusals, lines: [] }
  const textOf = ({ runs }: Paragraph) => runs.map(({ text }) => text).join('')
  const lines = text.blocks.map(block =>
    'cells' in block ? block.cells.map(cell => cell.map(textOf).join('/')).join('|') : textOf(block),
  )
  return { text, lines, refusals }
}

/** Lets all pending work continue. */
const turn = () => new Promise(resolve => setImmediate(resolve))

const refused = (refusal: Refusal) => ({ fault: 'unreadable', refusals: [refusal], lines: [] })

test('reads docx: headings, lists, tables, styles and footnotes, but no link, picture or comment', async () => {
  const cell = (content: string) => `<w:tc>${content}</w:tc>`
  const item = (list: number, level: number) =>
    `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`
  const nested = `<w:tbl><w:tr>${cell(docxParagraph('in'))}</w:tr></w:tbl>`
  const note =
    '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote w:id="1"><w:p><w:r><w:t>Note</w:t></w:r></w:p></w:footnote></w:footnotes>'
  const { text, lines } = await convert(
    'docx',
    docxOf(
      [
        docxParagraph('Résumé &lt;b&gt;', '<w:pStyle w:val="h1"/>'),
        docxParagraph('Work', '<w:pStyle w:val="h2"/>'),
        docxParagraph('bold', '', '<w:b/>'),
        docxParagraph('One', item(1, 0)),
        docxParagraph('Deeper', item(1, 1)),
        docxParagraph('First', item(2, 0)),
        docxParagraph('By style', '<w:pStyle w:val="lb"/>'),
        `<w:tbl><w:tr>${cell(docxParagraph('A'))}${cell(docxParagraph('B') + nested)}</w:tr></w:tbl>`,
        '<w:p><w:hyperlink r:id="x"><w:r><w:t>Link</w:t><w:br/><w:t>line</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="1"/></w:r></w:p>',
      ].join(''),
      [{ name: 'word/footnotes.xml', content: note }],
    ),
  )
  assert.deepEqual(lines, [
    'Résumé <b>',
    'Work',
    'bold',
    'One',
    'Deeper',
    'First',
    'By style',
    'A|B/in',
    'Link\nline',
    'Note',
  ])
  const shapes = text?.blocks.map(block => ('cells' in block ? 'row' : (block.heading ?? block.item)))
  assert.deepEqual(shapes, [
    2,
    3,
    undefined,
    { level: 0, isOrdered: false },
    { level: 1, isOrdered: false },
    { level: 0, isOrdered: true },
    { level: 0, isOrdered: false },
    'row',
    undefined,
    undefined,
  ])
})

test('reads the documents of the demo, and doc', async () => {
  const resume = await convert('docx', demoFile('priya-raman-resume.docx'))
  assert.deepEqual(resume.lines.slice(0, 1), ['Priya Raman'])
  assert.equal((await convert('rtf', demoFile('aroha-parata-resume.rtf'))).lines[0], 'Aroha Parata')
  assert.deepEqual((await convert('doc', docOf([{ text: 'Old Word' }]))).lines, ['Old Word'])
})

test('refuses a docx that unpacks to too much, declares entities, nests too deep or is not a docx', async () => {
  const body = docxParagraph('x')
  const withPart = (name: string, content: string) => docxOf(body, [{ name: `word/${name}.xml`, content }])
  const bomb = docxOf(docxParagraph('x'.repeat(64 * 1024 * 1024)))
  assert.ok(bomb.length < 100_000)
  const lying: ZipEntry = { name: 'word/a.xml', content: 'x'.repeat(64 * 1024 * 1024), saidSize: 10 }
  const entities =
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]><x>&b;&c;</x>'
  const attributes = Array.from({ length: 100_000 }, (_, index) => `a${index}=""`).join(' ')
  // Each is read by a process of its own.
  for (const make of some(2, [
    () => bomb,
    () => withPart('comments', entities),
    () => docxOf(`${'<w:ins>'.repeat(100_000)}${body}${'</w:ins>'.repeat(100_000)}`),
    () => docxOf(body, [lying]),
    () => withPart('numbering', '<x>'.repeat(100_000)),
    () => withPart('numbering', `<x ${attributes}/>`),
    () => Buffer.from('PK\u0003\u0004'),
    () => docxOf('<w:p/>'),
  ])) {
    assert.deepEqual(await convert('docx', make()), refused('content'))
  }
  const many = Array.from({ length: 50 }, (_, index) => ({ name: `a${index}`, content: '' }))
  assert.deepEqual(await convert('docx', docxOf(body, many), { documentParts: 40 }), refused('content'))
})

test('a picture that is linked or packed is neither read nor unpacked', async () => {
  const image =
    '<w:p><w:r><w:t>Text</w:t><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:link="r9"/></w:drawing></w:r></w:p>'
  const target =
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r9" Type="image" Target="file:///etc/passwd" TargetMode="External"/></Relationships>'
  const { lines } = await convert(
    'docx',
    docxOf(image, [
      { name: 'word/_rels/document.xml.rels', content: target },
      { name: 'word/media/bomb.png', content: Buffer.alloc(64 * 1024 * 1024) },
    ]),
  )
  assert.deepEqual(lines, ['Text'])
})

test('the process reads our code and nothing else, starts no process and evaluates no code', () => {
  const codeOf = (attempt: string) => {
    const script = `try { ${attempt}; console.log('done') } catch ({ code, name }) { console.log(code ?? name) }`
    return spawnSync(process.execPath, [...confinement, '-e', script])
      .stdout.toString()
      .trim()
  }
  const readOwn = `require('fs').readFileSync(${JSON.stringify(new URL(import.meta.url).pathname)})`
  assert.equal(codeOf(readOwn), 'done')
  assert.equal(codeOf("require('fs').readFileSync('/etc/passwd')"), 'ERR_ACCESS_DENIED')
  assert.equal(codeOf("require('fs').writeFileSync('/tmp/x', '')"), 'ERR_ACCESS_DENIED')
  assert.equal(codeOf("require('child_process').spawnSync('true')"), 'ERR_ACCESS_DENIED')
  assert.equal(codeOf("new Function('return 1')()"), 'EvalError')
})

test('a file that needs too much memory ends only its own process', async () => {
  const hungry = docxOf('<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(100_000))
  assert.deepEqual(await convert('docx', hungry, { previewMemoryMb: 32 }), refused('memory'))
})

test('a file that takes too long, or is too large, is refused', async () => {
  const resume = demoFile('priya-raman-resume.docx')
  // No process starts within a millisecond.
  assert.deepEqual(await convert('docx', resume, { previewMs: 1 }), refused('time'))
  assert.deepEqual(await convert('docx', resume, { previewFileBytes: 100 }), refused('size'))
})

test('a failure of the file store is not blamed on the file', async () => {
  const { convert } = createConversions({ onRefused: () => {} })
  const gone = { size: 10, open: () => Promise.reject(new Error('gone')) }
  await assert.rejects(convert('rtf', gone, 'mary'), /gone/)
  const broken = {
    size: 10,
    open: async () =>
      Readable.from(
        (async function* () {
          yield Buffer.from('{\\rtf1')
          throw new Error('broken off')
        })(),
      ),
  }
  await assert.rejects(convert('rtf', broken, 'mary'), /broken off/)
})

test('each person has one conversion at a time, waits behind others, and cannot fill the queue', async () => {
  const opened: string[] = []
  const release: (() => void)[] = []
  const limits = { previewsAtOnce: 2, previewsPerPerson: 2, previewsWaiting: 3 }
  const refusals: Refusal[] = []
  const { convert } = createConversions({ limits, onRefused: refusal => refusals.push(refusal) })
  const ask = (viewer: string) =>
    convert(
      'rtf',
      {
        size: 10,
        async open() {
          opened.push(viewer)
          await new Promise<void>(resolve => release.push(resolve))
          throw new Error('ended')
        },
      },
      viewer,
    ).catch(() => 'ended')
  const first = ask('mary')
  const more = [ask('mary'), ask('mary')]
  assert.equal(await ask('mary'), 'busy')
  const others = [ask('tom'), ask('rex')]
  await turn()
  assert.deepEqual(opened, ['mary', 'tom'])
  assert.equal(await ask('zoe'), 'busy')
  release.shift()?.()
  await first
  await turn()
  // Mary's second file came before Rex's.
  assert.deepEqual(opened, ['mary', 'tom', 'mary'])
  for (const expected of ['rex', 'mary']) {
    release.shift()?.()
    await turn()
    assert.equal(opened.at(-1), expected)
  }
  for (const end of release) end()
  assert.deepEqual(await Promise.all([...more, ...others]), new Array(4).fill('ended'))
  assert.deepEqual(refusals, ['busy', 'busy'])
})
