import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'
import { zoneInWords } from './texts.ts'

export const applicationDetailTexts = {
  erasedTitle: (id: number) => `Application ${id}`,
  newer: 'Newer',
  older: 'Older',
  neighbours: 'Other applications',
  erased: (at: Html) =>
    html`<p>This candidate has deleted their account. What was personal here was removed on ${at}.</p>`,
  erasureDue: (at: Html) =>
    html`<p>This candidate has deleted their account. What is personal here will be removed on ${at}: until then it is yours to use for this job.</p>`,

  contact: 'Contact',
  email: 'E-mail',
  phone: 'Phone',
  noPhone: 'None given',
  job: 'Job',
  ad: 'Job ad',
  reference: 'Reference',
  noReference: 'None given',
  submitted: 'Submitted',
  timeZone: (timeZone: string) => `${zoneInWords(timeZone)} time`,
  number: 'Application',

  work: 'Current or latest job',
  jobTitle: 'Job title',
  company: 'Company',
  months: 'Time in this job',
  monthsOf: (months: number) => (months === 1 ? '1 month' : `${months} months`),
  experience: 'Experience',
  newToWork: 'New to the workforce',

  answers: 'Answers',
  noQuestionnaire: 'There was no questionnaire.',
  passed: 'Passed',
  failed: 'Failed',
  notAnswered: 'Not answered',
  outcome: (name: string, isPassed: boolean) =>
    html`<p>Questionnaire “${theirs(name)}”: ${isPassed ? 'passed' : 'not passed'}</p>`,
  changedSince:
    'The questionnaire has been changed since. What is marked goes by how it is now; how all of it came out is as it was then.',
  notMarked:
    'Which answers pass is not known any more, since this questionnaire is not one of yours or has other questions now.',

  files: 'Documents',
  noFiles: 'No documents were sent.',
  uploaded: (at: Html) => html`Uploaded on ${at}`,
  scan: {
    unscanned: 'Not checked for viruses',
    'not-judged': 'Cannot be checked for viruses',
    clean: 'No virus found',
    infected: 'Virus found',
  },
  infected: 'A virus was found in this file. Nothing of it was kept, so there is nothing to download.',
  held: 'This file has not been checked for viruses yet. It can be downloaded as soon as it has been, mostly within a minute.',
  notJudged:
    'This file is too large or too complex for the virus scanner, or locked with a password. It cannot be downloaded. Ask the candidate for another copy.',

  infectedTitle: 'This file had a virus',
  heldTitle: 'This file is not checked yet',
  notJudgedTitle: 'This file cannot be checked for viruses',
  heldAgain: (seconds: number) => `Try again in ${seconds} seconds.`,
  back: 'Back to the application',
} as const
