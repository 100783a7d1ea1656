import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { noLog } from '../../../test/harness/log.ts'
import { joinAgent, joinBoard } from '../../../test/harness/memberships.ts'
import {
  addPerson,
  everyRow,
  type Person,
  personRedirectUri,
  personSecretHash,
  tracesOf,
} from '../../../test/harness/person.ts'
import { byPassword, proved } from '../../../test/harness/proof.ts'
import { type Stores, storesOver } from '../../../test/store/stores.ts'
import { createBackground } from '../../platform/core/async/background.ts'
import { Problem } from '../../platform/core/problems.ts'
import { scopes } from '../../share/protocol/scopes.ts'
import { newAccountMail } from '../account/account-mail.ts'
import type { PasswordCheck } from '../account/password-service.ts'
import { createAccountRemoval } from './removal-service.ts'

const dayMs = 86_400_000
const clock = movableClock()

withServices('an account that its owner deletes', { clock }, services => {
  let stores: Stores
  let advertiserId: number
  let agentId: number
  const clientId = 'client'
  const background = createBackground(noLog)
  let serial = 0
  before(async () => {
    stores = storesOver(services().database)
    advertiserId = (await services().advertisers.add('Harbour')).id
    agentId = (await services().agents.add('Northwind')).id
    const client = { id: clientId, name: 'Careers', agentId: null, requirePkce: false }
    await stores.clients.add(
      { ...client, scopes: [scopes.profile], redirectUris: [personRedirectUri] },
      personSecretHash,
      clock(),
    )
  })

  const newPerson = () => addPerson(services(), stores, { name: `zelda${++serial}x`, advertiserId, clientId })

  /** With a stubbed password check, which has its own tests. */
  function removalWith(retentionDays: number, forgotten: string[] = []) {
    const passwords = {
      check: async ({ email, password }: { email: string; password: string }) => {
        const account = await stores.accounts.findByEmail(email)
        return account !== undefined && password === 'right'
          ? { outcome: 'right', account }
          : { outcome: 'wrong' }
      },
      forget: async (email: string) => {
        forgotten.push(email)
      },
    } as unknown as PasswordCheck
    return createAccountRemoval({
      store: stores.accountRemoval,
      ownData: stores.ownData,
      accounts: stores.accounts,
      passwords,
      erasure: services().erasure,
      background,
      clock,
      retentionDays,
    })
  }

  const ownerOf = ({ candidateId, email }: Person) => ({
    candidateId,
    email,
    sessionId: 's',
    firstName: '',
    isMember: true,
    ...proved,
  })
  const attempt = { password: 'right', address: '127.0.0.1', browser: undefined }

  const isThere = (file: { blob: string | null; size: number }) =>
    services()
      .blobs.examine(file, async () => true)
      .catch(() => false)

  const erasureOf = ({ applicationId }: Person) =>
    services()
      .database.reader.selectFrom('erasures')
      .select('due_at')
      .where('application_id', '=', applicationId)
      .executeTakeFirst()

  test('is deleted immediately; its application is scheduled for erasure', async () => {
    const person = await newPerson()
    const other = await newPerson()
    const othersRows = await tracesOf(services(), other)
    const forgotten: string[] = []
    assert.deepEqual(await removalWith(30, forgotten).remove(ownerOf(person), attempt), {
      outcome: 'removed',
      isFirst: true,
    })
    await background.whenIdle()
    assert.deepEqual(forgotten, [person.email])
    const left = await tracesOf(services(), person)
    const tables = new Set(left.map(row => row.split(' ')[0]))
    assert.deepEqual([...tables].toSorted(), [
      'application_files',
      'application_pieces',
      'application_screens',
      'application_terms',
      'applications',
    ])
    assert.equal((await erasureOf(person))?.due_at, clock() + 30 * dayMs)
    assert.deepEqual(await tracesOf(services(), other), othersRows)
  })

  test('revokes tokens, codes, links and sessions', async () => {
    const { token, codeHash, candidateId, ...person } = await newPerson()
    await removalWith(30).remove(ownerOf({ token, codeHash, candidateId, ...person }), attempt)
    assert.equal(await stores.oauth.findToken(token.hash), undefined)
    const holder = { clientId, secretHash: personSecretHash, redirectUri: personRedirectUri, challenge: '' }
    const newToken = { hash: 'late', issuedAt: clock(), expiresAt: clock() + 1000 }
    assert.equal(await stores.oauth.redeem(codeHash, holder, newToken, 3), false)
    assert.equal(await stores.sharing.recordDownload(token, 'late', clock()), false)
    // A completion call for an application started elsewhere gets 404.
    assert.equal(await stores.sharing.complete(clientId, `${person.resumeId}`, clock(), clock()), false)
    assert.equal(await stores.accounts.findByEmail(person.email), undefined)
  })

  test('rejects every later write, and none with a database error', async () => {
    const person = await newPerson()
    await removalWith(30).remove(ownerOf(person), attempt)
    const { candidateId, shared } = person
    const gone = (error: unknown) => error instanceof Problem && error.code === 'not-found'
    await assert.rejects(stores.candidates.addResume(candidateId, { id: 'late', ...shared }, 9), gone)
    const decision = { grantId: 'late', scope: scopes.profile, released: 1, filled: 1, decidedAt: clock() }
    const code = { hash: 'late', redirectUri: '', scope: '', challenge: null, issuedAt: 0, expiresAt: 1 }
    const key = { candidateId, clientId, advertiserId: null }
    await assert.rejects(stores.oauth.recordConsent(key, decision, code), gone)
    const session = { hash: 'l', sessionId: 'l', browser: '', ...byPassword, createdAt: 0, expiresAt: 1 }
    assert.equal(await stores.sessions.add(candidateId, person.passwordHash, session), false)
    assert.deepEqual(await removalWith(30).remove(ownerOf(person), attempt), {
      outcome: 'removed',
      isFirst: false,
    })
  })

  test('leaves no personal data once the application is erased, and deletes files with their last row', async () => {
    const person = await newPerson()
    // Came through intake under the same name: it does not belong to the account, so it stays.
    const brought = await stores.submissions.add(
      advertiserId,
      {
        jobSeekerId: 'of-the-board',
        contact: { email: 'board@example.org', firstName: 'B', lastName: 'C', phone: '' },
        files: [],
      },
      clock(),
    )
    await removalWith(30).remove(ownerOf(person), attempt)
    await services().cleanUp.run()
    assert.deepEqual([await isThere(person.shared), await isThere(person.letter)], [true, true])
    clock.advance(30 * dayMs - 1)
    await services().erasure.run()
    assert.notEqual(await erasureOf(person), undefined, 'a millisecond too early')
    clock.advance(1)
    await services().erasure.run()
    assert.equal(await erasureOf(person), undefined)
    assert.deepEqual(
      (await tracesOf(services(), person)).map(row => row.replace(/ .*/s, '')),
      // The ID of the deleted account; nothing leads from it to the person.
      ['application_pieces', 'application_pieces', 'applications'],
    )
    const words = { marks: person.marks.filter(mark => !mark.endsWith('-')) }
    assert.deepEqual(await tracesOf(services(), words), [])
    await services().cleanUp.run()
    assert.deepEqual([await isThere(person.shared), await isThere(person.letter)], [false, false])
    const row = (await everyRow(services())).find(
      text => text.startsWith('applications') && text.includes(`"id":${brought.id},`),
    )
    assert.match(row ?? '', /board@example\.org/)
  })

  test('leaves no word in notes, holds, history, reads and the outbox', async () => {
    const [person, recruiter] = [await newPerson(), await newPerson()]
    const { candidateId, applicationId } = person
    const name = person.marks[1] ?? ''
    const about = [advertiserId, applicationId] as const
    const decision = { shown: 'new', to: 'hired', note: `Call ${name}`, tells: true } as const
    await services().progress.update(...about, { by: recruiter.candidateId, ...decision })
    await services().holds.place(...about, { reason: `Complaint of ${name}`, by: null })
    await services().reads.view(advertiserId, `member:${candidateId}`, applicationId)
    services().reads.list(advertiserId, 'credential:1', applicationId, applicationId)
    await services().reads.flush()
    const mail = newAccountMail('reset', { email: person.email, continueTo: '/' }, clock() + dayMs)
    await stores.deliveries.add([mail], clock())
    const tablesWith = async (marks: string[]) => [
      ...new Set((await tracesOf(services(), { marks })).map(row => row.replace(/ .*/s, ''))),
    ]
    const words = person.marks.filter(mark => !mark.endsWith('-'))
    const before = await tablesWith(person.marks)
    for (const table of ['application_history', 'application_holds', 'application_reads', 'deliveries'])
      assert.ok(before.includes(table), table)

    await removalWith(30).remove(ownerOf(person), attempt)
    clock.advance(30 * dayMs)
    await services().deliveries.run()
    await services().erasure.run()
    assert.notDeepEqual(await tablesWith(words), [], 'on hold')
    await services().holds.release(...about, null)
    await services().erasure.run()
    assert.deepEqual(await tablesWith(words), [])
    // The ID of the deleted account; nothing leads from it to the person.
    assert.deepEqual(await tablesWith([candidateId]), ['application_pieces', 'applications'])
    const ofApplication = new RegExp(
      `^(application_history|application_reads|application_holds) .*"application_id":${applicationId}\\b`,
    )
    assert.deepEqual(
      (await everyRow(services())).filter(row => ofApplication.test(row)),
      [],
    )
  })

  test('is not opened again by an email about its sign-up that still waits', async () => {
    const person = await addPerson(services(), stores, {
      name: `zelda_${++serial}`,
      advertiserId,
      clientId,
    })
    const registration = { passwordHash: 'p', firstName: 'First', lastName: 'Last' }
    const signUp = (email: string) =>
      newAccountMail('sign-up', { email, registration, continueTo: '/' }, clock() + dayMs)
    const ofAnother = person.email.replace('_', '-')
    const mails = [person.email, ofAnother].map(signUp)
    await stores.deliveries.add(mails, clock())
    await removalWith(30).remove(ownerOf(person), attempt)
    const contents = await services().database.reader.selectFrom('deliveries').select('content').execute()
    const holding = (email: string) => contents.filter(({ content }) => content.includes(email)).length
    assert.deepEqual([holding(person.email), holding(ofAnother)], [0, 1])
  })

  test('is removed once when requested twice, without reporting a wrong password', async () => {
    const person = await newPerson()
    const removal = removalWith(30)
    const wrong = await removal.remove(ownerOf(person), { ...attempt, password: 'wrong' })
    assert.deepEqual(wrong, { outcome: 'wrong' })
    const removed = await Promise.all([1, 2].map(() => removal.remove(ownerOf(person), attempt)))
    const isFirst = removed.map(result => result.outcome === 'removed' && result.isFirst)
    assert.deepEqual(isFirst.toSorted(), [false, true])
    for (const { outcome } of removed) assert.equal(outcome, 'removed')
  })

  test('is erased immediately if nothing is retained', async () => {
    const person = await newPerson()
    await removalWith(0).remove(ownerOf(person), attempt)
    await background.whenIdle()
    const words = { marks: person.marks.filter(mark => !mark.endsWith('-')) }
    assert.deepEqual(await tracesOf(services(), words), [])
  })

  test('takes the address off reports of jobs only if the owner had confirmed it', async () => {
    const { writer, reader } = services().database
    for (const confirmedAt of [clock(), null]) {
      const person = await newPerson()
      await writer
        .updateTable('candidates')
        .set({ email_confirmed_at: confirmedAt })
        .where('id', '=', person.candidateId)
        .execute()
      const report = { advertiserId, jobAdId: 1, reason: 'gone', details: '', email: person.email } as const
      await stores.reports.add({ ...report, id: `report-${serial}` }, clock())
      await removalWith(30).remove(ownerOf(person), attempt)
      const { email } = await reader
        .selectFrom('job_reports')
        .select('email')
        .where('id', '=', `report-${serial}`)
        .executeTakeFirstOrThrow()
      assert.equal(email, confirmedAt === null ? person.email : null)
    }
  })

  test('can be created again with the same address, as a different account', async () => {
    const person = await newPerson()
    await removalWith(30).remove(ownerOf(person), attempt)
    const account = { email: person.email, passwordHash: 'p', firstName: 'N', lastName: 'M', profile: '{}' }
    assert.ok(await stores.accounts.add({ ...account, candidateId: `again-${serial}`, createdAt: clock() }))
    // A session of the former account does not delete the new one.
    assert.deepEqual(await removalWith(30).remove(ownerOf(person), attempt), {
      outcome: 'removed',
      isFirst: false,
    })
    assert.notEqual(await stores.accounts.findByEmail(person.email), undefined)
  })

  describe('of a member of an advertiser', () => {
    const makeAdmin = ({ candidateId }: Person) => stores.members.setRole(advertiserId, candidateId, 'admin')

    test('is kept unchanged while they are the last admin, and deleted once there is another', async () => {
      const [person, colleague] = [await newPerson(), await newPerson()]
      await makeAdmin(person)
      const rows = await everyRow(services())
      const removal = removalWith(30)
      assert.deepEqual(await removal.remove(ownerOf(person), attempt), { outcome: 'last-admin' })
      assert.deepEqual(await everyRow(services()), rows)
      const [advertiser, ...others] = (await removal.outlook(person.candidateId)).lastAdminOf
      assert.deepEqual([advertiser?.id, advertiser?.name, others.length], [advertiserId, 'Harbour', 0])
      await makeAdmin(colleague)
      assert.deepEqual((await removal.outlook(person.candidateId)).lastAdminOf, [])
      assert.deepEqual(await removal.remove(ownerOf(person), attempt), {
        outcome: 'removed',
        isFirst: true,
      })
      assert.deepEqual((await removal.outlook(colleague.candidateId)).lastAdminOf.length, 1)
      await stores.members.remove(advertiserId, colleague.candidateId, { mayBeLast: true })
    })

    test('when two admins delete their accounts at once, one remains', async () => {
      for (let round = 0; round < 4; round++) {
        const pair = [await newPerson(), await newPerson()]
        for (const person of pair) await makeAdmin(person)
        const outcomes = await Promise.all(
          pair.map(person => removalWith(30).remove(ownerOf(person), attempt)),
        )
        assert.deepEqual(outcomes.map(({ outcome }) => outcome).toSorted(), ['last-admin', 'removed'])
        for (const { candidateId } of pair)
          await stores.members.remove(advertiserId, candidateId, { mayBeLast: true })
      }
    })
  })

  for (const { of, join } of [
    { of: 'agent', join: (id: string) => joinAgent(services().database, id, 'admin', agentId) },
    { of: 'board', join: (id: string) => joinBoard(services().database, id) },
  ] as const)
    test(`of two who alone manage the ${of} and delete their accounts at once, one remains`, async () => {
      for (let round = 0; round < 4; round++) {
        const pair = [await newPerson(), await newPerson()]
        for (const { candidateId } of pair) await join(candidateId)
        const removal = removalWith(30)
        const outcomes = await Promise.all(pair.map(person => removal.remove(ownerOf(person), attempt)))
        assert.deepEqual(outcomes.map(({ outcome }) => outcome).toSorted(), ['last-admin', 'removed'])
        const left = pair[outcomes[0]?.outcome === 'removed' ? 1 : 0] as Person
        const { lastAdminOf } = await removal.outlook(left.candidateId)
        assert.deepEqual(
          lastAdminOf.map(({ kind }) => kind),
          [of],
        )
        for (const table of ['agent_members', 'operators'] as const)
          await services().database.writer.deleteFrom(table).execute()
      }
    })
})
