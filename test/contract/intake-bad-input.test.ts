import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { demoFile, pdfOf } from '../harness/documents.ts'
import { harbour } from '../harness/http.ts'
import {
  applicationOf,
  applicationPart,
  assertRefused,
  countBlobs,
  file,
  harbourId,
  idOf,
  intakePath,
  intakeToken,
  multipart,
  post,
} from '../harness/intake.ts'
import type { Part } from '../harness/multipart.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { listing, listPath } from './reading.ts'
import { watched } from './version2.ts'

const contact = { email: 'casey@example.com', firstName: 'Casey', lastName: 'Lim' }
const resume = file('resume', 'resume.pdf', demoFile('mary-nguyen-resume.pdf'))
const answered = (answers: unknown, screenId: unknown = 501) => ({ screen: { screenId, answers } })
const result = (changes: Record<string, unknown>) => ({
  screen: { result: { id: '1', name: 'Questions', successful: true, questions: [], ...changes } },
})
const question = (changes: Record<string, unknown>) =>
  result({
    questions: [{ id: 'q', type: 'URLQuestion', text: 'Where?', answers: [], ...changes }],
  })
const required = {
  'screen.answers.7001': 'required',
  'screen.answers.7002': 'required',
  'screen.answers.7003': 'required',
  'screen.answers.7004': 'required',
}
const good = [
  { questionId: '7001', answerIds: ['90013'] },
  { questionId: '7002', answerIds: ['90021'] },
  { questionId: '7003', answerIds: ['90031'] },
  { questionId: '7004', text: 'Taste.' },
]
const instead = (questionId: string, answer: object) =>
  answered(good.map(each => (each.questionId === questionId ? { questionId, ...answer } : each)))

