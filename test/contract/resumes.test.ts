import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  demoFile,
  lockedFile,
  officeZip,
  pdfOf,
  spreadsheetFile,
  wordFile,
  zipOf,
} from '../harness/documents.ts'
import { formsOf, formTo, textOf } from '../harness/html-form.ts'
import { raw } from '../harness/http.ts'
import { bodyOf, boundary, cookiesOf } from '../harness/multipart.ts'
import { Browser, doorOf, mary, tom } from '../harness/oauth.ts'
import { storedBlobs } from '../harness/s3.ts'
import { onOneEngine, type Service } from '../harness/service.ts'

const paths = { list: '/account/resumes', upload: '/account/resumes/upload' }
const mebibyte = 1024 * 1024

const signedIn = (service: Service, email: string) => Browser.signedIn(doorOf(service), email)

async function uploadToken(browser: Browser): Promise<string> {
  const form = await browser.form(paths.upload, paths.list)
  return form.fields.find(([name]) => name === 'form_token')?.[1] ?? ''
}

/** Sends the bytes unchanged; the browser of the harness sends text only. */
async function sendBody(
  service: Service,
  browser: Browser,
  body: Buffer,
  type = `multipart/form-data; boundary=${boundary}`,
) {
  const answer = await fetch(service.baseUrl + paths.upload, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookiesOf(browser), 'content-type': type },
    body: new Uint8Array(body),
  })
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() }
}

async function upload(service: Service, browser: Browser, fileName: string, content: Buffer | string) {
  const token = await uploadToken(browser)
  const parts = [
    { name: 'form_token', content: token },
    { name: 'file', fileName, content },
  ]
  return sendBody(service, browser, bodyOf(parts))
}

interface Listed {
  id: string
  name: string
  text: string
  isDefault: boolean
}

async function listed(browser: Browser): Promise<Listed[]> {
  const { text } = await browser.get(paths.list)
  return [...text.matchAll(/<li><svg.*?class="line">.*?<bdi>(.*?)<\/bdi>(.*?)<\/li>/gs)].map(
    ([, name = '', rest = '']) => ({
      id: /delete\?resume=([\w-]+)/.exec(rest)?.[1] ?? '',
      name: textOf(name),
      text: rest.replace(/<[^>]*>/g, ''),
      isDefault: rest.includes('>Default</span>'),
    }),
  )
}

const names = async (browser: Browser) =>
  (await listed(browser)).map(({ name, isDefault }) => `${name}${isDefault ? ' *' : ''}`)

async function press(browser: Browser, action: string, resumeId: string) {
  const from = action.endsWith('delete') ? `${action}?resume=${resumeId}` : paths.list
  const { text } = await browser.get(from)
  const form = formsOf(text).find(
    candidate => candidate.action === action && candidate.fields.some(([, value]) => value === resumeId),
  )
  assert.ok(form, `no form for ${action}`)
  return browser.submit(form)
}

async function removeAll(browser: Browser): Promise<void> {
  for (const { id } of await listed(browser)) await press(browser, '/account/resumes/delete', id)
}

/** Every file of the blob store, incomplete ones included. */
async function filesKept(service: Service): Promise<string[]> {
  return storedBlobs(service.settings ?? {}).names()
}

