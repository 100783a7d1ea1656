import type { Role } from '../../model/principal.ts'
import { theirs, unturned } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

export const peopleTexts = {
  title: 'People',
  role: { recruiter: 'Recruiter', admin: 'Admin' } satisfies Record<Role, string>,
  roleMeaning: {
    recruiter: 'Recruiter: sees the applications',
    admin: 'Admin: sees and changes everything, people and API access included',
  } satisfies Record<Role, string>,
  you: 'you',

  members: 'Who sees the data',
  membersCaption: 'People who work for this advertiser',
  name: 'Name',
  email: 'E-mail address',
  roleLabel: 'Role',
  since: 'Since',
  actions: 'Actions',
  lastAdmin: 'The last admin',
  makeAdmin: 'Make admin',
  makeRecruiter: 'Make recruiter',
  remove: 'Remove',
  about: (label: string, name: string): string => `${label}: ${unturned(name)}`,

  invitations: 'Open invitations',
  invitationsCaption: 'Invitations that nobody has used yet',
  noInvitations: 'No invitation is open.',
  invitedAt: 'Invited',
  validUntil: 'Valid until',
  takeBack: 'Take back',

  invite: 'Invite somebody',
  inviteByMail: (days: number): string =>
    `They get a mail with a link that works once, within ${days} days. Inviting an address again makes the link before useless.`,
  inviteByLink: (days: number): string =>
    `This service sends no mail, so you get a link to hand over yourself. It works once, within ${days} days. Inviting an address again makes the link before useless.`,
  inviteButton: 'Invite',
  nothingSent: 'Nobody is invited yet.',
  adminsOnly: 'Admins invite and remove people, and change their roles.',

  linkTitle: (email: string): Html =>
    html`<p><strong>${theirs(email)} is invited.</strong> Hand over this link yourself, and to nobody else: whoever opens it can join with that address. It is shown only now.</p>`,
  linkLabel: 'Link of the invitation',
  linkValidUntil: (time: Html): Html => html`It works once, until ${time}.`,

  done: {
    invited: 'The invitation is on its way.',
    'invited-demo': html`<p>The invitation is on its way: in the demo, to the <a href="/demo/outbox">outbox</a>.</p>`,
    'taken-back': 'The invitation is taken back: its link does not work any more.',
    role: 'The role is changed.',
    removed: 'Removed: they see nothing of this advertiser any more.',
  } as Record<string, Html | string>,
  isLastAdmin:
    'This is the last admin. Make somebody else an admin first: without one nobody could invite people or change anything.',
  notSent: 'The mail could not be sent, so nobody is invited. Try it again in a few minutes.',
  notThere: 'This person does not work for the advertiser any more, or the invitation is not open any more.',

  removeTitle: (name: string): string => `Remove ${name}?`,
  removeText: (name: string, email: string, advertiser: string): Html =>
    html`${theirs(name)} (${theirs(email)}) will see nothing of ${theirs(advertiser)} any more, from the next page on. Their own account stays, and so does everything that they have done here. You can invite them again.`,
  removeButton: 'Remove',
  keep: 'Cancel',

  leave: 'Leave this advertiser',
  leaveTitle: (advertiser: string): string => `Leave ${advertiser}?`,
  leaveText: (advertiser: string): Html =>
    html`You will see nothing of ${theirs(advertiser)} any more. Your own account stays. To come back, an admin has to invite you again.`,
  leaveButton: 'Leave',
} as const