/** Changes to a valid application, and the fields that are reported. */
const refused: [what: string, changes: Record<string, unknown>, fields: Record<string, string>][] = [
  ['no advertiser', { advertiserId: undefined }, { advertiserId: 'required' }],
  ['an advertiser that is none', { advertiserId: -1 }, { advertiserId: 'wrong-type' }],
  [
    'unknown keys',
    { jobAd: 1, contact: { ...contact, mail: 1 } },
    { jobAd: 'unknown', 'contact.mail': 'unknown' },
  ],
  ['no contact', { contact: undefined }, { contact: 'required' }],
  ['a contact that is a text', { contact: 'Casey' }, { contact: 'wrong-type' }],
  [
    'several at once',
    { jobSeekerId: 7, contact: { email: 1, firstName: 'Casey' } },
    { jobSeekerId: 'wrong-type', 'contact.email': 'wrong-type', 'contact.lastName': 'required' },
  ],
  [
    'a dot after the domain',
    { contact: { ...contact, email: 'casey@example.com.' } },
    { 'contact.email': 'not-an-address' },
  ],
  [
    'a domain with escaped letters',
    { contact: { ...contact, email: 'casey@ex%61mple.com' } },
    { 'contact.email': 'not-an-address' },
  ],
  ['no address', { contact: { ...contact, email: 'casey' } }, { 'contact.email': 'not-an-address' }],
  ['a long phone', { contact: { ...contact, phone: '0'.repeat(51) } }, { 'contact.phone': 'too-long' }],
  ['an empty name', { contact: { ...contact, firstName: ' ' } }, { 'contact.firstName': 'empty' }],
  [
    'line breaks where there is one line',
    {
      contact: { ...contact, firstName: 'Ca\nsey', lastName: 'Lim\r\n', phone: '0400\u2028000' },
      primaryJobSeekingInfo: { jobTitle: 'Cook\u0085', companyName: 'a\rb', isNewToWorkForce: false },
    },
    {
      'contact.firstName': 'line-break',
      'contact.lastName': 'line-break',
      'contact.phone': 'line-break',
      'primaryJobSeekingInfo.jobTitle': 'line-break',
      'primaryJobSeekingInfo.companyName': 'line-break',
    },
  ],
  ['a control character', { jobSeekerId: 'a\u0007b' }, { jobSeekerId: 'unwritable-character' }],
  ['a lone surrogate', { jobReference: '\ud800' }, { jobReference: 'unwritable-character' }],
  [
    'info without the flag',
    { primaryJobSeekingInfo: { timeInRoleMonths: '18' } },
    {
      'primaryJobSeekingInfo.timeInRoleMonths': 'wrong-type',
      'primaryJobSeekingInfo.isNewToWorkForce': 'required',
    },
  ],
  [
    'half a month',
    { primaryJobSeekingInfo: { timeInRoleMonths: 1.5, isNewToWorkForce: false } },
    { 'primaryJobSeekingInfo.timeInRoleMonths': 'out-of-range' },
  ],
  ['an unknown ad', { jobAdId: 999999 }, { jobAdId: 'unknown' }],
  ["another advertiser's ad", { jobAdId: 41 }, { jobAdId: 'unknown' }],
  ['an ad that is no number', { jobAdId: 'HCR-31' }, { jobAdId: 'wrong-type' }],
  ["an ad's required questions left out", { jobAdId: 31 }, required],
  ['an empty list of answers', { jobAdId: 31, screen: { answers: [] } }, required],
  [
    'another screen than that of the ad',
    { jobAdId: 31, ...answered([], 503) },
    { 'screen.screenId': 'not-of-this-ad' },
  ],
  ['answers to no screen', { screen: { answers: good } }, { 'screen.screenId': 'required' }],
  ['an unknown screen', answered(good, 999999), { 'screen.screenId': 'unknown' }],
  ["another advertiser's screen", answered([], 601), { 'screen.screenId': 'unknown' }],
  ['neither answers nor result', { screen: { screenId: 501 } }, { 'screen.answers': 'required' }],
  [
    'both answers and result',
    { screen: { ...result({}).screen, answers: [] } },
    { 'screen.result': 'ambiguous' },
  ],
  [
    'an unknown question',
    answered([...good, { questionId: 'x', text: 'y' }]),
    { 'screen.answers.x': 'unknown-question' },
  ],
  ['an unknown option', instead('7001', { answerIds: ['1'] }), { 'screen.answers.7001': 'unknown-option' }],
  [
    'two where one is wanted',
    instead('7001', { answerIds: ['90013', '90014'] }),
    { 'screen.answers.7001': 'several' },
  ],
  ['a text for a choice', instead('7001', { text: '90013' }), { 'screen.answers.7001': 'wrong-type' }],
  [
    'no address of a page',
    answered([...good, { questionId: '7005', text: 'me' }]),
    { 'screen.answers.7005': 'invalid-url' },
  ],
  ['one question twice', answered([...good, good[0]]), { 'screen.answers[4].questionId': 'repeated' }],
  [
    'an answer with both and one with neither',
    answered([{ questionId: 'a', text: 't', answerIds: [] }, { questionId: 'b' }]),
    { 'screen.answers[0].text': 'ambiguous', 'screen.answers[1].text': 'ambiguous' },
  ],
  ['answers that are no list', answered('7001'), { 'screen.answers': 'wrong-type' }],
  [
    'a result of an unknown type',
    question({ type: 'Slider' }),
    { 'screen.result.questions[0].type': 'wrong-type' },
  ],
  [
    'a Text question with no answer',
    question({ type: 'Text' }),
    { 'screen.result.questions[0].answers': 'not-one' },
  ],
  [
    'an answer without its parts',
    question({ answers: [{ id: 'a' }] }),
    {
      'screen.result.questions[0].answers[0].text': 'required',
      'screen.result.questions[0].answers[0].selected': 'required',
    },
  ],
  ['a result without its questions', result({ questions: null }), { 'screen.result.questions': 'required' }],
  [
    'a question of a result without its answers',
    question({ answers: undefined }),
    { 'screen.result.questions[0].answers': 'required' },
  ],
  [
    'a text that is said not to be entered',
    question({ type: 'Text', answers: [{ id: 'a', text: 'Because', selected: false }] }),
    { 'screen.result.questions[0].answers[0].selected': 'not-as-entered' },
  ],
  [
    'two selected where one is wanted',
    question({ type: 'True/False', answers: Array(2).fill({ id: 'a', text: 'True', selected: true }) }),
    { 'screen.result.questions[0].answers': 'several' },
  ],
  [
    'invisible names and an invisible address',
    { contact: { email: '\u200b@\u202e', firstName: '\u200b', lastName: '\u2060' } },
    {
      'contact.email': 'not-an-address',
      'contact.firstName': 'empty',
      'contact.lastName': 'empty',
    },
  ],
  ['an invisible answer', instead('7004', { text: '\u200b' }), { 'screen.answers.7004': 'required' }],
  ['a result with a long name', result({ name: 'x'.repeat(201) }), { 'screen.result.name': 'too-long' }],
]

