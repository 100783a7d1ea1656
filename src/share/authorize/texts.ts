import { isolateBidi, stripBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

export const consentTexts = {
  title: 'Share your profile?',
  expired:
    'Nothing was shared. This page was open for too long, you have signed in again since, or your resumes have changed. Please review it and choose.',
  asker: (client: string, advertiser?: string) =>
    advertiser === undefined
      ? html`<strong>${isolateBidi(client)}</strong>`
      : html`<strong>${isolateBidi(client)}</strong> on behalf of <strong>${isolateBidi(advertiser)}</strong>`,
  lead: (asker: Html) => html`${asker} wants to use your profile to fill in your application.`,
  always: 'Name and email address',
  alwaysHint: 'Always included.',
  ticked: 'Choose what to share',
  nothingElse: 'Your profile has nothing else to share yet.',
  later: 'What you add to your profile later isn’t shared until you allow it.',
  /** Said once, with the way to end it. */
  lasts: (end: Html, link: (label: string) => Html) =>
    html`Your permission ends on ${end}, or when you withdraw it under ${link('Who has my data')}.`,
  privacy: 'Their privacy notice',
  whichResume: 'Which resume to share',
  isDefault: ', your default',
  allow: 'Allow',
  decline: 'Decline',
  pressOne: 'Choose Allow or Decline.',
  returnTo: (host: Html) => html`You’ll go back to ${host} either way.`,
  signInAgain: (email: string, clientName: string) =>
    stripBidi(`You’re signed in as ${email}. ${clientName} asks you to enter your password again.`),
  signedInAs: (email: string) => html`You’re signed in as ${isolateBidi(email)}.`,
  otherAccount: 'Use another account',

  qualification: 'Highest qualification',
  skills: 'Skills',
  job: (title: string, company: string) => html`${isolateBidi(title)}, ${isolateBidi(company)}`,
  rights: (description: string, rightToWork: string, salary: string) =>
    html`${isolateBidi(description)}; ${rightToWork}; ${salary}`,
  fileFacts: (name: string, size: string) => html`${isolateBidi(name)} (${size})`,

  refusedTitle: 'This link doesn’t work',
  refused:
    'The website that sent you here made an invalid request. We couldn’t verify who it is, so we didn’t send you back to it. Nothing was shared.',
  number: (id: Html) => html`If you contact that website, give this reference: ${id}`,
}
