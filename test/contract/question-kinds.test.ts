/** Questions that version 1 has no word for: numbers, dates, long texts and statements, from the screen to the answers. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { harbour, southern } from '../harness/http.ts'
import { bearer } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { assertCode, assertFields, type Board, board, boardToken } from './postings.ts'
import { harbourId, watched } from './version2.ts'

const text = { type: 'Text', isRequired: true }
const questions = [
  { ...text, id: 'salary', kind: 'number', reference: 'SAL-1', text: 'Which salary?' },
  { ...text, id: 'from', kind: 'date', text: 'From when?' },
  { ...text, id: 'why', kind: 'longText', text: 'Why?' },
  { ...text, id: 'read', kind: 'statement', text: 'We record interviews.' },
]

inDemoWorldInTurn('kinds of questions', world => {
  let calls: Board
  let token: string
  let screenId: number
  before(async () => {
    token = await boardToken(world().door)
    calls = board(world().door, token)
    const answer = await calls.post('/v1/intake/screens', {
      advertiserId: harbourId,
      name: 'Kinds',
      questions,
    })
    assert.equal(answer.status, 201, answer.text)
    screenId = answer.json().id
  })

  async function send(answers: object[], extra: object = { screenId }) {
    const application = {
      advertiserId: harbourId,
      jobSeekerId: 'kinds',
      contact: { email: 'kinds@example.com', firstName: 'Ann', lastName: 'Kind' },
      screen: { ...extra, ...(answers.length > 0 && { answers }) },
    }
    const form = new FormData()
    form.set('application', JSON.stringify(application))
    const body = new Response(form)
    return watched(world().door).send('POST', '/v1/intake/applications', {
      headers: { ...bearer(token), 'content-type': body.headers.get('content-type') ?? '' },
      body: Buffer.from(await body.arrayBuffer()),
    })
  }

  const get = (path: string, headers: Record<string, string> = {}) =>
    watched(world().door).send('GET', path, { headers: { ...harbour, ...headers } })

  test('a screen keeps kinds and references; a kind needs the type Text and no passing texts', async () => {
    const { questions: stored } = (
      await calls.get(`/v1/intake/screens/${screenId}?advertiserId=${harbourId}`)
    ).json()
    assert.deepEqual(
      stored.map(({ kind, reference }: { kind: string; reference?: string }) => [kind, reference]),
      [
        ['number', 'SAL-1'],
        ['date', undefined],
        ['longText', undefined],
        ['statement', undefined],
      ],
    )
    const wrong = [
      { type: 'URLQuestion', kind: 'date', text: 'x' },
      { type: 'Text', kind: 'number', text: 'x', passingTexts: ['1'] },
      { type: 'Text', kind: 'video', text: 'x', reference: 'a\nb' },
    ]
    assertFields(
      await calls.post('/v1/intake/screens', { advertiserId: harbourId, name: 'x', questions: wrong }),
      {
        'questions[0].kind': 'not-here',
        'questions[1].passingTexts': 'not-here',
        'questions[2].kind': 'unknown',
        'questions[2].reference': 'line-break',
      },
    )
  })

  test('version 1 shows each kind as a Text with a fixed rendering', async () => {
    const sent = await send([
      { questionId: 'salary', text: '48 000,5' },
      { questionId: 'from', text: '2027-02-28' },
      { questionId: 'why', text: 'One.\n\nTwo.' },
      { questionId: 'read', text: 'Read' },
    ])
    assert.equal(sent.status, 201, sent.text)
    const shown = await watched(world().door).send(
      'GET',
      `/v1/advertiser/applications/screen/${sent.json().id}`,
      {
        headers: harbour,
      },
    )
    const { question, ...screen } = shown.json().screen
    assert.equal(screen['@successful'], 'True')
    assert.deepEqual(
      question.map((each: { '@type': string; answer: { '#text': string } }) => [
        each['@type'],
        each.answer['#text'],
      ]),
      [
        ['Text', '48000.5'],
        ['Text', '2027-02-28'],
        ['Text', 'One.\n\nTwo.'],
        ['Text', 'Read'],
      ],
    )
    assert.deepEqual(Object.keys(question[0]), ['@id', '@type', '@text', 'answer'])
  })

  test('the answers have their kinds, references and typed values, alone and with the event', async () => {
    const start = await get('/v1/advertiser/events')
    const sent = await send([
      { questionId: 'salary', text: '48000.5' },
      { questionId: 'from', text: '2027-02-28' },
      { questionId: 'why', text: 'Because.' },
      { questionId: 'read', text: 'Read' },
    ])
    const { id } = sent.json()
    const expected = {
      applicationId: id,
      screen: { id: String(screenId), name: 'Kinds', successful: true },
      answers: [
        { questionId: 'salary', kind: 'number', reference: 'SAL-1', text: 'Which salary?', value: 48000.5 },
        { questionId: 'from', kind: 'date', reference: null, text: 'From when?', value: '2027-02-28' },
        { questionId: 'why', kind: 'longText', reference: null, text: 'Why?', value: 'Because.' },
        {
          questionId: 'read',
          kind: 'statement',
          reference: null,
          text: 'We record interviews.',
          value: true,
        },
      ],
    }
    assert.deepEqual((await get(`/v1/advertiser/applications/${id}/answers`)).json(), expected)
    const { cursor } = start.json()
    for (const include of ['answers', 'application,answers']) {
      const [event] = (await get(`/v1/advertiser/events?cursor=${cursor}&include=${include}`)).json().events
      assert.deepEqual(event.answers, expected)
      assert.equal(event.application?.ID, include === 'answers' ? undefined : id)
    }
    const xml = { accept: 'application/xml' }
    const refused = await get(`/v1/advertiser/events?cursor=${cursor}&include=answers`, xml)
    assert.equal(refused.status, 406)
    assertCode(await get(`/v1/advertiser/events?include=answer`), 400, 'invalid-parameter')
    await world().services.erasure.erase(harbourId, id)
    const erased = (await get(`/v1/advertiser/applications/${id}/answers`)).json()
    assert.deepEqual(erased, { applicationId: id, screen: null, answers: [] })
  })

  test('a page of the feed ends before its answers are too large, and the next one goes on', async () => {
    const { cursor } = (await get('/v1/advertiser/events')).json()
    const long = Array.from({ length: 12 }, (_, index) => ({
      id: `q${index}`,
      type: 'Text',
      kind: 'longText',
      text: 'Why?',
      answers: [{ id: 'a', text: 'x'.repeat(20_000), selected: true }],
    }))
    const result = { id: 'own', name: 'Long', successful: true, questions: long }
    const sent: number[] = []
    for (let index = 0; index < 20; index++) sent.push((await send([], { result })).json().id)

    for (const include of ['answers', 'application,answers']) {
      const pages: { answers: object[]; bytes: number }[] = []
      for (let [from, more] = [cursor, true]; more; ) {
        const page = await get(`/v1/advertiser/events?cursor=${from}&limit=1000&include=${include}`)
        const json = page.json()
        pages.push({ answers: json.events, bytes: page.text.length })
        ;[from, more] = [json.cursor, json.more]
      }
      const events = pages.flatMap(({ answers }) => answers) as {
        data: { applicationId: number }
        answers: { answers: unknown[] }
      }[]
      assert.deepEqual(
        events.map(({ data }) => data.applicationId),
        sent,
      )
      assert.ok(events.every(({ answers }) => answers.answers.length === 12))
      assert.equal(pages.length, 2)
      for (const { bytes } of pages) assert.ok(bytes < 5_000_000, `${bytes} bytes`)
    }
  })

  test('types of version 1 have kinds, too; an application of another company is not found', async () => {
    const { answers } = (await get('/v1/advertiser/applications/1/answers')).json()
    assert.deepEqual(
      answers.map(({ kind }: { kind: string }) => kind),
      ['oneOption', 'severalOptions', 'yesNo', 'text', 'url'],
    )
    assert.deepEqual(answers[0].value, { id: '90014', text: 'More than 5 years' })
    assert.equal(answers[0].options.length, 4)
    assert.deepEqual(
      answers[1].value.map((each: { id: string }) => each.id),
      ['90021', '90023', '90024'],
    )
    assert.equal(answers[2].value, true)
    const foreign = await watched(world().door).send('GET', '/v1/advertiser/applications/1/answers', {
      headers: southern,
    })
    assertCode(foreign, 404, 'not-found')
  })

  test('an answer in another form is refused, also in a finished result', async () => {
    const wrong = await send([
      { questionId: 'salary', text: '50.000' },
      { questionId: 'from', text: '28.02.2027' },
      { questionId: 'read', text: 'yes' },
    ])
    assertFields(wrong, {
      'screen.answers.salary': 'not-a-number',
      'screen.answers.from': 'not-a-date',
      'screen.answers.why': 'required',
      'screen.answers.read': 'not-read',
    })
    const result = (kind: string, of: string) => ({
      result: {
        id: '1',
        name: 'Own',
        successful: true,
        questions: [
          { id: 'q', type: 'Text', kind, text: 'x', answers: [{ id: 'a', text: of, selected: true }] },
        ],
      },
    })
    assertFields(await send([], result('number', '48 000')), {
      'screen.result.questions[0].kind': 'not-of-this-kind',
    })
    const taken = await send([], result('date', '2027-02-28'))
    assert.equal(taken.status, 201, taken.text)
  })

  test('a number keeps its value, with three decimals too if they mean no thousands', async () => {
    const others = [
      { questionId: 'from', text: '2027-02-28' },
      { questionId: 'why', text: 'So.' },
      { questionId: 'read', text: 'Read' },
    ]
    const ofAnswers = (text: string) => send([{ questionId: 'salary', text }, ...others])
    const answers = [{ id: 'a', text: '7.125', selected: true }]
    const question = { id: 'q', type: 'Text', kind: 'number', text: 'x', answers }
    const result = { id: '1', name: 'Own', successful: true, questions: [question] }
    for (const sent of [await ofAnswers('7.1250'), await send([], { result })]) {
      assert.equal(sent.status, 201, sent.text)
      const read = await get(`/v1/advertiser/applications/${sent.json().id}/answers`)
      assert.equal(read.json().answers[0].value, 7.125)
    }
    for (const text of ['7.125', '123456789012.123456', '-50,000', '1e3', '٣'])
      assertFields(await ofAnswers(text), { 'screen.answers.salary': 'not-a-number' })
  })
})
