import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { reasonOf } from '../../src/platform/core/reason.ts'
import { createTestDatabase, open } from '../harness/database.ts'
import { some, times } from '../harness/effort.ts'
import { addBoard, applicationOf, applicationPart, file, intakeToken, post } from '../harness/intake.ts'
import { doorOf } from '../harness/oauth.ts'
import { until } from '../harness/polling.ts'
import { openCuttableDisk } from '../harness/power.ts'
import { seeded } from '../harness/random.ts'
import { startReceiver, toReceiver } from '../harness/receiver.ts'
import type { Services } from '../harness/services.ts'
import { type Serving, startServing } from '../harness/serving.ts'
import { listPath, prepareTenant, type Tenant } from '../harness/tenant.ts'

const random = seeded()

const senders = 4
const eventsPath = '/v1/advertiser/events'

/** A fast machine exceeds the limits of a minute. */
const withoutLimits = {
  RATE_LIMIT_V1_PER_MINUTE: '1000000',
  RATE_LIMIT_TOKEN_PER_MINUTE: '1000000',
  RATE_LIMIT_INTAKE_PER_MINUTE: '1000000',
}

/** What callers got, with the response or request that showed it. */
interface Seen {
  acknowledged: Map<number, string>
  listed: Set<number>
  inFeed: Set<string>
  tokens: Set<string>
}

interface Listed {
  JobApplicationsList: { ID: number }[]
}

interface World extends Tenant {
  client: { id: string; secret: string; redirectUri: string }
}

for (const [workers, cycles] of some(1, [
  ['1', times(2, 10)],
  ['2', 5],
])) {
  test(`nothing that anyone has seen is missing after a loss of power: ${workers} process(es), ${cycles} times`, async t => {
    const seen = await run(t, { workers, cycles })
    assert.deepEqual(seen.lost, [])
    t.diagnostic(seen.counts)
  })
}

test('the test finds a service that does not flush', async t => {
  const { lost } = await run(t, { workers: '1', cycles: 1, isSwallowing: true })
  for (const door of ['acknowledged', 'list', 'feed', 'webhook', 'token'])
    assert.ok(
      lost.some(each => each.startsWith(door)),
      `${door}: nothing is missing`,
    )
})

async function run(
  t: TestContext,
  { workers, cycles, isSwallowing = false }: { workers: string; cycles: number; isSwallowing?: boolean },
) {
  const database = await createTestDatabase('sqlite', 'empty')
  t.after(() => database.remove())
  const receiver = await startReceiver()
  t.after(() => receiver.stop())
  const scratch = await mkdtemp(join(tmpdir(), 'dossier-power-'))
  t.after(() => rm(scratch, { recursive: true }))
  let settings: Record<string, string> = { ...database.settings, ...toReceiver }
  const world = await prepareTenant({ ...database, settings }, async (services, { advertiserId }) => {
    const fields = { url: receiver.urlOf('/power'), types: ['application.created'], description: '' }
    const { endpoint } = await services.webhooks.add({ advertiserId }, { ...fields, scheme: 'v1' })
    await services.webhooks.test({ advertiserId }, endpoint.id)
    return { client: await addBoard(services, advertiserId) }
  })
  const seen: Seen = { acknowledged: new Map(), listed: new Set(), inFeed: new Set(), tokens: new Set() }
  const lost: string[] = []
  let tokens = 0
  for (let cycle = 0; cycle < cycles && lost.length === 0; cycle++) {
    const place = join(scratch, String(cycle))
    const disk = openCuttableDisk(String(settings['DATA_DIR']), place, { isSwallowing })
    const env = { ...disk.env, ...withoutLimits, WORKERS: workers }
    const serving = await startServing({ ...database, settings }, { env })
    const sent = receiver.at('/power').length
    await useUntilCut(serving, world, seen, () => receiver.at('/power').length > sent)
    settings = { ...settings, DATA_DIR: join(place, 'restored') }
    disk.restore(String(settings['DATA_DIR']))
    lost.push(...(await findLost(settings, world, seen, receiver.at('/power'))))
    tokens += seen.tokens.size
    // They expire while a long run goes on.
    seen.tokens.clear()
  }
  const counts = `${seen.acknowledged.size} applications, ${tokens} tokens, ${receiver.at('/power').length} webhooks`
  return { lost, counts }
}

