import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, test } from 'node:test'
import { demoFile, wordFile } from '../harness/documents.ts'
import { bodyOf } from '../harness/multipart.ts'
import { Browser, tom } from '../harness/oauth.ts'
import { onOneEngine } from '../harness/service.ts'
import { docOf, docxOf, docxParagraph } from '../harness/word-documents.ts'
import { apply, fieldOf, harbourId, listPath, roasterAd, sendBody } from './apply-form.ts'

const item = (list: number, level = 0) =>
  `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`

const docx = docxOf(
  [
    docxParagraph('Tom &amp; &lt;script&gt;alert(1)&lt;/script&gt;', '<w:pStyle w:val="h1"/>', '<w:b/>'),
    docxParagraph('strong', '', '<w:b/>'),
    docxParagraph('One', item(1)),
    docxParagraph('Deeper', item(1, 1)),
    docxParagraph('Numbered', item(2)),
    `<w:tbl><w:tr><w:tc>${docxParagraph('A')}</w:tc><w:tc>${docxParagraph('B')}</w:tc></w:tr></w:tbl>`,
    docxParagraph('left\u202E'),
  ].join(''),
)
const rendered =
  '<h2 dir="auto">Tom &amp; &lt;script&gt;alert(1)&lt;/script&gt;</h2>' +
  '<p dir="auto"><strong>strong</strong></p>' +
  '<ul><li dir="auto">One<ul><li dir="auto">Deeper</li></ul></li></ul><ol><li dir="auto">Numbered</li></ol>' +
  '<table><tr><td><p dir="auto">A</p></td><td><p dir="auto">B</p></td></tr></table>' +
  '<p dir="auto">left\u202E</p>'

onOneEngine('Word and RTF files as text', (service, { door, signedIn }) => {
  const browser = signedIn(tom)
  let applicationId: number
  before(async () => {
    applicationId = await apply(service(), browser, roasterAd, {
      fields: { resume: 'upload' },
      files: {
        resumeFile: { name: 'tom.docx', content: docx },
        coverLetter: { name: 'tom.doc', content: docOf([{ text: 'Dear', style: 2 }, { text: 'Old Word' }]) },
        selectionCriteria: { name: 'tom.rtf', content: demoFile('aroha-parata-resume.rtf') },
      },
    })
  })

  test('the candidate reads them on the receipt, in sandboxed frames', async () => {
    const path = `${listPath}/${applicationId}`
    const receipt = (await browser.get(path)).text
    for (const type of ['resume', 'coverLetter', 'selectionCriteria']) {
      assert.match(
        receipt,
        new RegExp(`<iframe class="preview-text" sandbox [^>]*src="${path}/files/${type}/text"`),
      )
    }
    assert.match(receipt, /Text only\. Download the file to see its layout and pictures\./)
    const framed = await browser.get(`${path}/files/resume/text`)
    assert.equal(framed.status, 200)
    assert.ok(framed.text.includes(`<div lang="">${rendered}</div>`), framed.text)
    const [, styles = ''] = /<style>(.*?)<\/style>/.exec(framed.text) ?? []
    const hash = createHash('sha256').update(styles).digest('base64')
    assert.deepEqual(
      [
        'content-type',
        'content-security-policy',
        'x-frame-options',
        'x-content-type-options',
        'cache-control',
      ].map(name => framed.headers.get(name)),
      [
        'text/html; charset=utf-8',
        `sandbox; default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'self'`,
        'SAMEORIGIN',
        'nosniff',
        'private, no-store',
      ],
    )
    assert.match(
      (await browser.get(`${path}/files/coverLetter/text`)).text,
      /<h3 dir="auto">Dear<\/h3><p dir="auto">Old Word<\/p>/,
    )
  })

  test('the recruiter reads them in the console', async () => {
    const rex = await Browser.signedIn(door, 'rex@example.com')
    const path = `/console/${harbourId}/applications/${applicationId}`
    assert.equal((await rex.get(path)).text.match(/<iframe class="preview-text" sandbox /g)?.length, 3)
    const framed = await rex.get(`${path}/files/selectionCriteria/text`)
    assert.match(framed.text, /<h2 dir="auto">Aroha Parata<\/h2>/)
    assert.match(framed.text, /<ul><li dir="auto">86 accounts/)
    // Another company's people and visitors who are not signed in do not.
    const nora = await Browser.signedIn(door, 'mary@example.com')
    assert.equal((await nora.get(`${path}/files/resume/text`)).status, 404)
  })

  test('the candidate reads a resume, or that it cannot be read', async () => {
    const paths = { list: '/account/resumes', upload: '/account/resumes/upload' }
    for (const [fileName, content, expected] of [
      ['good.docx', docx, rendered],
      ['broken.doc', wordFile, '<p class="note">This file can’t be shown here. Download it to view it.</p>'],
    ] as const) {
      const token = fieldOf(await browser.form(paths.upload, paths.list), 'form_token') ?? ''
      const body = bodyOf([
        { name: 'form_token', content: token },
        { name: 'file', fileName, content },
      ])
      assert.equal((await sendBody(service(), browser, paths.upload, body)).status, 303)
      const list = (await browser.get(paths.list)).text
      const [, path = ''] =
        new RegExp(`href="(/account/resumes/[\\w-]+)"[^>]*>(?:<[^>]*>)*${fileName}`).exec(list) ?? []
      const page = (await browser.get(path)).text
      const [, src = ''] = /<iframe [^>]*src="([^"]+)"/.exec(page) ?? []
      const framed = await browser.get(src)
      assert.equal(framed.status, 200)
      assert.ok(framed.text.includes(expected), framed.text)
      assert.match(page, /<a class="button second" href="[^"]+" download>Download/)
    }
  })
})
