import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { addPerson, addPersonClient, type Person, tracesOf } from '../harness/person.ts'
import { usePostBox } from '../harness/post-box.ts'
import { type Stores, storesOver } from '../store/stores.ts'

const clientId = 'client'
const dayMs = 86_400_000

withServices('an application that its candidate withdraws', services => {
  let stores: Stores
  let advertiserId: number
  let serial = 0
  before(async () => {
    stores = storesOver(services().database)
    advertiserId = (await services().advertisers.add('Harbour')).id
    await addPersonClient(stores, { id: clientId })
  })

  const newPerson = () => addPerson(services(), stores, { name: `zora${++serial}x`, advertiserId, clientId })
  const withdraw = (person: Person, eraseAt = Date.now() + dayMs) =>
    stores.ownApplications.withdraw(person.candidateId, person.applicationId, { now: Date.now(), eraseAt })

  const rowOf = ({ applicationId }: Person) =>
    services()
      .database.writer.selectFrom('applications')
      .select(['status', 'erased_at'])
      .where('id', '=', applicationId)
      .executeTakeFirstOrThrow()
  const erasureOf = ({ applicationId }: Person) =>
    services()
      .database.writer.selectFrom('erasures')
      .select(['due_at', 'reason'])
      .where('application_id', '=', applicationId)
      .executeTakeFirst()
  const historyOf = ({ applicationId }: Person) =>
    services()
      .database.writer.selectFrom('application_history')
      .select(['kind', 'former', 'status', 'actor_id', 'text'])
      .where('application_id', '=', applicationId)
      .orderBy('position')
      .execute()
  const toldLaterOf = async ({ applicationId }: Person) => {
    const rows = await services()
      .database.writer.selectFrom('untold_withdrawals')
      .select('candidate_id')
      .where('application_id', '=', applicationId)
      .execute()
    return rows.map(row => row.candidate_id)
  }
  const noticesOf = async ({ applicationId }: Person) => {
    const rows = await services()
      .database.writer.selectFrom('deliveries')
      .select(['kind', 'content'])
      .execute()
    return rows
      .map(({ kind, content }) => ({ kind, ...JSON.parse(content) }))
      .filter(notice => notice.applicationId === applicationId && notice.kind !== 'application-sent')
  }

  /** The kept counts, and those of a recount. */
  async function assertCounts(): Promise<void> {
    const { writer } = services().database
    const kept = await writer
      .selectFrom('application_counts')
      .select(['status', 'applications'])
      .where('advertiser_id', '=', advertiserId)
      .where('applications', '!=', 0)
      .orderBy('status')
      .execute()
    const counted = await writer
      .selectFrom('applications')
      .select(['status', ({ fn }) => fn.countAll<number>().as('applications')])
      .where('advertiser_id', '=', advertiserId)
      .groupBy('status')
      .orderBy('status')
      .execute()
    assert.deepEqual(
      kept,
      counted.map(row => ({ ...row, applications: Number(row.applications) })),
    )
  }

  test('has its final status, a line of history, a planned erasure and emails for both sides', async () => {
    const [person, off, colleague] = [await newPerson(), await newPerson(), await newPerson()]
    const { writer } = services().database
    const setMember = (values: { notify?: 'off'; told_up_to?: number }, { candidateId }: Person) =>
      writer.updateTable('memberships').set(values).where('candidate_id', '=', candidateId).execute()
    await writer.updateTable('memberships').set({ told_up_to: person.applicationId }).execute()
    await setMember({ notify: 'off' }, off)
    // No email has told this one of the application.
    await setMember({ told_up_to: person.applicationId - 1 }, colleague)
    assert.equal(await withdraw(person, 77), 'withdrawn')
    assert.equal((await rowOf(person)).status, 'withdrawn')
    assert.deepEqual(await historyOf(person), [
      { kind: 'withdrawn', former: 'new', status: 'withdrawn', actor_id: null, text: null },
    ])
    assert.deepEqual(await erasureOf(person), { due_at: 77, reason: 'withdrawn' })
    const about = { candidateId: person.candidateId, advertiserId, applicationId: person.applicationId }
    assert.deepEqual(await noticesOf(person), [{ kind: 'application-withdrawn', ...about }])
    assert.deepEqual(await toldLaterOf(person), [person.candidateId])
    await assertCounts()
    assert.equal(await withdraw(person), 'repeated')
    assert.equal((await noticesOf(person)).length, 1)
    assert.equal((await toldLaterOf(person)).length, 1)
    assert.equal(
      await stores.ownApplications.withdraw(off.candidateId, person.applicationId, { now: 1, eraseAt: 1 }),
      'unknown',
    )
  })

  test('keeps the earlier of two planned erasures', async () => {
    const times = (eraseAt: number) => ({ now: 1, eraseAt })
    for (const [withdrawn, removed] of [
      [5, 9],
      [9, 5],
    ] as const) {
      const person = await newPerson()
      await withdraw(person, withdrawn)
      await stores.accountRemoval.remove(person.candidateId, person.passwordHash, times(removed))
      assert.deepEqual(await erasureOf(person), { due_at: 5, reason: 'account' })
    }
  })

  test('is withdrawn once by fifty at once', async () => {
    const person = await newPerson()
    const outcomes = await Promise.all(Array.from({ length: times(20, 50) }, () => withdraw(person)))
    assert.equal(outcomes.filter(outcome => outcome === 'withdrawn').length, 1)
    assert.deepEqual(new Set(outcomes), new Set(['withdrawn', 'repeated']))
    assert.equal((await historyOf(person)).length, 1)
    await assertCounts()
  })

  test('fifty at once, each of its own candidate', async () => {
    const people = []
    for (let index = 0; index < times(10, 50); index++) people.push(await newPerson())
    const outcomes = await Promise.all(people.map(person => withdraw(person)))
    assert.deepEqual(new Set(outcomes), new Set(['withdrawn']))
    await assertCounts()
  })

  test('while members leave: no withdrawal fails, and no member who left is told', async () => {
    for (let round = 0; round < times(5, 50); round++) {
      const [person, leaving] = [await newPerson(), await newPerson()]
      await services()
        .database.writer.updateTable('memberships')
        .set({ told_up_to: person.applicationId })
        .execute()
      const [outcome] = await Promise.all([
        withdraw(person),
        stores.members.remove(advertiserId, leaving.candidateId, { mayBeLast: true }),
      ])
      assert.equal(outcome, 'withdrawn')
      assert.ok(!(await toldLaterOf(person)).includes(leaving.candidateId))
    }
  })

  test('at the moment of a decision: the history tells what happened, and emails tell what is true', async () => {
    const rounds = times(4, 30)
    await services().database.writer.deleteFrom('deliveries').execute()
    for (let round = 0; round < rounds; round++) {
      const person = await newPerson()
      const { writer } = services().database
      const ofPerson = ['id', '=', person.candidateId] as const
      await writer
        .updateTable('candidates')
        .set({ email_confirmed_at: 0 })
        .where(...ofPerson)
        .execute()
      const decide = () =>
        stores.progress.setStatus(advertiserId, {
          applications: [{ id: person.applicationId, shown: 'new' }],
          ...({ to: 'hired', by: 'rae', at: Date.now(), note: 'Well done.', tells: true } as const),
          maxHistory: 1000,
          toldAtOnce: 50,
        })
      let decided: number[] = []
      const acts = [
        async () => {
          decided = await decide()
        },
        () => withdraw(person),
      ]
      if (round % 2 === 1) acts.reverse()
      // One after the other in both orders, then at once.
      if (round < 2) for (const act of acts) await act()
      else await Promise.all(acts.map(act => act()))
      if (round < 2) assert.equal(decided.length, 1 - round)

      assert.equal((await rowOf(person)).status, 'withdrawn')
      const withdrawal = { kind: 'withdrawn', status: 'withdrawn', actor_id: null, text: null }
      const decision = { kind: 'status', former: 'new', status: 'hired', actor_id: 'rae', text: null }
      const note = { kind: 'note', former: null, status: null, actor_id: 'rae', text: 'Well done.' }
      assert.deepEqual(
        await historyOf(person),
        decided.length === 0
          ? [{ ...withdrawal, former: 'new' }]
          : [decision, note, { ...withdrawal, former: 'hired' }],
      )
      const queued = (await noticesOf(person)).map(({ kind }) => kind)
      const told = decided.length === 0 ? [] : ['status-changed']
      assert.deepEqual(queued.toSorted(), ['application-withdrawn', ...told])
    }
    // Sent only now, when every one of them is withdrawn.
    const { mails } = usePostBox(services())
    while ((await services().deliveries.counts()).waiting > 0) await services().deliveries.run()
    const subjects = mails.map(({ subject }) => subject)
    assert.deepEqual(
      subjects.filter(subject => subject.startsWith('Hired')),
      [],
    )
    assert.equal(subjects.filter(subject => subject === 'Application withdrawn: Baker').length, rounds)
    assert.deepEqual(await services().counts.faults(advertiserId), [])
  })

  test('while its account is deleted or it is erased, is withdrawn before or not at all', async () => {
    for (let round = 0; round < times(4, 12); round++) {
      const person = await newPerson()
      const now = Date.now()
      const remove = () =>
        stores.accountRemoval.remove(person.candidateId, person.passwordHash, { now, eraseAt: now })
      const erase = () => stores.erasures.erase(advertiserId, person.applicationId, now)
      const others = [remove, erase, () => withdraw(person)]
      const turned = [...others.slice(round % 3), ...others.slice(0, round % 3)]
      for (const result of await Promise.allSettled(turned.map(act => act()))) {
        // The account was deleted first.
        if (result.status === 'rejected') assert.match(String(result.reason), /account has been deleted/)
      }
      await services().erasure.run()
      assert.notEqual((await rowOf(person)).erased_at, null)
      assert.equal(await erasureOf(person), undefined)
      assert.deepEqual(await historyOf(person), [])
      const words = { marks: person.marks.filter(mark => !mark.endsWith('-')) }
      assert.deepEqual(await tracesOf(services(), words), [])
    }
    await assertCounts()
  })
})
