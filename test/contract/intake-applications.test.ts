import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sha256Hex } from '../../src/platform/core/hashing.ts'
import { demoFile } from '../harness/documents.ts'
import { harbour, southern } from '../harness/http.ts'
import {
  applicationOf,
  applicationPart,
  assertRefused,
  countBlobs,
  file,
  harbourId,
  idOf,
  intakeToken,
  post,
  southernId,
} from '../harness/intake.ts'
import type { Part } from '../harness/multipart.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { type Application, listing, listPath, tree } from './reading.ts'
import { watched } from './version2.ts'

const files = [
  file('resume', 'Casey Lim.pdf', demoFile('mary-nguyen-resume.pdf')),
  file('coverLetter', 'Brief für Sie.docx', demoFile('mary-nguyen-cover-letter.docx')),
  file('selectionCriteria', 'criteria.rtf', demoFile('mary-nguyen-selection-criteria.rtf')),
]

/** Job ad 31 asks all five types of question. */
const passing = [
  { questionId: '7001', answerIds: ['90013'] },
  { questionId: '7002', answerIds: ['90021', '90023'] },
  { questionId: '7003', answerIds: ['90031'] },
  { questionId: '7004', text: '18 g in, "36 g" out & taste.' },
  { questionId: '7005', text: 'https://example.com/casey?a=1&b=2' },
]

const finished = {
  id: 'board-9',
  name: 'Our own questions',
  successful: false,
  questions: [
    { id: 'q1', type: 'Text', text: 'Why?', answers: [{ id: 'a1', text: 'Because <3', selected: true }] },
    {
      id: 'q2',
      type: 'MultipleChoiceOneAnswer',
      text: 'When?',
      answers: [
        { id: 'a2', text: 'Now', selected: true },
        { id: 'a3', text: 'Later', selected: false },
      ],
    },
  ],
}

