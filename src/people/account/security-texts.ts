import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

/** The words of "Sign-in and security". */
export const securityTexts = {
  title: 'Sign-in and security',
  done: {
    password: 'Your password is changed, and you are signed out everywhere else.',
    'email-asked': 'We have sent a mail to the new address. Nothing changes until you open the link in it.',
    email: 'Your e-mail address is changed.',
    session: 'That browser is signed out.',
    sessions: 'You are signed out everywhere else.',
  },
  openOutbox: html` <a href="/demo/outbox">Open the outbox of the demo</a>`,
  wrongPassword: 'Your current password is wrong.',
  noMail: 'This service sends no mail at present.',
  unavailable: 'We can’t send email at present, so nothing has changed. Please try again in a few minutes.',

  password: 'Password',
  currentPassword: 'Current password',
  newPassword: 'New password',
  newPasswordHint: (least: number): string =>
    `At least ${least} characters. A few words that do not belong together do well.`,
  changePassword: 'Change the password',
  changePasswordHint: 'You will be signed out everywhere else.',

  email: 'E-mail address',
  signInWith: (email: string): Html => html`You sign in with <strong>${theirs(email)}</strong>.`,
  signInWithForNow: (email: string): Html =>
    html`You sign in with <strong>${theirs(email)}</strong>. It cannot be changed here at present, because this service sends no mail.`,
  newEmail: 'New e-mail address',
  newEmailHint: 'We send a link there. Nothing changes until you open it.',
  changeEmail: 'Change the address',

  sessions: 'Where you are signed in',
  sessionsHint: 'Is there a browser that you do not know? Sign it out, and change your password.',
  thisBrowser: 'This browser',
  signedIn: (since: Html): Html => html`Signed in ${since}`,
  signedInElsewhere: (since: Html, used: Html): Html => html`Signed in ${since}, last used ${used}`,
  signOut: 'Sign out',
  signOutOf: (browser: string, since: string): string => `Sign out ${browser}, signed in ${since}`,
  signOutElsewhere: 'Sign out everywhere else',
  nowhereElse: 'Nowhere else.',

  data: 'Your data',
  dataText: 'Download everything that is stored about you, or delete your account.',
  dataLink: 'Go to your data',
} as const
