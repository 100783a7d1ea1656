import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { maryId } from '../../src/demo/world/world.ts'
import {
  askPrefill,
  getResume,
  grantedToken,
  type Prefilled,
  prefilled,
  resumePath,
} from '../contract/version2.ts'
import { createTestDatabase, engines, open, type TestDatabase } from '../harness/database.ts'
import { some, times } from '../harness/effort.ts'
import { formsOf } from '../harness/html-form.ts'
import { Browser, type Door, doorOf, manyFailures } from '../harness/oauth.ts'
import type { Service } from '../harness/service.ts'
import { startNodes } from './nodes.ts'

const env = {
  ...manyFailures,
  RATE_LIMIT_TOKEN_PER_MINUTE: '999999999',
  RATE_LIMIT_V2_PER_MINUTE: '999999999',
}
const atOnce = 30
const rounds = times(1, 10)

for (const engine of some(1, engines.toReversed())) {
  describe(`thirty prefills at once, on two processes [${engine}]`, () => {
    let database: TestDatabase
    let services: Service[] = []
    let browser: Browser
    const door = (index: number): Door => doorOf(services[index % services.length] as Service)

    before(async () => {
      database = await createTestDatabase(engine, 'demo')
      services = await startNodes(database, 2, { env })
      browser = new Browser(door(0))
      await browser.signIn()
    })
    after(async () => {
      for (const service of services) await service.stop()
      services = []
      await database.remove()
    })

    const many = <T>(each: (index: number) => Promise<T>) =>
      Promise.all(Array.from({ length: atOnce }, (_, index) => each(index)))

    /** What the candidate would see of it. */
    async function recorded(): Promise<{ applications: number; disclosures: number }> {
      const own = await open(database.settings)
      try {
        const [applications, disclosures] = await Promise.all([
          own.sharingHistory.applications(maryId, 100_000),
          own.sharingHistory.disclosures(maryId, 100_000),
        ])
        return { applications: applications.length, disclosures: disclosures.length }
      } finally {
        await own.close()
      }
    }

    test(`of one form are one application with one link, each update newer than the others, in ${rounds} rounds`, async () => {
      for (let round = 0; round < rounds; round++) {
        const token = await grantedToken(door(round), { browser })
        const before = await recorded()
        const answers: Prefilled[] = await many(index => prefilled(door(index), token))
        const distinct = (value: (answer: Prefilled) => unknown) => new Set(answers.map(value)).size
        assert.equal(
          distinct(({ id }) => id),
          1,
          'ids',
        )
        assert.equal(
          distinct(({ created }) => created),
          1,
          'creations',
        )
        assert.equal(
          distinct(({ updated }) => updated),
          atOnce,
          'updates',
        )
        assert.equal(
          distinct(({ resume }) => resume?.link.split('/').at(-1)),
          1,
          'resumes',
        )
        const now = await recorded()
        assert.deepEqual(now, {
          applications: before.applications + 1,
          disclosures: before.disclosures + atOnce,
        })
      }
    })

    test('of thirty forms are thirty applications, and still one link', async () => {
      const token = await grantedToken(door(0), { browser })
      const answers = await many(index =>
        prefilled(door(index), token, { applicationFormUrl: `https://ats.example.com/forms/${index}` }),
      )
      assert.equal(new Set(answers.map(({ id }) => id)).size, atOnce)
      assert.equal(new Set(answers.map(answer => resumePath(answer))).size, 1)
    })

    test('while the candidate withdraws: each succeeds and is recorded, or is refused and is not, and none comes after', async () => {
      for (let round = 0; round < rounds; round++) {
        const token = await grantedToken(door(round), { browser })
        const path = resumePath(await prefilled(door(round), token))
        const page = await browser.get('/account/sharing')
        const forms = formsOf(page.text).filter(({ action }) => action === '/account/sharing/withdraw')
        assert.equal(forms.length, 1)
        const before = await recorded()
        const [answers] = await Promise.all([
          many(index =>
            index % 2 === 0 ? askPrefill(door(index), token) : getResume(door(index >> 1), token, path),
          ),
          browser.submit(forms[0] as (typeof forms)[number]),
        ])
        const answered = answers.filter(({ status }) => status === 200).length
        for (const { status, text } of answers)
          assert.ok(status === 200 || status === 401, `${status} ${text}`)
        assert.equal((await recorded()).disclosures, before.disclosures + answered)
        assert.equal((await askPrefill(door(round), token)).status, 401)
        assert.equal((await getResume(door(round), token, path)).status, 401)
      }
    })
  })
}
