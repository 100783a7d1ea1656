import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour, southern } from '../harness/http.ts'
import { intakeToken } from '../harness/intake.ts'
import { doorOf } from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { type Application, everything, milliseconds, read } from './reading.ts'

const nonLatin = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u
const types = ({ Attachments }: Application): string[] => Attachments.map(({ Type }) => Type).sort()

/** What Harbour's applications must have among them. */
const wanted: [what: string, holds: (application: Application) => boolean][] = [
  [
    'all four attachment types',
    application => types(application).join() === 'coverLetter,resume,screen,selectionCriteria',
  ],
  ['no attachment at all', ({ Attachments }) => Attachments.length === 0],
  [
    'an infected resume',
    ({ Attachments }) => Attachments.some(({ Type, HasVirus }) => Type === 'resume' && HasVirus === true),
  ],
  ['an unscanned file', ({ Attachments }) => Attachments.some(({ HasVirus }) => HasVirus === null)],
  ['a job reference', application => 'JobReference' in application],
  ['no job reference', application => !('JobReference' in application)],
  ['no phone', ({ Phone }) => Phone === ''],
  ['a phone', ({ Phone }) => Phone !== ''],
  ['a name in non-Latin script', ({ FirstName, LastName }) => nonLatin.test(FirstName + LastName)],
  [
    'a full primary job-seeking info',
    ({ PrimaryJobSeekingInfo: info }) => Object.keys(info ?? {}).length === 4,
  ],
  ['no primary job-seeking info', ({ PrimaryJobSeekingInfo: info }) => info === undefined],
  ['a newcomer to the workforce', ({ PrimaryJobSeekingInfo: info }) => info?.['IsNewToWorkForce'] === true],
]

onOneEngineInTurn('the demo world', service => {
  test('Harbour has at least 14 applications from 1 October to 13 November 2026', async () => {
    const applications = await everything(service())
    assert.ok(applications.length >= 14)
    for (const { DateSubmitted } of applications) {
      const time = milliseconds(DateSubmitted)
      assert.ok(time >= Date.parse('2026-10-01T00:00:00+10:00'), DateSubmitted)
      assert.ok(time < Date.parse('2026-11-14T00:00:00+10:00'), DateSubmitted)
    }
  })

  test('Southern has at least 3 applications', async () => {
    assert.ok((await everything(service(), southern)).length >= 3)
  })

  for (const [what, holds] of wanted) {
    test(`Harbour has an application with ${what}`, async () => {
      assert.ok((await everything(service())).some(holds))
    })
  }

  test('the same candidate applied twice', async () => {
    const candidates = (await everything(service())).map(({ JobSeekerID }) => JobSeekerID)
    assert.ok(new Set(candidates).size < candidates.length)
  })

  test('the job board finds the ads of Harbour, the first of which has all five types of question', async () => {
    const token = await intakeToken(doorOf(service()))
    const ask = async (path: string) =>
      (await call(service(), path, { headers: { authorization: `Bearer ${token}` } })).json()
    const { jobAds } = await ask('/v1/intake/job-ads?advertiserId=10000001')
    assert.deepEqual(
      jobAds.map((ad: Record<string, unknown>) => [ad['id'], ad['title'], ad['reference']]),
      [
        [31, 'Head barista', 'HCR-7'],
        [32, 'Production roaster', 'HCR-9'],
        [33, 'Wholesale trainer', 'HCR-12'],
      ],
    )
    const { questions } = await ask(`/v1/intake/screens/${jobAds[0].screenId}?advertiserId=10000001`)
    assert.equal(new Set(questions.map(({ type }: { type: string }) => type)).size, 5)
  })

  test('the advertisers have the numbers that the quick start prints', async () => {
    assert.equal((await read(service(), '?limit=1', harbour)).AdvertiserID, 10000001)
    assert.equal((await read(service(), '?limit=1', southern)).AdvertiserID, 10000002)
  })
})
