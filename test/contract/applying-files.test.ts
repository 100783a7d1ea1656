import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { maryId, tomId } from '../../src/demo/world/world.ts'
import { createScanningStore } from '../../src/operator/upkeep/scanning-store.ts'
import { demoFile, officeZip, pdfOf, wordFile } from '../harness/documents.ts'
import { formTo, wordsOf } from '../harness/html-form.ts'
import { call, harbour } from '../harness/http.ts'
import { bodyOf, boundary, cookiesOf } from '../harness/multipart.ts'
import { mary, tom } from '../harness/oauth.ts'
import { onOneEngine } from '../harness/service.ts'
import {
  apply,
  applyPath,
  baristaAd,
  behindTheScenes,
  deliveredToHarbour,
  type FormFile,
  fieldOf,
  filesKept,
  goodAnswers,
  harbourId,
  listPath,
  openForm,
  partsOf,
  roasterAd,
  sendBody,
  sendForm,
  sentId,
  signedIn,
  summaryOf,
} from './apply-form.ts'

const mebibyte = 1024 * 1024

/** Files are handled the same way on every database, so there is one here. */
onOneEngine('files of an application', service => {
  async function download(type: string, applicationId: number) {
    const answer = await call(service(), `/v1/advertiser/applications/${type}/${applicationId}`, {
      headers: harbour,
    })
    return {
      bytes: answer.bytes,
      type: answer.headers.get('content-type'),
      disposition: answer.headers.get('content-disposition') ?? '',
    }
  }

  test('of every kind are delivered by version 1 byte for byte', async () => {
    const browser = await signedIn(service(), tom)
    const kinds: [FormFile, string, string][] = [
      [{ name: 'a.pdf', content: demoFile('mary-nguyen-resume.pdf') }, 'a.pdf', 'application/pdf'],
      [{ name: 'a.doc', content: wordFile }, 'a.doc', 'application/msword'],
      [
        { name: 'a.docx', content: demoFile('zoe-brennan-resume.docx') },
        'a.docx',
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      ],
      [{ name: 'a.doc', content: demoFile('aroha-parata-resume.rtf') }, 'a.rtf', 'application/rtf'],
      [{ name: 'a', content: 'Tēnā koe' }, 'a.txt', 'text/plain'],
    ]
    for (const [file, name, type] of kinds) {
      // Three different files in one form: none replaces another.
      const others = { coverLetter: 'The letter', selectionCriteria: 'The criteria' }
      const id = await apply(service(), browser, roasterAd, {
        fields: { resume: 'upload' },
        files: {
          resumeFile: file,
          coverLetter: { name: 'l.txt', content: others.coverLetter },
          selectionCriteria: { name: 'c.txt', content: others.selectionCriteria },
        },
      })
      const resume = await download('resume', id)
      assert.deepEqual(resume.bytes, Buffer.from(file.content))
      assert.equal(resume.type, type)
      assert.equal(resume.disposition, `attachment; filename=${name}`)
      const own = await browser.get(`${listPath}/${id}/files/resume`)
      assert.equal(own.headers.get('content-disposition'), resume.disposition)
      const framed = await browser.get(`${listPath}/${id}/files/resume/text`)
      assert.equal(framed.status, type === 'application/pdf' ? 404 : 200, type)
      for (const [field, content] of Object.entries(others)) {
        assert.equal((await download(field.toLowerCase(), id)).bytes.toString(), content)
        // The candidate can download them too, and no browser caches them.
        for (const path of [`${listPath}/${id}/files/${field}`, `${listPath}/${id}/files/${field}/text`]) {
          const own = await browser.get(path)
          assert.equal(own.text, content, path)
          assert.equal(own.headers.get('cache-control'), 'private, no-store')
        }
      }
    }
  })

  test('are rejected by their content, with the form, and leave no file behind', async () => {
    const browser = await signedIn(service(), tom)
    const kept = await filesKept(service())
    const program = Buffer.concat([Buffer.from('MZ\x90\x00\x03', 'latin1'), Buffer.alloc(2000)])
    const bomb = officeZip('document', [{ name: 'word/zeros', content: '', saidSize: 101 * mebibyte }])
    const bad: [string, FormFile, number, RegExp][] = [
      ['resumeFile', { name: 'cv.pdf', content: program }, 422, /^Resume: This is not a PDF, Word, RTF/],
      [
        'resumeFile',
        { name: 'fake.pdf', content: 'text' },
        422,
        /^Resume: .*ends in \.pdf but isn’t a PDF\.$/,
      ],
      ['coverLetter', { name: 'empty.txt', content: '' }, 422, /^Cover letter: This file is empty/],
      ['selectionCriteria', { name: 'b.docx', content: bomb }, 422, /^Selection criteria: .*too large when/],
      [
        'coverLetter',
        { name: 'big.pdf', content: pdfOf(10 * mebibyte + 1) },
        413,
        /must be 10 MB or smaller/,
      ],
    ]
    for (const [field, file, status, message] of bad) {
      const form = await openForm(browser, baristaAd)
      const fields = { ...goodAnswers, lastName: 'Kept', resume: field === 'resumeFile' ? 'upload' : 'none' }
      // The valid ones beside it are discarded too.
      const files = { coverLetter: { name: 'l.txt', content: 'A letter' }, [field]: file }
      const answer = await sendForm(service(), browser, form, { fields, files })
      assert.equal(answer.status, status, answer.text)
      const [[place, text] = ['', ''], ...others] = summaryOf(answer.text)
      assert.deepEqual([place, others], [field, []])
      assert.match(text, message)
      const again = formTo(applyPath(baristaAd), answer.text)
      assert.equal(fieldOf(again, 'lastName'), 'Kept')
      assert.equal(fieldOf(again, 'question-7001'), '90013')
      assert.match(
        answer.text,
        new RegExp(`id="${field}"[^>]*aria-invalid="true" aria-describedby="${field}-hint ${field}-fault"`),
      )
    }
    assert.deepEqual(await filesKept(service()), kept)
    const max = { resumeFile: { name: 'most.pdf', content: pdfOf(10 * mebibyte) } }
    await apply(service(), browser, roasterAd, { fields: { resume: 'upload' }, files: max })
  })

  test('with the wrong extension get the right one, and the receipt says so', async () => {
    const browser = await signedIn(service(), tom)
    const form = await openForm(browser, roasterAd)
    const { location } = await sendForm(service(), browser, form, {
      fields: { resume: 'upload' },
      files: {
        resumeFile: { name: 'cv.pdf', content: demoFile('aroha-parata-resume.rtf') },
        coverLetter: { name: 'letter', content: 'A letter' },
        selectionCriteria: { name: 'criteria.txt', content: 'Criteria' },
      },
    })
    const receipt = await browser.words(location ?? '')
    assert.match(receipt, /We sent your resume as cv\.rtf ?, because the file is an RTF document\./)
    assert.match(receipt, /We sent your cover letter as letter\.txt ?, because the file is plain text\./)
    assert.doesNotMatch(receipt, /We sent your selection criteria/)
    const later = await browser.words((location ?? '').replace(/\?.*/, ''))
    assert.doesNotMatch(later, /We sent your/)
  })

  test('may have any name, and get a safe one', async () => {
    const browser = await signedIn(service(), tom)
    const names: [string, string, RegExp][] = [
      // As browsers write quotes and line breaks in a header.
      ['a%22b%22.txt', 'quotes', /^[^"]*$/],
      ['a\\"b.txt', 'escaped quotes', /^[^"\\]*\.txt$/],
      ['a%0D%0AX-Evil: 1.txt', 'line breaks', /^[^\r\n:]*\.txt$/],
      ['../../etc/passwd.txt', 'path parts', /^passwd\.txt$/],
      ['C:\\\\Users\\\\tom\\\\cv.txt', 'path parts of Windows', /^cv\.txt$/],
      ['cv\u202Etxt.exe', 'right-to-left mark', /^cvtxt\.exe\.txt$/],
      [`${'n'.repeat(300)}.txt`, '300 characters', /^n{100,150}\.txt$/],
    ]
    for (const [name, what, expected] of names) {
      const files = { coverLetter: { name, content: 'A letter' } }
      const id = await apply(service(), browser, roasterAd, { fields: { resume: 'none' }, files })
      const { text } = await browser.get(`${listPath}/${id}`)
      const [, shown = ''] = /<bdi>([^<]*)<\/bdi><span class="hint">8 bytes</.exec(text) ?? []
      assert.match(shown, expected, what)
      assert.ok(shown.length <= 150, what)
      const { disposition, bytes } = await download('coverletter', id)
      assert.match(disposition, /^attachment; filename=("[\x20-\x7e]+"|[\w.%]+)(;|$)/, what)
      assert.equal(bytes.toString(), 'A letter')
    }
  })

  test('in a damaged form are answered at once', async () => {
    const browser = await signedIn(service(), tom)
    const { text } = await browser.get(applyPath(roasterAd))
    const parts = bodyOf(partsOf(formTo(applyPath(roasterAd), text), {})).toString()
    const damaged = parts.replace(/(name="coverLetter"[^\r]*\r\n)\r\n/, '$1')
    assert.notEqual(damaged, parts)
    assert.equal((await sendBody(service(), browser, applyPath(roasterAd), Buffer.from(damaged))).status, 400)
  })

  test('that break off half-way leave nothing behind', async () => {
    const browser = await signedIn(service(), tom)
    const kept = await filesKept(service())
    const form = await openForm(browser, roasterAd)
    const files = {
      resumeFile: { name: 'whole.pdf', content: pdfOf(mebibyte) },
      coverLetter: { name: 'half.pdf', content: pdfOf(2 * mebibyte) },
    }
    const body = bodyOf(partsOf(form, { fields: { resume: 'upload' }, files }))
    const { host, hostname } = new URL(service().baseUrl)
    const head = `POST ${form.action} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookiesOf(browser)}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}\r\n\r\n`
    // One file complete and the next half, and all files complete but not the end of the request.
    for (const end of [2 * mebibyte, body.length - 4]) {
      const socket = connect({ host: hostname, port: service().port })
      socket.write(head)
      socket.write(body.subarray(0, end))
      while ((await filesKept(service())).length < kept.length + 2) await sleep(10)
      socket.destroy()
      while ((await filesKept(service())).length > kept.length) await sleep(10)
    }
    assert.deepEqual(await filesKept(service()), kept)
    // The same form, complete: it had made no application before.
    const sent = await sendForm(service(), browser, form, { fields: { resume: 'upload' }, files })
    assert.match(sent.location ?? '', /\/account\/applications\/\d+$/)
  })

  test('must agree with the choice of a resume', async () => {
    const browser = await signedIn(service(), tom)
    const kept = await filesKept(service())
    const resumeFile = { name: 'cv.txt', content: 'Tom' }
    const tries: [Record<string, string>, Record<string, FormFile>, [string, RegExp]][] = [
      [
        { resume: 'none' },
        { resumeFile },
        ['resumeFile', /You chose a file here, but a different option above/],
      ],
      [{ resume: 'upload' }, {}, ['resumeFile', /Choose a file to upload/]],
      [{ resume: '' }, {}, ['resume', /Choose a resume, or “No resume”/]],
    ]
    for (const [fields, files, [field, message]] of tries) {
      const form = await openForm(browser, roasterAd)
      const answer = await sendForm(service(), browser, form, { fields, files })
      assert.equal(answer.status, 422)
      const [[place, text] = ['', '']] = summaryOf(answer.text)
      assert.equal(place, field)
      assert.match(text, message)
    }
    assert.deepEqual(await filesKept(service()), kept)
  })

  test('that are stored resumes are sent unchanged, and stay when the resume is deleted', async () => {
    const browser = await signedIn(service(), mary)
    const form = await openForm(browser, roasterAd)
    const resumeId = fieldOf(form, 'resume') ?? ''
    const id = await apply(service(), browser, roasterAd)
    const [attachment] = (await deliveredToHarbour(service(), id)).Attachments
    assert.equal(attachment.HasVirus, false, 'judged when it was uploaded')
    const toms = await signedIn(service(), tom)
    const stolen = await sendForm(service(), toms, await openForm(toms, roasterAd), {
      fields: { resume: resumeId },
    })
    assert.equal(stolen.status, 422)
    assert.match(summaryOf(stolen.text)[0]?.[1] ?? '', /This resume can’t be sent/)

    await behindTheScenes(service(), ({ profiles }) => profiles.removeResume(maryId, resumeId))
    const late = await sendForm(service(), browser, form)
    assert.equal(late.status, 422)
    assert.match(summaryOf(late.text)[0]?.[1] ?? '', /it was deleted/)
    assert.equal(
      fieldOf(formTo(applyPath(roasterAd), late.text), 'resume'),
      undefined,
      'none is chosen for her',
    )
    assert.deepEqual((await download('resume', id)).bytes, demoFile('mary-nguyen-resume.pdf'))
  })

  test('with a virus are reported plainly, and infected resumes cannot be chosen', async () => {
    const browser = await signedIn(service(), tom)
    const upload = { name: 'mine.txt', content: 'Tom' }
    const id = await apply(service(), browser, roasterAd, {
      fields: { resume: 'upload' },
      files: { resumeFile: upload, coverLetter: upload },
    })
    await behindTheScenes(service(), ({ applications }) =>
      applications.recordVerdict(harbourId, id, 'coverLetter', 'infected'),
    )
    const receipt = (await browser.get(`${listPath}/${id}`)).text
    const words = wordsOf(receipt)
    assert.match(
      words,
      /We found a virus in your cover letter mine\.txt \. Harbour Coffee Roasters has your application, but not the content of this file/,
    )
    assert.match(receipt, /<a href="\/jobs\/32\/apply">Apply again with a clean copy<\/a>/)
    assert.match(words, /Resume: mine\.txt 3 bytes Download mine\.txt /)
    assert.match(await browser.words(listPath), /Cover letter: mine\.txt virus found/)

    const body = bodyOf([
      {
        name: 'form_token',
        content:
          fieldOf(await browser.form('/account/resumes/upload', '/account/resumes'), 'form_token') ?? '',
      },
      { name: 'file', fileName: 'bad.txt', content: 'Bad' },
    ])
    assert.equal((await sendBody(service(), browser, '/account/resumes/upload', body)).status, 303)
    const form = await openForm(browser, roasterAd)
    const resume = fieldOf(form, 'resume') ?? ''
    await behindTheScenes(service(), ({ database }) =>
      createScanningStore(database).recordResumeVerdict(tomId, resume, 'infected', Date.now()),
    )
    const refused = await sendForm(service(), browser, form)
    assert.equal(refused.status, 422)
    assert.match(summaryOf(refused.text)[0]?.[1] ?? '', /a virus was found in it/)
    assert.match(refused.text, new RegExp(`value="${resume}" disabled> <span><bdi>bad\\.txt`))
    assert.match(refused.text, /<input type="radio" id="resume" name="resume" value="upload"/)
  })

  test('are limited in number, so that no one can fill the disk', async () => {
    const browser = await signedIn(service(), tom)
    const form = await openForm(browser, roasterAd)
    const id = sentId(await sendForm(service(), browser, form, { fields: { resume: 'none' } }))
    for (const [path, max, name] of [
      [applyPath(roasterAd), 60, 'applications'],
      ['/account/resumes/upload', 100, 'resume-uploads'],
    ] as const) {
      let answer = await sendBody(service(), browser, path, bodyOf([]))
      // The hour may end meanwhile, but not twice.
      for (let sent = 0; sent < 2 * max && answer.status !== 429; sent++) {
        assert.equal(answer.status, 403)
        answer = await sendBody(service(), browser, path, bodyOf([]))
      }
      assert.equal(answer.status, 429, name)
      assert.match(answer.text, /Try again in \d+ (minutes|seconds)/)
      // The oldest of the minutes counts whole.
      assert.ok(Number(answer.headers.get('retry-after')) <= 3660)
      assert.equal(answer.headers.get('ratelimit-policy'), `"${name}";q=${max};w=3600`)
    }
    // An application that was sent is not new.
    const again = await sendForm(service(), browser, form, { fields: { resume: 'none' } })
    assert.equal(again.location, `${listPath}/${id}?repeated=1`)
  })
})
