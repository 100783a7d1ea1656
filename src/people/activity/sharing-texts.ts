import type { FileType } from '../../model/application.ts'
import { isolateBidi, stripBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const files: Record<FileType, string> = {
  resume: 'resume',
  coverLetter: 'cover letter',
  selectionCriteria: 'answers to selection criteria',
}

const askerInPlain = (clientName: string, advertiserName: string | null): string =>
  stripBidi(advertiserName === null ? clientName : `${clientName} on behalf of ${advertiserName}`)

/** Texts of "Who has my data". */
export const sharingTexts = {
  title: 'Who has my data',
  lead: 'No one sees your profile unless you allow it. Here is everyone you’ve shared with, and everything you’ve shared.',
  withdrawn: html`<p>Withdrawn. They can no longer see your profile. What they received before is listed below; ask the company itself to delete it.</p>
<p>If you change your mind, apply on their website again, and we’ll ask you again.</p>`,

  companies: 'Companies with your data',
  companiesHint: html`Everything each company has, and who has read it there or for it. You can withdraw access to your profile here, and an application <a href="/account/applications">on its page</a>. Both take effect immediately.`,
  noCompanies:
    'No one yet. A company is listed here when you send it an application, or let a website that works for it use your profile.',
  consents: 'Can see my profile',
  reads: 'Reads of your applications',
  noReads: 'No one has read them yet.',
  noReadsSince: (days: number): string => `No one has read them in the last ${days} days.`,
  seeApplications: 'See what you’ve sent',
  since: (time: Html, categories: string): Html => html`since ${time}: ${categories}`,
  ends: (day: Html): Html => html`ends on ${day}`,
  ended: (day: Html): Html => html`ended on ${day}: they have to ask you again`,
  change: 'Change',
  changeFor: (...consent: Parameters<typeof askerInPlain>): string =>
    `Change what ${askerInPlain(...consent)} sees`,
  shared: 'What they can see',
  narrowHint: 'What you clear is no longer shared at once. To share more, allow it on their website.',
  save: 'Save',
  saveFor: (...consent: Parameters<typeof askerInPlain>): string =>
    `Save what ${askerInPlain(...consent)} sees`,
  narrowed: 'Saved. They no longer see what you cleared; what they received before is listed below.',
  withdraw: 'Withdraw',
  withdrawFrom: (...consent: Parameters<typeof askerInPlain>): string =>
    `Withdraw from ${askerInPlain(...consent)}`,
  withdrawQuestion:
    'They will no longer see your profile. You can’t undo this here: you’d have to allow it again on their website.',
  reallyWithdraw: 'Yes, withdraw',
  reallyWithdrawFrom: (...consent: Parameters<typeof askerInPlain>): string =>
    `Yes, withdraw from ${askerInPlain(...consent)}`,
  asker: (clientName: string, advertiserName: string | null): Html =>
    advertiserName === null
      ? html`<strong>${isolateBidi(clientName)}</strong>`
      : html`<strong>${isolateBidi(clientName)}</strong> on behalf of <strong>${isolateBidi(advertiserName)}</strong>`,
  noSuchConsent: 'This consent doesn’t exist, or you have already withdrawn it.',

  holders: 'Received an application',
  holder: (sent: Html): Html => html`One application, sent on ${sent}.`,
  holderAgain: (applications: number, first: Html, last: Html): Html =>
    html`${applications} applications, the first on ${first} and the latest on ${last}.`,
  /** Names the agents that are authorised now. */
  agents: (names: readonly string[], applications: number): Html =>
    html`${names.map((name, index) => [index > 0 && (index === names.length - 1 ? ' and ' : ', '), isolateBidi(name)])} ${names.length === 1 ? 'works' : 'work'} for this company and can also read ${applications === 1 ? 'it' : 'them'}.`,
  moreHolders: (shown: number): Html =>
    html`These are the latest ${shown} companies. <a href="/account/applications">See all your applications</a>`,

  disclosures: 'Sharing history',
  disclosuresHint:
    'Every application you sent from here, and every time another website received data from your profile, newest first.',
  noDisclosures:
    'Nothing yet. You haven’t sent an application from here or shared anything from your profile.',
  noneOlder: 'There are no older entries.',
  columns: { when: 'When', who: 'Who', onBehalfOf: 'On behalf of', what: 'What' },
  onOwnBehalf: '',
  downloaded: 'downloaded your resume',
  received: (categories: string): string => `received ${categories}`,
  gotApplication: (job: Html, what: string): Html => html`received your application for ${job}: ${what}`,
  contact: 'contact details',
  work: 'current or latest job',
  answers: 'answers',
  files,
  always: ['name', 'email address'],
  deletion: html`To download or delete everything stored here, go to <a href="/account/data">Your data</a>.`,
} as const
