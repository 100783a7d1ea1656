import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { maxHistory, toldAtOnce } from '../../src/collect/progress/service.ts'
import { giveToCandidate, plainDraft } from '../harness/applications.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { addPerson, addPersonClient } from '../harness/person.ts'
import { usePostBox } from '../harness/post-box.ts'
import { addTenant } from '../harness/tenant.ts'
import { type Stores, storesOver } from '../store/stores.ts'

const rounds = times(3, 20)
const clock = movableClock()

withServices('decisions that are taken back while their emails are sent', { clock }, services => {
  let stores: Stores
  let advertiserId: number
  let candidateId: string
  before(async () => {
    services().stopWaking()
    stores = storesOver(services().database)
    const tenant = await addTenant(services(), 'Harbour')
    advertiserId = tenant.advertiserId
    await addPersonClient(stores)
    const person = await addPerson(services(), stores, { name: 'dora', advertiserId, clientId: 'client' })
    candidateId = person.candidateId
    const { writer } = services().database
    const confirmed = writer.updateTable('candidates').set({ email_confirmed_at: 1 })
    await confirmed.where('id', '=', candidateId).execute()
    await writer.deleteFrom('deliveries').execute()
  })

  /** Applications of Dora that were decided on at once, so that their emails wait. */
  async function decided(): Promise<number[]> {
    const ids: number[] = []
    while (ids.length < 60) ids.push((await services().submissions.add(advertiserId, plainDraft())).id)
    for (const id of ids)
      await giveToCandidate(services(), candidateId, { advertiser_id: advertiserId, application_id: id })
    const applications = ids.map(id => ({ id, shown: 'new' as const }))
    const change = { applications, to: 'not-suitable' as const, by: 'rae', at: clock() }
    await stores.progress.setStatus(advertiserId, { ...change, tells: true, maxHistory, toldAtOnce })
    return ids
  }

  test('each email is either sent or taken back, and each application changes back once', async () => {
    let [sentOnes, takenOnes] = [0, 0]
    for (let round = 0; round < rounds; round++) {
      const ids = await decided()
      const box = usePostBox(services())
      const [held] = await services().progress.held(advertiserId)
      assert.equal(held?.count, 60)
      const chosen = { status: 'not-suitable' as const, until: held?.until ?? 0, max: 7 }
      // The emails are due by the clock of the sender; by that of another node, they can still be taken back.
      const now = clock() + 599_999
      clock.advance(600_000)
      const press = async () => {
        let changed = 0
        for (let ended = 7; ended === 7; ) {
          const batch = await stores.progress.takeBack(advertiserId, chosen, { by: 'rae', now })
          ended = batch.ended
          changed += batch.changed
        }
        return changed
      }
      const [first, second] = await Promise.all([press(), press(), services().deliveries.run()])
      const sent = (await box.sent()).map(({ text }) => Number(/applications\/(\d+)/.exec(text)?.[1]))
      const rows = await services()
        .database.reader.selectFrom('applications')
        .select(['id', 'status'])
        .where('id', 'in', ids)
        .execute()
      const backs = rows.filter(({ status }) => status === 'new').map(({ id }) => id)
      assert.deepEqual(
        [...sent, ...backs].toSorted((a, b) => a - b),
        ids,
      )
      assert.equal(first + second, backs.length)
      const { entries } = await services().progress.history(advertiserId, backs[0] ?? ids[0] ?? 0)
      assert.equal(entries.length, backs.length > 0 ? 2 : 1)
      sentOnes += sent.length
      takenOnes += backs.length
    }
    assert.equal(sentOnes + takenOnes, rounds * 60)
    assert.deepEqual(await services().counts.faults(advertiserId), [])
  })
})
