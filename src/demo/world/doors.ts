import type { DemoDoors } from '../ports.ts'
import {
  demoAdvertisers,
  demoAgents,
  demoCandidates,
  demoClients,
  demoMembers,
  demoOperators,
} from './world.ts'

/** The accounts listed in the quick start, shown on the front page. */
export function demoDoors(): DemoDoors {
  const operators = demoOperators.map(({ candidateId }) => candidateId)
  const members = [
    ...demoMembers.map(member => member.candidateId),
    ...demoAgents.flatMap(agent => agent.people),
  ]
  const people = demoCandidates.map(({ id, email, firstName, password }) => ({
    id,
    email,
    name: firstName,
    password,
  }))
  const [advertiser] = demoAdvertisers
  return {
    candidates: people.filter(({ id }) => ![...members, ...operators].includes(id)),
    members: people.filter(({ id }) => members.includes(id)),
    operators: people.filter(({ id }) => operators.includes(id)),
    credential: { advertiserName: advertiser?.name ?? '', value: advertiser?.credential ?? '' },
    client: demoClients[0],
  }
}
