import { theirs } from '../web/bidi.ts'
import { type Html, html } from '../web/html.ts'

/** The words of the job board. */
export const jobTexts = {
  title: 'Jobs',
  searchLabel: 'Find a job',
  searchHint: 'Job title, place or company',
  search: 'Search',
  searchAgain: 'Show all jobs',
  found: (text: string): Html => html`Jobs that match <strong>${theirs(text)}</strong>, newest first.`,
  newestFirst: 'Newest first.',
  listLabel: 'Open jobs',
  closes: (day: Html): Html => html`until ${day}`,
  noneTitle: 'No jobs yet',
  none: 'No jobs are advertised at the moment. Please look in again soon.',
  noneOlderTitle: 'That was all',
  noneOlder: 'There are no older jobs.',
  noneFoundTitle: 'No job found',
  noneFound: (text: string): Html =>
    html`No open job matches <strong>${theirs(text)}</strong>. Every word is looked for in job title, place and company: fewer words find more.`,
  newest: 'Newest jobs',
  closed: 'This job is closed. It takes no more applications.',
  company: 'Company',
  location: 'Location',
  until: 'Applications until',
  about: 'About the job',
  apply: 'Apply',
  applyHint:
    'You apply with your Dossier account: your profile fills in the form, and you see everything before it is sent.',
  all: 'All jobs',
  noSuchTitle: 'No such job',
  noSuchLead: 'There is no job at this address',
  noSuch: 'It may have been taken down, or the link may be incomplete.',
  seeOpen: 'See the jobs that are open',
} as const
