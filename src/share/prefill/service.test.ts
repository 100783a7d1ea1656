import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { movableClock } from '../../../test/harness/clock.ts'
import { withDemo } from '../../../test/harness/database.ts'
import type { Services } from '../../../test/harness/services.ts'
import { dryDockId, harbourId, maryId, southernId, tomId } from '../../demo/world/world.ts'
import { allCategories, bitsOf } from '../../model/categories.ts'
import type { ProfileToken } from '../../model/principal.ts'
import { createCandidateStore } from '../../people/profile/candidate-store.ts'
import { Problem, type ProblemCode } from '../../platform/core/problems.ts'
import type { Database } from '../../platform/database/tables.ts'
import { endClearedResumes } from '../../schema/migrations/0006-the-way-through.ts'
import { defaultLimits } from '../../settings-limits.ts'
import { createSharing } from './service.ts'
import { createSharingStore } from './sharing-store.ts'

const clock = movableClock()
const baseUrl = 'https://jobs.example.com'
const callback = 'http://127.0.0.1:9090/callback'
const body = { advertiserId: String(harbourId), applicationFormUrl: 'https://ats.example.com/apply' }
const secrets = Buffer.from('demo-ats:demo-ats-secret').toString('base64')

const isProblem = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code

interface Decision {
  candidateId?: string
  released?: number
  advertiserId?: number
}

/** Records the candidate's decision and returns the client's code. */
async function decide(
  services: Services,
  { candidateId = maryId, released = allCategories, advertiserId }: Decision = {},
): Promise<string> {
  const query = new URLSearchParams({
    client_id: 'demo-ats',
    redirect_uri: callback,
    response_type: 'code',
    scope: 'r_profile_apply',
    ...(advertiserId === undefined ? {} : { advertiser_id: String(advertiserId) }),
  })
  const [request, candidate] = await Promise.all([
    services.authorization.check(query.toString()),
    createCandidateStore(services.database).find(candidateId),
  ])
  const choice = { released, filled: allCategories, resumeId: candidate?.resume?.id ?? null }
  const location = await services.authorization.allow(candidateId, request, choice, baseUrl)
  return new URL(location).searchParams.get('code') ?? ''
}

/** Gets a token through the protocol without HTTP, with its value. */
async function grant(
  services: Services,
  decision: Decision = {},
): Promise<{ token: ProfileToken; value: string }> {
  const code = await decide(services, decision)
  const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback })
  const { access_token: value } = await services.tokens.issue(
    { authorization: `Basic ${secrets}`, query: '', body: form.toString() },
    async () => {},
  )
  return { token: await services.tokenCheck.profile(value), value }
}

const idOf = (link: string | undefined) => (link ?? '').split('/').at(-1) ?? ''

