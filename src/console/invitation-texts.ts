import type { Role } from '../core/principal.ts'
import { type Html, html } from '../web/html.ts'
import { theirs } from '../web/their-words.ts'

const asRole: Record<Role, string> = {
  recruiter: 'as a recruiter: you will see its applications',
  admin: 'as an admin: you will see and change everything of it, people and API access included',
}

export const invitationTexts = {
  title: (advertiser: string): string => `Work with ${advertiser}`,
  invited: (advertiser: string, email: string, role: Role): Html =>
    html`<strong>${theirs(email)}</strong> is invited to join ${theirs(advertiser)} ${asRole[role]}.`,

  join: 'Join',
  joinText: (email: string): Html => html`You are signed in as ${theirs(email)}.`,

  othersTitle: 'You are signed in with another address',
  othersText: (current: string, invited: string): Html =>
    html`You are signed in as <strong>${theirs(current)}</strong>, and the invitation is for <strong>${theirs(invited)}</strong>. Sign out and come back here with that address. To join with the one that you are signed in with, ask for an invitation to it.`,
  signOut: 'Sign out and come back',

  signInText: (email: string): Html =>
    html`There is an account with this address. Sign in with ${theirs(email)}, and you come back here to join.`,
  signIn: 'Sign in',

  newText:
    'There is no account with this address yet. Make one: the link has shown already that it is yours.',
  firstName: 'First name',
  lastName: 'Last name',
  password: 'Password',
  passwordHint: (least: number): string =>
    `At least ${least} characters. A few words that do not belong together do well.`,
  make: 'Make the account and join',
  notJoined: 'You have not joined yet.',

  notYours: 'You do not know this advertiser? Close this page, and nothing happens.',

  goneTitle: 'This invitation does not work any more',
  goneText:
    'An invitation works once, for a few days. It may have been used, taken back or replaced by a newer one, or only a part of the link was copied.',
  goneHelp: html`You may have joined already, perhaps a moment ago: <a href="/console">open the console</a>, and sign in there if you are asked to. Otherwise ask whoever has invited you for a new one.`,
} as const
