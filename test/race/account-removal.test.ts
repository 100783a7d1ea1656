import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { Problem } from '../../src/platform/core/problems.ts'
import type { Schema } from '../../src/platform/database/tables.ts'
import { scopes } from '../../src/share/protocol/scopes.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import {
  addPerson,
  addPersonClient,
  newPrefill,
  type Person,
  personRedirectUri,
  personSecretHash,
  prefilledId,
  tracesOf,
} from '../harness/person.ts'
import { byPassword } from '../harness/proof.ts'
import { isSomebodyWaiting } from '../harness/waiting-locks.ts'
import { type Stores, storesOver } from '../store/stores.ts'

const rounds = times(2, 5)
const clientId = 'client'
const later = () => Date.now() + 3_600_000

/** Every change to an account at the moment of its deletion is either deleted with it or refused. */
withServices('an account that is deleted while it is in use', services => {
  let stores: Stores
  let advertiserId: number
  before(async () => {
    stores = storesOver(services().database)
    advertiserId = (await services().advertisers.add('Harbour')).id
    await addPersonClient(stores, { id: clientId, scopes: [scopes.profile] })
  })

  const code = (hash: string) => ({
    hash,
    redirectUri: personRedirectUri,
    scope: scopes.profile,
    challenge: null,
    issuedAt: Date.now(),
    expiresAt: later(),
  })

  /** Concurrent uses of it, each as its request would do it. */
  function uses(name: string, { candidateId, token, codeHash, grantId, ...person }: Person) {
    const now = Date.now()
    const { resumeId, shared, email, passwordHash } = person
    const ad = { advertiserId, jobAdId: 1, jobTitle: '', jobLocation: '', advertiserName: '' }
    const contact = { email, firstName: `${name}-`, lastName: `${name}-`, phone: '' }
    const application = { jobSeekerId: candidateId, contact, files: [] }
    const decision = { scope: scopes.profile, released: 63, filled: 63, decidedAt: now }
    const holder = { clientId, secretHash: personSecretHash, redirectUri: personRedirectUri, challenge: '' }
    const session = {
      sessionId: `${name}-s2`,
      browser: '',
      ...byPassword,
      createdAt: now,
      expiresAt: later(),
    }
    const prefill = newPrefill(name, advertiserId, resumeId)
    return [
      () =>
        stores.sharing.recordPrefill(
          token,
          {
            ...prefill,
            id: prefilledId(`${name}-2`),
            retryKey: `${name}-2`,
            disclosure: { ...prefill.disclosure, id: `${name}-2` },
          },
          now,
        ),
      () => stores.sharing.recordDownload(token, `${name}-download`, now),
      () =>
        stores.oauth.redeem(codeHash, holder, { hash: `${name}-t2`, issuedAt: now, expiresAt: later() }, 3),
      () => stores.oauth.issueCode(grantId, code(`${name}-c3`)),
      () =>
        stores.oauth.recordConsent(
          { candidateId, clientId, advertiserId: null },
          { ...decision, grantId: `${name}-g2` },
          code(`${name}-c4`),
        ),
      () =>
        stores.oauth.recordConsent(
          { candidateId, clientId, advertiserId },
          { ...decision, grantId: `${name}-g3` },
          code(`${name}-c5`),
        ),
      () => stores.consents.withdraw(candidateId, grantId, now),
      () => stores.sessions.add(candidateId, passwordHash, { ...session, hash: `${name}-s2` }),
      () => stores.candidates.addResume(candidateId, { id: `${name}-r2`, ...shared }, 9),
      () => stores.candidates.removeResume(candidateId, resumeId, now),
      () =>
        stores.drafts.save(
          candidateId,
          {
            id: `${name}-d`,
            version: 0,
            jobAdId: 1,
            jobTitle: '',
            advertiserName: '',
            content: '{}',
            files: new Map([['coverLetter', shared]]),
            removed: [],
          },
          { now, expiresAt: later(), max: 9 },
        ),
      () =>
        stores.ownApplications.send(candidateId, { formKey: `${name}-f2`, resumeId, ad, application }, now),
      () =>
        stores.ownApplications.send(
          candidateId,
          { formKey: `${name}-f3`, resumeId: undefined, ad, application },
          now,
        ),
      () => stores.members.setRole(advertiserId, candidateId, 'recruiter'),
      () => stores.erasures.erase(advertiserId, person.applicationId, now),
    ]
  }

  test('is gone with everything before it, and later requests are refused', async () => {
    for (let round = 0; round < rounds; round++) {
      const name = `zelda${round}x`
      const person = await addPerson(services(), stores, { name, advertiserId, clientId })
      const all: (() => Promise<unknown>)[] = uses(name, person)
      const remove = () =>
        stores.accountRemoval.remove(person.candidateId, person.passwordHash, {
          now: Date.now(),
          eraseAt: Date.now(),
        })
      // At another position each time: of requests so close together, the first gets the lock more often.
      all.splice(Math.floor((round * all.length) / rounds), 0, remove)
      const results = await Promise.allSettled(all.map(use => use()))
      for (const result of results) {
        if (result.status === 'rejected')
          assert.ok(result.reason instanceof Problem && result.reason.code === 'not-found', result.reason)
      }
      const left = await tracesOf(services(), person)
      const tables = new Set(left.map(row => row.replace(/ .*/s, '')))
      for (const table of tables)
        assert.match(table, /^(applications|application_\w+|loose_blobs)$/, left.join('\n'))
      await services().erasure.run()
      const words = { marks: [person.email, `First${name}`, `Last${name}`, `${name}-answer`, `${name}-cv`] }
      assert.deepEqual(await tracesOf(services(), words), [])
    }
  })

  /** What a request has locked when it is half-way, and what it then writes. */
  const halfWay: Record<
    string,
    (trx: Transaction<Schema>, person: Person, name: string) => (() => Promise<unknown>)[]
  > = {
    disclosure: (trx, { token, candidateId, grantId }, name) => [
      () => trx.selectFrom('oauth_tokens').select('hash').where('hash', '=', token.hash).forShare().execute(),
      () =>
        trx
          .insertInto('disclosures')
          .values({
            id: `${name}-late`,
            candidate_id: candidateId,
            grant_id: grantId,
            client_id: clientId,
            kind: 'prefill',
            categories: 1,
            disclosed_at: 1,
          })
          .execute(),
    ],
    redemption: (trx, { candidateId, grantId }, name) => [
      () => trx.selectFrom('grants').select('id').where('id', '=', grantId).forShare().execute(),
      () =>
        trx
          .insertInto('oauth_tokens')
          .values({
            hash: `${name}-late`,
            client_id: clientId,
            scope: scopes.profile,
            grant_id: grantId,
            candidate_id: candidateId,
            released: 1,
            issued_at: 1,
            expires_at: later(),
          })
          .execute(),
    ],
    'link to a mail': (trx, { candidateId, email }, name) => [
      () => trx.selectFrom('candidates').select('id').where('id', '=', candidateId).forKeyShare().execute(),
      () =>
        trx
          .insertInto('account_links')
          .values({
            hash: `${name}-late`,
            purpose: 'reset',
            candidate_id: candidateId,
            email,
            expires_at: later(),
          })
          .execute(),
    ],
  }

  for (const [what, steps] of Object.entries(halfWay)) {
    test(`a ${what} that is half-way completes, and is deleted with the account`, async () => {
      const { database } = services()
      // SQLite has one writer: no request is half-way.
      if (database.dialect === 'sqlite') return
      const name = `zelda${what.replaceAll(' ', '')}x`
      const person = await addPerson(services(), stores, { name, advertiserId, clientId })
      const removal = await database.writer.transaction().execute(async trx => {
        const [lock, write] = steps(trx, person, name)
        await lock?.()
        const times = { now: Date.now(), eraseAt: Date.now() }
        const removing = stores.accountRemoval.remove(person.candidateId, person.passwordHash, times)
        while (!(await isSomebodyWaiting(database))) await setImmediate()
        await write?.()
        return { removing }
      })
      assert.deepEqual(await removal.removing, { outcome: 'removed', applications: 1 })
      const left = (await tracesOf(services(), person)).filter(row => !row.startsWith('application'))
      assert.deepEqual(left, [])
    })
  }

  test('two concurrent erasures of one application take effect once', async () => {
    const name = 'zeldatwice'
    const { applicationId } = await addPerson(services(), stores, { name, advertiserId, clientId })
    const both = await Promise.all([1, 2].map(() => stores.erasures.erase(advertiserId, applicationId, 5)))
    assert.deepEqual(both.map(erased => typeof erased === 'object' && erased.wasErased).toSorted(), [
      false,
      true,
    ])
  })

  test('a verdict and an erasure at the same moment: the file is deleted either way', async () => {
    for (let round = 0; round < rounds; round++) {
      const name = `zeldaverdict${round}`
      const { applicationId } = await addPerson(services(), stores, { name, advertiserId, clientId })
      const verdict = () =>
        stores.applications.recordVerdict(advertiserId, applicationId, 'coverLetter', 'infected', 5)
      const erase = () => stores.erasures.erase(advertiserId, applicationId, 5)
      await Promise.all(round % 2 === 0 ? [verdict(), erase()] : [erase(), verdict()])
      const row = await services()
        .database.reader.selectFrom('applications')
        .select(['has_virus', 'erased_at'])
        .where('id', '=', applicationId)
        .executeTakeFirst()
      assert.deepEqual([row?.has_virus, row?.erased_at], [0, 5])
      assert.equal(await stores.applications.file(advertiserId, applicationId, 'coverLetter'), undefined)
    }
  })
})
