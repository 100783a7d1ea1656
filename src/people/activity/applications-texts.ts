import type { SentFile } from '../../apply/form/ports.ts'
import { type FileKind, kindNames } from '../../files/file-kinds.ts'
import type { FileType } from '../../model/application.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const fileLabels: Record<FileType, string> = {
  resume: 'Resume',
  coverLetter: 'Cover letter',
  selectionCriteria: 'Selection criteria',
}

const scanWords: Record<Exclude<SentFile['scan'], 'unscanned'>, string> = {
  clean: 'no virus found',
  'not-judged': 'can’t be checked for viruses: the company may not be able to open it',
  infected: 'virus found: the company doesn’t receive its content',
}

/** Texts of a candidate's applications: the list, and the receipt of each. */
export const ownApplicationsTexts = {
  fileLabels,
  scanWords,
  willBeScanned: 'not checked for viruses yet',

  title: 'Your applications',
  lead: 'Every job you’ve applied for, here and on other websites, newest first.',
  listLabel: 'Applications',
  jobs: 'Browse open jobs',
  noneTitle: 'No applications yet',
  none: 'You haven’t applied for a job yet. Your applications are listed here, so you can look them up when a company calls.',
  noneOlderTitle: 'End of list',
  noneOlder: 'There are no older applications.',

  states: {
    checking: 'Checking files',
    notJudged: 'A file can’t be checked',
    virus: 'Virus found in a file',
    begun: 'Started',
    submitted: 'Submitted',
  },
  at: (advertiserName: string): Html => html`at ${isolateBidi(advertiserName)}`,
  atBy: (advertiserName: string, clientName: string): Html =>
    html`at ${isolateBidi(advertiserName)}, on the website of ${isolateBidi(clientName)}`,
  untitledJob: 'A job',
  sentOn: (time: Html, opened: Html | false, applicationId: number): Html =>
    html`sent on ${time}${opened && html`, first opened on ${opened}`}, reference number ${applicationId}`,
  begunOn: (time: Html): Html => html`started on ${time}, not submitted yet`,
  submittedOn: (begun: Html, submitted: Html): Html => html`started on ${begun}, submitted on ${submitted}`,
  file: (type: FileType, fileName: string): Html => html`${fileLabels[type]}: ${isolateBidi(fileName)}`,

  count: (count: number): string => (count === 1 ? '1 application' : `${count} applications`),
  download: (fileName: string): Html => html`Download<span class="for-readers"> ${fileName}</span>`,
  show: (fileName: string): Html => html`Preview<span class="for-readers"> of ${fileName}</span>`,

  receiptTitle: 'Your application',
  arrived: (advertiserName: string): Html =>
    html`<p>Application sent to ${isolateBidi(advertiserName)}. This is what you sent.</p>`,
  kinds: (maxSize: string): string => `PDF, Word (doc or docx), RTF or plain text, up to ${maxSize}.`,
  repeated: html`<p><strong>You had already sent this form.</strong> There is one application, shown here. Changes you made to the form afterwards are not included. To send another application, open the job again.</p>`,
  renamed: (type: FileType, kind: FileKind, fileName: string): Html =>
    html`We sent your ${fileLabels[type].toLowerCase()} as <strong>${isolateBidi(fileName)}</strong>, because the file is ${kindNames[kind]}.`,
  virus: (names: Html[], advertiserName: string, isOne: boolean): Html =>
    html`<p>We found a virus in your ${names}. ${isolateBidi(advertiserName)} has your application, but not the content of ${isOne ? 'this file' : 'these files'}, and we didn’t keep it.</p>`,
  infectedFile: (type: FileType, fileName: string, isFirst: boolean): Html =>
    html`${!isFirst && ' and '}${fileLabels[type].toLowerCase()} <strong>${isolateBidi(fileName)}</strong>`,
  applyAgain: 'Apply again with a clean copy',
  sent: 'Sent',
  reference: 'Reference number',
  keptUntil: (day: Html): Html => html`The company keeps your application until ${day}.`,
  keptWithoutEnd: 'The company hasn’t set how long it keeps your application.',
  keptForDispute: 'Your application is kept because of a dispute, beyond the usual period.',
  contact: 'Contact details',
  name: 'Name',
  email: 'Email address',
  phone: 'Phone',
  noPhone: 'none given',
  documents: 'Documents',
  noDocuments: 'You didn’t send any documents.',
  job: 'Your current or latest job',
  jobTitle: 'Job title',
  company: 'Company',
  months: 'Months in this job',
  experience: 'Experience',
  isNew: 'New to the workforce',
  answers: 'Your answers',
  notAnswered: 'Not answered',
  seeJob: 'View job',
  all: 'All your applications',
  moreJobs: 'More jobs',
} as const