onOneEngine('resumes', service => {
  test('require a sign-in', async () => {
    const browser = new Browser(doorOf(service()))
    const answer = await browser.get(paths.list)
    assert.equal(answer.headers.get('location'), '/sign-in?continue=%2Faccount%2Fresumes')
    const sent = await sendBody(
      service(),
      browser,
      bodyOf([{ name: 'file', fileName: 'a.txt', content: 'x' }]),
    )
    assert.equal(sent.status, 303)
    assert.equal(sent.location, '/sign-in?continue=%2Faccount%2Fresumes%2Fupload')
    // Where the sign-in leads afterwards.
    const back = await (await signedIn(service(), tom)).get(paths.upload)
    assert.equal(back.headers.get('location'), paths.list)
  })

  test('begin with none, and the page says so', async () => {
    const browser = await signedIn(service(), tom)
    const { text } = await browser.get(paths.list)
    assert.match(text, /No resume yet/)
    assert.deepEqual(await listed(browser), [])
  })

  test('are accepted in every kind, named after it, and returned byte for byte', async () => {
    const browser = await signedIn(service(), tom)
    const kinds: [string, string, string, Buffer | string][] = [
      ['cv.pdf', 'cv.pdf', 'application/pdf', demoFile('mary-nguyen-resume.pdf')],
      [
        'cv.docx',
        'cv.docx',
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        demoFile('zoe-brennan-resume.docx'),
      ],
      ['cv.doc', 'cv.doc', 'application/msword', wordFile],
      ['cv.doc', 'cv.rtf', 'application/rtf', demoFile('aroha-parata-resume.rtf')],
      ['résumé', 'résumé.txt', 'text/plain', 'Tēnā koe'],
    ]
    for (const [sent, stored, type, content] of kinds) {
      const answer = await upload(service(), browser, sent, content)
      const [ending, kind] = [sent, stored].map(name => name.split('.')[1])
      const renamed = ending === kind ? '' : `&renamed=${kind}`
      assert.equal(answer.location, `/account/resumes?done=uploaded${renamed}`, answer.text)
      const [newest] = await listed(browser)
      assert.equal(newest?.name, stored)
      assert.doesNotMatch(newest?.text ?? '', /virus/, 'nothing is scanned here')
      const file = await browser.get(`/account/resumes/file/${newest?.id}`)
      assert.equal(file.status, 200)
      assert.deepEqual(file.bytes, Buffer.from(content))
      assert.equal(file.headers.get('content-type'), type)
      assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename=/)
      assert.match(file.headers.get('cache-control') ?? '', /private/)
      const head = await browser.send('HEAD', `/account/resumes/file/${newest?.id}`)
      assert.deepEqual(
        [head.status, head.headers.get('content-length'), head.bytes.length],
        [200, String(file.bytes.length), 0],
      )
    }
    const told = async (query: string) => textOf((await browser.get(`${paths.list}?done=${query}`)).text)
    assert.match(await told('uploaded&renamed=rtf'), /It is an RTF document, so its name now ends in \.rtf\./)
    assert.doesNotMatch(await told('uploaded&renamed=exe'), /its name now/)
    assert.deepEqual(await names(browser), ['résumé.txt', 'cv.rtf', 'cv.doc', 'cv.docx', 'cv.pdf *'])
    await removeAll(browser)
  })

  test('are rejected by their content, whatever their name, and leave nothing behind', async () => {
    const browser = await signedIn(service(), tom)
    const before = await filesKept(service())
    const program = Buffer.concat([Buffer.from('MZ\x90\x00\x03', 'latin1'), Buffer.alloc(2000)])
    const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(500)])
    const bomb = officeZip('document', [{ name: 'word/media/zeros', content: '', saidSize: 101 * mebibyte }])
    const bad: [string, Buffer | string, RegExp][] = [
      ['resume.pdf', program, /not a PDF, Word, RTF or plain text file/],
      ['resume.exe', program, /not a PDF, Word, RTF or plain text file/],
      ['resume.pdf', picture, /not a PDF, Word, RTF or plain text file/],
      ['fake.pdf', 'text', /This file ends in \.pdf but isn’t a PDF\./],
      ['resume.txt', '', /This file is empty/],
      ['resume.doc', spreadsheetFile, /not a Word document/],
      ['resume.doc', lockedFile, /password-protected/],
      ['resume.docx', zipOf([{ name: 'a.txt', content: 'x' }]), /archive, not a Word document/],
      ['resume.docx', officeZip('workbook'), /archive, not a Word document/],
      ['resume.docx', officeZip('document').subarray(0, 100), /archive, not a Word document/],
      ['resume.docx', bomb, /too large when unpacked/],
    ]
    for (const [name, content, message] of bad) {
      const answer = await upload(service(), browser, name, content)
      assert.equal(answer.status, 422, `${name} ${message}`)
      const [, alert = ''] = /role="alert"[^>]*>(.*?)<\/div>/s.exec(answer.text) ?? []
      assert.match(alert, message)
      assert.match(
        answer.text,
        /<input type="file"[^>]*aria-invalid="true"[^>]*aria-describedby="file-hint file-fault"/,
      )
    }
    assert.deepEqual(await listed(browser), [])
    assert.deepEqual(await filesKept(service()), before)
  })

  test('may have ten mebibytes and not a byte more', async () => {
    const browser = await signedIn(service(), tom)
    const max = await upload(service(), browser, 'most.pdf', pdfOf(10 * mebibyte))
    assert.equal(max.location, '/account/resumes?done=uploaded', max.text)
    const before = await filesKept(service())
    const more = await upload(service(), browser, 'more.pdf', pdfOf(10 * mebibyte + 1))
    assert.equal(more.status, 413)
    assert.match(more.text, /The file must be 10 MB or smaller/)
    const muchMore = await upload(service(), browser, 'more.pdf', pdfOf(40 * mebibyte))
    assert.equal(muchMore.status, 413)
    assert.deepEqual(await names(browser), ['most.pdf *'])
    assert.deepEqual(await filesKept(service()), before)
    await removeAll(browser)
  })

  test('that break off half-way leave nothing behind', async () => {
    const browser = await signedIn(service(), tom)
    const before = await filesKept(service())
    const token = await uploadToken(browser)
    const body = bodyOf([
      { name: 'form_token', content: token },
      { name: 'file', fileName: 'cv.pdf', content: pdfOf(2 * mebibyte) },
    ])
    const head = `POST ${paths.upload} HTTP/1.1\r\nHost: ${new URL(service().baseUrl).host}\r\nCookie: ${cookiesOf(browser)}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}\r\n\r\n`
    // In the middle of the file, and with the complete file but not the end of the request.
    for (const end of [mebibyte, body.length - 4]) {
      const socket = connect({ host: new URL(service().baseUrl).hostname, port: service().port })
      socket.write(head)
      socket.write(body.subarray(0, end))
      while ((await filesKept(service())).length === before.length) await sleep(10)
      socket.destroy()
      while ((await filesKept(service())).length > before.length) await sleep(10)
      assert.deepEqual(await listed(browser), [])
    }
    assert.deepEqual(await filesKept(service()), before)
  })

  test('that cannot be decoded get a response while their reader still waits for the rest', async () => {
    const browser = await signedIn(service(), tom)
    const { host } = new URL(service().baseUrl)
    const head = `POST ${paths.upload} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookiesOf(browser)}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nTransfer-Encoding: chunked\r\n\r\n`
    assert.match(await raw(service(), `${head}no length\r\n`), /^HTTP\/1\.1 400 .*"code":"bad-request"/s)
  })

  test('are accepted only with the form of the page, before the file', async () => {
    const browser = await signedIn(service(), tom)
    const before = await filesKept(service())
    const token = { name: 'form_token', content: await uploadToken(browser) }
    const foreign = { name: 'form_token', content: await uploadToken(await signedIn(service(), mary)) }
    const file = { name: 'file', fileName: 'a.txt', content: 'text' }
    for (const parts of [[file], [foreign, file], [file, token], [foreign]]) {
      const answer = await sendBody(service(), browser, bodyOf(parts))
      assert.equal(answer.status, 403)
      assert.match(answer.text, /Form expired/)
    }
    assert.deepEqual(await listed(browser), [])
    assert.deepEqual(await filesKept(service()), before)
  })

  test('come one at a time, complete, and as a form', async () => {
    const browser = await signedIn(service(), tom)
    const before = await filesKept(service())
    const token = { name: 'form_token', content: await uploadToken(browser) }
    const file = { name: 'file', fileName: 'a.txt', content: 'text' }
    const attempt = async (body: Buffer, type?: string) =>
      (await sendBody(service(), browser, body, type)).status
    const nothing = await sendBody(
      service(),
      browser,
      bodyOf([token, { name: 'file', fileName: '', content: '' }]),
    )
    assert.equal(nothing.status, 422)
    assert.match(nothing.text, /Choose a file first/)
    assert.equal(await attempt(bodyOf([token])), 422)
    const two = await sendBody(service(), browser, bodyOf([token, file, file]))
    assert.equal(two.status, 422)
    assert.match(two.text, /Send only one file in this field/)
    const whole = bodyOf([token, file])
    assert.equal(await attempt(whole.subarray(0, whole.length - 4)), 400, 'not closed')
    assert.equal(await attempt(whole, 'multipart/form-data'), 400, 'no boundary')
    assert.equal(await attempt(whole, 'application/x-www-form-urlencoded'), 415)
    assert.equal(await attempt(Buffer.alloc(0)), 400)
    const headless = `--${boundary}\r\nContent-Disposition: form-data; name="file"\r\n--${boundary}--\r\n`
    assert.equal(await attempt(Buffer.from(headless)), 400, 'no blank line')
    assert.deepEqual(await listed(browser), [])
    assert.deepEqual(await filesKept(service()), before)
  })

  test('have one default, chosen by the candidate, and another when it is deleted', async () => {
    const browser = await signedIn(service(), tom)
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await upload(service(), browser, name, name)
    const [, b] = await listed(browser)
    const chosen = await press(browser, '/account/resumes/default', b?.id ?? '')
    assert.equal(chosen.headers.get('location'), '/account/resumes?done=chosen')
    assert.deepEqual(await names(browser), ['c.txt', 'b.txt *', 'a.txt'])

    const question = await browser.get(`/account/resumes/delete?resume=${b?.id}`)
    assert.match(question.text, /<h1>Delete this resume\?<\/h1>/)
    assert.match(question.text, /This is your default resume/)
    assert.deepEqual(await names(browser), ['c.txt', 'b.txt *', 'a.txt'], 'asking deletes nothing')
    const deleted = await press(browser, '/account/resumes/delete', b?.id ?? '')
    assert.equal(deleted.headers.get('location'), '/account/resumes?done=deleted')
    assert.deepEqual(await names(browser), ['c.txt *', 'a.txt'])
    assert.equal((await browser.get(`/account/resumes/file/${b?.id}`)).status, 404)
    await removeAll(browser)
  })

  test('of another person cannot be seen, chosen or deleted, and look as if they did not exist', async () => {
    const [resume] = await listed(await signedIn(service(), mary))
    assert.equal(resume?.name, 'Mary Nguyen - Resume.pdf')
    const browser = await signedIn(service(), tom)
    await upload(service(), browser, 'a.txt', 'mine')
    await upload(service(), browser, 'b.txt', 'mine, too')
    const [own] = await listed(browser)
    const nobodys = '00000000-0000-4000-8000-000000000000'
    for (const id of [resume?.id ?? '', nobodys, "'--"]) {
      const path = encodeURIComponent(id)
      assert.equal((await browser.get(`/account/resumes/file/${path}`)).status, 404)
      assert.equal((await browser.get(`/account/resumes/delete?resume=${path}`)).status, 404)
      const list = await browser.form('/account/resumes/upload', paths.list)
      assert.ok(list)
      const asked = (await browser.get(`/account/resumes/delete?resume=${own?.id}`)).text
      const answer = await browser.submit(formTo('/account/resumes/delete', asked), {
        fields: { resume: id },
      })
      assert.equal(answer.status, 404)
    }
    assert.deepEqual(await names(browser), ['b.txt', 'a.txt *'])
    assert.deepEqual(await names(await signedIn(service(), mary)), ['Mary Nguyen - Resume.pdf *'])
    await removeAll(browser)
  })

  test('are shown in the page: a PDF drawn, the text of others in a sandboxed frame', async () => {
    const maria = await signedIn(service(), mary)
    const [pdf] = await listed(maria)
    const drawn = await maria.get(`${paths.list}/${pdf?.id}`)
    assert.equal(drawn.status, 200)
    assert.match(drawn.text, new RegExp(`data-pdf="/account/resumes/file/${pdf?.id}\\?for=preview"`))
    assert.match(drawn.headers.get('content-security-policy') ?? '', /worker-src 'self'; frame-src 'self'/)
    assert.equal((await maria.get(`/account/resumes/file/${pdf?.id}/text`)).status, 404, 'a pdf is no text')

    const browser = await signedIn(service(), tom)
    await upload(service(), browser, 'mine.txt', '<script>alert(1)</script> Zo\u00eb')
    await upload(service(), browser, 'mine.docx', demoFile('priya-raman-resume.docx'))
    const [word, text] = await listed(browser)
    const framed = await browser.get(`${paths.list}/${text?.id}`)
    const [, source = ''] = /<iframe [^>]*sandbox [^>]*src="([^"]+)"/.exec(framed.text) ?? []
    const content = await browser.get(source)
    assert.equal(content.text, '<script>alert(1)</script> Zo\u00eb')
    assert.equal(content.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.match(content.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
    const document = (await browser.get(`${paths.list}/${word?.id}`)).text
    assert.match(document, new RegExp(`<iframe [^>]*src="/account/resumes/file/${word?.id}/text"`))
    assert.match(document, new RegExp(`href="/account/resumes/file/${word?.id}"`))
    for (const path of [
      `${paths.list}/${pdf?.id}`,
      `${paths.list}/x`,
      `/account/resumes/file/${pdf?.id}/text`,
    ]) {
      assert.equal((await browser.get(path)).status, 404, path)
    }
    await removeAll(browser)
  })

  test('are limited to twenty', async () => {
    const browser = await signedIn(service(), tom)
    const token = await uploadToken(browser)
    const send = (index: number) =>
      sendBody(
        service(),
        browser,
        bodyOf([
          { name: 'form_token', content: token },
          { name: 'file', fileName: `${index}.txt`, content: `resume ${index}` },
        ]),
      )
    for (let index = 0; index < 20; index++) assert.equal((await send(index)).status, 303)
    const answer = await send(20)
    assert.equal(answer.status, 422)
    assert.match(answer.text, /You have 20 resumes, which is the limit/)
    assert.equal((await listed(browser)).length, 20)
    assert.doesNotMatch((await browser.get(paths.list)).text, /type="file"/)
  })
})
