import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { maxHistory, toldAtOnce } from '../../src/collect/progress/service.ts'
import { chosenStatuses } from '../../src/model/application-status.ts'
import { mutedBit } from '../../src/model/notice-topics.ts'
import { Problem } from '../../src/platform/core/problems.ts'
import { plainDraft } from '../harness/applications.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { addPerson, addPersonClient } from '../harness/person.ts'
import { addTenant } from '../harness/tenant.ts'
import { type Stores, storesOver } from '../store/stores.ts'

const rounds = times(3, 20)

withServices('recruiters who work on the same applications', services => {
  let stores: Stores
  let advertiserId: number
  let strangerId: number
  before(async () => {
    stores = storesOver(services().database)
    advertiserId = (await addTenant(services(), 'Harbour')).advertiserId
    strangerId = (await addTenant(services(), 'Southern')).advertiserId
  })

  const arrive = async (jobAdId?: number) =>
    (
      await services().submissions.add(
        advertiserId,
        jobAdId === undefined ? plainDraft() : plainDraft({ jobAdId }),
      )
    ).id
  const statusOf = async (id: number) => (await services().applicationSearch.detail(advertiserId, id)).status
  const historyOf = async (id: number) => (await services().progress.history(advertiserId, id)).entries
  const update = (id: number, change: Partial<Parameters<Stores['progress']['setStatus']>[1]> & object) =>
    stores.progress.setStatus(advertiserId, {
      applications: [{ id, shown: 'new' }],
      to: 'seen',
      by: 'rae',
      at: 1,
      tells: false,
      maxHistory,
      toldAtOnce,
      ...change,
    })

  test('of two who decide at once one wins, and nothing of the other is half saved', async () => {
    for (let round = 0; round < rounds; round++) {
      const id = await arrive()
      const decide = (by: string, to: 'hired' | 'not-suitable') =>
        services().progress.update(advertiserId, id, {
          by,
          shown: 'new',
          to,
          note: `from ${by}`,
          tells: true,
        })
      const outcomes = await Promise.all([decide('rae', 'hired'), decide('sam', 'not-suitable')])
      assert.deepEqual(outcomes.toSorted(), ['saved', 'stale'])
      const winner = outcomes[0] === 'saved' ? 'rae' : 'sam'
      assert.equal(await statusOf(id), winner === 'rae' ? 'hired' : 'not-suitable')
      assert.deepEqual(
        (await historyOf(id)).map(({ kind, actorId, former, text }) => [kind, actorId, former, text]),
        [
          ['note', winner, null, `from ${winner}`],
          ['status', winner, 'new', null],
        ],
      )
    }
    assert.deepEqual(await services().counts.faults(advertiserId), [])
  })

  test('a full history takes neither notes nor changes, and says so; a withdrawal is always recorded', async () => {
    const id = await arrive()
    const note = { text: 'x', by: 'rae', at: 1, maxHistory: 3 }
    const added = await Promise.all(
      [1, 2, 3, 4, 5].map(() => stores.progress.addNote(advertiserId, id, note)),
    )
    assert.deepEqual(added.toSorted(), ['added', 'added', 'added', 'full', 'full'])
    assert.deepEqual(await update(id, { to: 'hired', maxHistory: 3 }), [])
    assert.deepEqual(await update(id, { to: 'new', maxHistory: 3 }), [id], 'it has this status already')
    assert.equal(await statusOf(id), 'new')
    // The service, with the limit as it is.
    const { writer } = services().database
    const decide = (to: 'hired' | undefined) =>
      services().progress.update(advertiserId, id, {
        by: 'rae',
        shown: 'new',
        to,
        note: 'Late.',
        tells: false,
      })
    const document = { advertiser_id: advertiserId, application_id: id, at: 1, kind: 'document' as const }
    const positions = Array.from({ length: maxHistory - 3 }, (_, index) => index + 4)
    await writer
      .insertInto('application_history')
      .values(positions.map(position => ({ ...document, position, text: 'resume' })))
      .execute()
    assert.equal(await decide(undefined), 'saved', 'documents do not count')
    await writer
      .updateTable('application_history')
      .set({ kind: 'note' })
      .where('application_id', '=', id)
      .execute()
    for (const to of [undefined, 'hired'] as const)
      await assert.rejects(decide(to), /has 1000 notes and changes, and can’t have more/)
    assert.ok(await services().progress.open(advertiserId, id, 'rae'), 'it is seen all the same')
    assert.equal(await statusOf(id), 'seen')
  })

  test('notes at the same moment all stay, in one order', async () => {
    const id = await arrive()
    const notes = Array.from({ length: 8 }, (_, index) => `note ${index}`)
    const note = (text: string) =>
      services().progress.update(advertiserId, id, {
        by: 'rae',
        shown: 'new',
        to: undefined,
        note: text,
        tells: false,
      })
    await Promise.all([...notes.map(note), services().progress.open(advertiserId, id, 'sam')])
    const entries = await historyOf(id)
    assert.deepEqual(entries.flatMap(({ text }) => text ?? []).toSorted(), notes)
    assert.equal(entries.length, notes.length + 1)
  })

  test('opening makes a new application seen once, and no other', async () => {
    const id = await arrive()
    const opened = await Promise.all(
      ['rae', 'sam', 'kim'].map(by => services().progress.open(advertiserId, id, by)),
    )
    assert.equal(opened.filter(Boolean).length, 1)
    assert.equal((await historyOf(id)).length, 1)
    await update(id, { applications: [{ id, shown: 'seen' }], to: 'hired' })
    assert.equal(await services().progress.open(advertiserId, id, 'rae'), false)
    assert.equal(await statusOf(id), 'hired')
  })

  test('many at once, some of them stale: the rest changes, and the counts are those of a recount', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => arrive(index % 3 || undefined)))
    for (const id of ids.slice(0, 4)) await services().progress.open(advertiserId, id, 'sam')
    const shown = ids.map(id => ({ id, shown: 'new' as const }))
    const [first, second] = await Promise.all([
      services().progress.updateMany(advertiserId, shown, { to: 'shortlisted', by: 'rae', tells: false }),
      services().progress.updateMany(advertiserId, shown.toReversed(), {
        to: 'hired',
        by: 'sam',
        tells: false,
      }),
    ])
    assert.equal(first.length + second.length, 8)
    assert.ok(first.length === 0 || second.length === 0)
    assert.deepEqual(await services().counts.faults(advertiserId), [])
    const tooMany = Array.from({ length: 101 }, () => ({ id: 1, shown: 'new' as const }))
    await assert.rejects(
      services().progress.updateMany(advertiserId, tooMany, { to: 'hired', by: 'rae', tells: false }),
      Problem,
    )
  })

  test('arrivals, decisions and erasures at once leave counts that equal a recount', async () => {
    for (let round = 0; round < rounds; round++) {
      const ids = await Promise.all(Array.from({ length: 6 }, () => arrive(7)))
      await Promise.all([
        ...ids.map((id, index) => update(id, { to: chosenStatuses[(index % 4) + 1] ?? 'seen' })),
        ...ids.map(id => arrive(7).then(() => services().progress.open(advertiserId, id, 'sam'))),
        ...ids.slice(0, 3).map(id => stores.erasures.erase(advertiserId, id, services().clock())),
        services().counts.repair(advertiserId),
      ])
    }
    assert.deepEqual(await services().counts.faults(advertiserId), [])
  })

  test('a note and an erasure at the same moment leave no note behind', async () => {
    for (let round = 0; round < rounds; round++) {
      const id = await arrive()
      const note = services()
        .progress.update(advertiserId, id, {
          by: 'rae',
          shown: 'new',
          to: 'seen',
          note: 'Mary is nice',
          tells: false,
        })
        .catch(error => assert.ok(error instanceof Problem))
      await Promise.all([note, stores.erasures.erase(advertiserId, id, services().clock())])
      assert.deepEqual(await historyOf(id), [])
    }
    const id = await arrive()
    await stores.erasures.erase(advertiserId, id, services().clock())
    assert.deepEqual(await update(id, {}), [])
    assert.equal(
      await stores.progress.addNote(advertiserId, id, { text: 'late', by: 'rae', at: 1, maxHistory }),
      'missing',
    )
  })

  test('counts that are wrong are found and corrected, those of missing rows too', async () => {
    const { writer } = services().database
    await writer
      .updateTable('application_counts')
      .set({ applications: 99 })
      .where('status', '=', 'new')
      .execute()
    await writer.deleteFrom('application_counts').where('status', '=', 'hired').execute()
    const wrong = await services().counts.faults(advertiserId)
    assert.ok(wrong.length > 1)
    assert.deepEqual(await services().counts.repair(advertiserId), wrong)
    assert.deepEqual(await services().counts.faults(advertiserId), [])
  })

  test('an email is queued with the decision, only for a candidate with an account', async () => {
    await addPersonClient(stores)
    const mary = await addPerson(services(), stores, { name: 'mary', advertiserId, clientId: 'client' })
    const other = await arrive()
    const applications = [mary.applicationId, other].map(id => ({ id, shown: 'new' as const }))
    const queued = async () =>
      (
        await services()
          .database.reader.selectFrom('deliveries')
          .select('content')
          .where('kind', '=', 'status-changed')
          .execute()
      ).map(({ content }) => JSON.parse(content))
    await services().progress.updateMany(advertiserId, applications, { to: 'seen', by: 'rae', tells: true })
    assert.deepEqual(await queued(), [])
    const seen = applications.map(({ id }) => ({ id, shown: 'seen' as const }))
    await services().progress.updateMany(advertiserId, seen, { to: 'hired', by: 'rae', tells: true })
    assert.deepEqual(await queued(), [
      { candidateId: mary.candidateId, advertiserId, applicationId: mary.applicationId, status: 'hired' },
    ])
    const untold = (id: number) => services().progress.whyUntold(advertiserId, id)
    assert.equal(await untold(other), 'no-account')
    const candidate = services().database.writer.updateTable('candidates').where('id', '=', mary.candidateId)
    for (const [why, change] of [
      ['unconfirmed', { email_confirmed_at: null, mail_refused_at: 1 }],
      ['refused', { email_confirmed_at: 1, muted: mutedBit('progress') }],
      ['muted', { mail_refused_at: null }],
      [undefined, { muted: mutedBit('receipts') }],
    ] as const) {
      await candidate.set(change).execute()
      assert.equal(await untold(mary.applicationId), why)
    }
  })

  test('what a candidate has withdrawn keeps that status, and takes notes', async () => {
    const id = await arrive()
    await services()
      .database.writer.updateTable('applications')
      .set({ status: 'withdrawn' })
      .where('id', '=', id)
      .execute()
    await services().counts.repair(advertiserId)
    assert.deepEqual(await update(id, { applications: [{ id, shown: 'withdrawn' }], to: 'hired' }), [])
    assert.equal(await services().progress.open(advertiserId, id, 'rae'), false)
    assert.equal(
      await stores.progress.addNote(advertiserId, id, { text: 'Sad.', by: 'rae', at: 1, maxHistory }),
      'added',
    )
  })

  test('another company reaches none of it', async () => {
    const id = await arrive()
    await services().progress.open(advertiserId, id, 'rae')
    const shown = [{ id, shown: 'seen' as const }]
    const change = { to: 'hired', by: 'eve', tells: true } as const
    assert.deepEqual(await services().progress.updateMany(strangerId, shown, change), [])
    assert.deepEqual((await services().progress.history(strangerId, id)).entries, [])
    assert.deepEqual(await services().progress.activities(strangerId, { id, submittedAt: 0 }), [])
    assert.equal(
      await stores.progress.addNote(strangerId, id, { text: 'x', by: 'eve', at: 1, maxHistory }),
      'missing',
    )
    assert.equal(await statusOf(id), 'seen')
  })
})
