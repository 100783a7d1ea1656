import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase, engines, type TestDatabase } from '../harness/database.ts'
import { demoFile } from '../harness/documents.ts'
import { some, times } from '../harness/effort.ts'
import { type Answer, harbour, send } from '../harness/http.ts'
import { applicationOf, applicationPart, file, intakeToken, post } from '../harness/intake.ts'
import { doorOf } from '../harness/oauth.ts'
import type { Service } from '../harness/service.ts'
import { startNodes } from './nodes.ts'

const atOnce = 20
const rounds = times(1, 3)
const resume = file('resume', 'resume.pdf', demoFile('mary-nguyen-resume.pdf'))

for (const engine of some(1, engines.toReversed())) {
  for (const processes of some(1, [2, 1])) {
    describe(`one application sent ${atOnce} times at once, on ${processes} process${processes === 1 ? '' : 'es'} [${engine}]`, () => {
      let database: TestDatabase
      let services: Service[] = []
      before(async () => {
        database = await createTestDatabase(engine, 'demo')
        services = await startNodes(database, processes)
      })
      after(async () => {
        for (const service of services) await service.stop()
        services = []
        await database.remove()
      })
      const doorAt = (index: number) => doorOf(services[index % processes] as Service)

      test('is made once, and every request gets its ID in the end', async () => {
        const token = await intakeToken(doorAt(0))
        const made: number[] = []
        for (let round = 0; round < rounds; round++) {
          const jobSeekerId = `racer-${round}`
          const parts = [applicationPart(applicationOf({ jobSeekerId })), resume]
          const sendOnce = (index: number) => post(doorAt(index), token, parts, `race-${round}`)

          const answers = await Promise.all(Array.from({ length: atOnce }, (_, index) => sendOnce(index)))
          const ids = new Set(await Promise.all(answers.map((answer, index) => idInTheEnd(answer, index))))
          assert.equal(ids.size, 1)
          made.push(...ids)

          /** A request that comes while it is made is asked to come again, and gets nothing else. */
          async function idInTheEnd(answer: Answer, index: number): Promise<number> {
            if (answer.status === 201) return answer.json().id
            assert.deepEqual([answer.status, answer.json().code], [409, 'idempotency-key-in-use'])
            await sleep(20)
            return idInTheEnd(await sendOnce(index), index)
          }
        }
        const { baseUrl } = services[0] as Service
        const list = await send(baseUrl, '/v1/advertiser/applications', 'GET', { headers: harbour })
        const racers = list
          .json()
          .JobApplications.JobApplicationsList.filter((application: { JobSeekerID: string }) =>
            application.JobSeekerID.startsWith('racer-'),
          )
        assert.deepEqual(
          racers.map(({ ID }: { ID: number }) => ID),
          made,
        )
      })
    })
  }
}
