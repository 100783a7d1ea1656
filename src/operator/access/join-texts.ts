import type { OperatorRole } from '../../model/principal.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const asRole: Record<OperatorRole, string> = {
  operator: 'as an operator. You’ll be able to see how the service runs and to change it',
  viewer: 'as a viewer. You’ll be able to see how the service runs, but not to change anything',
}

export const joinTexts = {
  title: 'Run this job board',
  invited: (email: string, role: OperatorRole): Html =>
    html`<strong>${isolateBidi(email)}</strong> has been invited to run this job board ${asRole[role]}.`,
  secondFactor:
    'Next, you’ll add a second factor to your account, such as a passkey or an authenticator app. Operators can’t do without one.',
  accept: 'Accept invitation',
  signInFirst: (email: string): Html =>
    html`${isolateBidi(email)} already has an account. Sign in with it to accept the invitation.`,
  signIn: 'Sign in and accept',
  other: (current: string, invited: string): Html =>
    html`You’re signed in as <strong>${isolateBidi(current)}</strong>, but the invitation is for <strong>${isolateBidi(invited)}</strong>. Sign out, then open the invitation again.`,
  signOut: 'Sign out',
  newText:
    'There is no account with this address yet. Create one below. Your email address is already confirmed.',
  firstName: 'First name',
  lastName: 'Last name',
  password: 'Password',
  passwordHint: (least: number): string =>
    `At least ${least} characters. Three or four random words work well.`,
  make: 'Create account and accept',
  notJoined: 'You haven’t accepted yet.',
  goneTitle: 'This invitation no longer works',
  goneText:
    'An invitation works once, for a few days. It may have expired, or been used, revoked or replaced by a newer one, or the link may be incomplete.',
  goneHelp: html`Already an operator? <a href="/operator">Open the operator’s pages</a>. Otherwise, run “dossier operator invite” again, or ask the operator who invited you.`,
} as const
