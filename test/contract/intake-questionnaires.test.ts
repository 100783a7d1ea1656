import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { questionnaireResult } from '../../src/model/questionnaire-outcome.ts'
import { plainDraft } from '../harness/applications.ts'
import { harbour } from '../harness/http.ts'
import { secondMs } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { assertCode, assertFields, type Board, board, boardToken, nextPage } from './postings.ts'
import { harbourId, onHoldId, southernId, watched } from './version2.ts'

const path = '/v1/intake/screens'
const questions = [
  {
    id: 'years',
    type: 'MultipleChoiceOneAnswer',
    text: 'How many years?',
    isRequired: true,
    options: [{ text: 'None' }, { id: 'some', text: 'Three & more', passes: true }],
  },
  {
    type: 'MultipleChoiceManyAnswers',
    text: 'Which shifts?',
    options: [{ text: 'Early', passes: true }, { text: 'Late' }],
  },
  { type: 'True/False', text: 'May you work here?' },
  { type: 'Text', text: 'Which city?', passingTexts: ['Newcastle'] },
  { type: 'URLQuestion', text: 'Your portfolio?' },
]
const plainQuestionnaire = { advertiserId: harbourId, name: 'Baker', questions }

inDemoWorldInTurn('screens of a job board', world => {
  let calls: Board
  before(async () => {
    calls = board(world().door, await boardToken(world().door))
  })
  const at = (id: number, verb = '', advertiserId: number = harbourId) =>
    `${path}/${id}${verb}?advertiserId=${advertiserId}`
  const post = async (change: Record<string, unknown> = {}) => {
    const answer = await calls.post(path, { ...plainQuestionnaire, ...change })
    assert.equal(answer.status, 201, answer.text)
    return answer.json()
  }

  test('a screen that no candidate could pass is refused, when it is created and when it is replaced', async () => {
    const asked = [
      { type: 'URLQuestion', text: 'Your page?', passingTexts: ['example.com'] },
      { type: 'True/False', text: 'Rye?', passingTexts: ['Maybe'] },
    ]
    const wrong = { ...plainQuestionnaire, questions: asked }
    const { id } = await post()
    for (const answer of [await calls.post(path, wrong), await calls.put(`${path}/${id}`, wrong)]) {
      assertFields(answer, {
        'questions[0].passingTexts[0]': 'cannot-pass',
        'questions[1].passingTexts': 'not-here',
      })
    }
  })

  test('it is created with all five types, and read back with defaults for omitted fields', async () => {
    const answer = await calls.post(path, plainQuestionnaire)
    assert.equal(answer.status, 201, answer.text)
    const screen = answer.json()
    const now = new Date(world().clock()).toISOString()
    const typed = { isRequired: false, options: [] }
    const chosen = { isRequired: false, passingTexts: [] }
    assert.deepEqual(screen, {
      id: screen.id,
      advertiserId: harbourId,
      name: 'Baker',
      status: 'open',
      createdAt: now,
      updatedAt: now,
      questions: [
        {
          ...questions[0],
          passingTexts: [],
          options: [
            { id: '1', text: 'None', passes: false },
            { id: 'some', text: 'Three & more', passes: true },
          ],
        },
        {
          ...chosen,
          id: '1',
          type: 'MultipleChoiceManyAnswers',
          text: 'Which shifts?',
          options: [
            { id: '1', text: 'Early', passes: true },
            { id: '2', text: 'Late', passes: false },
          ],
        },
        {
          ...chosen,
          id: '2',
          type: 'True/False',
          text: 'May you work here?',
          options: [
            { id: '1', text: 'True', passes: false },
            { id: '2', text: 'False', passes: false },
          ],
        },
        { ...typed, id: '3', type: 'Text', text: 'Which city?', passingTexts: ['Newcastle'] },
        { ...typed, id: '4', type: 'URLQuestion', text: 'Your portfolio?', passingTexts: [] },
      ],
    })
    assert.equal(answer.headers.get('location'), `${world().door.origin}${at(screen.id)}`)
    assert.deepEqual((await calls.get(at(screen.id))).json(), screen)
  })

  test('it is replaced as a whole; closing and reopening can be repeated', async () => {
    const screen = await post()
    world().clock.advance(secondMs)
    const question = { type: 'Text', text: 'Why?' }
    const next = { advertiserId: harbourId, name: 'Cook', questions: [{ ...question, id: 'why' }] }
    const refused = await calls.put(`${path}/${screen.id}`, { ...next, questions: [question] })
    assertFields(refused, { questions: 'ids-missing' })
    assert.ok(refused.text.includes(screen.questions[0].id), refused.text)
    const replaced = await calls.put(`${path}/${screen.id}`, next)
    assert.equal(replaced.status, 200, replaced.text)
    assert.deepEqual(
      [replaced.json().name, replaced.json().questions.length, replaced.json().createdAt],
      ['Cook', 1, screen.createdAt],
    )
    assert.notEqual(replaced.json().updatedAt, screen.updatedAt)
    // A new part gets an ID that no part has had.
    const more = await calls.put(`${path}/${screen.id}`, {
      ...next,
      questions: [question, ...next.questions],
    })
    const [added, kept] = more.json().questions
    assert.deepEqual(
      [kept.id, screen.questions.some(({ id }: { id: string }) => id === added.id)],
      ['why', false],
    )
    await calls.put(`${path}/${screen.id}`, next)
    for (const [verb, status] of [
      ['/close', 'closed'],
      ['/open', 'open'],
    ] as const) {
      const first = await calls.post(at(screen.id, verb))
      assert.equal(first.json().status, status)
      world().clock.advance(secondMs)
      assert.deepEqual((await calls.post(at(screen.id, verb))).json(), first.json())
    }
  })

  test('every fault is reported by its path', async () => {
    const wrong = {
      advertiserId: harbourId,
      name: '',
      questions: [
        { type: 'Text', text: 'x', options: [{ text: 'a' }] },
        { type: 'Yes/No', text: 'x' },
        {
          type: 'MultipleChoiceOneAnswer',
          text: 'x',
          options: [{ text: '\u0000' }, { text: 'b', pass: true }],
        },
      ],
    }
    assertFields(await calls.post(path, wrong), {
      name: 'empty',
      'questions[0].options': 'not-here',
      'questions[1].type': 'unknown',
      'questions[2].options[0].text': 'unwritable-character',
      'questions[2].options[1].pass': 'unknown',
    })
    const many = await calls.post(path, { ...plainQuestionnaire, questions: Array(80_000).fill({}) })
    assert.equal(many.status, 422)
    assert.ok(many.text.length < 20_000, `${many.text.length} characters`)
    for (const sent of [{}, 'x', 7, true]) {
      const answer = await calls.post(path, { ...plainQuestionnaire, questions: sent })
      assert.equal(answer.status, 422, answer.text)
    }
  })

  test('a long page of the list ends early, and the next one continues', async () => {
    const options = Array(200).fill({ text: 'x' })
    const long = Array(90).fill({ type: 'MultipleChoiceManyAnswers', text: 'Which?', options })
    const whose = { advertiserId: southernId }
    const { id: first } = await post(whose)
    const others: number[] = []
    for (let i = 0; i < 3; i++) others.push((await post({ ...whose, questions: long })).id)
    const pages: number[][] = []
    let next: string | undefined = `${path}?advertiserId=${southernId}&afterId=${first}`
    while (next !== undefined) {
      const answer = await calls.get(next)
      assert.ok(answer.text.length < 2_000_000, `${answer.text.length} characters`)
      pages.push(answer.json().screens.map(({ id }: { id: number }) => id))
      next = nextPage(world().door, answer)
    }
    assert.deepEqual(pages.flat(), others)
    assert.ok(pages.length > 1)
  })

  test("the list has the advertiser's own, page by page; another advertiser's is not found", async () => {
    await post()
    const foreign = await post({ advertiserId: southernId })
    const whole = (await calls.get(`${path}?advertiserId=${harbourId}`)).json().screens
    assert.ok(whole.length > 1)
    assert.ok(whole.every((screen: { advertiserId: number }) => screen.advertiserId === harbourId))
    const first = await calls.get(`${path}?advertiserId=${harbourId}&limit=${whole.length - 1}`)
    const second = await calls.get(nextPage(world().door, first) ?? '')
    assert.deepEqual([...first.json().screens, ...second.json().screens], whole)
    assert.equal(nextPage(world().door, second), undefined)

    assertCode(await calls.get(at(foreign.id)), 404, 'not-found')
    assertCode(await calls.put(`${path}/${foreign.id}`, plainQuestionnaire), 404, 'not-found')
    assertCode(await calls.post(at(foreign.id, '/close')), 404, 'not-found')
    assertCode(await calls.get(`${path}?advertiserId=${onHoldId}`), 403, 'advertiser-not-listed')
    assertCode(
      await calls.post(path, { ...plainQuestionnaire, advertiserId: onHoldId }),
      403,
      'advertiser-not-listed',
    )
    assert.deepEqual((await calls.get(at(foreign.id, '', southernId))).json(), foreign)
  })

  describe('an application made with it', () => {
    const answers = new Map<string, readonly string[] | string>([
      ['years', ['some']],
      ['1', ['1']],
      ['3', ' newcastle'],
    ])

    test('neither a new screen nor a new ad changes the stored application', async () => {
      const { services } = world()
      const screen = await post()
      const ad = { advertiserId: harbourId, title: 'Baker', location: 'Newcastle', description: 'Bread.' }
      const posted = await calls.post('/v1/intake/job-ads', { ...ad, reference: 'OLD', screenId: screen.id })
      const found = await services.jobBoard.find(posted.json().id)
      assert.ok(found?.screen)
      const draft = plainDraft({ jobReference: 'OLD', screen: questionnaireResult(found.screen, answers) })
      const { id } = await services.submissions.add(harbourId, draft)
      const read = async () => {
        const door = watched(world().door)
        const questionnaireOf = (accept: string) =>
          door.send('GET', `/v1/advertiser/applications/screen/${id}`, { headers: { ...harbour, accept } })
        const list = `/v1/advertiser/applications?afterid=${id - 1}&beforeid=${id + 1}`
        const [json, xml, entry] = [
          await questionnaireOf('application/json'),
          await questionnaireOf('application/xml'),
          await door.send('GET', list, { headers: harbour }),
        ]
        return { json: json.json(), xml: xml.text, entry: entry.json() }
      }
      const before = await read()
      assert.equal(before.json.screen['@successful'], 'True')
      assert.equal(before.json.screen['@id'], String(screen.id))

      const harder = [
        {
          ...questions[0],
          id: 'harder',
          text: 'Other',
          options: [{ text: 'a' }, { text: 'b', passes: true }],
        },
      ]
      assert.equal(
        (await calls.put(`${path}/${screen.id}`, { ...plainQuestionnaire, questions: harder })).status,
        200,
      )
      const changed = { ...ad, reference: 'NEW' }
      assert.equal((await calls.put(`/v1/intake/job-ads/${posted.json().id}`, changed)).status, 200)
      await calls.post(at(screen.id, '/close'))
      assert.deepEqual(await read(), before)
    })
  })
})
