import type { AnyRole } from '../../people/members/ports.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const asRole: Record<AnyRole, string> = {
  reader: 'as a reader. You’ll be able to see its pages',
  recruiter: 'as a recruiter. You’ll be able to see its applications',
  admin: 'as an admin. You’ll be able to see and change everything, including people and API access',
}

export const invitationTexts = {
  title: (advertiser: string): string => `Join ${advertiser}`,
  invited: (advertiser: string, email: string, role: AnyRole): Html =>
    html`<strong>${isolateBidi(email)}</strong> has been invited to join ${isolateBidi(advertiser)} ${asRole[role]}.`,

  join: 'Join company',
  joinAgent: 'Join agent',
  joinText: (email: string): Html => html`You’re signed in as ${isolateBidi(email)}.`,

  othersText: (current: string, invited: string): Html =>
    html`You’re signed in as <strong>${isolateBidi(current)}</strong>, but the invitation is for <strong>${isolateBidi(invited)}</strong>. If you join, we’ll sign you out and sign you in with the invited address. To join with your current address instead, ask for an invitation to it.`,

  signInText: (email: string): Html =>
    html`${isolateBidi(email)} already has an account. Enter its password to join.`,
  signIn: 'Sign in and join',
  wrong: 'Wrong password.',
  secondStep:
    'Your account has two-step sign-in. Sign in on the sign-in page first, then open the link in the invitation again.',
  forgotten: (link: (label: string) => Html): Html =>
    html`${link('Forgot your password?')} Set a new one, then open the invitation again.`,

  newText:
    'There is no account with this address yet. Create one below. Your email address is already confirmed.',
  firstName: 'First name',
  lastName: 'Last name',
  password: 'Password',
  passwordHint: (least: number): string =>
    `At least ${least} characters. Three or four random words work well.`,
  make: 'Create account and join',
  notJoined: 'You haven’t joined yet.',

  notYours: 'Don’t know who invited you? Just close this page.',

  goneTitle: 'This invitation no longer works',
  goneText:
    'An invitation works once, for a few days. It may have expired, or been used, revoked or replaced by a newer one, or the link may be incomplete.',
  goneHelp: html`Already joined? <a href="/console">Open the console</a>. Otherwise, ask the person who invited you for a new invitation.`,
} as const
