import type { EndpointOwner } from '../../src/events/webhooks/ports.ts'
import type { Stores } from './stores.ts'

const at = 1_794_614_400_000

export const newEndpoint = (id: string, owner: EndpointOwner) => ({
  id,
  owner,
  url: 'https://ats.example.com/hooks',
  description: 'ATS',
  createdAt: at,
  types: ['application.created' as const],
  scheme: 'v1' as const,
})

/** One that gets events from now on. */
export async function addEndpoint(stores: Stores, id: string, advertiserId: number): Promise<void> {
  await stores.endpoints.add(newEndpoint(id, { advertiserId }), 10)
  await stores.endpoints.activate(id, at, 'resume')
}

/** Names that are different at each call. */
export function counter(name: string): () => string {
  let number = 0
  return () => {
    number += 1
    return `${name}-${number}`
  }
}

export const newInvitation = (id: string, email: string) => ({
  id,
  hash: `hash of ${id}`,
  email,
  role: 'admin' as const,
  createdAt: at,
  expiresAt: at + 3_600_000,
})

/** Two people of an agent, and invitations to it. */
export interface AgentPeople {
  ids: [string, string]
  invitationId: string
  hashes: [string, string]
}

/** Two people of an agent; three others are invited. It has called for the company that authorised it. */
export async function addAgentPeople(
  stores: Stores,
  agentId: number,
  accounts: [{ candidateId: string; email: string }, { candidateId: string; email: string }],
): Promise<AgentPeople> {
  const invite = async (id: string, email: string) => {
    const invitation = newInvitation(id, email)
    await stores.agentMembers.invite(agentId, invitation, 99)
    return invitation.hash
  }
  for (const { candidateId, email } of accounts) {
    await stores.agentMembers.join(await invite(`to-${candidateId}`, email), { candidateId, email }, at)
  }
  await invite('agent-invitation', 'invited@example.com')
  const hashes: [string, string] = [
    await invite('agent-first', 'first@example.com'),
    await invite('agent-second', 'third@example.com'),
  ]
  const [company] = await stores.agents.companiesOf(agentId)
  const call = { agentId, advertiserId: company?.advertiserId ?? 0, day: '2026-11-14', calls: 1, lastAt: at }
  await stores.agentCalls.add([{ ...call, code: '' }])
  const change = { kind: 'privacy' as const, value: 'null', requestedBy: 'person', requestedAt: at }
  await stores.clientChanges.add('own-client', { ...change, id: 'own-change' })
  const ids: [string, string] = [accounts[0].candidateId, accounts[1].candidateId]
  return { ids, invitationId: 'agent-invitation', hashes }
}