inDemoWorldInTurn('applications that a job board sends', world => {
  const door = () => watched(world().door)
  let token: string
  before(async () => {
    token = await intakeToken(door())
  })

  const send = (application: unknown, parts: readonly Part[] = []) =>
    post(door(), token, [applicationPart(application), ...parts])

  async function listed(id: number, as = harbour): Promise<Application> {
    const query = `?afterid=${id - 1}&beforeid=${id + 1}&include=primaryjobseekinginfo`
    const [application] = listing(
      await door().send('GET', listPath + query, { headers: as }),
    ).JobApplicationsList
    assert.ok(application !== undefined, `version 1 lists ${id}`)
    return application
  }
  const download = (kind: string, id: number, accept = '*/*') =>
    door().send('GET', `${listPath}/${kind}/${id}`, { headers: { ...harbour, accept } })

  test('everything that was sent is in version 1, the files byte for byte', async () => {
    const answer = await send(
      applicationOf({
        jobAdId: 31,
        contact: { email: 'zoe@example.com', firstName: 'Zoë', lastName: "O'Neill", phone: '0491 570 006' },
        primaryJobSeekingInfo: {
          jobTitle: 'Barista',
          companyName: 'Dock & Co',
          timeInRoleMonths: 18,
          isNewToWorkForce: false,
        },
        screen: { answers: passing },
      }),
      files,
    )
    const id = idOf(answer)
    const body = answer.json()
    assert.deepEqual(Object.keys(body), ['id', 'submitted', 'attachments'])
    assert.equal(body.submitted, new Date(world().clock()).toISOString())
    assert.deepEqual(
      body.attachments,
      files.map(({ name, fileName, content }) => ({
        type: name,
        fileName,
        size: content.length,
        sha256: sha256Hex(content as Buffer),
        scan: 'unscanned',
      })),
    )

    const { Attachments, DateSubmitted, ...rest } = await listed(id)
    assert.deepEqual(rest, {
      ID: id,
      Email: 'zoe@example.com',
      FirstName: 'Zoë',
      LastName: "O'Neill",
      Phone: '0491 570 006',
      JobSeekerID: 'board-user-1',
      JobReference: 'HCR-7',
      PrimaryJobSeekingInfo: {
        JobTitle: 'Barista',
        CompanyName: 'Dock & Co',
        TimeInRole: 18,
        IsNewToWorkForce: false,
      },
    })
    assert.equal(DateSubmitted, `/Date(${world().clock()}+1000)/`)
    assert.deepEqual(Attachments.map(({ Type }) => Type).toSorted(), [
      'coverLetter',
      'resume',
      'screen',
      'selectionCriteria',
    ])
    for (const { name, content } of files) {
      const downloaded = await download(name.toLowerCase(), id)
      assert.equal(downloaded.status, 200)
      assert.ok(downloaded.bytes.equals(content as Buffer), name)
    }
    const letter = await download('coverletter', id)
    assert.match(letter.headers.get('content-disposition') ?? '', /filename\*=UTF-8''Brief%20f%C3%BCr%20Sie/)
  })

  test('version 1 returns it in XML too', async () => {
    const id = idOf(await send(applicationOf({ jobReference: 'A<B' }), files.slice(0, 1)))
    const answer = await door().send('GET', `${listPath}?afterid=${id - 1}`, {
      headers: { ...harbour, accept: 'application/xml' },
    })
    assert.match(answer.text, /<JobReference>A&lt;B<\/JobReference>/)
    assert.match(answer.text, new RegExp(`<Href>advertiser/applications/resume/${id}</Href>`))
  })

  test('the answers to a screen are judged and kept as a snapshot, in JSON and XML', async () => {
    const id = idOf(await send(applicationOf({ jobAdId: 31, screen: { answers: passing } })))
    const { screen } = (await download('screen', id, 'application/json')).json()
    assert.deepEqual([screen['@id'], screen['@successful']], ['501', 'True'])
    const [years, shifts, , text, page] = screen.question
    const selected = (question: { answer: { '@id': string; '@selected'?: string }[] }) =>
      question.answer.filter(answer => answer['@selected'] === 'True').map(answer => answer['@id'])
    assert.deepEqual([selected(years), selected(shifts)], [['90013'], ['90021', '90023']])
    assert.equal(text.answer['#text'], '18 g in, "36 g" out & taste.')
    assert.equal(page.answer[0]['#text'], 'https://example.com/casey?a=1&b=2')
    const xml = tree((await download('screen', id, 'application/xml')).text)
    assert.deepEqual([xml.name, xml.attributes['successful'], xml.children.length], ['screen', 'True', 5])
  })

  test('a screen that was not passed is delivered like any other', async () => {
    const answers = passing.map(answer =>
      answer.questionId === '7001' ? { ...answer, answerIds: ['90011'] } : answer,
    )
    const id = idOf(await send(applicationOf({ jobAdId: 31, screen: { screenId: 501, answers } })))
    assert.equal((await download('screen', id, 'application/json')).json().screen['@successful'], 'False')
  })

  test("a screen of the advertiser's can be answered without a job ad", async () => {
    const screen = {
      screenId: '601',
      answers: [
        { questionId: '7201', answerIds: ['92013'] },
        { questionId: '7202', answerIds: ['92022'] },
      ],
    }
    const id = idOf(await send(applicationOf({ advertiserId: southernId, screen })))
    const { Attachments, JobReference } = await listed(id, southern)
    assert.deepEqual([Attachments.map(({ Type }) => Type), JobReference], [['screen'], undefined])
  })

  test('a given result is kept as sent, even if the ad has its own screen', async () => {
    const id = idOf(await send(applicationOf({ jobAdId: 31, screen: { result: finished } })))
    const { screen } = (await download('screen', id, 'application/json')).json()
    assert.deepEqual(
      [screen['@id'], screen['@name'], screen['@successful']],
      ['board-9', 'Our own questions', 'False'],
    )
    assert.deepEqual(screen.question[0].answer, { '@id': 'a1', '@selected': 'True', '#text': 'Because <3' })
    assert.equal(screen.question[1].answer.length, 2)
  })

  test('the minimum: no file, no ad, no phone', async () => {
    const application = await listed(idOf(await send(applicationOf({ screen: null, jobAdId: null }))))
    assert.deepEqual([application.Attachments, application.Phone], [[], ''])
    assert.ok(!('JobReference' in application) && !('PrimaryJobSeekingInfo' in application))
  })

  test("its own reference takes precedence over the ad's; an ad without a screen asks no questions", async () => {
    const id = idOf(await send(applicationOf({ jobAdId: 32, jobReference: 'BOARD-1' })))
    assert.equal((await listed(id)).JobReference, 'BOARD-1')
  })

  test('the JSON may be a file, as curl sends it, and IDs may be strings', async () => {
    const part = {
      name: 'application',
      fileName: 'a.json',
      content: JSON.stringify(applicationOf({ advertiserId: '10000001' })),
    }
    idOf(await post(door(), token, [part, ...files]))
  })

  test('a byte order mark before the JSON is ignored', async () => {
    const content = `\ufeff${JSON.stringify(applicationOf())}`
    idOf(await post(door(), token, [{ name: 'application', content }]))
  })

  test("it keeps the job board's date unless that is in the future or before the newest application", async () => {
    const { clock } = world()
    clock.advance(60_000)
    const iso = (ms: number) => new Date(clock() + ms).toISOString()
    const dated = await send(applicationOf({ submitted: iso(-10_000) }))
    const id = idOf(dated)
    assert.equal(dated.json().submitted, iso(-10_000))
    assert.equal((await listed(id)).DateSubmitted, `/Date(${clock() - 10_000}+1000)/`)
    // The same moment does not count as before.
    idOf(await send(applicationOf({ submitted: iso(-10_000) }), files.slice(0, 1)))
    const stored = await countBlobs(world().settings)
    const early = await send(applicationOf({ submitted: iso(-10_001) }), files.slice(0, 1))
    assertRefused(early, 422, 'invalid-fields', { submitted: 'before-newest' })
    assert.equal(await countBlobs(world().settings), stored, 'and leaves no file behind')
    const future = await send(applicationOf({ submitted: iso(1) }))
    assertRefused(future, 422, 'invalid-fields', { submitted: 'in-the-future' })
    for (const submitted of ['2026-11-14T10:00:00', '2026-02-30T10:00:00Z', 1])
      assertRefused(await send(applicationOf({ submitted })), 422, 'invalid-fields', {
        submitted: 'wrong-type',
      })
    // Another advertiser has its own newest application.
    idOf(await send(applicationOf({ advertiserId: southernId, submitted: iso(-10_001) })))
    const plain = await send(applicationOf({ submitted: null }))
    assert.equal(plain.json().submitted, iso(0))
  })

  test('sent at once with their own dates, dates never decrease with the ID', async () => {
    const { clock, services } = world()
    clock.advance(60_000)
    const sent = Array.from({ length: 20 }, (_, index) =>
      send(applicationOf({ submitted: new Date(clock() - (index % 7) * 1000).toISOString() })),
    )
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    assert.ok(statuses.includes(201) && statuses.every(status => status === 201 || status === 422))
    const rows = await services.database.reader
      .selectFrom('applications')
      .select('submitted_at')
      .where('advertiser_id', '=', harbourId)
      .orderBy('id')
      .execute()
    const dates = rows.map(row => row.submitted_at)
    assert.deepEqual(
      dates,
      dates.toSorted((a, b) => a - b),
    )
  })

  test('a file input without a choice counts as none', async () => {
    const answer = await send(applicationOf(), [file('coverLetter', '', '')])
    assert.deepEqual([idOf(answer) > 0, answer.json().attachments], [true, []])
  })
})
