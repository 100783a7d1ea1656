import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import type { Choice, Profile } from '../../src/model/profile.ts'
import { longTextLength, nameLength } from '../../src/model/text-lengths.ts'
import { acceptedText } from '../harness/arbitraries.ts'
import { examples } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { withStoresInTurn } from '../harness/one-engine.ts'
import {
  at,
  holderOf,
  later,
  newCode,
  newResume,
  newSession,
  newToken,
  prefillRequest,
  prepareScenes,
  type Scene,
} from './scene.ts'
import { type Stores, storesOver } from './stores.ts'

const text = acceptedText(nameLength, true)
const orNull = <T>(arbitrary: Arbitrary<T>) => fc.option(arbitrary, { nil: null })
const choice: Arbitrary<Choice> = fc.record({ id: text, description: text })
const month = fc.tuple(fc.integer({ min: 1950, max: 2026 }), fc.integer({ min: 10, max: 12 })).map(String)

const anyProfile: Arbitrary<Profile> = fc.record({
  phoneNumber: orNull(text),
  currentLocation: orNull(choice),
  highestQualification: orNull(choice),
  skills: fc.array(text, { maxLength: 5 }),
  salaryAndVisaByCountry: fc.dictionary(
    fc.string({ unit: fc.constantFrom('A', 'U', 'N', 'Z'), minLength: 2, maxLength: 2 }),
    fc.record({
      description: text,
      hasWorkingVisa: fc.boolean(),
      minimumSalaryValue: fc.nat(),
      salaryType: text,
    }),
    { maxKeys: 3 },
  ),
  workHistory: fc.array(
    fc.record({
      jobTitle: text,
      companyName: text,
      industry: orNull(choice),
      achievements: acceptedText(longTextLength, false),
      from: month,
      to: orNull(month),
    }),
    { maxLength: 3 },
  ),
})

/** Of plain objects, as JSON makes them. */
const profile = anyProfile.map((value): Profile => JSON.parse(JSON.stringify(value)))

/** Six categories, as bits. */
const bits = fc.integer({ min: 0, max: 63 })