withDemo('sharing', { clock }, (services, settings) => {
  const sharing = () => services().sharing
  const history = (candidateId = maryId) => services().sharingHistory.disclosures(candidateId, 1000)
  const prefill = (token: ProfileToken, changes: object = {}) =>
    sharing().prefill(token, { ...body, ...changes }, baseUrl)

  before(() => services().agents.authorise(southernId, 20000001))

  /** Rejected with this problem, and nothing recorded. */
  async function refused(act: () => Promise<unknown>, code: ProblemCode): Promise<void> {
    const counted = async () => [
      (await history()).length,
      (await services().sharingHistory.applications(maryId, 1000)).length,
    ]
    const before = await counted()
    await assert.rejects(act, isProblem(code))
    assert.deepEqual(await counted(), before)
  }

  async function withdraw(token: ProfileToken): Promise<void> {
    assert.equal(await services().consents.withdraw(token.candidateId, token.grantId, clock()), true)
  }

  test('a token that ends after authentication gets nothing: withdrawn, revoked, expired', async () => {
    const withdrawn = await grant(services())
    const { resume } = await prefill(withdrawn.token)
    const opened = await sharing().resume(withdrawn.token, idOf(resume?.link))
    await withdraw(withdrawn.token)
    await refused(() => prefill(withdrawn.token), 'invalid-token')
    await refused(() => opened.open(), 'invalid-token')

    const revoked = await grant(services())
    const call = { authorization: `Basic ${secrets}`, query: '', body: `token=${revoked.value}` }
    await services().tokens.revoke(call, async () => {})
    await refused(() => prefill(revoked.token), 'invalid-token')

    const expired = await grant(services())
    clock.advance(defaultLimits.tokenSeconds * 1000 - 1)
    await prefill(expired.token)
    clock.advance(1)
    await refused(() => prefill(expired.token), 'invalid-token')
  })

  /**
   * Starts to narrow Mary's consent, then starts a disclosure with a token that was read before; its statement has
   * to wait until the narrowing is committed.
   */
  async function heldWhileNarrowing<T>(released: number, disclose: () => Promise<T>): Promise<T> {
    const { database } = services()
    const lock = await (database.dialect === 'sqlite'
      ? holdWrites(join(String(settings()['DATA_DIR']), 'dossier.db'))
      : holdClient(database))
    const narrowing = decide(services(), { released })
    await lock.isWaitedForBy(1)
    const disclosure = disclose()
    disclosure.catch(() => {})
    await lock.isWaitedForBy(2)
    await lock.release()
    await narrowing
    return disclosure
  }

  test('a phone number unticked during a prefill is not disclosed', async () => {
    const { token } = await grant(services())
    clock.advance(1)
    const withoutPhone = allCategories & ~bitsOf(['phone'])
    const { applicantInfo } = await heldWhileNarrowing(withoutPhone, () => prefill(token))
    assert.equal(applicantInfo.phoneNumber, null)
    assert.equal(applicantInfo.firstName, 'Mary')
    assert.ok(applicantInfo.currentLocation !== null)
    const [last] = await history()
    assert.equal(last?.categories, withoutPhone)
  })

  test('a resume unticked during a prefill is neither linked nor recorded', async () => {
    const { token } = await grant(services())
    const known = idOf((await prefill(token)).resume?.link)
    clock.advance(1)
    const withoutResume = allCategories & ~bitsOf(['resume'])
    const { resume } = await heldWhileNarrowing(withoutResume, () => prefill(token))
    assert.equal(resume, null)
    assert.equal((await history())[0]?.categories, withoutResume)
    await refused(() => sharing().resume(token, known), 'not-found')
  })

  test('a resume unticked during its download is not disclosed', async () => {
    const { token } = await grant(services())
    const id = idOf((await prefill(token)).resume?.link)
    const { open } = await sharing().resume(token, id)
    const before = (await history()).length
    const held = heldWhileNarrowing(allCategories & ~bitsOf(['resume']), () => open())
    await assert.rejects(held, isProblem('not-found'))
    assert.equal((await history()).length, before)
  })

  test('an identifier ends when the resume is unticked, and does not return when it is released again', async () => {
    const { token, value } = await grant(services())
    const former = idOf((await prefill(token)).resume?.link)
    await decide(services(), { released: allCategories & ~bitsOf(['resume']) })
    await refused(() => sharing().resume(token, former), 'not-found')
    const { token: later } = await grant(services())
    assert.equal(later.grantId, token.grantId)
    await refused(() => sharing().resume(later, former), 'not-found')
    const link = (await prefill(later)).resume?.link
    assert.notEqual(idOf(link), former)
    await refused(() => sharing().resume(later, former), 'not-found')
    assert.equal((await sharing().resume(later, idOf(link))).file.fileName, 'Mary Nguyen - Resume.pdf')
    const narrowed = await services().tokenCheck.profile(value)
    await refused(() => sharing().resume(narrowed, idOf(link)), 'not-found')
  })

  test('the migration deletes identifiers of resumes that were unticked before it', async () => {
    const { token } = await grant(services())
    const kept = idOf((await prefill(token)).resume?.link)
    const bound = await grant(services(), { advertiserId: southernId })
    const cleared = idOf((await prefill(bound.token, { advertiserId: southernId })).resume?.link)
    const { writer } = services().database
    // The state that unticking left before the migration.
    await writer.updateTable('grants').set({ released: 31 }).where('id', '=', bound.token.grantId).execute()
    await endClearedResumes.execute(writer)
    assert.equal((await sharing().resume(token, kept)).file.fileName, 'Mary Nguyen - Resume.pdf')
    await refused(() => sharing().resume(bound.token, cleared), 'not-found')
  })

  test('an advertiser put on hold meanwhile is reported as an invalid field', async () => {
    const { token } = await grant(services(), { advertiserId: southernId })
    await prefill(token, { advertiserId: southernId })
    await services().advertisers.setStatus(southernId, 'hold')
    await refused(() => prefill(token, { advertiserId: southernId }), 'invalid-fields')
    await services().advertisers.setStatus(southernId, 'active')
    await prefill(token, { advertiserId: southernId })
    await refused(() => prefill(token, { advertiserId: dryDockId }), 'token-of-another-advertiser')
    await refused(() => prefill(token), 'token-of-another-advertiser')
  })

  test('there is one identifier per file and grant', async () => {
    const { token } = await grant(services())
    const first = idOf((await prefill(token)).resume?.link)
    assert.equal(
      idOf((await prefill(token, { applicationFormUrl: 'https://x.example' })).resume?.link),
      first,
    )
    const bound = await grant(services(), { advertiserId: harbourId })
    const other = idOf((await prefill(bound.token)).resume?.link)
    assert.notEqual(other, first)
    await refused(() => sharing().resume(token, other), 'not-found')
    await refused(() => sharing().resume(bound.token, first), 'not-found')
    await refused(() => sharing().resume({ ...token, released: bitsOf(['phone']) }, first), 'not-found')
    assert.equal((await sharing().resume(token, first)).file.fileName, 'Mary Nguyen - Resume.pdf')
  })

  test('a download is recorded before its first byte, once each time it is opened', async () => {
    const { token } = await grant(services())
    const { resume } = await prefill(token)
    const before = (await history()).length
    const { file, open } = await sharing().resume(token, idOf(resume?.link))
    assert.equal((await history()).length, before, 'to look is not to download')
    const content = await open()
    assert.equal((await history()).length, before + 1)
    assert.equal((await buffer(content)).length, file.size)
    const part = await buffer(await open({ start: 1, end: 3 }))
    assert.equal(part.toString(), 'PDF')
    assert.equal((await history()).length, before + 2)
  })

  test('a file missing from the blob store is not recorded as downloaded', async () => {
    const { token } = await grant(services())
    const sharing = createSharing({
      ...partsOf(services()),
      blobs: { ...services().blobs, open: async () => Promise.reject(new Problem('unavailable')) },
    })
    const answer = await sharing.prefill(token, body, baseUrl)
    const { open } = await sharing.resume(token, idOf(answer.resume?.link))
    await refused(() => open(), 'unavailable')
  })

  test('a file that is not sent is closed', async () => {
    const { token } = await grant(services())
    const closed: Promise<unknown>[] = []
    const sharing = createSharing({
      ...partsOf(services()),
      blobs: {
        ...services().blobs,
        open: async blob => {
          const content = await services().blobs.open(blob)
          closed.push(once(content, 'close'))
          return content
        },
      },
    })
    const { resume } = await sharing.prefill(token, body, baseUrl)
    const { open } = await sharing.resume(token, idOf(resume?.link))
    await withdraw(token)
    await refused(() => open(), 'invalid-token')
    assert.equal(closed.length, 1)
    await closed[0]
  })

  test('deleting the candidate ends the token', async () => {
    const { token } = await grant(services())
    const sharing = createSharing({ ...partsOf(services()), candidates: { find: async () => undefined } })
    await refused(() => sharing.prefill(token, body, baseUrl), 'invalid-token')
  })

  test('a resume deleted during a prefill is neither linked nor recorded', async () => {
    async function* content() {
      yield Buffer.from('Tom Walker\nForklift driver\n')
    }
    await services().profiles.addResume(tomId, { name: 'tom.txt', content: content() })
    const { token } = await grant(services(), { candidateId: tomId })
    const store = createCandidateStore(services().database)
    const sharing = createSharing({
      ...partsOf(services()),
      candidates: {
        async find(candidateId) {
          const candidate = await store.find(candidateId)
          await services().profiles.removeResume(tomId, candidate?.resume?.id ?? '')
          return candidate
        },
      },
    })
    clock.advance(1)
    const answer = await sharing.prefill(token, body, baseUrl)
    assert.equal(answer.resume, null)
    const [last] = await history(tomId)
    assert.equal(last?.disclosedAt, clock())
    assert.equal(last?.categories, 0)
  })

  test("the history contains only the candidate's own entries, up to the limit", async () => {
    const marys = await grant(services())
    for (let count = 0; count < 5; count++) await prefill(marys.token)
    assert.ok((await history()).length >= 5)
    for (const { advertiserName } of await history(tomId))
      assert.equal(advertiserName, 'Harbour Coffee Roasters')
    assert.equal((await services().sharingHistory.disclosures(maryId, 3)).length, 3)
    assert.equal((await services().sharingHistory.applications(maryId, 1)).length, 1)
    assert.deepEqual(await services().sharingHistory.disclosures('nobody', 10), [])
  })
})

