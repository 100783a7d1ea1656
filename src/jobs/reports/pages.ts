import type { RouteOptions } from 'fastify'
import { type ReportReason, reportReasons } from '../../model/job-report.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { addressKey, type Limit } from '../../platform/http/rates/rate-limit.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { linkButton } from '../../platform/web/components.ts'
import { choice, textInput, textLines } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { markdown } from '../../platform/web/markdown.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { publicPage, visitorPage } from '../../platform/web/page-routes.ts'
import { tabOf } from '../../platform/web/tab.ts'
import { jobPath } from '../markup.ts'
import { maxReportDetailsLength, type Reports } from './service.ts'

/** Why a job is reported, as reporters and operators read it. */
export const reasonTexts: Record<ReportReason, string> = {
  fraud: 'It’s a scam, or asks for money or documents',
  misleading: 'It’s misleading: pay, place, work or company are wrong',
  discrimination: 'It discriminates',
  missing: 'Something is missing that the law requires, such as the pay',
  gone: 'The job doesn’t exist or is no longer open',
  offensive: 'It’s offensive',
  other: 'Something else',
}

const policyPath = '/about/reports'

export interface ReportPageDeps {
  reports: Pick<Reports, 'adOf' | 'add'>
  sessions: Sessions
  /** Limits per network, and for all networks together. */
  reportLimits: { ofNetwork: Limit; ofAll: Limit }
  /** The operator's policy on reports. */
  policy: { url: string | undefined; text: string | undefined }
  isMailOn: boolean
}

/** The pages where anyone can report a job, without an account, and read what happens next. */
export function reportPages(deps: ReportPageDeps): RouteOptions[] {
  const { reports, reportLimits, policy, isMailOn } = deps
  const tab = tabOf({
    sessions: deps.sessions,
    view: visitorPage,
    change: visitorPage,
    canChange: () => true,
    send: ({ reply }, page) =>
      sendPage(reply, { ...page, head: html`<meta name="robots" content="noindex">` }),
  })

  return [
    ...tab('/jobs/:jobAdId/report', {
      async show({ params, form, query }) {
        const ad = await reports.adOf(parseNumericId(params.jobAdId))
        return {
          title: 'Report this job',
          crumbs: [{ href: jobPath(ad.id), label: ad.title }],
          failed: 'Nothing was sent.',
          body: html`<p><strong>${isolateBidi(ad.title)}</strong> at ${isolateBidi(ad.advertiserName)}, ${isolateBidi(ad.location)}</p>
${
  query.get('done') === 'sent'
    ? html`<p class="actions">${linkButton('/jobs', 'See other jobs')}</p>`
    : form({
        action: `${jobPath(ad.id)}/report`,
        isOnce: true,
        text: html`Tell the people who run this job board what is wrong. The company doesn’t see who reported it. <a href="${policyPath}">What happens with a report</a>`,
        fields: [
          choice({
            name: 'reason',
            label: 'What is wrong?',
            none: 'Choose a reason',
            choices: reportReasons.map(id => ({ id, description: reasonTexts[id] })),
          }),
          textLines({
            name: 'details',
            label: 'Details (optional)',
            hint: `Up to ${maxReportDetailsLength} characters. Please leave out your own personal details.`,
            attributes: html`rows="6" maxlength="${maxReportDetailsLength}"`,
          }),
          isMailOn &&
            textInput({
              name: 'email',
              label: 'Email address (optional)',
              hint: 'If you enter one, you get a receipt, and an answer when we have decided.',
              attributes: html`type="email" autocomplete="email"`,
            }),
        ],
        label: 'Send report',
        beside: linkButton(jobPath(ad.id), 'Cancel'),
      })
}`,
        }
      },
      acts: {
        '': {
          async run({ request, reply, params, value }) {
            await reportLimits.ofNetwork.take(reply, addressKey(request.ip))
            await reportLimits.ofAll.take(reply, 'all')
            await reports.add(parseNumericId(params.jobAdId), {
              formKey: value('form_key'),
              reason: value('reason'),
              details: value('details'),
              email: isMailOn ? value('email') : '',
            })
            return 'sent'
          },
        },
      },
      done: { sent: 'Thank you. Your report was sent to the people who run this job board.' },
    }),
    publicPage.get(policyPath, ({ reply }) =>
      sendPage(reply, {
        title: 'Reports about jobs',
        body: policyMarkup(policy, reply.server.board.contactUrl),
      }),
    ),
  ]
}

function policyMarkup({ url, text }: ReportPageDeps['policy'], contactUrl: string | undefined): Html {
  return html`${text !== undefined && html`<section class="card prose">${markdown(text, 2)}</section>`}
${url !== undefined && html`<p><a href="${url}">Read our policy about job ads</a></p>`}
<section class="prose"><h2>What happens with a report</h2>
<p>Each job has a link “Report this job”. You don’t need an account, and the company doesn’t learn who reported it. The people who run this job board read each report and decide: they leave the job as it is, or take it off the board and tell the company why. If you left an email address, you get a receipt and an answer.</p>
<p>We keep reports and decisions for three years, and then remove them. Write to us to have your email address removed earlier.${contactUrl !== undefined && html` <a href="${contactUrl}">Contact us</a>`}</p></section>`
}
