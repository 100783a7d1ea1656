import { isolateBidi } from '../web/bidi.ts'
import { type Html, html } from '../web/html.ts'

/** Texts of the job board. */
export const jobTexts = {
  title: 'Jobs',
  searchLabel: 'Find a job',
  searchHint: 'Job title, location or company',
  search: 'Search',
  searchAgain: 'Show all jobs',
  found: (text: string): Html => html`Jobs matching <strong>${isolateBidi(text)}</strong>, newest first.`,
  newestFirst: 'Newest first.',
  listLabel: 'Open jobs',
  closes: (day: Html): Html => html`Closes ${day}`,
  noneTitle: 'No jobs yet',
  none: 'No jobs are open at the moment. Check back soon.',
  noneOlderTitle: 'End of list',
  noneOlder: 'There are no older jobs.',
  noneFoundTitle: 'No jobs found',
  noneFound: (text: string): Html =>
    html`No open jobs match <strong>${isolateBidi(text)}</strong>. Try fewer words. We search titles, locations and companies.`,
  newest: 'Newest jobs',
  closed: 'Applications for this job have closed.',
  company: 'Company',
  location: 'Location',
  until: 'Closing date',
  about: 'About the job',
  apply: 'Apply',
  applyHint:
    'Apply with your Dossier account. Your profile fills in the form, and you can check everything before you send it.',
  all: 'All jobs',
  noSuchTitle: 'Job not found',
  noSuchLead: 'We couldn’t find that job',
  noSuch: 'It may have been removed, or the link may be incomplete.',
  seeOpen: 'See open jobs',
} as const
