import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { intakeLeaseSeconds } from '../../src/apply/intake/service.ts'
import { type Engine, engines, open, type TestDatabase } from '../harness/database.ts'
import { some, times } from '../harness/effort.ts'
import { addBoard } from '../harness/intake.ts'
import { until } from '../harness/polling.ts'
import { seeded } from '../harness/random.ts'
import { storedBlobs } from '../harness/s3.ts'
import type { Services } from '../harness/services.ts'
import { startServing, startServingHere } from '../harness/serving.ts'
import { prepareTenant } from '../harness/tenant.ts'
import { databaseFor, serveHereFor } from '../process/support.ts'

const random = seeded()

/** More on SQLite, whose database is in the process that is killed. */
const cycles: Record<Engine, number> = { sqlite: times(1, 20), postgres: 5 }
const senders = 4
const dayMs = 86_400_000

/** The requests of a job board, which it repeats with the same key until it gets a response. */
interface Submission {
  key: string
  resume: string
  /** Once it is acknowledged. */
  id?: number
}

for (const engine of some(1, engines)) {
  describe(`a process that dies while applications come in [${engine}]`, () => {
    test(`loses none, adds none twice and leaves no file behind, ${cycles[engine]} times`, async t => {
      const database = await databaseFor(t, engine, 'empty')
      const { advertiserId, clientSecret } = await prepareTenant(database, async (services, tenant) => {
        const { secret } = await addBoard(services, tenant.advertiserId)
        return { clientSecret: secret }
      })
      const sent: Submission[] = []
      for (let cycle = 0; cycle < cycles[engine]; cycle++) {
        await endClaims(database)
        await sendUntilKilled(database, clientSecret, advertiserId, sent)
      }
      await endClaims(database)
      await sendUntilKilled(database, clientSecret, advertiserId, sent, 0)

      const services = await open(database.settings, () => Date.now() + 3 * dayMs)
      try {
        await checkApplications(services, advertiserId, sent)
        const stored = storedBlobs(database.settings)
        const named = await namedFiles(services)
        assert.ok((await stored.names()).length > named.length, 'the dead have left nothing to clean up')
        // Three days ahead, which only an operator can vouch for.
        await services.steadyTimes.look()
        await services.steadyTimes.confirm()
        await services.cleanUp.run()
        assert.deepEqual(await stored.names(), named)
      } finally {
        await services.close()
      }
      t.diagnostic(`${sent.length} applications`)
    })

    test('frees the key of an upload: another node serves it once the lease has expired, and not before', async t => {
      const database = await databaseFor(t, engine, 'empty')
      const { advertiserId, clientSecret } = await prepareTenant(database, async (services, tenant) => {
        const { secret } = await addBoard(services, tenant.advertiserId)
        return { clientSecret: secret }
      })
      const dying = await startServing(database)
      t.after(dying.end)
      const living = await serveHereFor(t, database)
      const token = await tokenOf(living.baseUrl, clientSecret)
      const submission = { key: randomUUID(), resume: 'all of a resume' }
      const half = sendHalf(dying.port, token, advertiserId, submission.key)
      t.after(() => half.destroy())
      await untilClaimed(database, submission.key)
      const again = () => post(living.baseUrl, token, advertiserId, submission)

      const whileItLives = await again()
      assert.equal(whileItLives.status, 409, await whileItLives.text())
      dying.end()
      await dying.running.finished
      const early = await again()
      assert.equal(early.status, 409, await early.text())
      const seconds = Number(early.headers.get('retry-after'))
      assert.ok(seconds >= 1 && seconds <= intakeLeaseSeconds, `Retry-After: ${seconds}`)
      await endClaims(database)
      const served = await again()
      assert.equal(served.status, 201, await served.text())
      await living.stop()
    })
  })
}

/** As if the leases of dead processes had expired, which happens seconds from now. */
async function endClaims(database: TestDatabase): Promise<void> {
  const services = await open(database.settings)
  await services.database.writer
    .updateTable('intake_keys')
    .set({ held_until: 0 })
    .where('answer', 'is', null)
    .execute()
  await services.close()
}

async function untilClaimed(database: TestDatabase, key: string): Promise<void> {
  const services = await open(database.settings)
  const claimed = services.database.reader.selectFrom('intake_keys').select('key').where('key', '=', key)
  await until(async () => (await claimed.executeTakeFirst()) !== undefined)
  await services.close()
}

