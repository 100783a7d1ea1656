import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoFile, officeZip, readerOf, zipOf } from '../../../test/harness/documents.ts'
import { createArchiveCheck } from './document-check.ts'

const check = createArchiveCheck({ documentParts: 20, documentBytes: 1_000_000 })
const judge = (bytes: Buffer) => check(readerOf(bytes))

test('accepts documents', async () => {
  for (const name of [
    'ahmed-haddad-resume.docx',
    'mary-nguyen-cover-letter.docx',
    'zoe-brennan-resume.docx',
  ]) {
    assert.equal(await judge(demoFile(name)), undefined, name)
  }
  assert.equal(await judge(officeZip('document')), undefined)
})

test('rejects other archives: spreadsheets, macros, plain ones, empty ones', async () => {
  assert.equal(await judge(officeZip('workbook')), 'other-archive')
  assert.equal(await judge(officeZip('macros')), 'other-archive')
  assert.equal(await judge(zipOf([{ name: 'word/document.xml', content: '<x/>' }])), 'other-archive')
  assert.equal(await judge(zipOf([])), 'other-archive')
})

test('rejects a damaged archive', async () => {
  const whole = officeZip('document')
  for (const end of [4, 30, whole.length - 60, whole.length - 1]) {
    assert.equal(await judge(whole.subarray(0, end)), 'other-archive', `cut at ${end}`)
  }
})

test('detects a zip bomb by its stated size', async () => {
  const bomb = officeZip('document', [{ name: 'word/media/a.bin', content: Buffer.alloc(1_000_001) }])
  assert.ok(bomb.length < 3_000)
  assert.equal(await judge(bomb), 'bomb')
})

test('detects a zip bomb in several entries by their sum', async () => {
  const parts = Array.from({ length: 3 }, (_, index) => ({
    name: `word/media/${index}.bin`,
    content: Buffer.alloc(400_000),
  }))
  assert.equal(await judge(officeZip('document', parts.slice(0, 2))), undefined)
  assert.equal(await judge(officeZip('document', parts)), 'bomb')
})

test('stops a zip bomb that lies about its size where it exceeds that size', async () => {
  const liar = { name: 'word/media/a.bin', content: Buffer.alloc(50_000_000), saidSize: 1_000 }
  assert.equal(await judge(officeZip('document', [liar])), 'other-archive')
})

test('treats too many entries as a zip bomb', async () => {
  const parts = Array.from({ length: 19 }, (_, index) => ({ name: `word/${index}`, content: 'x' }))
  assert.equal(await judge(officeZip('document', parts.slice(0, 18))), undefined)
  assert.equal(await judge(officeZip('document', parts)), 'bomb')
})

test('reports an encrypted entry as such', async () => {
  const locked = { name: 'word/document.xml', content: 'x', isEncrypted: true }
  assert.equal(await judge(officeZip('document', [locked])), 'protected')
})
