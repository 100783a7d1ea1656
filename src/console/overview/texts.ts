import { lazily } from '../../core/lazily.ts'
import { numberText } from '../../web/chart.ts'
import { type Html, html } from '../../web/html.ts'

const applications = (count: number) => (count === 1 ? '1 application' : `${numberText(count)} applications`)
const dayForm = lazily(
  () => new Intl.DateTimeFormat('en-AU', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
)

export const overviewTexts = {
  title: 'Overview',
  numbers: 'Applications at a glance',
  unread: 'Unread',
  shortlisted: 'Shortlisted',
  all: 'All applications',
  sinceLastVisit: 'Since your last visit',
  lastVisit: (at: Html) => html`You were last here ${at}.`,
  oldest: 'Oldest unread',
  noneUnread: 'Every application has been read.',
  read: 'Read it now',

  ads: 'Newest job ads',
  noAds: 'You have no job ads here yet.',
  adColumns: { title: 'Job ad', all: 'Applications' },
  allAds: 'All job ads',
  counted: (count: number) => numberText(count),
  unreadOf: (count: number) => `${numberText(count)} unread`,

  days: (days: number, total: number) => `The last ${days} days: ${applications(total)}`,
  daysSummary: (total: number, most: number, day: string) =>
    `Bar chart of applications per day: ${applications(total)} in total, peaking at ${numberText(most)} on ${day}.`,
  noDays: 'No applications in this period.',
  dayText: (day: string) => dayForm().format(Date.parse(day)),
  zone: 'The chart’s days are in Australian Eastern Standard Time (UTC+10).',

  noneYet: {
    title: 'No applications yet',
    text: 'As soon as a candidate applies for one of your jobs, this page shows what is new and what waits to be read.',
    action: 'See your job ads',
  },
} as const
