import type { Clock } from '../core/clock.ts'
import { assertLine, invalidField } from '../core/fields.ts'
import { Problem } from '../core/problems.ts'
import type { Limits } from '../limits.ts'
import type { Advertiser, AdvertiserStore, Agent, AgentStore } from './ports.ts'
import { noSuchAdvertiser } from './service.ts'

export type Agents = ReturnType<typeof createAgents>

/** Manages agents: accounts that act for the advertisers that have authorised them. */
export function createAgents(deps: {
  store: AgentStore
  advertisers: Pick<AdvertiserStore, 'find'>
  clock: Clock
  limits: Pick<Limits, 'advertiserId' | 'nameLength'>
}) {
  const { store, advertisers, clock, limits } = deps

  async function both(advertiserId: number, agentId: number): Promise<[Advertiser, Agent]> {
    const [advertiser, agent] = await Promise.all([advertisers.find(advertiserId), store.find(agentId)])
    if (agent === undefined) throw noSuchAgent(agentId)
    if (advertiser === undefined) throw noSuchAdvertiser(advertiserId)
    return [advertiser, agent]
  }

  return {
    async add(name: string, id?: number): Promise<Agent> {
      assertLine('name', name, limits.nameLength)
      if (id !== undefined && id > limits.advertiserId) {
        throw invalidField('id', 'too-large', `The ID must be ${limits.advertiserId} or less.`)
      }
      const agent = await store.add({
        name: name.trim(),
        createdAt: clock(),
        ...(id === undefined ? {} : { id }),
      })
      if (agent === undefined) {
        throw id === undefined
          ? new Problem('unavailable', 'Another agent took the next ID at the same moment. Try again.')
          : invalidField('id', 'taken', `Agent ${id} exists already.`)
      }
      return agent
    },

    list: () => store.list(),

    listFor: (advertiserId: number) => store.listFor(advertiserId),

    companiesOf: (agentId: number) => store.companiesOf(agentId),

    /** Can be repeated safely: the first authorisation and its tokens stay valid. */
    async authorise(
      advertiserId: number,
      agentId: number,
    ): Promise<{ advertiser: Advertiser; agent: Agent }> {
      const [advertiser, agent] = await both(advertiserId, agentId)
      await store.authorise(advertiserId, agentId, clock())
      return { advertiser, agent }
    },

    /** Takes effect on the next request: the tokens of the authorisation are revoked with it. */
    async withdraw(advertiserId: number, agentId: number): Promise<{ advertiser: Advertiser; agent: Agent }> {
      const [advertiser, agent] = await both(advertiserId, agentId)
      if (!(await store.withdraw(advertiserId, agentId, clock()))) {
        throw new Problem('not-found', `${advertiser.name} has not authorised ${agent.name}.`)
      }
      return { advertiser, agent }
    },
  }
}

export function noSuchAgent(agentId: number): Problem {
  return new Problem('not-found', `There is no agent ${agentId}.`)
}
