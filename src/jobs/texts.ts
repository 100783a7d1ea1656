import type { EpochMs } from '../core/clock.ts'
import { lazily } from '../core/lazily.ts'
import { isolateBidi } from '../web/bidi.ts'
import { type Html, html } from '../web/html.ts'

const dayMs = 86_400_000
const longDay = lazily(() => new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeZone: 'UTC' }))

/** Texts of the job board. */
export const jobTexts = {
  title: 'Jobs',
  searchLabel: 'Find a job',
  searchHint: 'Job title, location or company',
  search: 'Search',
  searchAgain: 'Show all jobs',
  count: (count: number, isMore: boolean) =>
    `${isMore ? 'More than ' : ''}${count.toLocaleString('en')} ${count === 1 ? 'job' : 'jobs'}`,
  found: (count: string, text: string): Html =>
    html`${count} matching <strong>${isolateBidi(text)}</strong>, newest first`,
  newestFirst: (count: string) => `${count}, newest first`,
  posted(at: EpochMs, now: EpochMs): Html {
    const days = Math.max(0, Math.floor((now - at) / dayMs))
    const words =
      days === 0 ? 'today' : days === 1 ? 'yesterday' : days <= 30 ? `${days} days ago` : longDay().format(at)
    return html`Posted <time datetime="${new Date(at).toISOString()}">${words}</time>`
  },
  others: (company: string): Html => html`More jobs at ${isolateBidi(company)}`,
  othersLabel: 'More jobs at this company',
  applied: (on: Html): Html =>
    html`<p>You applied for this job on ${on}. <a href="/account/applications">See your application</a></p>`,
  withdrawn: (on: Html | false, isOpen: boolean): Html =>
    html`<p>You withdrew your application for this job${on && html` on ${on}`}. ${isOpen && 'You can apply again. '}<a href="/account/applications">See your application</a></p>`,
  listLabel: 'Open jobs',
  closes: (day: Html): Html => html`Closes ${day}`,
  noneTitle: 'No jobs yet',
  none: 'No jobs are open at the moment. Check back soon.',
  noneOlderTitle: 'End of list',
  noneOlder: 'There are no older jobs.',
  noneFoundTitle: 'No jobs found',
  noneFound: (text: string): Html =>
    html`No open jobs match <strong>${isolateBidi(text)}</strong>. Try fewer words. We search titles, locations and companies.`,
  closed: 'Applications for this job have closed.',
  company: 'Company',
  location: 'Location',
  date: 'Date',
  until: 'Closing date',
  about: 'About the job',
  apply: 'Apply',
  applyHint: (board: string) =>
    `Apply with your ${board} account. Your profile fills in the form, and you can check everything before you send it.`,
  noSuchTitle: 'Job not found',
  noSuchLead: 'We couldn’t find that job',
  noSuch: 'It may have been removed, or the link may be incomplete.',
  seeOpen: 'See open jobs',
} as const
