import type { DemoDoors } from '../ports.ts'
import { demoAdvertisers, demoAgents, demoCandidates, demoClients, demoMembers } from './world.ts'

/** The accounts listed in the quick start, shown on the front page. */
export function demoDoors(): DemoDoors {
  const isMember = (candidateId: string) =>
    [...demoMembers.map(member => member.candidateId), ...demoAgents.flatMap(agent => agent.people)].includes(
      candidateId,
    )
  const people = demoCandidates.map(({ id, email, firstName, password }) => ({
    id,
    email,
    name: firstName,
    password,
  }))
  const [advertiser] = demoAdvertisers
  return {
    candidates: people.filter(({ id }) => !isMember(id)),
    members: people.filter(({ id }) => isMember(id)),
    credential: { advertiserName: advertiser?.name ?? '', value: advertiser?.credential ?? '' },
    client: demoClients[0],
  }
}
