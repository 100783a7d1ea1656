import type { DemoDoors } from '../ports.ts'
import { demoAdvertisers, demoCandidates, demoClients, demoMembers } from './world.ts'

/** The accounts listed in the quick start, shown on the front page. */
export function demoDoors(): DemoDoors {
  const isMember = (candidateId: string) => demoMembers.some(member => member.candidateId === candidateId)
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
