import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { plainDraft } from '../../../test/harness/applications.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { usePostBox } from '../../../test/harness/post-box.ts'
import { appOf } from '../../../test/harness/services.ts'
import { openOperator } from '../../assembly/operator.ts'
import { createReportStore } from '../../jobs/reports/report-store.ts'
import { newUuid } from '../../platform/core/ids.ts'

const clock = movableClock()
const reason = 'request 2026-114'

withServices('the look-up of a person by the operator', { clock }, services => {
  let company = 0
  before(async () => {
    company = (await services().advertisers.add('Harbour')).id
  })
  const lookup = () => {
    const { platform, jobs, accounts, mail, collect, backup, upkeep } = appOf(services())
    return openOperator(platform, jobs, accounts, mail, collect, backup, upkeep).lookup
  }
  const apply = async (email: string) => {
    const contact = { email, firstName: 'Zoe', lastName: 'Zed', phone: '' }
    return (await services().submissions.add(company, plainDraft({ contact }))).id
  }
  const addAccount = async (email: string) => {
    const candidateId = newUuid()
    await services().accountStore.add({
      candidateId,
      email,
      passwordHash: 'hash',
      firstName: 'Zoe',
      lastName: 'Zed',
      profile: '{}',
      createdAt: clock(),
    })
    return candidateId
  }
  const acts = async () =>
    (
      await services()
        .database.reader.selectFrom('audit_entries')
        .select(['action', 'after'])
        .where('action', 'like', 'person.%')
        .orderBy('number')
        .execute()
    ).map(({ action, after }) => ({ action, after: JSON.parse(after ?? '{}') }))

  test('needs an address and a reason, and shows nothing before it is on record', async () => {
    for (const [email, why] of [
      ['zoe', reason],
      ['zoe@example.org', ''],
      ['zoe@example.org', 'a\u0000b'],
      ['zoe@example.org', 'x'.repeat(201)],
    ] as const) {
      assert.equal((await lookup().find(email, why)).outcome, 'invalid')
      assert.equal((await lookup().erase(email, why)).outcome, 'invalid')
    }
    assert.deepEqual(await acts(), [])
    const nothing = await lookup().find('unknown@example.org', reason)
    assert.deepEqual(nothing, {
      outcome: 'done',
      result: { account: undefined, applications: [], reports: 0 },
    })
    assert.deepEqual(await acts(), [{ action: 'person.look-up', after: { reason, found: 0 } }])
  })

  test('takes any text as the reason, on one line', async () => {
    for (const [typed, stored] of [
      [
        'Löschantrag №7 (§ 17): „bitte alles“ <Zoë>, 100 %',
        'Löschantrag №7 (§ 17): „bitte alles“ <Zoë>, 100 %',
      ],
      [' two\nlines ', 'two lines'],
    ] as const) {
      assert.equal((await lookup().find('unknown@example.org', typed)).outcome, 'done')
      assert.deepEqual((await acts()).at(-1), {
        action: 'person.look-up',
        after: { reason: stored, found: 0 },
      })
    }
  })

  test('finds the account and the applications of exactly this address, as IDs', async () => {
    const candidateId = await addAccount('zoe@example.org')
    const id = await apply('zoe@example.org')
    await apply('zoe@example.org.au')
    const found = await lookup().find(' ZOE@example.org ', reason)
    const result = found.outcome === 'done' ? found.result : undefined
    assert.equal(result?.account?.candidateId, candidateId)
    assert.deepEqual(
      result?.applications.map(({ applicationId, isOnHold }) => [applicationId, isOnHold]),
      [[id, false]],
    )
    assert.doesNotMatch(JSON.stringify(found), /Zoe|Zed|@/)
  })

  test('finds applications under every spelling of the address, also one that no account could have', async () => {
    for (const [typed, ...sent] of [
      ['änna@müller.example', 'Änna@müller.example', 'änna@xn--mller-kva.EXAMPLE'],
      [
        'vik@mail.example.org',
        'vik@mail.example.org.',
        'Vik@mail\u3002example.org',
        'vik@mail\u3002example\uff61org\u3002',
      ],
      ['zo\u00eb@m\u00fcller.example', 'zoe\u0308@mu\u0308ller.example', 'ZOE\u0308@xn--mller-kva.example.'],
      ['zoe..zed@docomo.example', 'Zoe..Zed@docomo.example'],
    ] as const) {
      const ids = []
      for (const email of sent) ids.push(await apply(email))
      await apply(typed.replace(/[äe]/, 'a'))
      const found = await lookup().find(typed, reason)
      const result = found.outcome === 'done' ? found.result : undefined
      assert.deepEqual(
        result?.applications.map(({ applicationId }) => applicationId),
        ids,
        typed,
      )
    }
  })

  test('finds the address with reports of jobs alone, and removes it from them', async () => {
    const store = createReportStore(services().database)
    const email = 'reporter@example.org'
    const report = { advertiserId: company, jobAdId: 1, reason: 'gone', details: '', email } as const
    for (const id of [newUuid(), newUuid()]) await store.add({ ...report, id }, clock())
    const reports = async () => {
      const found = await lookup().find(email, reason)
      return found.outcome === 'done' ? found.result.reports : undefined
    }
    assert.equal(await reports(), 2)
    const erased = await lookup().erase(email, reason)
    assert.deepEqual(erased, {
      outcome: 'done',
      result: { applications: 0, onHold: 0, account: 'none', reports: 2 },
    })
    assert.equal(await reports(), 0)
  })

  test('erases all of it but what is on hold, and once', async () => {
    await addAccount('max@example.org')
    const [held] = [await apply('max@example.org'), await apply('max@example.org')]
    await services().holds.place(company, held, { reason: 'A dispute', by: null })
    const erased = await lookup().erase('max@example.org', reason)
    assert.deepEqual(erased, {
      outcome: 'done',
      result: { applications: 1, onHold: 1, account: 'deleted', reports: 0 },
    })
    const left = await lookup().find('max@example.org', reason)
    const result = left.outcome === 'done' ? left.result : undefined
    assert.equal(result?.account, undefined)
    assert.deepEqual(
      result?.applications.map(({ applicationId }) => applicationId),
      [held],
    )
    await services().background.whenIdle()
  })

  test('removes the factors of any account, on record with the reason, and tells its owner', async () => {
    const box = usePostBox(services())
    const { factors, database } = services()
    const candidateId = await addAccount('una@example.org')
    assert.equal((await lookup().resetFactors('una@example.org', '')).outcome, 'invalid')
    assert.deepEqual(await lookup().resetFactors('una@example.org', reason), {
      outcome: 'done',
      result: 'none',
    })
    assert.deepEqual(await lookup().resetFactors('nobody@example.org', reason), {
      outcome: 'done',
      result: 'none',
    })
    await database.writer
      .insertInto('totp_factors')
      .values({ candidate_id: candidateId, secret: 's', last_step: 1, created_at: 1, last_used_at: 1 })
      .execute()
    await database.writer
      .updateTable('advertisers')
      .set({ requires_factor: 1 })
      .where('id', '=', company)
      .execute()
    for (const advertiser_id of [company, (await services().advertisers.add('Asks for none')).id])
      await database.writer
        .insertInto('memberships')
        .values({ advertiser_id, candidate_id: candidateId, role: 'admin', created_at: clock() })
        .execute()
    // A command can pass several lines.
    assert.deepEqual(await lookup().resetFactors('una@example.org', ` ${reason.replace(' ', '\n')}\n`), {
      outcome: 'done',
      result: 'reset',
    })
    assert.equal(await factors.hasSecondFactor(candidateId), false)
    const { to, text } = await box.next()
    assert.equal(to, 'una@example.org')
    assert.match(text, /have removed the passkeys, the authenticator app and the recovery codes/)
    const recorded = await database.reader
      .selectFrom('audit_entries')
      .select(['scope', 'target', 'before', 'after'])
      .where('action', '=', 'factor.reset')
      .orderBy('scope')
      .execute()
    const act = {
      target: `person:${candidateId}`,
      before: '{"factors":1}',
    }
    assert.deepEqual(recorded, [
      { scope: 0, ...act, after: JSON.stringify({ reason }) },
      { scope: company, ...act, after: null },
    ])
    await services().background.whenIdle()
  })

  test('leaves the account of an operator alone', async () => {
    const candidateId = await addAccount('olga@example.org')
    await services()
      .database.writer.insertInto('operators')
      .values({ candidate_id: candidateId, role: 'operator', created_at: clock() })
      .execute()
    const erased = await lookup().erase('olga@example.org', reason)
    assert.deepEqual(erased, {
      outcome: 'done',
      result: { applications: 0, onHold: 0, account: 'operator', reports: 0 },
    })
    assert.equal(await services().operators.find(candidateId), 'operator')
    await services().background.whenIdle()
  })
})
