import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hashSecret } from '../../src/platform/core/secrets.ts'
import { engines, open } from '../harness/database.ts'
import { isLongRun, some } from '../harness/effort.ts'
import { Browser, doorInto, doorOf, isAlive, manyFailures, redeem, tokenOf } from '../harness/oauth.ts'
import { createTestServer } from '../harness/server.ts'
import { databaseFor, serveFor } from '../process/support.ts'

const args = ['--demo']
/** More than there are connections: some requests still wait for one when the process dies. */
const codesAtOnce = 60

for (const engine of some(1, engines)) {
  describe(`a process that dies while it redeems codes [${engine}]`, () => {
    for (const answersBefore of isLongRun ? [1, 8] : [8]) {
      test(`B40 after ${answersBefore} responses: no usable code that was redeemed, no orphan token`, async t => {
        const database = await databaseFor(t, engine, 'demo')
        const dying = await serveFor(t, database, { args, env: manyFailures })
        const browser = new Browser(doorOf(dying))
        const codes: string[] = []
        for (let count = 0; count < codesAtOnce; count++) codes.push(await browser.code())

        let answered = 0
        const outcomes = await Promise.allSettled(
          codes.map(async code => {
            const answer = await redeem(doorOf(dying), code)
            if (++answered === answersBefore) dying.end()
            return tokenOf(answer)
          }),
        )
        await dying.running.finished
        assert.ok(answered >= answersBefore)
        assert.ok(outcomes.some(({ status }) => status === 'rejected'))

        // Each code is either unused or has been exchanged for exactly one token.
        const services = await open({ ...database.settings, ...manyFailures })
        t.after(() => services.close())
        const { reader } = services.database
        const rows = await reader
          .selectFrom('oauth_codes')
          .select(['hash', 'redeemed_at', 'token_hash'])
          .execute()
        const tokens = await reader.selectFrom('oauth_tokens').select('hash').execute()
        assert.equal(rows.length, codes.length)
        for (const { redeemed_at, token_hash } of rows) {
          const bought = tokens.filter(({ hash }) => hash === token_hash).length
          assert.equal(bought, redeemed_at === null ? 0 : 1)
        }
        assert.equal(tokens.length, rows.filter(({ redeemed_at }) => redeemed_at !== null).length)

        const { app } = await createTestServer(services, { ...database.settings, ...manyFailures })
        t.after(() => app.close())
        const anew = doorInto(app)
        const redeemedHashes = new Set(rows.filter(row => row.redeemed_at !== null).map(row => row.hash))
        for (const [index, outcome] of outcomes.entries()) {
          const code = codes[index] as string
          const wasRedeemed = redeemedHashes.has(hashSecret(code))
          if (outcome.status === 'fulfilled') {
            assert.ok(wasRedeemed, 'what was answered is durable')
            assert.equal(await isAlive(anew, outcome.value), true)
          } else {
            // A caller without a response asks again.
            const answer = await redeem(anew, code)
            assert.equal(answer.status, wasRedeemed ? 400 : 200, answer.text)
          }
        }
      })
    }
  })
}
