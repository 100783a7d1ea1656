import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { longTextLength } from '../../src/model/text-lengths.ts'
import { type Form, formTo, wordsOf } from '../harness/html-form.ts'
import { call, harbour } from '../harness/http.ts'
import { bodyOf } from '../harness/multipart.ts'
import { mary } from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import {
  apply,
  behindTheScenes,
  fieldOf,
  harbourId,
  openForm,
  roasterAd,
  sendBody,
  sendForm,
  signedIn,
  summaryOf,
} from './apply-form.ts'

onOneEngineInTurn("a candidate's side of an application", service => {
  const letterOf = async (id: number) =>
    call(service(), `/v1/advertiser/applications/coverletter/${id}`, { headers: harbour })

  test('a typed cover letter arrives as a text file, whatever it begins with', async () => {
    const browser = await signedIn(service(), mary)
    for (const text of [
      'Dear Harbour,\r\n\r\n  I brew. 🙂',
      '%PDF-1.7 is not a file',
      '<html>',
      '{\\rtf1 no',
    ]) {
      const id = await apply(service(), browser, roasterAd, {
        fields: { resume: 'none', coverLetterText: text },
      })
      const { headers, text: sent } = await letterOf(id)
      assert.equal(sent, text.replaceAll('\r\n', '\n'))
      assert.match(String(headers.get('content-type')), /^text\/plain/)
      assert.match(String(headers.get('content-disposition')), /cover-letter\.txt/)
    }
  })

  test('a file counts more than the text, and nothing typed is no letter', async () => {
    const browser = await signedIn(service(), mary)
    const both = await apply(service(), browser, roasterAd, {
      fields: { resume: 'none', coverLetterText: 'typed' },
      files: { coverLetter: { name: 'letter.txt', content: 'from a file' } },
    })
    assert.equal((await letterOf(both)).text, 'from a file')
    const none = await apply(service(), browser, roasterAd, {
      fields: { resume: 'none', coverLetterText: ' \r\n\u200b ' },
    })
    assert.equal((await letterOf(none)).status, 404)
    assert.match(await browser.words(`/jobs/${roasterAd}/apply`), /we send that file and not this text/)
  })

  test('a letter that is too long or cannot be written comes back with what is wrong', async () => {
    const browser = await signedIn(service(), mary)
    const form = await openForm(browser, roasterAd)
    const long = '<b>&"'.repeat(longTextLength / 5 + 1)
    for (const [text, message] of [
      [long, /Use 10000 characters or fewer; you have 10005/],
      ['a\u0007b', /cannot be saved/],
    ] as const) {
      const answer = await sendForm(service(), browser, form, {
        fields: { resume: 'none', coverLetterText: text },
      })
      assert.equal(answer.status, 422)
      assert.deepEqual(
        summaryOf(answer.text).map(([field]) => field),
        ['coverLetterText'],
      )
      assert.match(wordsOf(answer.text), message)
    }
    const again = await sendForm(service(), browser, form, {
      fields: { resume: 'none', email: 'no', coverLetterText: 'One.\r\n<Two> & "three"' },
    })
    assert.match(
      again.text,
      /<textarea id="coverLetterText"[^>]*>\nOne\.\n&lt;Two&gt; &amp; &quot;three&quot;<\/textarea>/,
    )
  })

  /** The form token that pages of this session have for an address. */
  const tokenFor = ({ session = '' }: { session?: string | undefined }, where: string) =>
    createHmac('sha256', session)
      .update(JSON.stringify(['held form', where]))
      .digest('base64url')

  test('is withdrawn by its page, after a question, once', async () => {
    const browser = await signedIn(service(), mary)
    const id = await apply(service(), browser, roasterAd, { fields: { resume: 'none' } })
    const path = `/account/applications/${id}`
    const page = await browser.get(path)
    assert.match(wordsOf(page.text), /Status Received .* hasn’t opened it yet.*No one has read it yet/)
    const action = `${path}/withdraw`
    // For a person who was signed out when they sent the form; no address is a header that cannot be sent.
    assert.equal((await browser.get(action)).headers.get('location'), path)
    for (const odd of ['%0a', '%E2%82%AC', '..%2f..'])
      assert.equal(
        (await browser.get(`/account/applications/${odd}/withdraw`)).headers.get('location'),
        '/account/applications/0',
      )
    const form = formTo(action, page.text)
    const listed = async () =>
      (
        await call(service(), `/v1/advertiser/applications?afterid=${id - 1}&beforeid=${id + 1}`, {
          headers: harbour,
        })
      ).text
    const before = await listed()
    const done = await browser.post(action, form.fields)
    assert.equal(done.headers.get('location'), `${path}?done=withdrawn`)
    const after = await browser.get(`${path}?done=withdrawn`)
    assert.match(
      wordsOf(after.text),
      /Application withdrawn\..*Status Withdrawn You withdrew this application/,
    )
    assert.match(wordsOf(after.text), /Your details in it will be erased on/)
    assert.doesNotMatch(after.text, /\/withdraw"|\/documents"/)
    // The page of another tab still has the form for documents.
    const stale = formTo(`${path}/documents`, page.text)
    const file = { name: 'file', fileName: 'letter.txt', content: 'late' }
    const parts = [...stale.fields.map(([name, content]) => ({ name, content })), file]
    const late = await sendBody(service(), browser, stale.action, bodyOf(parts))
    assert.equal(late.status, 422)
    assert.match(wordsOf(late.text), /the company has seen it, or it was withdrawn\. Nothing was changed\./)
    assert.equal(await listed(), before, 'version 1 lists it unchanged')
    const twice = await browser.post(action, form.fields)
    assert.equal(twice.headers.get('location'), `${path}?done=withdrawn-before`)
    assert.match(await browser.words('/account/applications'), /Withdrawn/)
    // A stranger finds nothing, with a token that is valid for the address in the stranger's own session.
    const other = await signedIn(service(), 'tom@example.com')
    for (const where of [action, '/account/applications/999999/withdraw']) {
      assert.equal((await other.post(where, [['form_token', tokenFor(other, where)]])).status, 404, where)
    }
  })

  test('can be sent again after it was withdrawn, which the job says', async () => {
    const browser = await signedIn(service(), 'tom@example.com')
    const id = await apply(service(), browser, roasterAd, { fields: { resume: 'none' } })
    const action = `/account/applications/${id}/withdraw`
    await browser.post(action, (await browser.form(action, `/account/applications/${id}`)).fields)
    const ad = `/jobs/${roasterAd}`
    const assertSays = async (withdrawn: RegExp) => {
      for (const address of [ad, `${ad}/apply`]) {
        const words = await browser.words(address)
        assert.match(words, withdrawn)
        assert.doesNotMatch(words, /You applied/)
      }
    }
    await assertSays(/You withdrew your application for this job on .*\. You can apply again\./)
    await behindTheScenes(service(), async ({ erasure }) => void (await erasure.erase(harbourId, id)))
    await assertSays(/You withdrew your application for this job\. You can apply again\./)
    assert.ok((await apply(service(), browser, roasterAd, { fields: { resume: 'none' } })) > id)
    assert.match(await browser.words(ad), /You applied for this job on/)
  })

  test('a document is replaced until the company has read it, which the page then says', async () => {
    const browser = await signedIn(service(), mary)
    const id = await apply(service(), browser, roasterAd, {
      fields: { resume: 'none', coverLetterText: 'first' },
    })
    const path = `/account/applications/${id}`
    const action = `${path}/documents`
    const sendFile = (form: Form, name: string, content: string) =>
      sendBody(
        service(),
        browser,
        action,
        bodyOf([
          { name: 'form_token', content: fieldOf(form, 'form_token') ?? '' },
          { name: 'type', content: 'coverLetter' },
          { name: 'file', fileName: name, content },
        ]),
      )
    const send = async (content: string, name = 'letter.txt') => {
      const form = await browser.form(action, path)
      return sendFile(form, name, content)
    }
    // A stranger reaches nothing, with a token that is valid in the stranger's own session.
    const other = await signedIn(service(), 'tom@example.com')
    for (const where of [action, '/account/applications/999999/documents']) {
      const parts = [
        { name: 'form_token', content: tokenFor(other, where) },
        { name: 'type', content: 'coverLetter' },
        { name: 'file', fileName: 'letter.txt', content: 'stolen' },
      ]
      assert.equal((await sendBody(service(), other, where, bodyOf(parts))).status, 404, where)
    }
    assert.match((await browser.get(`${path}/files/coverLetter`)).text, /^first$/)
    const empty = await send('', 'empty.txt')
    assert.equal(empty.status, 422)
    assert.match(wordsOf(empty.text), /This file is empty/)
    const replaced = await send('second')
    assert.equal(replaced.location, `${path}?done=replaced`)
    assert.match(await browser.words(`${path}?done=replaced`), /You replaced your cover letter on/)
    const renamed = await send('{\\rtf1 renamed}', 'letter.doc')
    assert.equal(renamed.location, `${path}?done=replaced&renamed=coverLetter`)
    assert.match(
      await browser.words(renamed.location ?? ''),
      /We sent your cover letter as letter\.rtf ?, because the file is an RTF document\./,
    )
    await send('second')
    const form = await browser.form(action, path)
    assert.equal((await letterOf(id)).text, 'second')
    // The reads of programs are written when a document is replaced, so the next one is too late.
    const late = await sendFile(form, 'letter.txt', 'third')
    assert.equal(late.status, 422)
    assert.match(
      wordsOf(late.text),
      /documents of this application can’t be replaced any longer: the company has seen it/,
    )
    assert.equal((await letterOf(id)).text, 'second')
    const page = await browser.words(path)
    assert.match(page, /Harbour Coffee Roasters downloaded your documents with its software on/)
    assert.match(page, /so its documents can’t be replaced any longer/)
  })

  test('says one thing about an application that only software has read, in the list and on its page', async () => {
    const browser = await signedIn(service(), mary)
    const id = await apply(service(), browser, roasterAd, { fields: { resume: 'none' } })
    const path = `/account/applications/${id}`
    const unread = await browser.words(path)
    assert.match(unread, /hasn’t opened it yet.*First read Not yet.*No one has read it yet/)
    assert.match(unread, /Not recorded: lists and searches .* your name, email address, job and status/)
    const sentAt = await behindTheScenes(service(), async ({ reads, database }) => {
      const own = database.reader.selectFrom('own_applications').where('application_id', '=', id)
      const { at } = await own.select('submitted_at as at').executeTakeFirstOrThrow()
      // A program's range of the day, which began before the application was sent and has grown since.
      reads.list(harbourId, 'credential:7', id - 1, id)
      await reads.flush()
      const range = database.writer.updateTable('list_reads').where('reader', '=', 'credential:7')
      await range.set({ first_at: at - 60_000, last_at: at + 60_000 }).execute()
      return at
    })
    const page = (await browser.get(path)).text
    const words = wordsOf(page)
    assert.match(words, /Harbour Coffee Roasters has collected your application with its software\./)
    assert.match(words, /Harbour Coffee Roasters collected it with its software on/)
    assert.match(words, /The company has read this application, so its documents can’t be replaced/)
    assert.doesNotMatch(words, /hasn’t opened|Not yet|No one has read/)
    // Never before it was sent, and the same time everywhere.
    const readAt = `datetime="${new Date(sentAt + 60_000).toISOString()}"`
    assert.equal(page.split(readAt).length - 1, 2)
    const list = (await browser.get('/account/applications')).text
    const row = list.slice(list.indexOf(`href="${path}"`)).split('</li>')[0] ?? ''
    assert.ok(row.includes(readAt) && row.includes('first read on'), row)
  })

  test('names every reader, and no person of the company', async () => {
    const browser = await signedIn(service(), mary)
    const id = await apply(service(), browser, roasterAd, { fields: { resume: 'none' } })
    const rex = await signedIn(service(), 'rex@example.com')
    await rex.get(`/console/${harbourId}/applications/${id}`)
    await behindTheScenes(service(), async ({ reads }) => {
      reads.list(harbourId, 'agent:20000001', id, id)
      await reads.flush()
    })
    assert.match(await browser.words('/account/applications'), /sent on [^,]*, first read on/)
    const words = await browser.words(`/account/applications/${id}`)
    assert.match(words, /Status Opened Harbour Coffee Roasters has opened your application/)
    assert.match(words, /Harbour Coffee Roasters opened it on/)
    assert.match(words, /Northwind\S* .*collected it for Harbour Coffee Roasters on/)
    assert.doesNotMatch(words, /\bRex\b/)
  })
})
