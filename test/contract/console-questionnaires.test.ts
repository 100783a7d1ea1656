import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Form, formsOf, wordsOf } from '../harness/html-form.ts'
import { type Answer, call, harbour } from '../harness/http.ts'
import { Browser } from '../harness/oauth.ts'
import { onOneEngine } from '../harness/service.ts'
import { apply, fieldOf, harbourId, summaryOf } from './apply-form.ts'

const list = `/console/${harbourId}/screens`
const jobs = `/console/${harbourId}/jobs`
const southern = '/console/10000002/screens'

onOneEngine('the questionnaires of an advertiser', (service, { door, signedIn }) => {
  const admin = signedIn('rae@example.com')

  const builderIn = (answer: Answer) =>
    formsOf(answer.text).find(form => fieldOf(form, 'name') !== undefined) as Form
  const newBuilder = async () => builderIn(await admin.page(`${list}/new`))

  /** As `Browser.submit`, with boxes by their names. */
  function send(form: Form, fields: Record<string, string> = {}, ticked: string[] = [], pressed?: string) {
    const boxes = form.boxes.filter(({ name, isTicked }) => isTicked || ticked.includes(name))
    return admin.post(form.action, [
      ...form.fields.map(([name, value]): [string, string] => [name, fields[name] ?? value]),
      ...boxes.map(({ name, value }): [string, string] => [name, value]),
      ...(pressed === undefined ? [] : [['do', pressed] as [string, string]]),
    ])
  }

  async function press(
    form: Form,
    pressed: string,
    fields: Record<string, string> = {},
    ticked: string[] = [],
  ) {
    assert.ok(
      form.buttons.some(({ name, value }) => name === 'do' && value === pressed),
      `no button ${pressed}`,
    )
    const answer = await send(form, fields, ticked, pressed)
    assert.equal(answer.status, 200, answer.text)
    return builderIn(answer)
  }

  function placeOf(answer: Answer): string {
    assert.equal(answer.status, 303, answer.text)
    return (answer.headers.get('location') ?? '').replace(/\?.*/, '')
  }

  /** A question that asks for a choice and passes with the first answer; saved. */
  async function make(name: string): Promise<string> {
    const fields = { name, 'q-0-text': 'Which?', 'q-0-o-0-text': 'This', 'q-0-o-1-text': 'That' }
    return placeOf(await send(await newBuilder(), fields, ['q-0-o-0-passes']))
  }

  test('a questionnaire that no candidate could pass is not saved, and says why beside the field', async () => {
    const form = await press(await newBuilder(), 'add URLQuestion', {
      name: 'Hopeless',
      'q-0-text': 'Which?',
      'q-0-o-0-text': 'This',
      'q-0-o-1-text': 'That',
    })
    const answer = await send(form, { 'q-1-text': 'Your page?', 'q-1-passing': 'example.com/me' })
    assert.equal(answer.status, 422, answer.text)
    assert.deepEqual(summaryOf(answer.text), [
      [
        'q-1-passing',
        'Question 2: Enter the full link, starting with https:// or http://. Candidates can’t give any other answer.',
      ],
    ])
    // A passing choice that is not among the choices.
    const choice = { name: 'Hopeless', 'q-0-text': 'Which?', 'q-0-o-0-text': 'This', 'q-0-o-1-text': '' }
    const empty = await send(await newBuilder(), choice, ['q-0-o-1-passes'])
    assert.deepEqual([empty.status, summaryOf(empty.text).map(([field]) => field)], [422, ['q-0-o-1-text']])
  })

  test('a questionnaire with all five types is built and answered, and its outcome is right in version 1', async () => {
    let form = await newBuilder()
    form = await press(form, 'add MultipleChoiceManyAnswers', {
      name: 'Built',
      'q-0-text': 'One?',
      'q-0-o-0-text': 'Wrong',
      'q-0-o-1-text': 'Right',
    })
    form = await press(form, 'add-option 1', {
      'q-1-text': 'Many?',
      'q-1-o-0-text': 'A',
      'q-1-o-1-text': 'B',
    })
    form = await press(form, 'add Text', { 'q-1-o-2-text': 'C' }, [
      'q-0-o-1-passes',
      'q-1-o-2-passes',
      'q-1-required',
    ])
    form = await press(form, 'add True/False', {
      'q-2-text': 'Town?',
      'q-2-passing': 'Sydney\nNew  Castle\n\n',
    })
    form = await press(form, 'add URLQuestion', { 'q-3-text': 'True?' }, ['q-3-o-0-passes'])
    const path = placeOf(await send(form, { 'q-4-text': 'Site?' }))
    const stored = builderIn(await admin.page(path))
    assert.deepEqual(
      stored.boxes.filter(({ isTicked }) => isTicked).map(({ name }) => name),
      ['q-0-o-1-passes', 'q-1-required', 'q-1-o-2-passes', 'q-3-o-0-passes'],
    )
    assert.equal(fieldOf(stored, 'q-2-passing'), 'Sydney\nNew  Castle')

    const ad = await admin.form(`${jobs}/new`, `${jobs}/new?screen=${path.split('/').at(-1)}`)
    const made = await admin.submit(ad, {
      fields: { title: 'Clerk', location: 'Here', description: 'Work.' },
    })
    const adId = Number(placeOf(made).split('/').at(-1))
    assert.match((await admin.page(path)).text, /This questionnaire is used by <a[^>]*><bdi>Clerk<\/bdi>/)
    assert.match(await admin.words(list), /Built 5 questions 1 ad Open/)

    const candidate = await Browser.signedIn(door, 'mary@example.com')
    const passing = {
      'question-1': '2',
      'question-2': ['1', '3'],
      'question-3': 'new castle',
      'question-4': '1',
    }
    for (const [answers, isSuccessful] of [
      [passing, 'True'],
      [{ ...passing, 'question-1': '1' }, 'False'],
      [{ ...passing, 'question-2': ['1', '2'] }, 'False'],
      [{ ...passing, 'question-3': 'Perth' }, 'False'],
      [{ ...passing, 'question-4': '2' }, 'False'],
    ] as const) {
      const id = await apply(service(), candidate, adId, { fields: { ...answers, resume: 'none' } })
      const delivered = await call(service(), `/v1/advertiser/applications/screen/${id}`, {
        headers: harbour,
      })
      const { screen } = delivered.json()
      assert.deepEqual(
        [screen['@name'], screen['@successful']],
        ['Built', isSuccessful],
        JSON.stringify(answers),
      )
    }
  })

  test('questions and answers can be moved and removed, and typed text stays', async () => {
    const path = await make('Moving')
    let form = await press(builderIn(await admin.page(path)), 'add Text', { 'q-0-o-1-text': 'Other' })
    form = await press(form, 'up 1', { 'q-1-text': 'Why?' })
    assert.deepEqual([fieldOf(form, 'q-0-text'), fieldOf(form, 'q-1-text')], ['Why?', 'Which?'])
    form = await press(form, 'option-up 1 1')
    assert.deepEqual([fieldOf(form, 'q-1-o-0-text'), fieldOf(form, 'q-1-o-1-text')], ['Other', 'This'])
    // The mark moves with it, and so does the ID that programs know.
    assert.deepEqual(
      form.boxes.filter(({ isTicked }) => isTicked).map(({ name }) => name),
      ['q-1-o-1-passes'],
    )
    assert.equal(fieldOf(form, 'q-1-o-1-id'), '1')
    assert.equal(
      fieldOf(builderIn(await admin.page(path)), 'q-0-text'),
      'Which?',
      'nothing is saved by a button',
    )
    form = await press(form, 'remove 0')
    placeOf(await send(form))
    const saved = builderIn(await admin.page(path))
    assert.deepEqual([fieldOf(saved, 'q-0-text'), fieldOf(saved, 'q-0-o-0-text')], ['Which?', 'Other'])
    assert.equal(fieldOf(saved, 'q-1-text'), undefined)
  })

  test('what is added later never gets the ID of what was removed, which a program may still answer', async () => {
    const path = await make('Replacing')
    let form = await press(builderIn(await admin.page(path)), 'option-remove 0 0')
    form = await press(form, 'add-option 0')
    form = await press(form, 'add True/False', { 'q-0-o-1-text': 'New' })
    placeOf(await send(form, { 'q-1-text': 'Is it?' }))
    form = await press(builderIn(await admin.page(path)), 'remove 1')
    form = await press(form, 'add True/False')
    const second = fieldOf(builderIn(await admin.page(path)), 'q-1-id')
    placeOf(await send(form, { 'q-1-text': 'Is it not?' }))
    const saved = builderIn(await admin.page(path))
    assert.deepEqual([fieldOf(saved, 'q-0-id'), fieldOf(saved, 'q-0-o-0-id')], ['1', '2'])
    assert.notEqual(fieldOf(saved, 'q-0-o-1-id'), '1')
    assert.notEqual(fieldOf(saved, 'q-1-id'), second)
  })

  test('the Enter key saves: the first button of the form has no name', async () => {
    const form = await newBuilder()
    assert.deepEqual(form.buttons[0], { name: '', value: '', label: 'Save questionnaire' })
  })

  test('faults are reported at their fields, and no typed text is lost', async () => {
    const fields = { name: '', 'q-0-text': ' ', 'q-0-o-0-text': 'Only this' }
    const answer = await send(await newBuilder(), fields)
    assert.equal(answer.status, 422)
    assert.deepEqual(summaryOf(answer.text), [
      ['name', 'Give the questionnaire a name.'],
      ['q-0-text', 'Question 1: Enter the question or remove it.'],
      ['q-0-add-option', 'Question 1: Add more answer options.'],
    ])
    const again = builderIn(answer)
    assert.equal(fieldOf(again, 'q-0-o-0-text'), 'Only this')
    for (const [field] of summaryOf(answer.text)) assert.ok(answer.text.includes(` id="${field}"`), field)
    const none = await send(await press(again, 'remove 0'), { name: 'Nothing' })
    assert.deepEqual(summaryOf(none.text), [['add', 'Add a question.']])
  })

  test('a preview shows the typed questions and saves nothing; saved ones can be tried out', async () => {
    const path = await make('Trying')
    const shown = await send(builderIn(await admin.page(path)), { 'q-0-text': 'Which one?' }, [], 'preview')
    assert.equal(shown.status, 200)
    assert.match(shown.text, /<div class="frame" inert>.*Which one\?/s)
    const preview = await admin.form(`${path}/preview`)
    const tried = async (chosen?: string) => {
      const answer: [string, string][] = chosen === undefined ? [] : [['question-1', chosen]]
      return admin.post(preview.action, [...preview.fields, ...answer])
    }
    assert.match(wordsOf((await tried('1')).text), /These answers pass\. Passes Question 1: Which\?/)
    assert.match(wordsOf((await tried('2')).text), /These answers don’t pass\. Doesn’t pass Question 1/)
    assert.match((await tried()).text, /These answers don’t pass/)
    const wrong = await tried('9')
    assert.equal(wrong.status, 422)
    assert.deepEqual(summaryOf(wrong.text), [['question-1', 'Question 1: Choose one of the answers listed.']])
  })

  test('the form sent twice makes one questionnaire', async () => {
    const form = await newBuilder()
    const fields = { name: 'Only once', 'q-0-text': 'Which?', 'q-0-o-0-text': 'A', 'q-0-o-1-text': 'B' }
    const first = placeOf(await send(form, fields))
    assert.equal(placeOf(await send(form, fields)), first)
    assert.equal((await admin.page(list)).text.match(/<bdi>Only once<\/bdi>/g)?.length, 1)
    // Reopened with the back button, and filled in differently.
    assert.notEqual(placeOf(await send(form, { ...fields, name: 'Another' })), first)
  })

  test('a person whose version is outdated reads so and may send again', async () => {
    const path = await make('Overtaken')
    const mine = builderIn(await admin.page(path))
    placeOf(await send(builderIn(await admin.page(path)), { name: 'Theirs' }))
    // Adding and moving meanwhile does not make it the newer one.
    const answer = await send(await press(mine, 'add Text', { name: 'Mine' }), { 'q-1-text': 'Why?' })
    assert.equal(answer.status, 409)
    assert.match(
      wordsOf(answer.text),
      /This questionnaire has changed .*Current version: Theirs, 1 question\./,
    )
    assert.equal(fieldOf(builderIn(answer), 'q-1-text'), 'Why?')
    placeOf(await send(builderIn(answer)))
    assert.equal(fieldOf(builderIn(await admin.page(path)), 'name'), 'Mine')
  })

  test('it is closed, so that no new ad can use it, and reopened', async () => {
    const path = await make('Closing')
    const id = path.split('/').at(-1) ?? ''
    const toggle = async () => {
      const form = formsOf((await admin.page(path)).text).find(each =>
        each.fields.some(([name]) => name === 'do'),
      )
      return placeOf(await admin.submit(form as Form))
    }
    const ad = await admin.form(`${jobs}/new`, `${jobs}/new?screen=${id}`)
    await toggle()
    assert.match((await admin.page(`${path}?done=closed`)).text, /New ads can’t use it/)
    assert.match((await admin.page(`${list}?state=closed`)).text, /<bdi>Closing<\/bdi>/)
    const refused = await admin.submit(ad, { fields: { title: 'x', location: 'x', description: 'x' } })
    assert.deepEqual(summaryOf(refused.text), [
      ['screenId', 'This questionnaire is closed. Reopen it or choose another.'],
    ])
    assert.match(refused.text, /<option value="\d+" selected>Closing \(closed\)</)
    await toggle()
    assert.match((await admin.page(`${path}?done=open`)).text, /Questionnaire reopened/)
  })

  test('a copy has the same questions under its own name', async () => {
    const path = await make('Copied')
    const copy = builderIn(await admin.page(`${list}/new?copy=${path.split('/').at(-1)}`))
    assert.equal(fieldOf(copy, 'name'), 'Copy of Copied')
    const made = placeOf(await send(copy))
    assert.notEqual(made, path)
    assert.deepEqual(
      builderIn(await admin.page(made)).fields.filter(([name]) => name.startsWith('q-')),
      builderIn(await admin.page(path)).fields.filter(([name]) => name.startsWith('q-')),
    )
  })

  test('a large one fits; one beyond every bound gets a page', async () => {
    const large = Array.from({ length: 200 }, (_, row): [string, string][] => [
      [`q-${row}-type`, 'Text'],
      [`q-${row}-text`, '美'.repeat(400)],
    ]).flat()
    const hidden = (await newBuilder()).fields.filter(([name]) => name.startsWith('form_'))
    const path = placeOf(await admin.post(`${list}/new`, [...hidden, ['name', 'Large'], ...large]))
    assert.equal(fieldOf(builderIn(await admin.page(path)), 'q-199-text'), '美'.repeat(400))
    const beyond = await admin.post(`${list}/new`, [...hidden, ['name', 'x'.repeat(3_000_000)]])
    assert.equal(beyond.status, 413)
    assert.match(beyond.text, /This questionnaire is too long/)
  })

  test('other callers are refused: a recruiter, another advertiser, a forged form', async () => {
    const path = await make('Private')
    const id = path.split('/').at(-1)
    const recruiter = await Browser.signedIn(door, 'rex@example.com')
    for (const each of [list, path, `${path}/preview`, `${list}/new`]) {
      assert.equal((await recruiter.get(each)).status, 403, each)
    }
    for (const each of [`${southern}/${id}`, `${southern}/${id}/preview`, `${southern}/new?copy=${id}`]) {
      assert.equal((await admin.get(each)).status, 404, each)
    }
    const form = builderIn(await admin.page(path))
    // Its token is for the advertiser's own entry.
    assert.equal((await send({ ...form, action: `${southern}/${id}` })).status, 403)
    assert.equal((await send(form, { form_token: 'x' })).status, 403)
    // An ad of another advertiser is not offered it, and cannot use it.
    const elsewhere = '/console/10000002/jobs/new'
    const ad = await admin.form(elsewhere, `${elsewhere}?screen=${id}`)
    assert.equal(fieldOf(ad, 'screenId'), '')
    const fields: Record<string, string> = { title: 'x', location: 'x', description: 'x', screenId: id ?? '' }
    assert.equal((await admin.submit(ad, { fields })).status, 422)
  })
})
