import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'
import { zoneInWords } from './texts.ts'

export const applicationDetailTexts = {
  erasedTitle: (id: number) => `Application ${id}`,
  newer: 'Newer',
  older: 'Older',
  neighbours: 'Other applications',
  erased: (at: Html) =>
    html`<p>This candidate has deleted their account. Their personal details were removed from this application on ${at}.</p>`,
  erasureDue: (at: Html) =>
    html`<p>This candidate has deleted their account. Their personal details will be removed from this application on ${at}. You may use them for this job until then.</p>`,

  contact: 'Contact',
  email: 'Email',
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
  noQuestionnaire: 'No questionnaire.',
  passed: 'Passed',
  failed: 'Failed',
  notAnswered: 'Not answered',
  outcome: (name: string, isPassed: boolean) =>
    html`<p>Questionnaire “${isolateBidi(name)}”: ${isPassed ? 'passed' : 'not passed'}</p>`,
  changedSince:
    'The questionnaire has changed since. Marks use the current questionnaire; the overall result is from when the application was sent.',
  notMarked:
    'Passing answers aren’t shown, because this questionnaire has since changed or isn’t one of yours.',

  files: 'Documents',
  noFiles: 'No documents were sent.',
  uploaded: (at: Html) => html`Uploaded on ${at}`,
  scan: {
    unscanned: 'Not checked for viruses',
    'not-judged': 'Can’t be checked for viruses',
    clean: 'No virus found',
    infected: 'Virus found',
  },
  infected: 'A virus was found in this file. We didn’t keep it, so there is nothing to download.',
  held: 'This file hasn’t been checked for viruses yet. You can download it once it has been, usually within a minute.',
  notJudged:
    'This file can’t be downloaded: it is too large or too complex for the virus scanner, or protected by a password. Ask the candidate for another copy.',

  infectedTitle: 'This file had a virus',
  heldTitle: 'This file hasn’t been checked yet',
  notJudgedTitle: 'This file can’t be checked for viruses',
  heldAgain: (seconds: number) => `Try again in ${seconds} seconds.`,
  back: 'Back to the application',
} as const
