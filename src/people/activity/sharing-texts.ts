import type { FileType } from '../../model/application.ts'
import { theirs, unturned } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const files: Record<FileType, string> = {
  resume: 'resume',
  coverLetter: 'cover letter',
  selectionCriteria: 'answers to selection criteria',
}

const askerInPlain = (clientName: string, advertiserName: string | null): string =>
  unturned(advertiserName === null ? clientName : `${clientName} on behalf of ${advertiserName}`)

/** The words of "Who has my data". */
export const sharingTexts = {
  title: 'Who has my data',
  lead: 'Nobody gets anything from your profile unless you allow it. Here is everybody whom you have allowed to, and everything that has left.',
  withdrawn: html`<p>Withdrawn. From now on it gets nothing more from your profile. What it received before is listed below; ask the company itself to delete that.</p>
<p>If you change your mind, press "Apply with Dossier" on their website again, and we'll ask you again.</p>`,

  consents: 'May ask for my profile',
  consentsHint: 'You can take this back at any time. It works at once.',
  noConsents:
    'Nobody at present. When you press "Apply with Dossier" on a company\'s website and allow it, it is listed here, and you can take it back.',
  since: (time: Html, categories: string): Html => html`since ${time}: ${categories}`,
  withdraw: 'Withdraw',
  withdrawFrom: (...consent: Parameters<typeof askerInPlain>): string =>
    `Withdraw from ${askerInPlain(...consent)}`,
  withdrawQuestion:
    "It will get nothing more from your profile. You can't undo this here: you'd have to allow it again on their website.",
  reallyWithdraw: 'Yes, withdraw',
  reallyWithdrawFrom: (...consent: Parameters<typeof askerInPlain>): string =>
    `Yes, withdraw from ${askerInPlain(...consent)}`,
  asker: (clientName: string, advertiserName: string | null): Html =>
    advertiserName === null
      ? html`<strong>${theirs(clientName)}</strong>`
      : html`<strong>${theirs(clientName)}</strong> on behalf of <strong>${theirs(advertiserName)}</strong>`,
  noSuchConsent: 'You have no such consent, or you have withdrawn it already.',

  holders: 'Have an application of mine',
  holdersHint: html`What you sent in an application from here belongs to it, and stays with the company. Agents whom the company authorises to collect its applications can read it, too: those authorised now are named. We keep no record of each time that somebody reads one. <a href="/account/applications">See what you have sent</a>`,
  noHolders: 'No company has an application of yours from here.',
  applications: (count: number): string => (count === 1 ? 'one application' : `${count} applications`),
  holder: (applications: string, first: Html): Html => html`${applications}, since ${first}`,
  holderAgain: (applications: string, first: Html, last: Html): Html =>
    html`${applications}, since ${first}, the latest on ${last}`,
  /** By name, as far as they are authorised now. */
  agents: (names: readonly string[], applications: number): Html =>
    html`${names.map((name, index) => [index > 0 && (index === names.length - 1 ? ' and ' : ', '), theirs(name)])} ${names.length === 1 ? 'works' : 'work'} for this company and can read ${applications === 1 ? 'it' : 'them'}, too.`,
  moreHolders: (shown: number): Html =>
    html`These are the latest ${shown} companies. <a href="/account/applications">All your applications</a>`,

  disclosures: 'What was shared',
  disclosuresHint:
    'Each time that you sent an application from here, and each time that another website got something from your profile, newest first.',
  noDisclosures: 'Nothing yet: you have sent no application from here, and nothing has left your profile.',
  noneOlder: 'Nothing older.',
  columns: { when: 'When', who: 'Who', onBehalfOf: 'On behalf of', what: 'What' },
  nobodyElse: 'itself',
  downloaded: 'downloaded your resume',
  received: (categories: string): string => `received ${categories}`,
  gotApplication: (job: Html, what: string): Html => html`got your application for ${job}: ${what}`,
  contact: 'contact details',
  work: 'current or latest job',
  answers: 'answers',
  files,
  always: ['name', 'e-mail address'],
  deletion: html`To have everything deleted that is stored here, or to take a copy along, go to <a href="/account/data">Your data</a>.`,
} as const
