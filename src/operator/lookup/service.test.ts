import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { plainDraft } from '../../../test/harness/applications.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { openPersonLookup } from '../../assembly/operator/lookup.ts'
import { newUuid } from '../../core/ids.ts'

const clock = movableClock()
const reason = 'request 2026-114'

withServices(
  'the look-up of a person by the operator',
  services => {
    let company = 0
    before(async () => {
      company = (await services().advertisers.add('Harbour')).id
    })
    const lookup = () => openPersonLookup(services())
    const apply = async (email: string) => {
      const contact = { email, firstName: 'Zoe', lastName: 'Zed', phone: '' }
      return (await services().submissions.add(company, plainDraft({ contact }))).id
    }
    const addAccount = async (email: string) => {
      const candidateId = newUuid()
      await services().accountStore.add({
        ...{ candidateId, email, passwordHash: 'hash', firstName: 'Zoe', lastName: 'Zed', profile: '{}' },
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
        ['zoe@example.org', 'because <she> asked'],
      ] as const) {
        assert.equal((await lookup().find(email, why)).outcome, 'invalid')
        assert.equal((await lookup().erase(email, why)).outcome, 'invalid')
      }
      assert.deepEqual(await acts(), [])
      const nothing = await lookup().find('unknown@example.org', reason)
      assert.deepEqual(nothing, { outcome: 'done', result: { account: undefined, applications: [] } })
      assert.deepEqual(await acts(), [{ action: 'person.look-up', after: { reason, found: 0 } }])
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

    test('erases all of it but what is on hold, and once', async () => {
      await addAccount('max@example.org')
      const [held] = [await apply('max@example.org'), await apply('max@example.org')]
      await services().holds.place(company, held, { reason: 'A dispute', by: null })
      const erased = await lookup().erase('max@example.org', reason)
      assert.deepEqual(erased, {
        outcome: 'done',
        result: { applications: 1, onHold: 1, account: 'deleted' },
      })
      const left = await lookup().find('max@example.org', reason)
      const result = left.outcome === 'done' ? left.result : undefined
      assert.equal(result?.account, undefined)
      assert.deepEqual(
        result?.applications.map(({ applicationId }) => applicationId),
        [held],
      )
      await services().background.settle()
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
        result: { applications: 0, onHold: 0, account: 'operator' },
      })
      assert.equal(await services().operators.find(candidateId), 'operator')
      await services().background.settle()
    })
  },
  clock,
)
