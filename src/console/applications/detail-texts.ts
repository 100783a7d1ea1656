import type { Neighbours } from '../../collect/search/ports.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'
import { zoneInWords } from './texts.ts'

export const applicationDetailTexts = {
  erasedTitle: (id: number) => `Application ${id}`,
  newer: 'Previous',
  older: 'Next',
  neighbours: 'Other applications',
  place: ({ number, total }: NonNullable<Neighbours['place']>) =>
    `${number} of ${total.isMore ? 'more than ' : ''}${total.count}`,
  keys: 'Keys J, K',
  keysHint: 'Go on with the keys J or →, and back with K or ←. Press this button to turn J and K off.',
  erased: (at: Html) => html`<p>The personal details were removed from this application on ${at}.</p>`,
  erasureDue: {
    account: (at: Html) =>
      html`<p>This candidate has deleted their account. Their personal details will be removed from this application on ${at}. You may use them for this job until then.</p>`,
    withdrawn: (at: Html) =>
      html`<p>This candidate has withdrawn the application. Their personal details will be removed from it on ${at}.</p>`,
    retention: () =>
      html`<p>Your company’s period for keeping applications is over. The personal details will be removed from this one within minutes.</p>`,
  },

  facts: 'Contact and job',
  email: 'Email',
  phone: 'Phone',
  noPhone: 'None given',
  ad: 'Job ad',
  reference: 'Reference',
  noReference: 'None given',
  submitted: 'Submitted',
  timeZone: (timeZone: string) => `${zoneInWords(timeZone)} time`,
  number: 'Application',

  work: 'Latest job',
  monthsOf: (months: number) => {
    const parts = [
      [Math.floor(months / 12), 'year'],
      [months % 12, 'month'],
    ] as const
    const words = parts
      .filter(([count]) => count > 0)
      .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    return words.join(' ') || 'Less than a month'
  },
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

  related: 'Other applications from this person',
  allRelated: 'Show all',

  files: 'Documents',
  downloadAll: 'All files as ZIP',
  archiveName: (id: number) => `application-${id}.zip`,
  leftOutName: 'Files left out.txt',
  leftOut: (files: readonly { name: string; reason: string }[]) =>
    [
      'These files are not in this archive:',
      '',
      ...files.map(({ name, reason }) => `${name}: ${reason}`),
      '',
    ].join('\r\n'),
  notThere: 'This file is no longer available.',
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
