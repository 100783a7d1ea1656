import { lazily } from '../../core/lazily.ts'
import { isolateBidi } from '../../web/bidi.ts'
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

const digits = lazily(() => new Intl.NumberFormat('en-AU'))

export const jobAdTexts = {
  title: 'Job ads',
  caption: 'Job ads, newest first',
  newEntry: 'New job ad',
  editTitle: (title: string) => `Job ad: ${title}`,

  columns: ['Job', 'Reference', 'State', 'Questionnaire', 'Closing date', 'Applications'],
  none: '–',
  counted: (count: number, unread: number, title: string): Html =>
    html`${count}${unread > 0 && ` (${unread} unread)`}<span class="for-readers"> for ${isolateBidi(title)}</span>`,

  empty: {
    all: [
      'No job ads yet',
      'Write your first ad. Candidates can find it on the job board as soon as you publish it.',
    ],
    open: ['No open ads', 'None of your ads is taking applications at the moment.'],
    closed: ['No closed ads', 'Ads that you close, or that pass their closing date, are listed here.'],
    page: ['End of list', 'There are no more ads.'],
  },

  labels,
  hints: {
    title: 'What candidates search for, such as “Barista” or “Payroll officer”.',
    location: 'A town or a region, or “Remote”.',
    description: (most: number) =>
      `The work, what it requires and what you offer. For a heading start a line with ##, for a list start lines with -. Up to ${digits().format(most)} characters.`,
    reference: 'Optional. Included with every application, so that your own system can recognise the ad.',
    screenId: 'Optional. Candidates answer it when they apply, and you see who passed.',
    closingDate: 'Optional. The last day candidates can apply, in Australian Eastern Standard Time.',
  },
  noQuestionnaire: 'None',
  closedQuestionnaire: (name: string) => `${name} (closed)`,
  makeQuestionnaire: 'Write a questionnaire',

  create: 'Publish ad',
  save: 'Save changes',
  previewHint: 'What candidates will see. Not saved yet.',
  see: 'View job',
  applications: 'Applications',
  close: 'Close job',
  open: 'Reopen job',

  made: 'Ad published. Candidates can find it now.',
  saved: 'Changes saved. Candidates see them now.',
  wasClosed: 'Job closed. Candidates can’t apply for it. If that was a mistake, reopen it.',
  wasOpened: 'Job reopened. Candidates can apply.',
  past: {
    made: 'Ad saved, but its closing date has passed, so candidates can’t apply.',
    wasOpened:
      'Job reopened, but its closing date has passed. Enter a later date so that candidates can apply.',
  },
  isCopy: 'This is a copy. Not published yet.',

  changedTitle: 'This ad has changed since you opened it.',
  changed: (at: Html): Html =>
    html`It was last saved on ${at}. Your changes are below and haven’t been saved. Save again to replace the current version.`,
  changedFields: 'The current version differs from yours:',
  changedState: (state: string) => `Only its state has changed. It is now ${state.toLowerCase()}.`,
  empties: 'empty',

  tooLongTitle: 'This ad is too long',
  tooLong: 'The ad is far longer than allowed. Nothing was saved.',
  tooLongHelp: 'Go back in your browser, where your text is still in the form, and shorten the description.',
  back: 'Back to job ads',

  /** The error text of a field, by the code of the rule it breaks. */
  fault(field: string, code: string, most: Record<string, number>): string {
    const label = labels[field as Field] ?? field
    if (field === 'screenId') {
      return code === 'closed'
        ? 'This questionnaire is closed. Reopen it or choose another.'
        : 'Choose one of your questionnaires, or "None".'
    }
    if (field === 'closingDate') return 'Enter a date such as 2027-03-31, or leave it empty.'
    if (code === 'empty') return emptyFaults[field as Field] ?? `${label} must not be empty.`
    if (code === 'too-long') return `${label}: use at most ${digits().format(most[field] ?? 0)} characters.`
    if (code === 'line-break') return `${label} must be one line.`
    return `${label} contains a character we can’t save. Type the text instead of pasting it.`
  },
} as const

const emptyFaults: Partial<Record<Field, string>> = {
  title: 'Enter a job title.',
  location: 'Enter a location.',
  description: 'Describe the job.',
}
