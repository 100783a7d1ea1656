import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maryId, tomId } from '../../src/demo/world/world.ts'
import { formTo, wordsOf } from '../harness/html-form.ts'
import { call, harbour } from '../harness/http.ts'
import { bodyOf } from '../harness/multipart.ts'
import { Browser, doorOf, mary, tom } from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { parseXml } from '../harness/xml.ts'
import {
  apply,
  applyPath,
  baristaAd,
  behindTheScenes,
  deliveredToHarbour,
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

const text = (content: string) => ({ name: 'a.txt', content })

onOneEngineInTurn('applying', service => {
  const total = async () =>
    (await call(service(), '/v1/advertiser/applications', { headers: harbour })).json().JobApplications
      .JobApplicationsList.length

  test('requires a sign-in, which leads back to the form', async () => {
    const stranger = new Browser(doorOf(service()))
    const asked = await stranger.get(applyPath(baristaAd))
    assert.equal(asked.headers.get('location'), '/sign-in?continue=%2Fjobs%2F31%2Fapply')
    const sent = await sendBody(service(), stranger, `${applyPath(baristaAd)}?x=1`, bodyOf([]))
    assert.equal(sent.location, '/sign-in?continue=%2Fjobs%2F31%2Fapply')
    const page = await stranger.get('/sign-in?continue=%2Fjobs%2F31%2Fapply')
    const back = await stranger.submitSignIn(page, tom)
    assert.equal(back.headers.get('location'), '/jobs/31/apply')
    for (const path of [listPath, `${listPath}/1`]) {
      const answer = await new Browser(doorOf(service())).get(path)
      assert.equal(answer.status, 303, path)
    }
  })

  test("begins with the profile's data, and with a script for this page alone", async () => {
    const browser = await signedIn(service(), mary)
    const page = await browser.get(applyPath(baristaAd))
    const form = formTo(applyPath(baristaAd), page.text)
    const values = ['firstName', 'lastName', 'email', 'phone', 'work', 'jobTitle', 'company']
    assert.deepEqual(
      values.map(name => fieldOf(form, name)),
      ['Mary', 'Nguyen', mary, '0491 570 006', 'job', 'Barista, morning shift lead', 'Dock Espresso'],
    )
    assert.match(fieldOf(form, 'months') ?? '', /^\d+$/)
    const resume = fieldOf(form, 'resume') ?? ''
    assert.match(page.text, new RegExp(`value="${resume}" checked> <span><bdi>Mary Nguyen - Resume.pdf`))
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'/)
    const elsewhere = await browser.get(listPath)
    assert.match(page.text, /\/apply\.js"/)
    assert.doesNotMatch(elsewhere.text, /\/apply\.js"/)
    assert.equal(fieldOf(await openForm(await signedIn(service(), tom), baristaAd), 'resume'), 'upload')
  })

  test('delivers to the advertiser what the receipt shows the candidate', async () => {
    const browser = await signedIn(service(), mary)
    const nobodys = await signedIn(service(), 'rex@example.com')
    assert.match((await nobodys.get(listPath)).text, /applied for a job yet.*href="\/jobs"/s)
    // The demo's own, for an ad of its board.
    assert.match((await browser.get(listPath)).text, /Head barista.*reference number 1</s)
    const id = await apply(service(), browser, baristaAd, {
      fields: {
        ...goodAnswers,
        firstName: ' Mary  Ann ',
        email: 'mary.ann@example.org',
        phone: '',
        work: 'job',
        months: '19',
        'question-7005': 'https://example.com/latte',
      },
      files: { coverLetter: { name: 'letter.txt', content: 'Dear Harbour' } },
    })

    const delivered = await deliveredToHarbour(service(), id)
    assert.equal(delivered.FirstName, 'Mary Ann')
    assert.equal(delivered.Email, 'mary.ann@example.org')
    assert.equal(delivered.Phone, '')
    assert.equal(delivered.JobSeekerID, maryId)
    assert.equal(delivered.JobReference, 'HCR-7')
    assert.deepEqual(delivered.PrimaryJobSeekingInfo, {
      JobTitle: 'Barista, morning shift lead',
      CompanyName: 'Dock Espresso',
      TimeInRole: 19,
      IsNewToWorkForce: false,
    })
    const types = delivered.Attachments.map(({ Type }: { Type: string }) => Type)
    assert.deepEqual(types, ['resume', 'coverLetter', 'screen'])
    const screenPath = `/v1/advertiser/applications/screen/${id}`
    const { screen } = (await call(service(), screenPath, { headers: harbour })).json()
    assert.equal(screen['@successful'], 'True')
    assert.deepEqual(screen.question[3].answer, {
      '@id': '7004-1',
      '@selected': 'True',
      '#text': 'Purge, dose, taste.\nThen finer.',
    })
    const xml = await call(service(), screenPath, { headers: { ...harbour, accept: 'application/xml' } })
    const selected = parseXml(xml.text).children.map(({ children }) =>
      children.filter(({ attributes }) => attributes['selected'] === 'True').map(answer => answer.text),
    )
    assert.deepEqual(selected[1], ['Weekday mornings from 5.30 am', 'Saturdays'])
    assert.deepEqual(selected[4], ['https://example.com/latte'])

    const receipt = await browser.get(`${listPath}/${id}`)
    const words = wordsOf(receipt.text)
    for (const part of [
      'Head barista',
      'Harbour Coffee Roasters, Newcastle NSW',
      `Reference number ${id}`,
      'Mary Ann Nguyen',
      'mary.ann@example.org',
      'Phone none given',
      'Resume: Mary Nguyen - Resume.pdf 15.7 kB, no virus found Download',
      'Cover letter: letter.txt 12 bytes Download',
      'I have the right to work in Australia. Yes',
      'Months in this job 19',
      'How many years have you worked on a commercial espresso machine? 3 to 5 years',
      'Weekday mornings from 5.30 am Saturdays',
      'Purge, dose, taste. Then finer.',
      'https://example.com/latte',
    ])
      assert.ok(words.includes(part), `the receipt does not show "${part}": ${words}`)
    assert.doesNotMatch(words, /success|passed|failed|repeated|already/i)
    assert.match(await browser.words(listPath), /Head barista Received at Harbour Coffee Roasters sent on/)
    assert.match((await browser.get(applyPath(baristaAd))).text, /You applied for this job on/)
  })

  test('never shows the candidate the outcome of the questions', async () => {
    const browser = await signedIn(service(), mary)
    const fields = { ...goodAnswers, 'question-7003': '90032', 'question-7002': '90024' }
    const id = await apply(service(), browser, baristaAd, { fields })
    const { screen } = (
      await call(service(), `/v1/advertiser/applications/screen/${id}`, { headers: harbour })
    ).json()
    assert.equal(screen['@successful'], 'False')
    const page = await browser.get(`${listPath}/${id}`)
    const words = wordsOf(page.text)
    assert.doesNotMatch(words, /success|outcome|passed|failed/i)
    assert.match(words, /Please give the address of a page with pictures of your work\. Not answered/)
  })

  test('sends the work experience that the candidate chose to send, and nothing else', async () => {
    const browser = await signedIn(service(), tom)
    const meant: [Record<string, string>, unknown][] = [
      [{ work: 'none', jobTitle: 'Typed, and left out' }, undefined],
      [{ work: 'new', jobTitle: 'Ignored' }, { IsNewToWorkForce: true }],
      [
        { work: 'job', company: ' Depot 4 ' },
        { CompanyName: 'Depot 4', IsNewToWorkForce: false },
      ],
    ]
    for (const [fields, expected] of meant) {
      const id = await apply(service(), browser, roasterAd, { fields: { resume: 'none', ...fields } })
      const delivered = await deliveredToHarbour(service(), id)
      assert.deepEqual(delivered.PrimaryJobSeekingInfo, expected)
      assert.deepEqual(delivered.Attachments, [])
      assert.equal(delivered.JobSeekerID, tomId)
    }
  })

  test('reports every fault at once, and keeps the typed text', async () => {
    const browser = await signedIn(service(), tom)
    const [before, kept] = [await total(), await filesKept(service())]
    const form = await openForm(browser, baristaAd)
    const answer = await sendForm(service(), browser, form, {
      fields: {
        firstName: ' ',
        lastName: 'x'.repeat(201),
        email: 'nobody',
        phone: '\u0001',
        work: 'job',
        months: 'many',
        resume: 'no-such',
        'question-7001': ['90011', '90012'],
        'question-7002': 'made up',
        'question-7004': 'y'.repeat(10_001),
        'question-7005': 'javascript:alert(1)',
      },
      files: { coverLetter: text('not even looked at') },
    })
    assert.equal(answer.status, 422)
    assert.deepEqual(summaryOf(answer.text), [
      ['firstName', 'Enter your first name.'],
      ['lastName', 'Use 200 characters or fewer; you have 201.'],
      ['email', 'Enter an email address like name@example.com.'],
      ['phone', 'This contains a character that cannot be saved. Type it in instead of pasting it.'],
      ['months', 'Months in this job: Enter a whole number of months up to 1200, for example 18.'],
      ['question-7001', 'Question 1: Choose only one answer.'],
      ['question-7002', 'Question 2: Choose one of the answers listed.'],
      ['question-7003', 'Question 3: Choose an answer.'],
      ['question-7004', 'Question 4: Use 10000 characters or fewer; you have 10001.'],
      ['question-7005', 'Question 5: Enter the full link, starting with https:// or http://.'],
      [
        'resume',
        'Resume: This resume can’t be sent: it was deleted, or a virus was found in it. Choose another.',
      ],
    ])
    for (const [field] of summaryOf(answer.text)) {
      assert.ok(answer.text.includes(`id="${field}"`), `nothing is at #${field}`)
      assert.ok(answer.text.includes(`id="${field}-fault"`), `${field} does not say what is wrong`)
    }
    assert.match(answer.text, /choose them again below/)
    const again = formTo(applyPath(baristaAd), answer.text)
    const named = ['lastName', 'email', 'work', 'months', 'question-7004', 'question-7005', 'form_key']
    assert.deepEqual(
      named.map(name => fieldOf(again, name)),
      [
        'x'.repeat(201),
        'nobody',
        'job',
        'many',
        'y'.repeat(10_001),
        'javascript:alert(1)',
        fieldOf(form, 'form_key'),
      ],
    )
    assert.equal(await total(), before)
    assert.deepEqual(await filesKept(service()), kept)
    // The returned form can be corrected and sent.
    const fields = {
      ...goodAnswers,
      firstName: 'Tom',
      lastName: "O'Brien",
      email: tom,
      phone: '',
      work: 'none',
      resume: 'none',
      'question-7005': '',
    }
    sentId(await sendForm(service(), browser, again, { fields }))
    assert.equal(await total(), before + 1)
  })

  test('with one form ten times at once makes one application', async () => {
    const browser = await signedIn(service(), mary)
    const [before, kept] = [await total(), await filesKept(service())]
    const form = await openForm(browser, roasterAd)
    const sent = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        sendForm(service(), browser, form, {
          fields: { phone: `040${index}` },
          files: { coverLetter: text(`letter ${index}`) },
        }),
      ),
    )
    const [id, ...others] = new Set(sent.map(sentId))
    assert.deepEqual(others, [])
    assert.equal(sent.filter(({ location }) => location?.endsWith('?repeated=1')).length, 9)
    // Sent again later, changed, and even invalid: the first one stays.
    const later = [{ phone: '0499' }, { email: 'nobody' }, { resume: 'upload' }, { questions: 'others' }]
    for (const fields of later) {
      const again = await sendForm(service(), browser, form, { fields, files: { coverLetter: text('new') } })
      assert.equal(again.location, `${listPath}/${id}?repeated=1`)
    }
    assert.equal(await total(), before + 1)
    assert.equal((await filesKept(service())).length, kept.length + 1, 'one letter, and no other upload')
    const receipt = await browser.words(`${listPath}/${id}?repeated=1`)
    assert.match(receipt, /You had already sent this form\. There is one application/)
    assert.match(receipt, /Phone 040\d /)
  })

  test('uses the ad and its questions as they are when the form is sent', async () => {
    const browser = await signedIn(service(), mary)
    const { adId, screenId } = await behindTheScenes(service(), async ({ jobs, questionnaires }) => {
      const questions = [textQuestion('q1', 'Why us?')]
      const screen = await questionnaires.add(harbourId, { name: 'Short', questions })
      const ad = {
        title: 'Buyer <1>',
        location: 'Hobart',
        description: 'Buy.',
        reference: null,
        closingDate: null,
      }
      return { adId: (await jobs.add(harbourId, { ...ad, screenId: screen.id })).id, screenId: screen.id }
    })
    const form = await openForm(browser, adId)
    await behindTheScenes(service(), ({ questionnaires }) =>
      questionnaires.replace(harbourId, screenId, {
        name: 'Short',
        questions: [textQuestion('q1', 'Why not us?')],
      }),
    )
    const outdated = await sendForm(service(), browser, form, { fields: { 'question-q1': 'Because.' } })
    assert.equal(outdated.status, 422)
    assert.match(wordsOf(outdated.text), /The company has changed its questions since.*Why not us\?/)
    const again = formTo(applyPath(adId), outdated.text)
    assert.equal(fieldOf(again, 'question-q1'), 'Because.')
    const id = sentId(await sendForm(service(), browser, again))
    assert.match((await browser.get(`${listPath}/${id}`)).text, /Buyer &lt;1&gt;/)

    const late = await openForm(browser, adId)
    await behindTheScenes(service(), ({ jobs }) => jobs.setStatus(harbourId, adId, 'closed'))
    const closed = await sendForm(service(), browser, late, { fields: { 'question-q1': 'Late.' } })
    assert.equal(closed.status, 404)
    assert.match(
      closed.text,
      /Applications have closed.*Harbour Coffee Roasters<\/bdi> has closed.*href="\/jobs"/s,
    )
    assert.equal((await browser.get(applyPath(adId))).status, 404)
    // A form that has made an application still leads to it, and the receipt keeps the ad as it was.
    const repeated = await sendForm(service(), browser, again)
    assert.equal(repeated.location, `${listPath}/${id}?repeated=1`)
    for (const none of ['999999', '0', 'x', '9'.repeat(30)]) {
      const answer = await browser.get(`/jobs/${none}/apply`)
      assert.equal(answer.status, 404)
      assert.match(answer.text, /Job not found/)
    }
  })

  test('accepts only the form of this page and this candidate', async () => {
    const browser = await signedIn(service(), mary)
    const before = await total()
    const form = await openForm(browser, roasterAd)
    const other = await openForm(browser, baristaAd)
    const toms = await openForm(await signedIn(service(), tom), roasterAd)
    const forged = [
      { form_token: 'made up' },
      { form_token: fieldOf(other, 'form_token') ?? '' },
      { form_token: fieldOf(toms, 'form_token') ?? '', form_key: fieldOf(toms, 'form_key') ?? '' },
      { form_key: '00000000-0000-4000-8000-000000000000' },
    ]
    for (const fields of forged) {
      const answer = await sendForm(service(), browser, form, { fields })
      assert.equal(answer.status, 403)
      assert.match(answer.text, /Please send it again/)
    }
    // Not with his token either: no candidate is offered another's text.
    const candidate = fieldOf(toms, 'candidate') ?? ''
    for (const [sent, fields] of [[toms], [form, { candidate }]] as const) {
      const answer = await sendForm(service(), browser, sent, fields && { fields })
      assert.equal(answer.status, 403)
      assert.match(answer.text, /Form expired/)
      assert.doesNotMatch(answer.text, /Apply:/)
    }
    const files = partsOf(form, { files: { coverLetter: text('first') } })
    const early = await sendBody(service(), browser, form.action, bodyOf(files.toReversed()))
    assert.equal(early.status, 403, 'files before the fields')
    assert.equal(await total(), before)
  })

  test('is listed newest first, twenty a page, for the candidate alone', async () => {
    const browser = await signedIn(service(), tom)
    const ids: number[] = []
    for (let index = 0; index < 21; index++) {
      ids.push(await apply(service(), browser, roasterAd, { fields: { resume: 'none' } }))
    }
    const idsOn = (page: string) =>
      [...page.matchAll(/href="\/account\/applications\/(\d+)"/g)].map(([, id]) => Number(id))
    const first = (await browser.get(listPath)).text
    assert.deepEqual(idsOn(first), ids.toReversed().slice(0, 20))
    const [, older = ''] = /<a [^>]*href="([^"]*)"[^>]*>Older<\/a>/.exec(first) ?? []
    const second = idsOn((await browser.get(older)).text)
    assert.equal(second[0], ids[0])
    assert.deepEqual(
      second,
      second.toSorted((a, b) => b - a),
    )
    assert.deepEqual(idsOn((await browser.get(`${listPath}?before=x`)).text), idsOn(first))
    assert.match((await browser.get(`${listPath}?before=1.1`)).text, /no older applications/)
    const holders = await browser.words('/account/sharing')
    assert.match(
      holders,
      /Harbour Coffee Roasters Received an application \d+ applications, the first on .* and the latest on/,
    )
    const strangers = await signedIn(service(), mary)
    for (const id of [ids[0], 999_999_999, 'x']) {
      const answer = await strangers.get(`${listPath}/${id}`)
      assert.equal(answer.status, 404)
      assert.match(answer.text, /You have not sent this application/)
    }
    assert.ok(!idsOn((await strangers.get(listPath)).text).includes(ids[0] ?? 0))
  })
})

function textQuestion(id: string, questionText: string) {
  return { id, type: 'Text' as const, text: questionText, isRequired: true, options: [], passingTexts: [] }
}
