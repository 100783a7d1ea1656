import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase, type Engine, engines, type TestDatabase } from '../harness/database.ts'
import { some, times } from '../harness/effort.ts'
import { type Form, formsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import {
  Browser,
  type Door,
  doorOf,
  isAlive,
  isConsentPage,
  manyFailures,
  newPkce,
  redeem,
  tokenOf,
} from '../harness/oauth.ts'
import type { Service } from '../harness/service.ts'
import { startNodes } from './nodes.ts'

const env = {
  ...manyFailures,
  RATE_LIMIT_TOKEN_PER_MINUTE: '999999999',
  RATE_LIMIT_V2_PER_MINUTE: '999999999',
}

/** Exactly one gets the token, and all others get the same error. */
function theOneToken(answers: readonly Answer[]): string {
  const outcomes = answers.map(({ status, text }) =>
    status === 200 ? 'token' : `${status} ${JSON.parse(text).error}`,
  )
  assert.deepEqual(
    [...new Set(outcomes)].sort(),
    answers.length === 1 ? ['token'] : ['400 invalid_grant', 'token'],
  )
  const winners = answers.filter(({ status }) => status === 200)
  assert.equal(winners.length, 1)
  return tokenOf(winners[0] as Answer)
}

/** The same on one process or on several that share a database. */
function suite(name: string, engine: Engine, processes: number, body: (doors: () => Door[]) => void): void {
  describe(`${name} [${engine}]`, () => {
    let database: TestDatabase
    let services: Service[] = []
    before(async () => {
      database = await createTestDatabase(engine, 'demo')
      services = await startNodes(database, processes, { env })
    })
    after(async () => {
      for (const service of services) await service.stop()
      services = []
      await database.remove()
    })
    body(() => services.map(doorOf))
  })
}

for (const engine of some(1, engines.toReversed())) {
  for (const [processes, rounds] of some(1, [
    [2, times(1, 30)],
    [1, times(1, 100)],
  ])) {
    suite(
      `fifty redemptions of one code at once, on ${processes === 1 ? 'one process' : 'two processes'}`,
      engine,
      processes,
      doors => {
        const door = (index: number) => doors()[index % processes] as Door
        let browser: Browser

        before(async () => {
          browser = new Browser(door(0))
          await browser.code()
        })

        test(`B29 B30 in ${rounds} rounds exactly one token each, and none valid after it`, async () => {
          for (let round = 0; round < rounds; round++) {
            const code = await browser.code()
            const answers = await Promise.all(
              Array.from({ length: 50 }, (_, index) => redeem(door(index), code)),
            )
            const token = theOneToken(answers)
            assert.equal(await isAlive(door(round), token), false, `the token of round ${round} lives`)
          }
        })

        test('B30 other codes redeemed meanwhile keep their tokens', async () => {
          const replayed = await browser.code()
          const codes: string[] = []
          for (let count = 0; count < times(5, 20); count++) codes.push(await browser.code())
          const [answers, others] = await Promise.all([
            Promise.all(Array.from({ length: 20 }, (_, index) => redeem(door(index), replayed))),
            Promise.all(codes.map((code, index) => redeem(door(index), code))),
          ])
          assert.equal(await isAlive(door(0), theOneToken(answers)), false)
          for (const answer of others) assert.equal(await isAlive(door(1), tokenOf(answer)), true)
        })

        test('B31 concurrent invalid attempts do not affect the valid one', async () => {
          for (let round = 0; round < times(1, 10); round++) {
            const { parameters, verifier } = newPkce()
            const code = await browser.code(parameters)
            // Nine, because ten would end the code.
            const attempts = Array.from({ length: 10 }, (_, index) =>
              redeem(door(index), code, { code_verifier: index === round ? verifier : newPkce().verifier }),
            )
            assert.equal(await isAlive(door(round), theOneToken(await Promise.all(attempts))), true)
          }
        })

        test('B31 ten concurrent failed attempts are all counted', async () => {
          const { parameters, verifier } = newPkce()
          const code = await browser.code(parameters)
          const wrong = Array.from({ length: 10 }, (_, index) =>
            redeem(door(index), code, { code_verifier: newPkce().verifier }),
          )
          for (const { status } of await Promise.all(wrong)) assert.equal(status, 400)
          assert.equal((await redeem(door(0), code, { code_verifier: verifier })).status, 400)
        })

        test('B23 a withdrawal at the moment of the redemption leaves no token and no code valid', async () => {
          for (let round = 0; round < times(2, 25); round++) {
            const codes = [await browser.code(), await browser.code()]
            const form = await withdrawalOf(browser)
            const [withdrawn, remembered, ...redeemed] = await Promise.all([
              browser.submit(form),
              browser.authorize(),
              ...codes.map((code, index) => redeem(door(index + round), code)),
            ])
            assert.equal(withdrawn?.status, 303)
            for (const answer of redeemed) {
              if (answer.status === 200) assert.equal(await isAlive(door(round), tokenOf(answer)), false)
              else assert.equal(answer.status, 400)
            }
            assert.ok(remembered !== undefined)
            if (!isConsentPage(remembered)) {
              const code = new URL(remembered.headers.get('location') ?? '').searchParams.get('code') ?? ''
              assert.equal((await redeem(door(round), code)).status, 400)
            }
          }
        })
      },
    )
  }
}

/** The form that withdraws the only consent. */
async function withdrawalOf(browser: Browser): Promise<Form> {
  const page = await browser.get('/account/sharing')
  const form = formsOf(page.text).find(({ buttons }) =>
    buttons.some(({ label }) => /withdraw|stop/i.test(label)),
  )
  assert.ok(form !== undefined, page.text)
  return form
}
