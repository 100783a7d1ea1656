import type { ProofKind } from '../../model/candidate.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

/** The usual short form of the first four groups of an IPv6 address. */
const shortened = (groups: string): string => new URL(`http://[${groups}::]`).hostname.slice(1, -1)

/** Texts of "Sign-in and security". */
export const securityTexts = {
  title: 'Sign-in and security',
  done: {
    password: 'Password changed. You’re signed out everywhere else.',
    'email-asked': 'We sent an email to the new address. Nothing changes until you open the link in it.',
    email: 'Email address changed.',
    'mail-again': 'We’ll send emails to your address again.',
    session: 'That browser is signed out.',
    sessions: 'You’re signed out everywhere else.',
  },
  openOutbox: html` <a href="/demo/outbox">Open the demo inbox</a>`,
  wrongPassword: 'Your current password is wrong.',
  noMail: 'This service isn’t set up to send email.',
  unavailable: 'We can’t send email right now, so nothing has changed. Please try again in a few minutes.',

  password: 'Password',
  currentPassword: 'Current password',
  newPassword: 'New password',
  newPasswordHint: (least: number): string =>
    `At least ${least} characters. Three or four random words work well.`,
  changePassword: 'Change password',
  changePasswordHint: 'You’ll be signed out everywhere else.',

  email: 'Email address',
  signInWith: (email: string): Html => html`You sign in with <strong>${isolateBidi(email)}</strong>.`,
  signInWithForNow: (email: string): Html =>
    html`You sign in with <strong>${isolateBidi(email)}</strong>. You can’t change it here, because this service isn’t set up to send email.`,
  refused: (email: string, at: Html): Html =>
    html`Our email to <strong>${isolateBidi(email)}</strong> was rejected on ${at}. Until this is sorted out, you won’t hear about your applications by email.`,
  serverSaid: (words: string): Html => html`The mail server said: ${isolateBidi(words)}`,
  refusedHint:
    'If the address is wrong, change it below. If it’s right, check that your mailbox works, then try again.',
  tryAgain: 'Try again',
  newEmail: 'New email address',
  newEmailHint: 'We’ll email you a link. Nothing changes until you open it.',
  changeEmail: 'Change email address',

  twoStep: 'Passkeys and two-step sign-in',
  twoStepOn: 'On: a password alone doesn’t sign you in.',
  twoStepOff: 'Off: signing in takes your password only.',
  twoStepLink: 'Manage passkeys and two-step sign-in',

  sessions: 'Where you’re signed in',
  sessionsHint: 'Don’t recognise a browser? Sign it out and change your password.',
  thisBrowser: 'This browser',
  by: {
    password: 'password',
    passkey: 'passkey',
    totp: 'authenticator code',
    recovery: 'recovery code',
    link: 'email link',
  } satisfies Record<ProofKind, string>,
  how: (factors: string, network: string | null): string =>
    `With ${factors}${network === null ? '' : `, from ${network.includes(':') ? `${shortened(network)}/64` : network}`}`,
  proved: (at: Html): Html => html`, last confirmed ${at}`,
  signedIn: (since: Html): Html => html`Signed in ${since}`,
  signedInElsewhere: (since: Html, used: Html): Html => html`Signed in ${since}, last used ${used}`,
  signOut: 'Sign out',
  signOutOf: (browser: string, since: string): string => `Sign out ${browser}, signed in ${since}`,
  signOutElsewhere: 'Sign out everywhere else',
  nowhereElse: 'Nowhere else.',

  data: 'Your data',
  dataText: 'Download everything we hold about you, or delete your account.',
  dataLink: 'Go to your data',
} as const
