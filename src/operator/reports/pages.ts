import type { RouteOptions } from 'fastify'
import type { AdDecision, JobReport, ReviewedAd } from '../../jobs/reports/report-store.ts'
import { holdReasonLength, type Reports } from '../../jobs/reports/service.ts'
import type { AdAct, ReportReason } from '../../model/job-report.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { pathId } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { badge, card, notice, table, valueList } from '../../platform/web/components.ts'
import { textLines } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { markdown } from '../../platform/web/markdown.ts'
import { refusal } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import { operatorPath } from '../navigation-markup.ts'
import { operatorTab } from '../tab-pages.ts'

const adPath = (id: number | string) => `/operator/reports/${id}`

/** Reported ads, ads awaiting review, and held ads. */
export function operatorReportPages(deps: {
  reports: Reports
  reasonTexts: Readonly<Record<ReportReason, string>>
  sessions: Sessions
}): RouteOptions[] {
  const { reports, reasonTexts } = deps
  const tab = operatorTab(deps.sessions, 'reports')
  return [
    ...tab('/operator/reports', {
      async show() {
        const { open, waiting, held, counts, listed } = await reports.queue()
        return {
          title: 'Reported jobs',
          body: html`<h2 class="first">Open reports</h2>
${table({
  caption:
    counts.reports > listed
      ? `The ${listed} oldest of ${counts.reports} open reports`
      : 'Open reports, oldest first',
  empty: 'No reports are open.',
  rows: open,
  columns: [
    ['Job', ({ ad }) => adLink(ad)],
    ['Reason', ({ reason }) => reasonTexts[reason]],
    ['Reported', ({ reportedAt }) => timeElement(reportedAt)],
    ['State', ({ ad }) => stateBadge(ad)],
  ],
})}
${adTable(
  waiting,
  counts.reviews > listed
    ? `The ${listed} oldest of ${counts.reviews} ads that wait for your review`
    : 'Ads that wait for your review',
  'No ads are waiting. With AD_REVIEW=new-companies, the first ads of each company wait here.',
)}
${adTable(
  held,
  held.length === listed ? `The ${listed} newest ads that are held` : 'Ads that are held',
  'No ads are held.',
)}`,
        }
      },
    }),
    ...tab('/operator/reports/:jobAdId', {
      async show({ params, form, button, canChange }) {
        const ad = await reports.review(pathId(params.jobAdId))
        const path = adPath(ad.jobAdId)
        const open = ad.reports.filter(({ outcome }) => outcome === null)
        return {
          title: ad.title,
          crumbs: [{ href: operatorPath('reports'), label: 'Reported jobs' }],
          failed: 'Nothing was changed.',
          body: html`${ad.hold?.kind === 'held' && notice('warning', html`<p>Held since ${timeElement(ad.hold.at)}. The company reads why:</p><p class="written">${ad.hold.reason}</p>`)}
${card(
  'Ad',
  html`${valueList([
    ['ID', ad.jobAdId],
    ['Company', html`<a href="/operator/companies/${ad.advertiserId}">${isolateBidi(ad.advertiserName)}</a>`],
    ['Location', isolateBidi(ad.location)],
    [
      'State',
      html`${stateBadge(ad)}${ad.status === 'closed' && html` ${badge('neutral', 'Closed by the company')}`}`,
    ],
  ])}
<div class="prose">${markdown(ad.description, 3)}</div>`,
)}
<h2>Reports</h2>
${reportTable(ad.reports, reasonTexts)}
<h2>Decisions</h2>
${decisionTable(ad.decisions)}
${
  canChange &&
  html`${ad.hold !== null && button({ action: `${path}/release`, fields: { seen: String(ad.updatedAt) }, label: ad.hold.kind === 'review' ? 'Approve ad' : 'Release ad', kind: 'first' })}
${
  open.length > 0 &&
  form({
    action: `${path}/dismiss`,
    hidden: { reports: open.map(({ id }) => id).join(' ') },
    text: 'Leaves the ad as it is. Reporters who left an address get an answer.',
    label: open.length === 1 ? 'Dismiss the report' : `Dismiss these ${open.length} reports`,
    kind: 'second',
  })
}
${
  ad.hold?.kind !== 'held' &&
  form({
    action: `${path}/hold`,
    text: 'Takes the ad off the board at once: it is on no page, and no application for it is accepted. Open reports are answered.',
    fields: [
      textLines({
        name: 'reason',
        label: 'What the company reads',
        hint: `Up to ${holdReasonLength} characters.`,
        attributes: html`rows="3" required maxlength="${holdReasonLength}"`,
      }),
    ],
    label: ad.hold === null ? 'Hold ad' : 'Refuse ad',
    kind: 'danger',
  })
}`
}`,
        }
      },
      acts: {
        hold: {
          command: 'job hold',
          audit: 'job-ad.hold',
          async run({ params, value }) {
            await reports.hold(pathId(params.jobAdId), value('reason'))
            return 'held'
          },
        },
        release: {
          command: 'job release',
          audit: 'job-ad.release',
          async run({ params, value }) {
            const outcome = await reports.release(pathId(params.jobAdId), Number(value('seen')))
            if (outcome === 'released') return 'released'
            return refusal(
              outcome === 'changed'
                ? 'The company has changed the ad since you opened this page. Please read it again.'
                : 'It was released before.',
            )
          },
        },
        dismiss: {
          command: 'job dismiss',
          audit: 'report.dismiss',
          async run({ params, value }) {
            const ids = value('reports').split(' ').filter(Boolean)
            return (await reports.dismiss(pathId(params.jobAdId), ids)) > 0
              ? 'dismissed'
              : refusal('These reports were decided before.')
          },
        },
      },
      done: {
        held: 'The ad is held. Its company reads why.',
        released: 'The ad may be public from now on.',
        dismissed: 'The reports were dismissed.',
      },
    }),
  ]
}

