import type { FilterFault, FilterName } from '../../collect/search/filter.ts'
import type { FileType } from '../../model/application.ts'
import { unturned } from '../../web/bidi.ts'

export const fileLabels: Record<FileType, string> = {
  resume: 'Resume',
  coverLetter: 'Cover letter',
  selectionCriteria: 'Selection criteria',
}

const faults: Record<FilterFault, (typed: string) => string> = {
  'too-long': () =>
    'This is too long to search for. Type the beginning of a name, an address or a reference.',
  'no-ad': () => 'There is no such job ad. Choose one from the list.',
  'no-day': typed => `“${typed}” is no date. Write it as year, month and day, such as 2026-11-15.`,
  crossed: () => 'The last day is before the first one.',
  'no-choice': typed => `“${typed}” is not one of the choices.`,
}

/** `America/New York` */
export const zoneInWords = (timeZone: string) => timeZone.replaceAll('_', ' ')

const dayForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const dayWords = (day: string) => dayForm.format(Date.parse(day))

export const applicationsTexts = {
  title: 'Applications',
  export: 'Export as CSV',
  fault: (fault: FilterFault, typed: string) => faults[fault](typed),
  timeZone: (timeZone: string) => `Days and times are in ${zoneInWords(timeZone)} time.`,
  changeTimeZone: 'Change the time zone',
  faultLead: 'Not every filter was used.',
  exportFaultLead: 'Nothing was exported.',

  filters: {
    label: 'Filters',
    q: 'Search',
    qHint: 'Start of a name, e-mail address or reference, or an application number',
    ad: 'Job ad',
    anyAd: 'All',
    otherAd: (id: number) => `Job ad ${id}`,
    adChoice: ({ title, reference }: { title: string; reference: string | null }) =>
      unturned(reference === null ? title : `${title} (${reference})`),
    from: 'From',
    to: 'To',
    screen: 'Questionnaire',
    anyScreen: 'All',
    passed: 'Passed',
    failed: 'Failed',
    virus: 'With a virus',
    show: 'Show',
    clear: 'Clear all filters',
  },
  /** What is narrowed down, in a word or two. */
  chips: {
    q: (typed: string) =>
      /^[1-9]\d*$/.test(typed) ? `Begins with “${typed}”, or has this number` : `Begins with “${typed}”`,
    ad: (title: string) => `For “${title}”`,
    from: (day: string) => `From ${dayWords(day)}`,
    to: (day: string) => `To ${dayWords(day)}`,
    screen: (choice: string) => (choice === 'passed' ? 'Questionnaire passed' : 'Questionnaire failed'),
    virus: () => 'With a virus',
  } satisfies Record<FilterName, (typed: string) => string>,
  chipsLabel: 'Filters in use',
  remove: 'Remove this filter:',

  columns: {
    name: 'Name',
    job: 'Job',
    submitted: 'Submitted',
    screen: 'Questionnaire',
    files: 'Files',
    email: 'E-mail',
  },
  erased: 'Deleted account',
  noScreen: 'None',
  passed: 'Passed',
  failed: 'Failed',
  noFiles: 'None',
  withVirus: (type: FileType) => `${fileLabels[type]}: virus`,
  noJob: 'No reference',

  noneYet: {
    title: 'No applications yet',
    text: 'They appear here as soon as somebody applies for one of your jobs, here or on a job board that sends them to us.',
    action: 'Your job ads',
  },
  noMatch: {
    title: 'Nothing matches',
    text: 'No application is like this. Try fewer filters, or the beginning of a name.',
  },
  noOlder: { title: 'Nothing older', text: 'This is the end of the list.', action: 'Newest applications' },
  tooManyExports: 'You have other exports under way. Wait until one of them is finished, and then try again.',

  csv: {
    columns: [
      'ID',
      'Submitted',
      'First name',
      'Last name',
      'E-mail',
      'Phone',
      'Job ad',
      'Reference',
      'Questionnaire',
      'Job title',
      'Company',
      'Months in role',
      'Files',
      'Virus',
    ],
    yes: 'yes',
    no: 'no',
    notChecked: 'not checked',
  },
} as const
