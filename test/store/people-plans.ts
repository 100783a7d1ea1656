/** How the queries about members of a company and their emails may reach their tables. */
export const peoplePlans: Record<string, string[]> = {
  'ownData.memberships': [
    'memberships by candidate_id',
    'advertisers by id',
    'agent_members by candidate_id',
    'agents by id',
    'operators by candidate_id',
  ],
  'members.find': ['memberships by advertiser_id, candidate_id', 'advertisers by id'],
  'members.workplacesOf': ['memberships by candidate_id', 'advertisers by id'],
  'members.list': [
    'memberships by advertiser_id',
    'candidates by id',
    'totp_factors by candidate_id',
    'passkeys by candidate_id',
  ],
  'members.listInvitations': ['invitations by advertiser_id'],
  'members.invite': [
    'advertisers by id',
    'memberships by advertiser_id',
    'candidates by id',
    'invitations by advertiser_id',
  ],
  'members.setRole': [
    'advertisers by id',
    'memberships by advertiser_id',
    'memberships by advertiser_id, candidate_id',
  ],
  'members.remove': [
    'advertisers by id',
    'memberships by advertiser_id',
    'memberships by advertiser_id, candidate_id',
  ],
  'members.takeBack': ['invitations by id'],
  'members.findInvitation': [
    'invitations by hash',
    'invitations by former_hash',
    'advertisers by id',
    'candidates by email',
  ],
  'members.join': [
    'candidates by id',
    'invitations by hash',
    'invitations by former_hash',
    'memberships by advertiser_id, candidate_id',
  ],
  'members.joinWithAccount': [
    'memberships by advertiser_id, candidate_id',
    'invitations by hash',
    'invitations by former_hash',
    'account_links by candidate_id',
  ],
  'operators.find': ['operators by candidate_id'],
  'operators.findInvitation': ['operator_invitations by hash', 'candidates by email'],
  'clientChanges.add': ['oauth_clients by id'],
  'clientChanges.listOf': ['client_changes by client_id'],
  'clientChanges.end': ['client_changes by id', 'client_changes by client_id'],
  'agents.companiesOf': ['agent_authorisations by agent_id', 'advertisers by id'],
  'agentMembers.find': ['agent_members by agent_id, candidate_id', 'agents by id'],
  'agentMembers.workplacesOf': ['agent_members by candidate_id', 'agents by id'],
  'agentMembers.list': ['agent_members by agent_id', 'candidates by id'],
  'agentMembers.listInvitations': ['agent_invitations by agent_id'],
  'agentMembers.invite': [
    ...['agents by id', 'agent_members by agent_id', 'candidates by id', 'agent_invitations by agent_id'],
  ],
  'agentMembers.setRole': [
    ...['agents by id', 'agent_members by agent_id', 'agent_members by agent_id, candidate_id'],
  ],
  'agentMembers.remove': [
    ...['agents by id', 'agent_members by agent_id', 'agent_members by agent_id, candidate_id'],
  ],
  'agentMembers.takeBack': ['agent_invitations by id'],
  'agentMembers.findInvitation': [
    ...[
      'agent_invitations by hash',
      'agent_invitations by former_hash',
      'agents by id',
      'candidates by email',
    ],
  ],
  'agentMembers.join': [
    ...['candidates by id', 'agent_invitations by hash', 'agent_invitations by former_hash'],
    'agent_members by agent_id, candidate_id',
  ],
  'agentMembers.joinWithAccount': [
    ...['agent_invitations by hash', 'agent_invitations by former_hash', 'account_links by candidate_id'],
    'agent_members by agent_id, candidate_id',
  ],
  'deliveries.claim': ['deliveries by due_at', 'deliveries by id'],
  'deliveries.claimOne': ['deliveries by due_at', 'deliveries by id'],
  'notices.findRefusal': ['candidates by id'],
  'notices.clearRefusal': ['candidates by id'],
}
