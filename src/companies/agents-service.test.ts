import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { movableClock } from '../../test/harness/clock.ts'
import { withServices } from '../../test/harness/database.ts'

const clock = movableClock()

withServices('agents', { clock }, services => {
  const agents = () => services().agents
  const invalid = { code: 'invalid-fields' }
  const unknown = { code: 'not-found' }
  let [harbour, southern] = [0, 0]
  before(async () => {
    harbour = (await services().advertisers.add('Harbour')).id
    southern = (await services().advertisers.add('Southern')).id
  })
  const actsFor = async (agentId: number) =>
    (await agents().list()).find(({ id }) => id === agentId)?.advertiserIds

  async function authorisedAt(agentId: number): Promise<number | undefined> {
    const row = await services()
      .database.reader.selectFrom('agent_authorisations')
      .select('authorised_at')
      .where('agent_id', '=', agentId)
      .executeTakeFirst()
    return row?.authorised_at
  }

  test('get the next free ID, or one of their own once', async () => {
    assert.deepEqual(await agents().list(), [])
    const first = await agents().add('  Northwind ATS ')
    assert.deepEqual({ ...first }, { id: 20_000_001, name: 'Northwind ATS', createdAt: clock() })
    assert.equal((await agents().add('Second')).id, 20_000_002)
    assert.equal((await agents().add('Own', 77)).id, 77)
    await assert.rejects(agents().add('Own', 77), invalid)
    await assert.rejects(agents().add('Far', 10_000_000_000), invalid)
    await agents().add('Far', 30_000_000)
    assert.equal((await agents().add('Next')).id, 30_000_001)
    const ids = (await agents().list()).map(({ id }) => id)
    assert.deepEqual(ids, [77, 20_000_001, 20_000_002, 30_000_000, 30_000_001])
  })

  test('have a single-line name', async () => {
    for (const name of ['', ' ', '\0', 'a\nb', 'x'.repeat(201)]) {
      await assert.rejects(agents().add(name), invalid)
    }
  })

  test('act for the advertisers that authorise them, until authorisation is withdrawn', async () => {
    const { id } = await agents().add('Acting')
    assert.deepEqual(await actsFor(id), [])
    await agents().authorise(southern, id)
    const { agent, advertiser } = await agents().authorise(harbour, id)
    assert.deepEqual([agent.name, advertiser.name], ['Acting', 'Harbour'])
    assert.deepEqual(await actsFor(id), [harbour, southern])
    await agents().withdraw(harbour, id)
    assert.deepEqual(await actsFor(id), [southern])
  })

  test('repeating an authorisation keeps the first one', async () => {
    const { id } = await agents().add('Repeated')
    const first = clock()
    await agents().authorise(harbour, id)
    clock.advance(1000)
    await agents().authorise(harbour, id)
    assert.equal(await authorisedAt(id), first)
    await Promise.all(Array.from({ length: 8 }, () => agents().authorise(harbour, id)))
    assert.equal(await authorisedAt(id), first)
  })

  test('a new authorisation after a withdrawal is later than any before it, even if the clock is set back', async () => {
    const { id } = await agents().add('Renewed')
    const times: number[] = []
    // In the same millisecond, after a while, and after the clock was set back.
    for (const ms of [0, 0, 0, 5000, -86_400_000, 0]) {
      clock.advance(ms)
      await agents().authorise(harbour, id)
      times.push((await authorisedAt(id)) ?? 0)
      await agents().withdraw(harbour, id)
      assert.equal(await authorisedAt(id), undefined)
    }
    clock.advance(86_400_000)
    for (const [index, at] of times.entries()) assert.ok(at > (times[index - 1] ?? 0), times.join(' '))
  })

  test('each grant to report progress is later than any before it, and ends with the authorisation', async () => {
    const { id } = await agents().add('Reporter')
    const grantedAt = async () =>
      (await agents().listFor(harbour)).find(agent => agent.id === id)?.progressGrantedAt
    await assert.rejects(agents().setProgress(harbour, id, true), unknown)
    await agents().authorise(harbour, id)
    assert.equal(await grantedAt(), null)
    const grants: number[] = []
    for (const ms of [0, 0, 5000, -86_400_000]) {
      clock.advance(ms)
      await agents().setProgress(harbour, id, true)
      grants.push((await grantedAt()) ?? 0)
      await agents().setProgress(harbour, id, true)
      assert.equal(await grantedAt(), grants.at(-1), 'repeating it keeps the first')
      await agents().setProgress(harbour, id, false)
      assert.equal(await grantedAt(), null)
    }
    clock.advance(86_400_000)
    assert.deepEqual([...new Set(grants)].toSorted(), grants)
    await agents().setProgress(harbour, id, true)
    await agents().withdraw(harbour, id)
    await agents().authorise(harbour, id)
    assert.equal(await grantedAt(), null)
  })

  test('unknown agents and advertisers cannot be authorised; only an authorisation can be withdrawn', async () => {
    const { id } = await agents().add('Lonely')
    for (const act of ['authorise', 'withdraw'] as const) {
      await assert.rejects(agents()[act](99_999_999, id), unknown)
      await assert.rejects(agents()[act](harbour, 99_999_999), unknown)
    }
    await assert.rejects(agents().withdraw(harbour, id), unknown)
  })
})
