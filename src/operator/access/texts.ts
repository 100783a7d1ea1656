import type { OperatorRole } from '../../model/principal.ts'

export const operatorsTexts = {
  title: 'Operators',
  lead: 'These people run the job board. Operators change it; viewers only look.',
  caption: 'People who run the job board',
  email: 'Email address',
  roleLabel: 'Role',
  role: { operator: 'Operator', viewer: 'Viewer' } satisfies Record<OperatorRole, string>,
  meaning: {
    operator: 'Operator: sees and changes everything here',
    viewer: 'Viewer: sees everything here, changes nothing',
  } satisfies Record<OperatorRole, string>,
  since: 'Since',
  actions: 'Actions',
  you: 'you',
  remove: 'Remove operator',
  last: 'Last operator: invite another before you remove this one.',
  invitations: 'Open invitations',
  invitationsCaption: 'Open invitations of operators',
  invitedAt: 'Invited',
  validUntil: 'Valid until',
  takeBack: 'Withdraw invitation',
  about: (label: string, email: string): string => `${label}: ${email}`,
  invite: 'Invite an operator',
  inviteText: (days: number): string =>
    `You get a link that works once, for ${days} days, and only for this address. Send it yourself: we don’t email it.`,
  inviteButton: 'Create invitation',
  nothingDone: 'No invitation was created.',
  done: {
    removed: 'Removed. From their next request on, these pages don’t exist for them.',
    'taken-back': 'The invitation no longer works.',
  },
  refused: {
    missing: 'This person or invitation is no longer in the list.',
    'last-operator': 'This is the last operator. Invite another first.',
  },
} as const
