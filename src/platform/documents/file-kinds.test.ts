import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  compoundFile,
  demoFile,
  lockedFile,
  officeZip,
  pdfOf,
  readerOf,
  spreadsheetFile,
  wordFile,
} from '../../../test/harness/documents.ts'
import { acceptedKind, detectKind, hasNewEnding, nameOfKind } from './file-kinds.ts'

const detect = (content: Buffer | string) => detectKind(readerOf(Buffer.from(content)), async () => undefined)

test('each kind is recognised by its content', async () => {
  assert.deepEqual(await detect(demoFile('mary-nguyen-resume.pdf')), { kind: 'pdf' })
  assert.deepEqual(await detect(demoFile('aroha-parata-resume.rtf')), { kind: 'rtf' })
  assert.deepEqual(await detect(demoFile('jack-petersen-resume.txt')), { kind: 'txt' })
  assert.deepEqual(await detect(demoFile('ahmed-haddad-resume.docx')), { kind: 'docx' })
  assert.deepEqual(await detect(wordFile), { kind: 'doc' })
  assert.deepEqual(await detect(`\uFEFF\r\n${pdfOf(100)}`), { kind: 'pdf' })
})

test('the verdict of the archive check on a packed file is returned', async () => {
  const zip = readerOf(officeZip('document'))
  assert.deepEqual(await detectKind(zip, async () => 'bomb'), { fault: 'bomb' })
  assert.deepEqual(await detectKind(zip, async () => undefined), { kind: 'docx' })
})

test('an Office file is a document only if its root folder has a WordDocument', async () => {
  assert.deepEqual(await detect(spreadsheetFile), { fault: 'other-office' })
  assert.deepEqual(await detect(lockedFile), { fault: 'protected' })
  assert.deepEqual(await detect(compoundFile([])), { fault: 'other-office' })
})

test('the directory of an Office file may be longer than a sector, and its sectors larger', async () => {
  const chain = Array.from({ length: 40 }, (_, index) => ({
    name: index === 39 ? 'WordDocument' : `Stream${index}`,
    type: 'stream' as const,
    ...(index < 39 ? { right: index + 2 } : {}),
  }))
  assert.deepEqual(await detect(compoundFile(chain)), { kind: 'doc' })
  assert.deepEqual(await detect(compoundFile(chain, 4)), { kind: 'doc' })
})

test('a cycle in an Office file does not cause an endless loop', async () => {
  const knot = compoundFile([{ name: 'Workbook', type: 'stream', left: 1, right: 1 }])
  // The directory's only sector follows itself.
  knot.writeUInt32LE(1, 512 + 4)
  // And so does the list of the table's sectors.
  knot.writeUInt32LE(1, 68)
  assert.deepEqual(await detect(knot), { fault: 'other-office' })
})

test('a broken Office file is rejected, wherever it is broken', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(wordFile.length),
      fc.array(fc.tuple(fc.integer({ min: 8, max: wordFile.length - 1 }), fc.nat(255)), { maxLength: 20 }),
      async (end, changes) => {
        const bytes = Buffer.from(wordFile)
        for (const [offset, value] of changes) bytes[offset] = value
        const detected = await detect(bytes.subarray(0, Math.max(8, end)))
        assert.ok('kind' in detected ? detected.kind === 'doc' : detected.fault === 'other-office')
      },
    ),
  )
})

test('text is text in UTF-8, in UTF-16 with its mark and in Windows-1252', async () => {
  assert.deepEqual(await detect('Māori and English\tfluent\r\n'), { kind: 'txt' })
  assert.deepEqual(await detect(Buffer.from('\uFEFFRésumé', 'utf16le')), { kind: 'txt' })
  assert.deepEqual(await detect(Buffer.from('\uFEFFRésumé', 'utf16le').swap16()), { kind: 'txt' })
  assert.deepEqual(await detect(Buffer.from('R\xe9sum\xe9 \x93quoted\x94', 'latin1')), { kind: 'txt' })
})

