import type { DemoWorld } from './demo-world.ts'

/** A person of the demo world with their published password. */
export interface DemoPerson {
  email: string
  name: string
  password: string
  about: string
}

export interface DemoDoors {
  candidates: readonly DemoPerson[]
  members: readonly DemoPerson[]
  operators: readonly DemoPerson[]
  /** With a person who runs it. */
  agent: { id: number; name: string; email: string }
  credential: { advertiserName: string; value: string }
  client: { id: string; secret: string }
}

/** The accounts listed in the quick start, shown on the front page. */
export function demoDoors(world: DemoWorld): DemoDoors {
  const operators = world.operators.map(({ candidateId }) => candidateId)
  const members = [
    ...world.members.map(member => member.candidateId),
    ...world.agents.flatMap(agent => agent.people),
  ]
  const people = world.candidates.map(({ id, email, firstName, password, about }) => ({
    id,
    email,
    name: firstName,
    password,
    about,
  }))
  const [advertiser] = world.advertisers
  const [agent] = world.agents
  return {
    candidates: people.filter(({ id }) => ![...members, ...operators].includes(id)),
    members: people.filter(({ id }) => members.includes(id)),
    operators: people.filter(({ id }) => operators.includes(id)),
    agent: {
      id: agent.id,
      name: agent.name,
      email: people.find(({ id }) => agent.people.includes(id))?.email ?? '',
    },
    credential: { advertiserName: advertiser.name, value: advertiser.credential },
    client: world.clients[0],
  }
}
