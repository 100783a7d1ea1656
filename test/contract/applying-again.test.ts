import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Question } from '../../src/model/questionnaire.ts'
import { formTo, wordsOf } from '../harness/html-form.ts'
import { Browser, doorOf, mary } from '../harness/oauth.ts'
import { onOneEngine } from '../harness/service.ts'
import {
  applyPath,
  baristaAd,
  behindTheScenes,
  deliveredToHarbour,
  fieldOf,
  goodAnswers,
  harbourId,
  listPath,
  openForm,
  partsOf,
  roasterAd,
  sendForm,
  sentId,
  signedIn,
} from './apply-form.ts'

const signedInAgain = /You’ve signed in again since you opened this form\. Everything you typed is still here/
const newQuestions = /The company has changed its questions since you opened this page/

/** Changes between opening a form and sending it, on one database: the stores are tested on both. */
onOneEngine('a form that is sent later', service => {
  async function postAd(questions: Question[]) {
    return behindTheScenes(service(), async ({ jobs, questionnaires }) => {
      const screen = await questionnaires.add(harbourId, { name: 'Screen', questions })
      const ad = {
        title: 'Buyer',
        location: 'Hobart',
        description: 'Buy.',
        reference: null,
        closingDate: null,
      }
      const { id } = await jobs.add(harbourId, { ...ad, screenId: screen.id })
      return { id, screenId: screen.id, withoutQuestions: { ...ad, screenId: null } }
    })
  }

  test('from an expired session comes back with its text, and is accepted the next time', async () => {
    const form = await openForm(await signedIn(service(), mary), baristaAd)
    const browser = await signedIn(service(), mary)
    const fields = { ...goodAnswers, lastName: 'Typed', email: 'nobody', resume: 'upload' }
    const resumeFile = { name: 'cv.txt', content: 'Mary' }
    const answer = await sendForm(service(), browser, form, { fields, files: { resumeFile } })
    assert.equal(answer.status, 403)
    const words = wordsOf(answer.text)
    assert.match(words, signedInAgain)
    assert.match(words, /please choose them again below/)
    assert.doesNotMatch(words, newQuestions)
    const back = formTo(applyPath(baristaAd), answer.text)
    const kept = ['lastName', 'email', 'resume', 'question-7001', 'question-7003', 'form_key']
    assert.deepEqual(
      kept.map(name => fieldOf(back, name)),
      ['Typed', 'nobody', 'upload', '90013', '90031', fieldOf(form, 'form_key')],
    )
    assert.deepEqual(
      back.boxes.filter(({ isTicked }) => isTicked).map(({ value }) => value),
      goodAnswers['question-7002'],
    )
    const right = {
      fields: { email: mary, 'question-7002': goodAnswers['question-7002'] },
      files: { resumeFile },
    }
    const id = sentId(await sendForm(service(), browser, back, right))
    assert.equal((await deliveredToHarbour(service(), id)).LastName, 'Typed')
    // Whichever of the two is sent again, in whichever session: it leads to this application.
    const later = await signedIn(service(), mary)
    for (const again of [form, back]) {
      const { location } = await sendForm(service(), later, again, right)
      assert.equal(location, `${listPath}/${id}?repeated=1`)
    }
  })

  test('after a sign-in is shown before it is sent, because its files have to be chosen again', async () => {
    const form = await openForm(await signedIn(service(), mary), roasterAd)
    const visitor = new Browser(doorOf(service()))
    const files = { coverLetter: { name: 'letter.txt', content: 'Dear all' } }
    const parts = partsOf(form, { fields: { kept_months: '12' }, files })
    const asked = await visitor.upload(form.action, parts, { 'sec-fetch-site': 'same-origin' })
    const offered = (await visitor.submitSignIn(asked, mary)).text
    // How long the company keeps applications was not typed.
    assert.doesNotMatch(wordsOf(offered), /Kept months/)
    const held = formTo(applyPath(roasterAd), offered)
    const shown = await sendForm(service(), visitor, held)
    assert.equal(shown.status, 403, shown.text)
    assert.match(wordsOf(shown.text), signedInAgain)
    assert.match(wordsOf(shown.text), /please choose them again below/)
    const back = formTo(applyPath(roasterAd), shown.text)
    const id = sentId(await sendForm(service(), visitor, back, { files }))
    const { Attachments } = await deliveredToHarbour(service(), id)
    assert.deepEqual(
      Attachments.map(({ Type }: { Type: string }) => Type),
      ['resume', 'coverLetter'],
    )
  })

  test('from an expired session gets a new key if its own is invalid', async () => {
    const form = await openForm(await signedIn(service(), mary), roasterAd)
    const browser = await signedIn(service(), mary)
    const answer = await sendForm(service(), browser, form, { fields: { form_key: 'x' } })
    const back = formTo(applyPath(roasterAd), answer.text)
    assert.match(fieldOf(back, 'form_key') ?? '', /^[0-9a-f-]{36}$/)
    sentId(await sendForm(service(), browser, back))
  })

  test('mentions changed questions too when its session has expired', async () => {
    const question: Question = {
      id: 'q1',
      type: 'Text',
      text: 'Why us?',
      isRequired: true,
      options: [],
      passingTexts: [],
    }
    const { id, screenId } = await postAd([question])
    const form = await openForm(await signedIn(service(), mary), id)
    await behindTheScenes(service(), ({ questionnaires }) =>
      questionnaires.replace(harbourId, screenId, {
        name: 'Screen',
        questions: [{ ...question, text: 'Why not us?' }],
      }),
    )
    const browser = await signedIn(service(), mary)
    const answer = await sendForm(service(), browser, form, { fields: { 'question-q1': 'Because.' } })
    assert.equal(answer.status, 403)
    assert.match(wordsOf(answer.text), signedInAgain)
    assert.match(wordsOf(answer.text), newQuestions)
  })

  test('keeps the typed text when its questions were removed, however many answers they had', async () => {
    const options = Array.from({ length: 100 }, (_, index) => ({
      id: `o${index}`,
      text: `Option ${index}`,
      passes: true,
    }))
    const many = (id: string): Question => ({
      id,
      type: 'MultipleChoiceManyAnswers',
      text: 'Which?',
      isRequired: true,
      options,
      passingTexts: [],
    })
    const { id, withoutQuestions } = await postAd([many('a'), many('b')])
    const browser = await signedIn(service(), mary)
    const form = await openForm(browser, id)
    await behindTheScenes(service(), ({ jobs }) => jobs.replace(harbourId, id, withoutQuestions))
    const ticked = options.map(option => option.id)
    const fields = { phone: '0499', 'question-a': ticked, 'question-b': ticked }
    const answer = await sendForm(service(), browser, form, { fields })
    assert.equal(answer.status, 422)
    assert.match(wordsOf(answer.text), /The company has removed its questions/)
    const back = formTo(applyPath(id), answer.text)
    assert.equal(fieldOf(back, 'phone'), '0499')
    sentId(await sendForm(service(), browser, back))
  })

  test('leads to its receipt if it had been sent, while the advertiser is on hold', async () => {
    const browser = await signedIn(service(), mary)
    const [form, unsent] = [await openForm(browser, roasterAd), await openForm(browser, roasterAd)]
    const id = sentId(await sendForm(service(), browser, form))
    await behindTheScenes(service(), ({ advertisers }) => advertisers.setStatus(harbourId, 'hold'))
    try {
      const again = await sendForm(service(), browser, form)
      assert.equal(again.location, `${listPath}/${id}?repeated=1`)
      const refused = await sendForm(service(), browser, unsent)
      assert.equal(refused.status, 404)
      assert.match(refused.text, /Job not found/)
    } finally {
      await behindTheScenes(service(), ({ advertisers }) => advertisers.setStatus(harbourId, 'active'))
    }
  })

  test('has every field before its first file, so that the fields are known when the file arrives', async () => {
    const browser = await signedIn(service(), mary)
    const page = (await browser.get(applyPath(baristaAd))).text
    const [, form = ''] = /<form[^>]*data-apply[^>]*>(.*?)<\/form>/s.exec(page) ?? []
    const types = [...form.matchAll(/<(?:input(?: type="(\w+)")?|textarea)(?=[ >])/g)].map(([, type]) => type)
    const firstFile = types.indexOf('file')
    assert.ok(firstFile > 10)
    assert.deepEqual(types.slice(firstFile), ['file', 'file', 'file'])
  })
})