/** First the unanswered requests, then new ones; killed after some more acknowledgements, 0 for never. */
async function sendUntilKilled(
  database: TestDatabase,
  secret: string,
  advertiserId: number,
  sent: Submission[],
  killAfter = randomInt(1, 12),
): Promise<void> {
  const doomed = killAfter > 0 ? await startServing(database) : undefined
  const serving = doomed ?? (await startServingHere(database))
  const halves: Socket[] = []
  try {
    const token = await tokenOf(serving.baseUrl, secret)
    const waiting = sent.filter(({ id }) => id === undefined)
    let answered = 0
    let isDying = false

    async function send(submission: Submission): Promise<void> {
      const answer = await post(serving.baseUrl, token, advertiserId, submission)
      assert.equal(answer.status, 201, await answer.clone().text())
      submission.id = ((await answer.json()) as { id: number }).id
      if (++answered === killAfter) {
        isDying = true
        // Anywhere within the next few writes.
        await sleep(random() * 15)
        doomed?.end()
      }
    }

    async function keepSending(): Promise<void> {
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await send(next)
        while (killAfter > 0) {
          const submission = {
            key: randomUUID(),
            resume: randomBytes(randomInt(10, 200_000)).toString('hex'),
          }
          sent.push(submission)
          await send(submission)
        }
      } catch (error) {
        // No process answers for the dead one.
        if (!isDying) throw error
      }
    }

    if (killAfter > 0) halves.push(...[1, 2].map(() => sendHalf(serving.port, token, advertiserId)))
    await Promise.all(Array.from({ length: senders }, keepSending))
    await doomed?.running.finished
  } finally {
    doomed?.end()
    for (const half of halves) half.destroy()
    if (doomed === undefined) await serving.stop()
  }
}

async function tokenOf(baseUrl: string, secret: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/api/iam/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`board:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'w_applications' }),
  })
  const { access_token } = (await answer.json()) as { access_token: string }
  return access_token
}

function post(baseUrl: string, token: string, advertiserId: number, { key, resume }: Submission) {
  const form = new FormData()
  form.set('application', applicationOf(advertiserId, key))
  form.set('resume', new Blob([resume]), 'resume.txt')
  return fetch(`${baseUrl}/v1/intake/applications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
    body: form,
  })
}

function applicationOf(advertiserId: number, jobSeekerId: string): string {
  const contact = { email: 'casey@example.com', firstName: 'Casey', lastName: 'Lee' }
  return JSON.stringify({ advertiserId, jobSeekerId, contact })
}

/** An upload that never ends. */
function sendHalf(port: number, token: string, advertiserId: number, key?: string): Socket {
  const socket = connect(port, '127.0.0.1')
  // The other end dies.
  socket.on('error', () => {})
  const part = (head: string) => `--half\r\nContent-Disposition: form-data; ${head}\r\n\r\n`
  socket.write(
    `POST /v1/intake/applications HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
      (key === undefined ? '' : `Idempotency-Key: ${key}\r\n`) +
      'Content-Type: multipart/form-data; boundary=half\r\nContent-Length: 1000000\r\n\r\n' +
      `${part('name="application"')}${applicationOf(advertiserId, 'half')}\r\n` +
      `${part('name="resume"; filename="half.txt"')}${'half of a resume '.repeat(10_000)}`,
  )
  return socket
}

async function checkApplications(services: Services, advertiserId: number, sent: readonly Submission[]) {
  const rows = await services.database.reader
    .selectFrom('applications as application')
    .innerJoin('application_files as file', join =>
      join
        .onRef('file.advertiser_id', '=', 'application.advertiser_id')
        .onRef('file.application_id', '=', 'application.id'),
    )
    .select(['application.id', 'application.job_seeker_id as key', 'file.blob', 'file.sha256', 'file.size'])
    .where('application.advertiser_id', '=', advertiserId)
    .execute()
  const byKey = new Map(rows.map(row => [row.key, row]))
  assert.equal(byKey.size, rows.length, 'an application was made twice')
  assert.deepEqual(new Set(byKey.keys()), new Set(sent.map(({ key }) => key)))
  for (const { key, id, resume } of sent) {
    const row = byKey.get(key)
    assert.equal(row?.id, id)
    const hash = createHash('sha256')
    if (row !== undefined)
      for await (const chunk of await services.blobs.open(row)) hash.update(chunk as Buffer)
    assert.equal(hash.digest('hex'), createHash('sha256').update(resume).digest('hex'))
  }
}

async function namedFiles({ database }: Services): Promise<string[]> {
  const rows = await database.reader.selectFrom('application_files').select('blob').execute()
  return rows.map(({ blob }) => String(blob)).toSorted()
}