/** The parts of the service, so that a test can replace one. */
function partsOf({ database, blobs }: Services) {
  return {
    store: createSharingStore(database),
    candidates: createCandidateStore(database),
    blobs,
    clock,
    limits: defaultLimits,
    hasScanner: false,
  }
}

interface HeldLock {
  /** Resolves when this many statements wait. */
  isWaitedForBy(count: number): Promise<void>
  release(): Promise<void>
}

/** The write lock of SQLite: writers queue, first come, first served. */
async function holdWrites(file: string): Promise<HeldLock> {
  const outside = new DatabaseSync(file)
  outside.exec('begin immediate')
  return {
    isWaitedForBy: async () => setImmediate(),
    async release() {
      outside.exec('rollback')
      outside.close()
    },
  }
}

/** The row that a new code refers to: by then a decision has written everything else but not committed. */
async function holdClient({ writer, reader }: Database): Promise<HeldLock> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holding = writer.transaction().execute(async trx => {
    await sql`select 1 from oauth_clients where id = 'demo-ats' for update`.execute(trx)
    held.resolve()
    await released.promise
  })
  await held.promise
  return {
    async isWaitedForBy(count) {
      const waiting = sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      while ((await waiting.execute(reader)).rows.length < count) await setImmediate()
    },
    async release() {
      released.resolve()
      await holding
    },
  }
}
