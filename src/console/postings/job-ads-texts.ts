import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'
import type { JobAdForm } from './job-ad-form.ts'

type Field = keyof JobAdForm

const labels: Record<Field, string> = {
  title: 'Job title',
  location: 'Location',
  description: 'About the job',
  reference: 'Your reference',
  screenId: 'Questionnaire',
  closingDate: 'Closing date',
}

const digits = new Intl.NumberFormat('en-AU')

/** Every word of the pages of job ads. */
export const jobAdTexts = {
  title: 'Job ads',
  caption: 'Job ads, newest first',
  newAd: 'New job ad',
  editTitle: (title: string) => `Job ad: ${title}`,

  columns: {
    job: 'Job',
    reference: 'Reference',
    state: 'State',
    screen: 'Questionnaire',
    closing: 'Closing date',
    applications: 'Applications',
  },
  states: { open: 'Open', closed: 'Closed', past: 'Past its closing date' },
  filterLabel: 'Which ads',
  filters: { all: 'All', open: 'Open', closed: 'Closed' },
  none: '–',
  seeApplications: (title: string): Html =>
    html`See<span class="for-readers"> applications for ${theirs(title)}</span>`,

  emptyTitle: 'No job ads yet',
  empty: 'Write the first one: candidates find it on the job board as soon as you publish it.',
  emptyOpenTitle: 'No ad is open',
  emptyOpen: 'None of your ads takes applications at the moment.',
  emptyClosedTitle: 'No ad is closed',
  emptyClosed: 'Ads that you have closed, or that are past their closing date, are listed here.',
  emptyPageTitle: 'The list ends here',
  emptyPage: 'There are no more ads in this direction.',

  labels,
  hints: {
    title: 'What candidates look for, such as "Barista" or "Payroll officer".',
    location: 'A town or a region, or "Remote".',
    description: (most: number) =>
      `What the work is, what it asks for and what it offers. Lines stay as you write them; up to ${digits.format(most)} characters.`,
    reference: 'Optional. It comes along with every application, so that your own system knows the ad.',
    screenId: 'Optional. Candidates answer it when they apply, and you see who passed.',
    closingDate:
      'Optional. The last day on which applications are taken, in Australian Eastern Standard Time.',
  },
  noScreen: 'None',
  closedScreen: (name: string) => `${name} (closed)`,
  makeScreen: 'Write a questionnaire',
  counter: '{length} of {most} characters',

  publish: 'Publish',
  save: 'Save changes',
  preview: 'Preview',
  cancel: 'Cancel',
  previewTitle: 'As candidates will see it',
  previewHint: 'This is what stands in the form above. Nothing of it is saved yet.',
  see: 'On the job board',
  copy: 'Copy',
  applications: 'Applications',
  close: 'Close',
  open: 'Open again',

  made: 'Your ad is published. Candidates can find it now.',
  madePast: 'Your ad is saved, but its closing date has passed: nobody can apply.',
  saved: 'Your changes are saved. Candidates see them now.',
  wasClosed: 'The ad is closed: nobody can apply for it. If that was a mistake, open it again.',
  wasOpened: 'The ad is open again: candidates can apply.',
  wasOpenedPast: 'The ad is open again, but its closing date has passed. Give it a later one.',
  isCopy: 'A copy to start from. Nothing is published yet.',

  changedTitle: 'Somebody has changed this ad since you opened it.',
  changed: (at: Html): Html =>
    html`It was last saved on ${at}. What you typed is below, unsaved. Send it again to replace what is saved now.`,
  changedFields: 'What is saved now and differs from yours:',
  changedState: (state: string) => `Only its state has changed: it is ${state.toLowerCase()} now.`,
  empties: 'empty',

  tooLongTitle: 'This ad is too long',
  tooLong: 'It has far more text than an ad may have. Nothing was saved.',
  tooLongHelp: 'Go back in your browser, where what you typed is still there, and shorten the description.',
  back: 'Back to the job ads',

  /** What is wrong with a field, by the code of the rule. */
  fault(field: string, code: string, most: Record<string, number>): string {
    const label = labels[field as Field] ?? field
    if (field === 'screenId') {
      return code === 'closed'
        ? 'This questionnaire is closed. Open it again, or choose another.'
        : 'Choose one of your questionnaires, or none.'
    }
    if (field === 'closingDate') return 'Enter a day of the calendar, such as 2027-03-31, or leave it empty.'
    if (code === 'empty') return emptyFaults[field as Field] ?? `${label} must not be empty.`
    if (code === 'too-long') return `${label}: use ${digits.format(most[field] ?? 0)} characters at most.`
    if (code === 'line-break') return `${label} must be one line.`
    return `${label}: there is a character in it that cannot be saved. Type it again instead of pasting it.`
  },
} as const

const emptyFaults: Partial<Record<Field, string>> = {
  title: 'Enter the title of the job.',
  location: 'Enter where the job is.',
  description: 'Say something about the job.',
}
