/**
 * Golden wire samples: spec/wire/ holds what version 1 sends for the demo world, byte for byte, for people who
 * write a client and for us, to whom a changed byte must never go unnoticed. To rewrite them:
 *
 *   UPDATE_GOLDEN=1 npm test -- test/wire
 */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Questionnaire } from '../../src/model/questionnaire.ts'
import { questionnaireResult } from '../../src/model/questionnaire-outcome.ts'
import { renderScreen } from '../../src/model/v1/screen-rendering.ts'
import { type Application, everything, listPath, type RequestHeaders } from '../contract/reading.ts'
import { assertGolden } from '../harness/golden.ts'
import { call, harbour, southern } from '../harness/http.ts'
import { onEveryEngineInTurn } from '../harness/one-engine.ts'
import type { Service } from '../harness/service.ts'

const formats = ['json', 'xml'] as const
const include = 'include=primaryjobseekinginfo'

/** The origin differs from run to run and is part of the type of a problem; in the samples it is the default. */
const publishedOrigin = 'http://localhost:8080'

/** `04-liam-oconnor`: the ID, and the name in plain letters; if it has none, those of the email address. */
function slugOf({ ID, FirstName, LastName, Email }: Application): string {
  const plain = (text: string) =>
    text
      .normalize('NFD')
      .toLowerCase()
      .replace(/[^a-z0-9 .-]/g, '')
      .split(/[ .-]+/)
      .filter(part => part !== '')
      .join('-')
  const name = plain(`${FirstName} ${LastName}`) || plain(Email.split('@')[0] ?? '')
  return `${String(ID).padStart(2, '0')}-${name}`
}

const seen = new Set<string>()

async function assertSample(
  service: Service,
  as: RequestHeaders,
  path: string,
  sample: string,
): Promise<void> {
  for (const format of formats) {
    const headers = { ...as, accept: `application/${format}`, 'x-request-id': 'sample' }
    const answer = await call(service, path, { headers })
    const isProblem = answer.status >= 400
    assert.equal(
      answer.headers.get('content-type'),
      `application/${isProblem ? 'problem+' : ''}${format}; charset=utf-8`,
    )
    const name = `wire/${sample}.${format}`
    seen.add(name)
    assertGolden(name, answer.text.replaceAll(service.baseUrl, publishedOrigin))
  }
}

onEveryEngineInTurn('the wire samples', service => {
  test('each application of the demo world, alone in a list', async () => {
    for (const as of [harbour, southern]) {
      for (const application of await everything(service(), as)) {
        const { ID, PrimaryJobSeekingInfo } = application
        const alone = `${listPath}?afterid=${ID - 1}&beforeid=${ID + 1}`
        const sample = `applications/${slugOf(application)}`
        await assertSample(service(), as, alone, sample)
        if (PrimaryJobSeekingInfo !== undefined) {
          await assertSample(service(), as, `${alone}&${include}`, `${sample}.with-info`)
        }
      }
    }
  })

  test('each screen of the demo world', async () => {
    for (const as of [harbour, southern]) {
      for (const application of await everything(service(), as)) {
        const screen = application.Attachments.find(({ Type }) => Type === 'screen')
        if (screen !== undefined) {
          await assertSample(service(), as, `/v1/${screen.Href}`, `screens/${slugOf(application)}`)
        }
      }
    }
  })

  test('the frame of a list: every filter echoed, an empty list, and a page', async () => {
    const dates = 'afterdate=2026-10-01T00:00:00&beforedate=2026-11-01T00:00:00'
    const filters = `afterid=0004&beforeid=9999999999999999999&${dates}&${include}&limit=2`
    await assertSample(service(), harbour, `${listPath}?${filters}`, 'lists/all-filters')
    await assertSample(service(), harbour, `${listPath}?afterid=9999999999999999999`, 'lists/empty')
    await assertSample(service(), southern, listPath, 'lists/whole')
  })

  test('problems', async () => {
    await assertSample(service(), harbour, `${listPath}?afterid=abc`, 'problems/invalid-parameter')
    await assertSample(service(), harbour, '/v1/advertiser/applications/resume/999', 'problems/not-found')
    await assertSample(service(), {}, listPath, 'problems/invalid-credential')
  })

  test('a screen with each kind of question that version 1 has no word for', () => {
    const question = { type: 'Text' as const, isRequired: true, options: [], passingTexts: [] }
    const screen: Questionnaire = {
      id: 7,
      name: 'Kinds',
      questions: [
        { ...question, id: 'a', kind: 'number', text: 'Which salary?', reference: 'salary' },
        { ...question, id: 'b', kind: 'date', text: 'From when?' },
        { ...question, id: 'c', kind: 'longText', text: 'Why?' },
        { ...question, id: 'd', kind: 'statement', text: 'We record interviews.' },
        { ...question, id: 'e', kind: 'number', text: 'Which other salary?', isRequired: false },
        { ...question, id: 'f', kind: 'file', text: 'Your portfolio?' },
      ],
    }
    const answers = [
      ['a', '48 000,50'],
      ['b', '2027-02-28'],
      ['c', 'One.\n\nTwo.'],
      ['d', 'Read'],
      ['f', 'portfolio.pdf'],
    ] as const
    const rendered = renderScreen(questionnaireResult(screen, new Map(answers)))
    for (const format of formats) {
      seen.add(`wire/screens/kinds.${format}`)
      assertGolden(`wire/screens/kinds.${format}`, rendered[format])
    }
  })

  test('there is no unused sample', () => {
    const spec = fileURLToPath(new URL('../../spec', import.meta.url))
    assert.deepEqual(globSync('wire/**/*.{json,xml}', { cwd: spec }).toSorted(), [...seen].toSorted())
  })
})
