import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

/** Texts of the page that asks for a fresh proof. */
export const proofTexts = {
  title: 'Confirm that it’s you',
  lead: (email: string): Html =>
    html`You’re signed in as <strong>${isolateBidi(email)}</strong>. To continue, confirm that it’s still you.`,
  afterwards: 'Once you’ve confirmed, we carry out what you asked for. Nothing has changed yet.',
  password: 'Your password',
  code: 'Or a code from your authenticator app',
  either: 'Enter one of the two.',
  submit: 'Confirm and continue',
  leave: 'Cancel',
  wrong: 'The password is wrong.',
  wrongOfAll: 'That wasn’t right, or it has already been used. Try again, or confirm in another way.',
  wrongOfTwo: 'The password or the code is wrong, or the code has already been used.',
} as const