withStoresInTurn('shared data', (services, _settings, engine) => {
  let stores: Stores
  let owner: Scene
  let made = 0
  before(async () => {
    stores = storesOver(services().database)
    owner = (await prepareScenes(stores)).owner
  })

  /** A new candidate for each run, so that there is no consent yet. */
  async function newCandidate(): Promise<string> {
    made += 1
    const candidateId = `candidate-${made}`
    const name = { firstName: 'Mary', lastName: 'Nguyen', profile: '{}', createdAt: at }
    const account = { candidateId, email: `${candidateId}@example.com`, passwordHash: 'x' }
    assert.equal(await stores.accounts.add({ ...account, ...name }), true)
    return candidateId
  }

  test('a profile comes back as it was saved', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, profile, async (firstName, lastName, saved) => {
        const named = { firstName, lastName, profile: saved }
        assert.ok(await stores.candidates.changeProfile(owner.candidateId, () => ({ next: named })))
        const { email, resume, ...found } = (await stores.candidates.find(owner.candidateId)) ?? assert.fail()
        assert.deepEqual(found, named)
        assert.deepEqual([email, resume?.id], [owner.email, owner.resumeId])
      }),
      { numRuns: examples(engine, times(25, 100)) },
    )
  })

  test('a resume comes back as it was added, and the first is the default', async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.nat(),
        fc.constantFrom('unscanned', 'clean'),
        async (fileName, size, scan) => {
          const candidateId = await newCandidate()
          const first = { ...newResume(`${candidateId}-1`), fileName, size, scan }
          const second = { ...newResume(`${candidateId}-2`), uploadedAt: at + 1 }
          assert.equal(await stores.candidates.addResume(candidateId, first, 2), true)
          assert.equal(await stores.candidates.addResume(candidateId, second, 2), true)
          assert.equal(await stores.candidates.addResume(candidateId, newResume('one too many'), 2), false)
          const kept = [
            { ...second, isDefault: false },
            { ...first, isDefault: true },
          ]
          assert.deepEqual(await stores.candidates.listResumes(candidateId), kept)
          assert.deepEqual(await stores.candidates.findResume(candidateId, first.id), kept[1])
        },
      ),
      { numRuns: examples(engine, times(10, 30)) },
    )
  })

  test('a client comes back as it was registered', async () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcxyz:/.?&=%\'"$1'), minLength: 1, maxLength: 12 })
    const words = fc.uniqueArray(word, { maxLength: 4 })
    const scopeWord = fc.string({ unit: fc.constantFrom(...'abcxyz_'), minLength: 1, maxLength: 12 })
    const scopeWords = fc.uniqueArray(scopeWord, { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(
        text,
        scopeWords,
        words,
        fc.boolean(),
        async (name, scopes, redirectUris, requirePkce) => {
          made += 1
          const client = { id: `client-${made}`, name, agentId: null, scopes, redirectUris, requirePkce }
          assert.equal(await stores.clients.add(client, 'first', at), true)
          assert.equal(await stores.clients.addSecret(client.id, 'second', 1, at), true)
          const found = (await stores.clients.find(client.id)) ?? assert.fail()
          assert.deepEqual(
            { ...found, redirectUris: new Set(found.redirectUris) },
            // The newest secret first, though both were made in the same millisecond.
            {
              ...client,
              logoHash: null,
              privacyUrl: null,
              disabledAt: null,
              redirectUris: new Set(redirectUris),
              secretHashes: ['second', 'first'],
            },
          )
        },
      ),
      { numRuns: examples(engine, times(15, 50)) },
    )
  })

  test('the parts of an authorization response are found together or not at all, each by its own key', async () => {
    const { clientId, advertiserId } = owner
    const candidateId = await newCandidate()
    const session = newSession(`session of ${candidateId}`)
    await stores.sessions.add(candidateId, 'x', session)
    const resume = newResume(`resume of ${candidateId}`)
    await stores.candidates.addResume(candidateId, resume, 1)
    const decision = { grantId: `grant of ${candidateId}`, scope: 's', released: 1, filled: 3, decidedAt: at }
    const code = newCode(`code of ${candidateId}`)
    await stores.oauth.recordConsent({ candidateId, clientId, advertiserId }, decision, code)

    const found = await stores.clients.find(clientId)
    assert.ok(found)
    const { secretHashes: _, ...client } = found
    const named = { id: advertiserId, name: (await stores.advertisers.find(advertiserId))?.name }
    const advertiser = { ...named, isActedFor: true }
    const candidate = await stores.candidates.find(candidateId)
    assert.equal(candidate?.resume?.id, resume.id)
    const { grantId: id, ...decided } = decision
    const { createdAt, expiresAt } = session
    const times = { createdAt, lastUsedAt: createdAt, expiresAt }
    const visitor = { candidateId, candidate, grant: undefined, session: times }
    const consented = { ...visitor, grant: { id, ...decided, resumeId: null } }

    const { hash } = session
    const answers = await Promise.all([
      stores.oauth.findContext(hash, clientId, advertiserId),
      stores.oauth.findContext(hash, clientId, null),
      stores.oauth.findContext(hash, 'nobody', advertiserId),
      stores.oauth.findContext('none', clientId, advertiserId),
      stores.oauth.findContext(null, clientId, 404),
      stores.oauth.findContext(null, 'nobody', null),
    ])
    const none = { client: undefined, advertiser: undefined, visitor: undefined }
    assert.deepEqual(answers, [
      { client, advertiser, visitor: consented },
      { ...none, client, visitor },
      { ...none, advertiser: { ...named, isActedFor: false }, visitor },
      { ...none, client, advertiser },
      { ...none, client },
      none,
    ])
    await stores.advertisers.setStatus(advertiserId, 'hold')
    const held = await stores.oauth.findContext(hash, clientId, advertiserId)
    assert.deepEqual(held, { client, advertiser: undefined, visitor: consented })
    await stores.advertisers.setStatus(advertiserId, 'active')
    await stores.consents.withdraw(candidateId, id, at)
    assert.deepEqual((await stores.oauth.findContext(hash, clientId, advertiserId)).visitor, visitor)
  })

  test('a code is redeemed with a secret of its client, and with no other', async () => {
    const { clientId } = owner
    const candidateId = await newCandidate()
    const code = newCode(`code of ${candidateId}`)
    const decision = { grantId: `grant of ${candidateId}`, scope: 's', released: 1, filled: 1, decidedAt: at }
    await stores.oauth.recordConsent({ candidateId, clientId, advertiserId: null }, decision, code)
    const redeemWith = (secretHash: string) =>
      stores.oauth.redeem(
        code.hash,
        { ...holderOf(clientId), secretHash },
        newToken(`token for ${secretHash}`),
        3,
      )
    // Together, so that PostgreSQL gets all of them in one statement.
    const { secretHash } = holderOf(clientId)
    assert.deepEqual(await Promise.all(['', 'x', secretHash, 'y'].map(redeemWith)), [
      false,
      false,
      true,
      false,
    ])
  })

  test('a token holds what was released and seen when its code was issued, and never more after', async () => {
    const decisions = fc.array(fc.record({ released: bits, filled: bits }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(decisions, async sequence => {
        const candidateId = await newCandidate()
        const session = newSession(`session of ${candidateId}`)
        await stores.sessions.add(candidateId, 'x', session)
        const key = { candidateId, clientId: owner.clientId, advertiserId: owner.advertiserId }
        const tokens = new Map<string, number>()
        for (const [index, { released, filled }] of sequence.entries()) {
          const [code, token] = [`code ${candidateId} ${index}`, `token ${candidateId} ${index}`]
          const decision = { grantId: `${candidateId}-${index}`, scope: `scope ${index}`, released, filled }
          await stores.oauth.recordConsent(key, { ...decision, decidedAt: at + index }, newCode(code))
          const grant = { id: `${candidateId}-0`, released, filled, scope: `scope ${index}` }
          const standing = await stores.oauth.findContext(session.hash, owner.clientId, owner.advertiserId)
          assert.deepEqual(standing.visitor?.grant, { ...grant, decidedAt: at + index, resumeId: null })
          assert.equal(await stores.oauth.redeem(code, holderOf(owner.clientId), newToken(token), 3), true)
          for (const [earlier, held] of tokens) tokens.set(earlier, held & released)
          tokens.set(token, released & filled)
          for (const [each, expected] of tokens) {
            assert.deepEqual(
              { ...(await stores.oauth.findToken(each)) },
              {
                clientId: owner.clientId,
                scope: newCode(code).scope,
                grantId: grant.id,
                candidateId,
                released: expected,
                advertiserId: owner.advertiserId,
                expiresAt: later,
                revokedAt: null,
              },
            )
          }
        }
      }),
      { numRuns: examples(engine, times(10, 30)) },
    )
  })

  test('a prefilled application is stored as requested, and a retry changes all but its beginning', async () => {
    const request = fc.record({
      positionTitle: orNull(text),
      positionUri: orNull(text),
      positionReference: orNull(text),
      countryCode: orNull(text),
      postalCode: orNull(text),
    })
    await fc.assert(
      fc.asyncProperty(request, request, async (first, second) => {
        made += 1
        const [id, retryKey] = [`prefilled-${made}`, `key-${made}`]
        const ask = (asked: typeof first, call: number) =>
          stores.sharing.recordPrefill(
            owner.token,
            {
              id: call === 0 ? id : `${id}-again`,
              retryKey,
              request: { ...prefillRequest(owner.advertiserId), ...asked },
              resume: null,
              disclosure: { id: `disclosure-${made}-${call}`, filled: call },
            },
            at,
          )
        const times = { createdAt: at, updatedAt: at }
        assert.deepEqual({ ...(await ask(first, 0)) }, { id, ...times, released: 63, releasedResumeId: null })
        // Later than before, although the clock has not moved.
        const retry = { id, createdAt: at, updatedAt: at + 1, released: 63, releasedResumeId: null }
        assert.deepEqual({ ...(await ask(second, 1)) }, retry)
        const { reader } = services().database
        const row = await reader
          .selectFrom('prefilled_applications')
          .select(['position_title', 'position_uri', 'position_reference', 'country_code', 'postal_code'])
          .where('retry_key', '=', retryKey)
          .executeTakeFirstOrThrow()
        assert.deepEqual(Object.values(row), Object.values(second))
        const disclosed = await stores.history.disclosures(owner.candidateId, 1000)
        assert.deepEqual(
          disclosed.filter(each => each.id.startsWith(`disclosure-${made}-`)).map(each => each.categories),
          [1, 0],
        )
      }),
      { numRuns: examples(engine, times(10, 30)) },
    )
  })

  test('disclosures come page by page, each once, the newest first', async () => {
    const all = await stores.history.disclosures(owner.candidateId, 1000)
    assert.ok(all.length > examples(engine, 20))
    const paged: typeof all = []
    for (;;) {
      const last = paged.at(-1)
      const page = await stores.history.disclosures(
        owner.candidateId,
        7,
        last && { at: last.disclosedAt, id: last.id },
      )
      if (page.length === 0) break
      paged.push(...page)
    }
    assert.deepEqual(paged, all)
  })

  test('of two people who move to one address at once, one gets it and the other keeps theirs', async () => {
    for (let round = 0; round < 20; round += 1) {
      const email = `wanted-${round}@example.com`
      const both = [await newCandidate(), await newCandidate()]
      for (const candidateId of both) {
        const link = { hash: `move ${candidateId}`, purpose: 'change-email' as const, expiresAt: later }
        await stores.accounts.addLink({ ...link, candidateId, email })
      }
      const moved = await Promise.all(both.map(id => stores.accounts.changeEmail(`move ${id}`, at)))
      const [winner, ...others] = moved.filter(link => link !== undefined)
      assert.deepEqual([{ ...winner }.email, others], [email, []])
      const loser = both.find(id => id !== winner?.candidateId) ?? assert.fail()
      assert.equal((await stores.accounts.findByEmail(email))?.candidateId, winner?.candidateId)
      assert.equal((await stores.accounts.find(loser))?.email, `${loser}@example.com`)
    }
  })
})
