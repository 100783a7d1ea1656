import type { FilterFault, FilterName } from '../../collect/search/filter.ts'
import type { Total } from '../../collect/search/ports.ts'
import { lazily } from '../../core/lazily.ts'
import type { FileType } from '../../model/application.ts'
import { type ApplicationStatus, statusLabels } from '../../model/application-status.ts'
import { stripBidi } from '../../web/bidi.ts'

export const fileLabels: Record<FileType, string> = {
  resume: 'Resume',
  coverLetter: 'Cover letter',
  selectionCriteria: 'Selection criteria',
}

const faults: Record<FilterFault, (typed: string) => string> = {
  'too-long': () => 'This search is too long. Enter the start of a name, an email address or a reference.',
  'no-ad': () => 'This job ad doesn’t exist. Choose one from the list.',
  'no-day': typed => `“${typed}” isn’t a date. Enter one such as 2026-11-15.`,
  crossed: () => 'The end date is before the start date.',
  'no-choice': typed => `“${typed}” isn’t one of the choices.`,
}

/** `America/New York` */
export const zoneInWords = (timeZone: string) => timeZone.replaceAll('_', ' ')

const dayForm = lazily(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }))
const dayWords = (day: string) => dayForm().format(Date.parse(day))

const number = lazily(() => new Intl.NumberFormat('en-GB'))

export const applicationsTexts = {
  title: 'Applications',
  export: 'Export as CSV',
  count: ({ count, isMore }: Total) => `${number().format(count)}${isMore ? '+' : ''}`,
  total: ({ count, isMore }: Total) =>
    `${isMore ? 'More than ' : ''}${number().format(count)} ${count === 1 && !isMore ? 'application' : 'applications'}`,
  fault: (fault: FilterFault, typed: string) => faults[fault](typed),
  timeZone: (timeZone: string) => `Days and times are in ${zoneInWords(timeZone)} time.`,
  changeTimeZone: 'Change time zone',
  faultLead: 'Some filters were ignored.',
  exportFaultLead: 'Nothing was exported.',

  filters: {
    label: 'Filters',
    q: 'Search',
    qExample: 'Start of a name, email or reference',
    ad: 'Job ad',
    status: 'Status',
    order: 'Order',
    anyAd: 'All job ads',
    more: 'More filters',
    otherAd: (id: number) => `Job ad ${id}`,
    adChoice: ({ title, reference }: { title: string; reference: string | null }) =>
      stripBidi(reference === null ? title : `${title} (${reference})`),
    from: 'From',
    to: 'To',
    screen: 'Questionnaire',
    anyQuestionnaire: 'All',
    passed: 'Passed',
    failed: 'Failed',
    virus: 'Infected files',
    show: 'Apply',
    clear: 'Clear all',
  },
  /** Labels of the filters in use. */
  chips: {
    q: (typed: string) =>
      /^[1-9]\d*$/.test(typed) ? `Starts with “${typed}”, or has this number` : `Starts with “${typed}”`,
    ad: (title: string) => `For “${title}”`,
    status: (status: string) => statusLabels[status as ApplicationStatus],
    order: () => 'Unread first',
    from: (day: string) => `From ${dayWords(day)}`,
    to: (day: string) => `To ${dayWords(day)}`,
    screen: (choice: string) => (choice === 'passed' ? 'Questionnaire passed' : 'Questionnaire failed'),
    virus: () => 'Infected files',
  } satisfies Record<FilterName, (typed: string) => string>,
  chipsLabel: 'Filters in use',
  remove: 'Remove this filter:',

  columns: {
    name: 'Name',
    status: 'Status',
    job: 'Job',
    submitted: 'Submitted',
    screen: 'Questionnaire',
    files: 'Files',
    email: 'Email',
  },
  erased: 'Erased',
  noQuestionnaire: 'None',
  passed: 'Passed',
  failed: 'Failed',
  noFiles: 'None',
  withVirus: (type: FileType) => `${fileLabels[type]}: infected`,
  noJob: 'No reference',

  noneYet: {
    title: 'No applications yet',
    text: 'Applications appear here as soon as a candidate applies for one of your jobs, on this site or on a job board that sends them to us.',
    action: 'Your job ads',
  },
  noMatch: {
    title: 'No applications match',
    text: 'Try fewer filters, or the start of a name.',
  },
  noOlder: { title: 'End of list', text: 'There are no older applications.', action: 'Newest applications' },
  tooManyExports: 'You have other exports running. Wait for one to finish, then try again.',

  csv: {
    columns: [
      'ID',
      'Submitted',
      'First name',
      'Last name',
      'Email',
      'Phone',
      'Job ad',
      'Reference',
      'Questionnaire',
      'Job title',
      'Company',
      'Months in role',
      'Files',
      'Virus',
      'Status',
    ],
    yes: 'yes',
    no: 'no',
    notChecked: 'not checked',
  },
} as const
