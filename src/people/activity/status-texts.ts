import type { OwnRead } from '../../apply/form/ports.ts'
import type { FileType } from '../../model/application.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const documents: Record<FileType, string> = {
  resume: 'your resume',
  coverLetter: 'your cover letter',
  selectionCriteria: 'your answers to selection criteria',
}

/** Who did it: the company, or an agent for it. */
const readerOf = ({ agentName }: Pick<OwnRead, 'agentName'>, company: string) =>
  isolateBidi(agentName ?? company)

const forCompany = ({ agentName }: Pick<OwnRead, 'agentName'>, company: string) =>
  agentName !== null && html` for ${isolateBidi(company)}`

/** Texts about what happened to an application after it was sent. */
export const statusTexts = {
  status: 'Status',
  explained: {
    new: company => html`${isolateBidi(company)} has received your application and hasn’t opened it yet.`,
    seen: company => html`${isolateBidi(company)} has opened your application.`,
    shortlisted: company => html`${isolateBidi(company)} has put you on its shortlist.`,
    'not-suitable': company => html`${isolateBidi(company)} won’t take your application further.`,
    hired: company => html`${isolateBidi(company)} has hired you for this job.`,
    withdrawn: company => html`You withdrew this application. ${isolateBidi(company)} has been told.`,
  } satisfies Record<ApplicationStatus, (company: string) => Html>,
  erasureDue: (on: Html): Html => html`Your details in it will be erased on ${on}.`,
  erased: (on: Html): Html =>
    html`Your details in it were erased on ${on}. Its number, job and dates are all that is left.`,
  firstOpened: 'First opened',
  notOpened: 'Not yet',

  history: 'What happened',
  document: (type: string): string => `You replaced ${documents[type as FileType] ?? 'a document'}`,
  changes: {
    new: 'Marked as new again',
    seen: 'Opened',
    shortlisted: 'Shortlisted',
    'not-suitable': 'Not successful',
    hired: 'Hired',
    withdrawn: 'You withdrew it',
  } satisfies Record<ApplicationStatus, string>,
  eventOn: (what: string, on: Html): Html => html`${what} on ${on}`,

  reads: 'Who has read it',
  readsHint: (days: number): string =>
    `Every time a company, or an agent working for it, opens or receives your application, we record it. Reads by programs appear within seconds. We keep the records for ${days} days.`,
  noReads: 'No one has read it yet.',
  /** Earlier reads are no longer on record. */
  noReadsSince: (days: number): string => `No one has read it in the last ${days} days.`,
  read: (read: OwnRead, company: string): Html => {
    const who = readerOf(read, company)
    const forWhom = forCompany(read, company)
    const what = {
      view: html`${who} opened it${forWhom}`,
      download: html`${who} downloaded your documents${forWhom}`,
      list: html`${who} collected it${forWhom}${read.agentName === null && ' with a program'}`,
      export: html`${who} exported a list with it${forWhom}`,
    }
    return what[read.way]
  },
  readOn: (what: Html, on: Html): Html => html`${what} on ${on}`,
  readOften: (what: Html, days: number, first: Html, last: Html): Html =>
    html`${what} on ${days} days, first on ${first}, last on ${last}`,
  allDays: 'All days',

  takeBack: 'Take it back',
  takeBackHint: (company: string, days: number): Html =>
    html`You can withdraw this application. ${isolateBidi(company)} is told, and your details in it are erased ${days === 0 ? 'at once' : days === 1 ? 'a day later' : `${days} days later`}. You can apply for the job again while it is open.`,
  withdraw: 'Withdraw application',
  withdrawQuestion: 'You can’t undo this. Copies that the company has made stay with it.',
  reallyWithdraw: 'Yes, withdraw it',
  withdrawn: 'Application withdrawn.',
  withdrawnBefore: 'This application was already withdrawn or erased.',

  replace: 'Replace or add a document',
  replaceHint:
    'You can do this until the company first reads your application. It then gets the new file only.',
  tooLateToReplace: 'The company has seen this application, so its documents can’t be replaced any longer.',
  which: 'Document',
  file: 'File',
  doReplace: 'Send document',
  replaced: 'Document sent. The company gets the new file.',
  replacedInfected:
    'We found a virus in the new file, so the company doesn’t get its content. Send a clean copy.',
  noFile: 'Choose a file.',
} as const
