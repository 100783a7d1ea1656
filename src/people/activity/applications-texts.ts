import type { SentFile } from '../../apply/form/ports.ts'
import { type FileKind, kindNames } from '../../files/file-kinds.ts'
import type { FileType } from '../../model/application.ts'
import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const fileLabels: Record<FileType, string> = {
  resume: 'Resume',
  coverLetter: 'Cover letter',
  selectionCriteria: 'Selection criteria',
}

const scanWords: Record<SentFile['scan'], string> = {
  unscanned: 'not checked for viruses',
  clean: 'no virus found',
  'not-judged': 'cannot be checked for viruses: the company may not be able to open it',
  infected: 'a virus was found: the advertiser gets no content of it',
}

/** The words of what a candidate has applied for: the list, and each as a receipt. */
export const ownApplicationsTexts = {
  fileLabels,
  scanWords,
  willBeScanned: 'not checked for viruses yet',

  title: 'Your applications',
  lead: 'Everything that you have applied for with Dossier, here and on other websites, newest first.',
  listLabel: 'Applications',
  jobs: 'Look at the open jobs',
  noneTitle: 'No applications yet',
  none: 'You have not applied for a job here yet. Whatever you send is listed here, so that you can look it up when the advertiser calls.',
  noneOlderTitle: 'That was all',
  noneOlder: 'Nothing older.',

  states: {
    sent: 'Sent',
    checking: 'Files are being checked',
    notJudged: 'A file cannot be checked',
    virus: 'A file had a virus',
    begun: 'Begun',
    submitted: 'Submitted',
  },
  at: (advertiserName: string): Html => html`at ${theirs(advertiserName)}`,
  atBy: (advertiserName: string, clientName: string): Html =>
    html`at ${theirs(advertiserName)}, on the website of ${theirs(clientName)}`,
  untitledJob: 'A job',
  sentOn: (time: Html, applicationId: number): Html =>
    html`sent on ${time}, reference number ${applicationId}`,
  begunOn: (time: Html): Html => html`begun on ${time}, not handed in as far as we know`,
  submittedOn: (begun: Html, submitted: Html): Html => html`begun on ${begun}, submitted on ${submitted}`,
  file: (type: FileType, fileName: string): Html => html`${fileLabels[type]}: ${theirs(fileName)}`,

  receiptTitle: 'Your application',
  arrived: (advertiserName: string): Html =>
    html`<p>Application sent to ${theirs(advertiserName)}. This is what you sent.</p>`,
  isSent: (advertiserName: string): Html => html`Sent to ${theirs(advertiserName)}.`,
  repeated: html`<p><strong>This form had been sent already.</strong> There is one application, and it is as you see it here; what was changed in the form since then is not in it. To send another one, open the job again.</p>`,
  renamed: (type: FileType, kind: FileKind, fileName: string): Html =>
    html`We sent your ${fileLabels[type].toLowerCase()} as <strong>${theirs(fileName)}</strong>, because the file is ${kindNames[kind]}.`,
  virus: (names: Html[], advertiserName: string, isOne: boolean): Html =>
    html`<p>A virus was found in your ${names}. ${theirs(advertiserName)} has your application, but gets no content of ${isOne ? 'this file' : 'these files'}, and we have not kept it.</p>`,
  infectedFile: (type: FileType, fileName: string, isFirst: boolean): Html =>
    html`${!isFirst && ' and '}${fileLabels[type].toLowerCase()} <strong>${theirs(fileName)}</strong>`,
  applyAgain: 'Apply again with a clean copy',
  sent: 'Sent',
  reference: 'Reference number',
  contact: 'Contact details',
  name: 'Name',
  email: 'E-mail address',
  phone: 'Phone',
  noPhone: 'none given',
  documents: 'Documents',
  noDocuments: 'You sent no documents.',
  job: 'Your current or latest job',
  jobTitle: 'Job title',
  company: 'Company',
  months: 'Months in this job',
  experience: 'Experience',
  isNew: 'New to the workforce',
  answers: 'Your answers',
  notAnswered: 'Not answered',
  seeJob: 'See the job',
  all: 'All your applications',
  moreJobs: 'More jobs',
} as const
