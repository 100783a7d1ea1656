import type { Role } from '../../model/principal.ts'
import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

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

  othersText: (current: string, invited: string): Html =>
    html`You are signed in as <strong>${theirs(current)}</strong>, and the invitation is for <strong>${theirs(invited)}</strong>. If you join, you are signed out of the first and in with the second. To join with the address that you are signed in with, ask for an invitation to it.`,

  signInText: (email: string): Html =>
    html`${theirs(email)} already has an account. Enter its password to join.`,
  signIn: 'Sign in and join',
  wrong: 'The password is wrong.',
  forgotten: (link: (label: string) => Html): Html =>
    html`${link('Forgot your password?')} Choose a new one, then open the invitation again.`,

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
