import type { AnyRole } from '../../people/members/ports.ts'
import { isolateBidi, stripBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

export const peopleTexts = {
  title: 'People',
  role: { recruiter: 'Recruiter', reader: 'Reader', admin: 'Admin' } as Record<AnyRole, string>,
  roleMeaning: {
    recruiter: 'Recruiter: can see applications',
    reader: 'Reader: can see everything here',
    admin: 'Admin: can see and change everything, including people and API access',
  } as Record<AnyRole, string>,
  you: 'you',

  members: 'Members',
  membersCaption: 'Members of this company',
  name: 'Name',
  email: 'Email address',
  roleLabel: 'Role',
  since: 'Since',
  actions: 'Actions',
  lastAdmin: 'Only admin',
  make: { recruiter: 'Make recruiter', reader: 'Make reader', admin: 'Make admin' } as Record<
    AnyRole,
    string
  >,
  remove: 'Remove',
  about: (label: string, name: string): string => `${label}: ${stripBidi(name)}`,

  invitations: 'Open invitations',
  invitationsCaption: 'Invitations that have not been accepted yet',
  noInvitations: 'No open invitations.',
  invitedAt: 'Invited',
  validUntil: 'Valid until',
  takeBack: 'Revoke',

  invite: 'Invite people',
  inviteByMail: (days: number): string =>
    `They get an email with a link that works once, within ${days} days. Sending a new invitation cancels the previous one.`,
  inviteByLink: (days: number): string =>
    `This service doesn’t send email, so you get a link to pass on yourself. It works once, within ${days} days. A new invitation cancels the previous one.`,
  sendInvitation: 'Send invitation',
  createInvitation: 'Create invitation',
  nothingSent: 'No invitation has been sent yet.',
  adminsOnly: 'Only admins can invite people, remove them or change their roles.',

  done: {
    invited: 'Invitation sent.',
    'invited-demo': html`<p>Invitation sent. In the demo, you’ll find it in the <a href="/demo/outbox">demo inbox</a>.</p>`,
    'taken-back': 'Invitation revoked. Its link no longer works.',
    role: 'Role changed.',
    'factor-required':
      'Two-step sign-in is now required. Members without it set it up before they see these pages again.',
    'factor-optional': 'Two-step sign-in is no longer required.',
    removed: 'Person removed. They no longer have access to this company.',
  } as Record<string, Html | string>,
  factor: {
    title: 'Two-step sign-in',
    column: 'Two-step',
    on: 'On',
    off: 'Off',
    isOptional:
      'You can require a passkey or two-step sign-in of everyone here. Members without it set it up before they see the company’s pages again. API credentials aren’t affected.',
    isRequired:
      'Required: members without a passkey or two-step sign-in set it up before they see the company’s pages. API credentials aren’t affected.',
    require: 'Require two-step sign-in',
    stop: 'Stop requiring it',
    needsOwn: 'To require it, set it up for yourself first and sign in with it.',
    setUp: 'Set up two-step sign-in',
  },
  isLastAdmin:
    'This is the only admin. Make another person an admin first, because a company needs one to invite people and change settings.',
  notSent: 'The email couldn’t be sent, so there is no invitation. Try again in a few minutes.',
  notThere: 'This person is no longer a member, or the invitation is no longer open.',

  removeTitle: (name: string): string => `Remove ${name}?`,
  removeText: (name: string, email: string, advertiser: string): Html =>
    html`${isolateBidi(name)} (${isolateBidi(email)}) will immediately lose access to ${isolateBidi(advertiser)}. Their own account and everything they have done here stay. You can invite them again.`,
  removeButton: 'Remove person',
  keep: 'Cancel',

  leave: 'Leave this company',
  leaveTitle: (advertiser: string): string => `Leave ${advertiser}?`,
  leaveText: (advertiser: string): Html =>
    html`You’ll lose access to ${isolateBidi(advertiser)}. Your own account stays. To come back, you need a new invitation from an admin.`,
  leaveButton: 'Leave company',
}

export type PeopleTexts = typeof peopleTexts

/** The same for the people of an agent. */
export const agentPeopleTexts: PeopleTexts = {
  ...peopleTexts,
  membersCaption: 'People of this agent',
  roleMeaning: {
    ...peopleTexts.roleMeaning,
    admin: 'Admin: can see and change everything, including people and client secrets',
  },
  done: {
    ...peopleTexts.done,
    removed: 'Person removed. They no longer have access to this agent’s pages.',
  },
  isLastAdmin:
    'This is the only admin. Make another person an admin first, because an agent needs one to invite people and change settings.',
  leave: 'Leave this agent',
  leaveButton: 'Leave agent',
}
