import { nameLength } from '../model/text-lengths.ts'
import type { Clock } from '../platform/core/clock.ts'
import { assertSingleLine, invalidField } from '../platform/core/fields.ts'
import type { PageParameters } from '../platform/core/input/page-parameters.ts'
import { Problem } from '../platform/core/problems.ts'
import type { Advertiser, AdvertiserStore } from './advertiser-store.ts'
import type { Agent, AgentStore } from './agent-store.ts'
import { maxAdvertiserId } from './rules.ts'
import { noSuchAdvertiser } from './service.ts'

export type Agents = ReturnType<typeof createAgents>

/** Manages agents: accounts that act for the advertisers that have authorised them. */
export function createAgents(deps: {
  store: AgentStore
  advertisers: Pick<AdvertiserStore, 'find'>
  clock: Clock
}) {
  const { store, advertisers, clock } = deps

  async function both(advertiserId: number, agentId: number): Promise<[Advertiser, Agent]> {
    const [advertiser, agent] = await Promise.all([advertisers.find(advertiserId), store.find(agentId)])
    if (agent === undefined) throw noSuchAgent(agentId)
    if (advertiser === undefined) throw noSuchAdvertiser(advertiserId)
    return [advertiser, agent]
  }

  return {
    async add(name: string, id?: number): Promise<Agent> {
      assertSingleLine('name', name, nameLength)
      if (id !== undefined && id > maxAdvertiserId) {
        throw invalidField('id', 'too-large', `The ID must be ${maxAdvertiserId} or less.`)
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

    async advertisersOf(agentId: number, { afterId, limit }: PageParameters) {
      // Read one more, to know whether there is a next page.
      const rows = await store.advertisersOf(agentId, { afterId, limit: limit + 1 })
      const advertisers = rows.slice(0, limit)
      const continueAfter = rows.length > limit ? advertisers.at(-1)?.advertiserId : undefined
      return { advertisers, continueAfter }
    },

    /** Can be repeated safely: the first authorisation and its tokens stay valid. */
    async authorise(
      advertiserId: number,
      agentId: number,
    ): Promise<{ advertiser: Advertiser; agent: Agent }> {
      const [advertiser, agent] = await both(advertiserId, agentId)
      await store.authorise(advertiserId, agentId, clock())
      return { advertiser, agent }
    },

    /** Allows an authorised agent to report progress, or revokes this. Takes effect on its next request. */
    async setProgress(
      advertiserId: number,
      agentId: number,
      isGranted: boolean,
    ): Promise<{ advertiser: Advertiser; agent: Agent }> {
      const [advertiser, agent] = await both(advertiserId, agentId)
      if (!(await store.setProgress(advertiserId, agentId, isGranted, clock())))
        throw new Problem('not-found', `${advertiser.name} has not authorised ${agent.name}.`)
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