test('no content, or only white space, counts as empty', async () => {
  assert.deepEqual(await detect(''), { fault: 'empty' })
  assert.deepEqual(await detect(' \r\n\t\n'), { fault: 'empty' })
})

test('programs, pictures and markup are rejected, whatever their name', async () => {
  const program = Buffer.concat([Buffer.from('MZ\x90\x00\x03', 'latin1'), Buffer.alloc(200)])
  const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const lateNul = Buffer.concat([Buffer.alloc(70_000, 'a'), Buffer.from([0])])
  for (const content of [program, picture, lateNul, '<!DOCTYPE html><p>Hi', '<?xml version="1.0"?><svg/>']) {
    assert.deepEqual(await detect(content), { fault: 'unknown' })
  }
})

test('half a character of UTF-16 is not text', async () => {
  const cut = Buffer.from('\uFEFFAB', 'utf16le').subarray(0, 5)
  assert.deepEqual(await detect(cut), { fault: 'unknown' })
})

test('the extension matches the kind: a known one is replaced, another is kept before it', () => {
  assert.equal(nameOfKind('resume.pdf', 'pdf'), 'resume.pdf')
  assert.equal(nameOfKind('resume.PDF', 'pdf'), 'resume.PDF')
  assert.equal(nameOfKind('resume.doc', 'rtf'), 'resume.rtf')
  assert.equal(nameOfKind('resume', 'txt'), 'resume.txt')
  assert.equal(nameOfKind('setup.exe', 'txt'), 'setup.exe.txt')
  assert.equal(nameOfKind('Mary v2.1', 'docx'), 'Mary v2.1.docx')
})

const accept = (name: string, content: Buffer | string) =>
  acceptedKind(readerOf(Buffer.from(content)), { name, field: 'resume' }, async () => undefined)

test("text with a document's extension is rejected", async () => {
  const messages = {
    'fake.pdf': "This file ends in .pdf but isn't a PDF.",
    'Fake.PDF': "This file ends in .pdf but isn't a PDF.",
    'cv.pdf. ': "This file ends in .pdf but isn't a PDF.",
    '.pdf': "This file ends in .pdf but isn't a PDF.",
    'folder/..PDF': "This file ends in .pdf but isn't a PDF.",
    'C:\\cv\\ .docx': "This file ends in .docx but isn't a Word document.",
    'cv.doc': "This file ends in .doc but isn't a Word document.",
    'cv.docx': "This file ends in .docx but isn't a Word document.",
    'cv.rtf': "This file ends in .rtf but isn't an RTF document.",
  }
  for (const [name, message] of Object.entries(messages)) {
    const errors = [{ field: 'resume', code: 'file-kind', message }]
    await assert.rejects(accept(name, 'text'), { code: 'invalid-fields', detail: message, errors })
  }
  for (const name of [
    'cv.txt',
    'cv',
    'pdf',
    'cv.pdf.md',
    'notes on .pdf files',
    '',
    '.',
    '.pdf/cv',
    '.txt',
  ]) {
    assert.equal(await accept(name, 'text'), 'txt', name)
  }
})

test('among documents the content decides, not the name', async () => {
  assert.equal(await accept('cv.pdf', '{\\rtf1}'), 'rtf')
  assert.equal(await accept('cv.txt', '%PDF-1.7'), 'pdf')
  assert.equal(hasNewEnding('cv.doc', 'cv.rtf'), true)
  assert.equal(hasNewEnding('cv', 'cv.txt'), true)
  assert.equal(hasNewEnding('folder/Cv.PDF', 'Cv.PDF'), false)
  assert.equal(hasNewEnding('.pdf', 'pdf.pdf'), false)
  // As quick as it is long.
  assert.equal(hasNewEnding(`${'a'.repeat(1_000_000)}/cv.pdf`, 'cv.pdf'), false)
})