/** Uses every door at once, and cuts the power a moment after each has shown something. */
async function useUntilCut(
  serving: Serving,
  world: World,
  seen: Seen,
  isReceived: () => boolean,
): Promise<void> {
  let isCut = false
  const before = counted(seen)
  const door = doorOf(serving)

  /** A caller notes what it has received completely. */
  async function keep(doing: () => Promise<unknown>): Promise<void> {
    while (!isCut) {
      try {
        await doing()
      } catch (error) {
        // No process answers after the cut.
        if (isCut) return
        isCut = true
        throw error
      }
    }
  }

  async function submit(): Promise<void> {
    const resume = randomBytes(randomInt(10, 60_000)).toString('hex')
    const application = applicationOf({ advertiserId: world.advertiserId })
    const parts = [applicationPart(application), file('resume', 'resume.txt', resume)]
    const { status, text } = await post(door, await token(), parts, randomUUID())
    assert.equal(status, 201, text)
    seen.acknowledged.set(JSON.parse(text).id, createHash('sha256').update(resume).digest('hex'))
  }

  async function token(): Promise<string> {
    const issued = await intakeToken(door, world.client)
    seen.tokens.add(issued)
    return issued
  }

  async function list(): Promise<void> {
    const newest = Math.max(0, ...seen.listed)
    const answer = await get(`${listPath}?limit=100&afterid=${newest}`)
    const { JobApplicationsList: applications } = answer['JobApplications'] as Listed
    for (const { ID: id } of applications) seen.listed.add(id)
  }

  let cursor = 'start'
  async function follow(): Promise<void> {
    const answer = await get(`${eventsPath}?cursor=${cursor}`)
    for (const { id } of answer['events'] as { id: string }[]) seen.inFeed.add(id)
    cursor = String(answer['cursor'])
  }

  async function get(path: string): Promise<Record<string, unknown>> {
    const answer = await fetch(`${serving.baseUrl}${path}`, {
      headers: { ...world.headers, accept: 'application/json' },
    })
    assert.equal(answer.status, 200, await answer.clone().text())
    return (await answer.json()) as Record<string, unknown>
  }

  const doors = [
    ...Array.from({ length: senders }, () => keep(submit)),
    keep(token),
    keep(list),
    keep(follow),
  ]
  const used = Promise.all(doors)
  const isSeen = () =>
    isReceived() && Object.entries(counted(seen)).every(([door, count]) => count > before[door as keyof Seen])
  try {
    await Promise.race([until(async () => isCut || isSeen()), used])
    // Anywhere within the next writes, flushes and checkpoints.
    await sleep(random() * 1_000)
  } finally {
    isCut = true
    serving.end()
    await serving.running.finished
  }
  await used
}

const counted = ({ acknowledged, listed, inFeed, tokens }: Seen) => ({
  acknowledged: acknowledged.size,
  listed: listed.size,
  inFeed: inFeed.size,
  tokens: tokens.size,
})

async function findLost(
  settings: Record<string, string>,
  { advertiserId }: World,
  { acknowledged, listed, inFeed, tokens }: Seen,
  received: readonly string[],
): Promise<string[]> {
  const dataDir = String(settings['DATA_DIR'])
  assert.ok(existsSync(join(dataDir, 'dossier.db')))
  const services = await open(settings)
  try {
    const { reader } = services.database
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(reader)
    assert.deepEqual(rows, [{ integrity_check: 'ok' }])
    const files = await filesOf(services, advertiserId)
    const { events } = await services.eventStore.page({ advertiserId }, { after: 0, limit: 1_000_000 })
    const numbers = new Set(events.map(({ number }) => `evt_${advertiserId}_${number}`))
    const lostTokens: string[] = []
    for (const each of tokens) {
      try {
        await services.tokenCheck.intake(each)
      } catch (error) {
        lostTokens.push(reasonOf(error))
      }
    }
    return [
      ...[...acknowledged].flatMap(([id, hash]) => (files.get(id) === hash ? [] : `acknowledged ${id}`)),
      ...[...listed].flatMap(id => (files.has(id) ? [] : `list ${id}`)),
      ...[...inFeed].flatMap(id => (numbers.has(id) ? [] : `feed ${id}`)),
      ...received.flatMap(id => (numbers.has(id) ? [] : `webhook ${id}`)),
      ...lostTokens.map(reason => `token: ${reason}`),
      ...(await leasesWithoutFile(services, dataDir)),
    ]
  } finally {
    await services.close()
  }
}

/** Held by processes that the next one would not find to be dead: their webhooks, emails and tasks wait for a minute. */
async function leasesWithoutFile({ database: { reader } }: Services, dataDir: string): Promise<string[]> {
  const names = new Set(await readdir(join(dataDir, 'processes')).catch(() => []))
  const { rows } = await sql<{ holder: string }>`
    select holder from webhook_lanes where leased_until > 0
    union select holder from deliveries where state = 'waiting' and holder is not null
    union select holder from leases`.execute(reader)
  const holders = rows.map(({ holder }) => holder.split('/')[0] ?? '')
  return holders.flatMap(each => (names.has(each) ? [] : `lease of ${each}`))
}

/** The hash of the bytes of each resume, by application. */
async function filesOf(services: Services, advertiserId: number): Promise<Map<number, string>> {
  const rows = await services.database.reader
    .selectFrom('application_files')
    .select(['application_id as id', 'blob', 'sha256', 'size'])
    .where('advertiser_id', '=', advertiserId)
    .execute()
  const found = new Map<number, string>()
  for (const row of rows) {
    const hash = createHash('sha256')
    try {
      for await (const chunk of await services.blobs.open(row)) hash.update(chunk as Buffer)
    } catch (error) {
      hash.update(reasonOf(error))
    }
    found.set(row.id, hash.digest('hex'))
  }
  return found
}