inDemoWorldInTurn('intake refuses', world => {
  const door = () => watched(world().door)
  let token: string
  let lastId: number
  before(async () => {
    token = await intakeToken(door())
    lastId = idOf(await post(door(), token, [applicationPart(applicationOf())]))
  })
  const send = (parts: readonly Part[]) => post(door(), token, parts)

  // Also with a key, and always the same one: each refusal must release it.
  for (const [what, changes, fields] of refused) {
    test(what, async () => {
      const parts = [applicationPart(applicationOf(changes)), resume]
      for (const key of [undefined, 'the-same-key-again']) {
        assertRefused(await post(door(), token, parts, key), 422, 'invalid-fields', fields)
      }
    })
  }

  test('an ad that is closed, or past its closing date, and a screen that is closed', async () => {
    const { jobs, questionnaires } = world().services
    const ad = {
      title: 'Night roaster',
      location: 'Here',
      description: 'Work',
      reference: null,
      screenId: null,
      closingDate: '2026-11-14',
    }
    const { id: jobAdId } = await jobs.add(harbourId, ad)
    const apply = () => send([applicationPart(applicationOf({ jobAdId }))])
    // 10 am on its last day in the advertiser's time, 11.59 pm, and midnight.
    assert.equal((await apply()).status, 201)
    world().clock.set(Date.parse('2026-11-14T13:59:59.999Z'))
    token = await intakeToken(door())
    lastId = idOf(await apply())
    world().clock.advance(1)
    assertRefused(await apply(), 422, 'invalid-fields', { jobAdId: 'closed' })
    await jobs.replace(harbourId, jobAdId, { ...ad, closingDate: null })
    lastId = idOf(await apply())
    await jobs.setStatus(harbourId, jobAdId, 'closed')
    assertRefused(await apply(), 422, 'invalid-fields', { jobAdId: 'closed' })

    await questionnaires.setStatus(harbourId, 501, 'closed')
    const alone = await send([applicationPart(applicationOf(answered(good)))])
    assertRefused(alone, 422, 'invalid-fields', { 'screen.screenId': 'closed' })
    // An ad keeps its questionnaire.
    lastId = idOf(await send([applicationPart(applicationOf({ jobAdId: 31, screen: { answers: good } }))]))
  })

  test('unreadable JSON', async () => {
    for (const content of ['{', '', '{"a":1}}', Buffer.from('{"jobSeekerId":"Zo\xeb"}', 'latin1')]) {
      assertRefused(await send([{ name: 'application', content }, resume]), 400, 'bad-request')
    }
  })

  test('of a thousand faults a few are reported, and long values are not repeated', async () => {
    const nothing = { id: '', text: '', selected: true }
    const faulty = [
      answered(Array(50_000).fill({})),
      answered([{ questionId: 'x'.repeat(200_000), text: 'y' }]),
      answered(Array.from({ length: 8_000 }, (_, id) => ({ questionId: `${id}`, text: '' }))),
      question({ type: 'MultipleChoiceManyAnswers', answers: Array(200).fill(nothing) }),
    ]
    for (const changes of faulty) {
      const answer = await send([applicationPart(applicationOf(changes))])
      assert.deepEqual([answer.status, answer.json().code], [422, 'invalid-fields'])
      assert.ok(answer.text.length < 20_000, `${answer.text.length} characters`)
      assert.ok(answer.json().errors.length <= 51)
    }
  })

  test('a file sent as text is reported as such', async () => {
    for (const parts of [[], [resume]]) {
      const sent = [applicationPart(applicationOf()), { name: 'coverLetter', content: 'some text' }, ...parts]
      const answer = await send(sent)
      assertRefused(answer, 422, 'invalid-fields', { coverLetter: 'not-a-file' })
      assert.match(answer.json().detail, /as a file/)
    }
  })

  test('JSON that is not an object', async () => {
    for (const content of ['[]', '"text"', 'null', '7']) {
      const answer = await send([{ name: 'application', content }])
      assert.deepEqual([answer.status, answer.json().code], [422, 'invalid-fields'], content)
    }
  })

  test('the application after the files, twice, or missing', async () => {
    const part = applicationPart(applicationOf())
    for (const parts of [[resume, part], [resume], []]) {
      assertRefused(await send(parts), 422, 'invalid-fields', { application: 'required' })
    }
    for (const parts of [
      [part, part, resume],
      [part, resume, part],
    ]) {
      assertRefused(await send(parts), 422, 'invalid-fields', { application: 'repeated' })
    }
  })

  test('unknown parts, before or after the files, and repeated files', async () => {
    const part = applicationPart(applicationOf())
    const extra = { name: 'comment', content: 'Hello' }
    for (const parts of [
      [part, extra, resume],
      [part, resume, extra],
    ]) {
      assertRefused(await send(parts), 422, 'invalid-fields', { comment: 'unknown' })
    }
    const photo = file('photo', 'me.pdf', resume.content)
    assertRefused(await send([part, photo]), 422, 'invalid-fields', { photo: 'unknown' })
    assertRefused(await send([part, resume, resume]), 422, 'invalid-fields', { resume: 'repeated' })
  })

  test('files of other kinds, empty ones and those that are too large', async () => {
    const part = applicationPart(applicationOf())
    const program = file('coverLetter', 'letter.pdf', Buffer.from('MZ\x90\0\x03program'))
    const refusal = await send([part, resume, program])
    assert.deepEqual([refusal.status, refusal.json().errors[0].field], [422, 'coverLetter'])
    const fake = await send([part, file('resume', 'fake.pdf', 'text')])
    assertRefused(fake, 422, 'invalid-fields', { resume: 'file-kind' })
    assert.equal(fake.json().detail, "This file ends in .pdf but isn't a PDF.")
    const empty = await send([part, file('resume', 'resume.pdf', '')])
    assert.deepEqual([empty.status, empty.json().errors[0].field], [422, 'resume'])
    const large = await send([part, file('resume', 'resume.pdf', pdfOf(10 * 1024 * 1024 + 1))])
    assert.deepEqual([large.status, large.json().code], [413, 'payload-too-large'])
    const longJson = await send([applicationPart(applicationOf({ jobSeekerId: 'x'.repeat(256 * 1024) }))])
    assert.deepEqual([longJson.status, longJson.json().code], [413, 'payload-too-large'])
  })

  test('bodies that are not multipart forms', async () => {
    const authorization = `Bearer ${token}`
    const json = { authorization, 'content-type': 'application/json' }
    assert.equal((await door().send('POST', intakePath, { headers: json, body: '{}' })).status, 415)
    const unbounded = { authorization, 'content-type': 'multipart/form-data' }
    assert.equal((await door().send('POST', intakePath, { headers: unbounded, body: 'x' })).status, 400)
    const { body, type } = multipart([applicationPart(applicationOf()), resume])
    const cut = { headers: { authorization, 'content-type': type }, body: body.subarray(0, -20) }
    assert.equal((await door().send('POST', intakePath, cut)).status, 400)
  })

  test('unreadable keys', async () => {
    const part = applicationPart(applicationOf())
    for (const key of ['', '""', 'a b', 'a, a', 'x'.repeat(256)]) {
      assertRefused(await post(door(), token, [part], key), 400, 'invalid-parameter')
    }
  })

  test('and leaves nothing of all that: no application, no file, no key', async () => {
    const { database } = world().services
    const query = `${listPath}?afterid=${lastId}`
    assert.deepEqual(listing(await door().send('GET', query, { headers: harbour })).JobApplicationsList, [])
    assert.deepEqual(await database.reader.selectFrom('intake_keys').selectAll().execute(), [])
    const named = await database.reader.selectFrom('application_files').select('blob').execute()
    const resumes = await database.reader.selectFrom('resumes').select('blob').execute()
    const stored = await countBlobs(world().settings)
    assert.equal(stored, [...named, ...resumes].filter(({ blob }) => blob !== null).length)
  })
})
