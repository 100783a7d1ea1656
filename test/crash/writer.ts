import { randomBytes, randomInt } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileTypes } from '../../src/model/application.ts'
import { Problem } from '../../src/platform/core/problems.ts'
import { openPatiently } from '../harness/database.ts'
import { draftOf, putFile } from '../harness/tenant.ts'

/**
 * A process that makes applications until it is killed, in several loops at once, and prints each one after it was
 * acknowledged: `node writer.ts <advertiser> <loops>`. It waits while the database is unavailable.
 */
const [advertiserId, loops] = process.argv.slice(2).map(Number) as [number, number]
const services = await openPatiently(process.env)
// It is otherwise written at the end, which the writer seldom reaches.
flushCompileCache()
let isStopping = false
process.on('SIGTERM', () => {
  isStopping = true
})

const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

async function write(serial: string): Promise<void> {
  const types = fileTypes.slice(0, randomInt(1, 4))
  const files = await Promise.all(
    types.map(type => putFile(services, type, randomBytes(randomInt(1, 40_000)))),
  )
  const draft = draftOf(serial, files)
  const { id, submittedAt } = await services.submissions.add(advertiserId, draft)
  const attachments = files.map(({ type, sha256, size }) => ({ type, sha256, size }))
  print({ acknowledged: { id, submittedAt, email: draft.contact.email, attachments } })
  // Kills also hit the transactions that keep the counts.
  await services.progress.open(advertiserId, id, 'recruiter')
  const decided = { by: 'recruiter', shown: 'seen', to: 'hired', note: 'Hired.', tells: false } as const
  if (randomInt(2) === 1) await services.progress.update(advertiserId, id, decided)
}

async function writeOnAndOn(loop: number): Promise<void> {
  for (let i = 0; !isStopping; i++) {
    try {
      await write(`${process.pid}-${loop}-${i}`)
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'unavailable')) throw error
      print({ unavailable: true })
      // Writing meanwhile would only take processor time from the database.
      await sleep(50)
    }
  }
}

await Promise.all(Array.from({ length: loops }, (_, loop) => writeOnAndOn(loop)))
await services.close()
