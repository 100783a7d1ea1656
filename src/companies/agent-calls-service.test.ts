import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../../test/harness/clock.ts'
import { withServices } from '../../test/harness/database.ts'
import { recordLog } from '../../test/harness/log.ts'
import type { Principal } from '../model/principal.ts'
import { createExpiry } from '../operator/upkeep/expiry-service.ts'
import { createExpiryStore } from '../operator/upkeep/expiry-store.ts'
import { createBackground } from '../platform/core/async/background.ts'
import { defaultLimits as limits } from '../settings-limits.ts'
import { createAgentCallStore } from './agent-call-store.ts'
import { createAgentCalls, usageDays } from './agent-calls-service.ts'
import { agentCallDays } from './rules.ts'

const noon = Date.parse('2026-11-14T12:00:00+10:00')
const day = 86_400_000
const clock = movableClock(noon)

withServices('calls of agents', { clock }, services => {
  const node = () => {
    const { log, lines } = recordLog()
    const store = createAgentCallStore(services().database)
    const background = createBackground(log)
    return { ...createAgentCalls({ store, background, clock }), lines }
  }
  const asAgent = (agentId: number | null, advertiserId: number): Principal => ({
    agentId,
    advertiserId,
    credentialId: 'c',
    isOnHold: false,
    version: 1,
    eventNumber: 0,
  })
  const newCompany = async () => (await services().advertisers.add('Company')).id
  const newAgent = async () => (await services().agents.add('Agent')).id

  test('of several nodes add up by day and problem, with the last call for each company', async () => {
    clock.set(noon)
    const [agent, other, one, two] = [
      await newAgent(),
      await newAgent(),
      await newCompany(),
      await newCompany(),
    ]
    const [first, second] = [node(), node()]
    for (let call = 0; call < 3; call++) first.countCall(asAgent(agent, one))
    first.countRefusal(asAgent(agent, one), 'rate-limited')
    second.countCall(asAgent(agent, two))
    second.countCall(asAgent(other, one))
    second.countCall(asAgent(null, one))
    await Promise.all([first.flush(), second.flush()])
    clock.advance(1_000)
    second.countCall(asAgent(agent, one))
    second.countRefusal(asAgent(agent, one), 'rate-limited')
    second.countRefusal(asAgent(agent, one), 'not-found')
    await second.close()

    const days = await first.lastDays(agent)
    assert.equal(days.length, usageDays)
    const refused = [
      { code: 'not-found', calls: 1 },
      { code: 'rate-limited', calls: 2 },
    ]
    assert.deepEqual(days.at(-1), { day: '2026-11-14', calls: 5, refused })
    assert.deepEqual(days.at(-2), { day: '2026-11-13', calls: 0, refused: [] })
    assert.deepEqual(
      await first.lastCalls(agent),
      new Map([
        [one, noon + 1_000],
        [two, noon],
      ]),
    )
    assert.deepEqual((await first.lastDays(other)).at(-1)?.calls, 1)
  })

  test('of an agent or company that is gone do not keep the others from being written', async () => {
    const [agent, company] = [await newAgent(), await newCompany()]
    const calls = node()
    for (const principal of [
      asAgent(99_999_999, company),
      asAgent(agent, 99_999_999),
      asAgent(agent, company),
    ])
      calls.countCall(principal)
    await calls.flush()
    assert.equal((await calls.lastDays(agent)).at(-1)?.calls, 1)
  })

  test('are removed when they are old', async () => {
    clock.set(noon)
    const [agent, company] = [await newAgent(), await newCompany()]
    const calls = node()
    calls.countCall(asAgent(agent, company))
    clock.advance((agentCallDays - 1) * day)
    calls.countCall(asAgent(agent, company))
    await calls.flush()
    const left = async () => (await createAgentCallStore(services().database).days(agent, '2000')).length
    const { database } = services()
    const expiry = createExpiry({ store: createExpiryStore(database), clock, limits })
    await expiry.run()
    assert.equal(await left(), 2)
    clock.advance(2 * day)
    await expiry.run()
    assert.equal(await left(), 1)
  })
})
