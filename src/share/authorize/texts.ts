import { type Category, categories, categoryLabels } from '../../model/categories.ts'
import { theirs, unturned } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

export const consentTexts = {
  title: 'Share your profile?',
  expired:
    'Nothing was shared: this page was open for too long, or you have signed in again since. Please look at it again and choose.',
  asker: (client: string, advertiser?: string) =>
    advertiser === undefined
      ? html`<strong>${theirs(client)}</strong>`
      : html`<strong>${theirs(client)}</strong> on behalf of <strong>${theirs(advertiser)}</strong>`,
  lead: (asker: Html) => html`${asker} asks for your profile, to fill in an application for you.`,
  takeBack: (link: (label: string) => Html) =>
    html`You can take this back at any time under ${link('Who has my data')}.`,
  always: 'Always shared',
  name: 'Name',
  email: 'E-mail address',
  ticked: 'Shared if ticked',
  notThere: (missing: readonly Category[]) =>
    missing.length === categories.length
      ? 'There is nothing else in your profile yet, so nothing else is shared.'
      : `Not in your profile yet, so not shared: ${missing.map(category => categoryLabels[category].toLowerCase()).join(', ')}.`,
  allow: 'Allow',
  decline: 'Decline',
  pressOne: 'Press Allow or Decline.',
  returnTo: (host: Html) => html`Either way you return to ${host}.`,
  signInAgain: (email: string, clientName: string) =>
    unturned(`You are signed in as ${email}. ${clientName} asks you to enter your password again.`),
  signedInAs: (email: string) => html`You are signed in as ${theirs(email)}.`,
  otherAccount: 'Use another account',

  phone: 'Phone',
  location: 'Current location',
  qualification: 'Highest qualification',
  skills: 'Skills',
  job: (title: string, company: string) => html`${theirs(title)}, ${theirs(company)}`,
  rights: (description: string, rightToWork: string, salary: string) =>
    html`${theirs(description)}; ${rightToWork}; ${salary}`,
  file: 'File',
  fileFacts: (name: string, size: string) => html`${theirs(name)} (${size})`,

  refusedTitle: 'This link does not work',
  refused:
    'The website that sent you here has made a mistake, and you were not sent back to it because we cannot be sure that it is the one it says it is. Nothing was shared.',
  number: (id: Html) => html`If you tell its operator, give this number: ${id}`,
}
