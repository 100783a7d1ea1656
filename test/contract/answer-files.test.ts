/** Questions that ask for a file: from the form and from job boards, to the company, and out again. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { call, harbour, southern } from '../harness/http.ts'
import { bearer, doorOf, mary } from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import {
  behindTheScenes,
  deliveredToHarbour,
  filesKept,
  harbourId,
  listPath,
  openForm,
  sendForm,
  sentId,
  signedIn,
  summaryOf,
} from './apply-form.ts'
import { assertFields, type Board, board, boardToken } from './postings.ts'

const questions = [
  { id: 'why', type: 'Text', text: 'Why?' },
  {
    id: 'work',
    type: 'Text',
    kind: 'file',
    isRequired: true,
    reference: 'PORTFOLIO',
    text: 'A sample of your work?',
  },
  { id: 'more', type: 'Text', kind: 'file', text: 'Another one?' },
]
const sample = { name: 'Sample.txt', content: 'Eleven cakes.' }

onOneEngineInTurn('answers that are files', service => {
  let boardCalls: Board
  let token: string
  let screenId: number
  let jobAdId: number
  before(async () => {
    token = await boardToken(doorOf(service()))
    boardCalls = board(doorOf(service()), token)
    const screen = await boardCalls.post('/v1/intake/screens', {
      advertiserId: harbourId,
      name: 'Work',
      questions,
    })
    assert.equal(screen.status, 201, screen.text)
    screenId = screen.json().id
    const ad = { advertiserId: harbourId, title: 'Baker', location: 'Here', description: 'Bread.', screenId }
    jobAdId = (await boardCalls.post('/v1/intake/job-ads', ad)).json().id
  })
  const get = (path: string, headers: Record<string, string> = harbour) => call(service(), path, { headers })
  const answersOf = async (id: number) =>
    (await get(`/v1/advertiser/applications/${id}/answers`)).json().answers

  async function submit(files: Record<string, string>, screen: object = { screenId, answers: [] }) {
    const form = new FormData()
    const contact = { email: 'ann@example.com', firstName: 'Ann', lastName: 'File' }
    form.set('application', JSON.stringify({ advertiserId: harbourId, jobSeekerId: 'ann', contact, screen }))
    for (const [part, content] of Object.entries(files)) form.set(part, new Blob([content]), `${part}.txt`)
    const body = new Response(form)
    return call(service(), '/v1/intake/applications', {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': body.headers.get('content-type') ?? '' },
      body: Buffer.from(await body.arrayBuffer()) as never,
    })
  }

  test('a candidate answers with a file, which the company downloads and version 1 names', async () => {
    const browser = await signedIn(service(), mary)
    const form = await openForm(browser, jobAdId)
    const without = await sendForm(service(), browser, form)
    assert.equal(without.status, 422)
    assert.deepEqual(summaryOf(without.text), [['question-work', 'Question 2: Choose a file.']])
    const id = sentId(await sendForm(service(), browser, form, { files: { 'question-work': sample } }))

    const delivered = await deliveredToHarbour(service(), id)
    const types = delivered.Attachments.map(({ Type }: { Type: string }) => Type)
    assert.deepEqual(types, ['resume', 'screen'])
    const { screen } = (await get(`/v1/advertiser/applications/screen/${id}`)).json()
    assert.deepEqual(screen.question[1], {
      '@id': 'work',
      '@type': 'Text',
      '@text': 'A sample of your work?',
      answer: { '@id': 'work-1', '@selected': 'True', '#text': 'Sample.txt' },
    })
    const [, work, more] = await answersOf(id)
    assert.deepEqual(
      [work.kind, work.reference, work.value.name, more.value],
      ['file', 'PORTFOLIO', 'Sample.txt', null],
    )
    const file = await get(work.value.href)
    assert.equal(file.text, sample.content)
    assert.equal(file.headers.get('etag'), `"${work.value.sha256}"`)
    assert.equal((await get(work.value.href, southern)).status, 404)
    for (const number of ['1', '3', '0', '201', 'x'])
      assert.equal(
        (await get(`/v1/advertiser/applications/${id}/answers/${number}/file`)).status,
        404,
        number,
      )

    const receipt = await browser.get(`${listPath}/${id}`)
    assert.match(receipt.text, /Answer 2: <bdi>Sample.txt/)
    assert.equal((await browser.get(`${listPath}/${id}/files/answer-2`)).text, sample.content)
    const rex = await signedIn(service(), 'rex@example.com')
    const path = `/console/${harbourId}/applications/${id}`
    assert.match((await rex.get(path)).text, /<a href="#answer-2"><bdi>Sample.txt/)
    assert.equal((await rex.get(`${path}/files/answer-2`)).text, sample.content)
    const zip = await rex.get(`${path}/files.zip`)
    assert.match(zip.text, /answer-2-Sample.txt/)
  })

  test('a verdict names the answer, and an infected file is empty; an erasure removes it', async () => {
    const sent = await submit({ 'answer-2': sample.content, resume: 'Ten years.' })
    assert.equal(sent.status, 201, sent.text)
    const { id, attachments, answerFiles } = sent.json()
    assert.deepEqual(
      [attachments, answerFiles].map(files => files.map(({ type }: { type: string }) => type)),
      [['resume'], ['answer-2']],
    )
    const { cursor } = (await get('/v1/advertiser/events')).json()
    const before = await filesKept(service())
    await behindTheScenes(service(), ({ applications }) =>
      applications.recordVerdict(harbourId, id, 'answer-2', 'infected'),
    )
    const [event] = (await get(`/v1/advertiser/events?cursor=${cursor}`)).json().events
    assert.deepEqual(event.data, {
      advertiserId: harbourId,
      applicationId: id,
      attachmentType: 'answer',
      question: 2,
      from: 'unscanned',
      to: 'infected',
    })
    const [, work] = await answersOf(id)
    assert.deepEqual([work.value.scan, work.value.size], ['infected', 0])
    const empty = await get(work.value.href)
    assert.deepEqual([empty.status, empty.text, empty.headers.get('x-has-virus')], [200, '', 'true'])
    const listed = (await deliveredToHarbour(service(), id)).Attachments
    assert.deepEqual(
      listed.map(({ Type }: { Type: string }) => Type),
      ['resume', 'screen'],
    )
    await behindTheScenes(service(), ({ erasure }) => erasure.erase(harbourId, id))
    assert.deepEqual(await answersOf(id), [])
    assert.equal((await get(work.value.href)).status, 404)
    assert.ok(before.length > 0)
  })

  test('nothing typed is lost when the company has removed such questions since', async () => {
    const name = 'Changing'
    const asked = [0, 1, 2].map(index => ({ id: `f${index}`, type: 'Text', kind: 'file', text: 'A file?' }))
    const body = { advertiserId: harbourId, name, questions: asked }
    const { id } = (await boardCalls.post('/v1/intake/screens', body)).json()
    const ad = {
      advertiserId: harbourId,
      title: 'Cook',
      location: 'Here',
      description: 'Soup.',
      screenId: id,
    }
    const { id: adId } = (await boardCalls.post('/v1/intake/job-ads', ad)).json()
    const browser = await signedIn(service(), mary)
    const form = await openForm(browser, adId)
    const left = [{ id: 'why', type: 'Text', text: 'Why?' }]
    assert.equal((await boardCalls.put(`/v1/intake/screens/${id}`, { ...body, questions: left })).status, 200)
    const notChosen = { name: '', content: '' }
    const again = await sendForm(service(), browser, form, {
      fields: { coverLetterText: 'Dear cooks' },
      files: Object.fromEntries(asked.map(each => [`question-${each.id}`, notChosen])),
    })
    assert.equal(again.status, 422, again.text)
    assert.match(again.text, /The company has changed its questions since you opened this page/)
    assert.match(again.text, /Dear cooks<\/textarea>/)
  })

  test('job boards must send required files, and only those that are asked for', async () => {
    assertFields(await submit({}), { 'screen.answers.work': 'required' })
    assertFields(await submit({ 'answer-1': 'x', 'answer-2': 'x' }), { 'answer-1': 'not-asked' })
    assertFields(
      await submit({ 'answer-2': 'x' }, { screenId, answers: [{ questionId: 'work', text: 'x' }] }),
      {
        'screen.answers.work': 'not-a-text',
      },
    )
    const many = Array(11).fill({ type: 'Text', kind: 'file', text: 'x' })
    assertFields(
      await boardCalls.post('/v1/intake/screens', { advertiserId: harbourId, name: 'x', questions: many }),
      {
        questions: 'too-many-files',
      },
    )
  })
})