const adLink = ({ jobAdId, title, advertiserName }: ReviewedAd): Html =>
  html`<a href="${adPath(jobAdId)}">${isolateBidi(title)}</a><span class="hint">${isolateBidi(advertiserName)}</span>`

const stateBadge = ({ hold }: ReviewedAd): Html =>
  hold === null
    ? badge('good', 'Not held')
    : badge('warning', hold.kind === 'review' ? 'Waits for review' : 'Held')

const adTable = (rows: readonly ReviewedAd[], caption: string, empty: string): Html =>
  html`<h2>${caption}</h2>
${table({
  caption,
  empty,
  rows,
  columns: [
    ['Job', adLink],
    ['Since', ({ hold }) => timeElement(hold?.at ?? 0)],
  ],
})}`

const outcomes: Record<NonNullable<JobReport['outcome']>, string> = {
  held: 'The ad was held',
  kept: 'Dismissed',
}

const reportTable = (rows: readonly JobReport[], reasonTexts: Readonly<Record<ReportReason, string>>): Html =>
  table({
    caption: 'Reports, newest first',
    empty: 'No reports.',
    rows,
    columns: [
      ['Reported', ({ reportedAt }) => timeElement(reportedAt)],
      ['Reason', ({ reason }) => reasonTexts[reason]],
      ['Details', ({ details }) => html`<span class="written">${details}</span>`],
      [
        'Decision',
        ({ outcome, lastAt }) =>
          outcome === null ? 'Open' : html`${outcomes[outcome]}, ${timeElement(lastAt)}`,
      ],
    ],
  })

const acts: Record<AdAct, string> = {
  hold: 'Held',
  release: 'Released',
  approve: 'Approved',
  dismiss: 'Reports dismissed',
}

const decisionTable = (rows: readonly AdDecision[]): Html =>
  table({
    caption: 'Decisions, newest first',
    empty: 'Nothing was decided about this ad.',
    rows,
    columns: [
      ['Decided', ({ at }) => timeElement(at)],
      ['Decision', ({ act }) => acts[act]],
      ['By', ({ actor }) => actor],
      ['What the company read', ({ reason }) => html`<span class="written">${reason ?? '–'}</span>`],
    ],
  })
