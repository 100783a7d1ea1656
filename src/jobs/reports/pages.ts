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
import { t } from '../../platform/web/t.ts'
import { tabOf } from '../../platform/web/tab.ts'
import { jobPath } from '../markup.ts'
import { maxReportDetailsLength, type Reports } from './service.ts'

/** Why a job is reported, as reporters and operators read it. */
export const reasonTexts: Record<ReportReason, string> = {
  fraud: t`It’s a scam, or asks for money or documents`,
  misleading: t`It’s misleading: pay, place, work or company are wrong`,
  discrimination: t`It discriminates`,
  missing: t`Something is missing that the law requires, such as the pay`,
  gone: t`The job doesn’t exist or is no longer open`,
  offensive: t`It’s offensive`,
  other: t`Something else`,
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
          title: t`Report this job`,
          crumbs: [{ href: jobPath(ad.id), label: ad.title }],
          failed: t`Nothing was sent.`,
          body: html`<p>${t`${html`<strong>${isolateBidi(ad.title)}</strong>`} at ${isolateBidi(ad.advertiserName)}, ${isolateBidi(ad.location)}`}</p>
${
  query.get('done') === 'sent'
    ? html`<p class="actions">${linkButton('/jobs', t`See other jobs`)}</p>`
    : form({
        action: `${jobPath(ad.id)}/report`,
        isOnce: true,
        text: html`${t`Tell the people who run this job board what is wrong. The company doesn’t see who reported it.`} <a href="${policyPath}">${t`What happens with a report`}</a>`,
        fields: [
          choice({
            name: 'reason',
            label: t`What is wrong?`,
            none: t`Choose a reason`,
            choices: reportReasons.map(id => ({ id, description: reasonTexts[id] })),
          }),
          textLines({
            name: 'details',
            label: t`Details (optional)`,
            hint: t`Up to ${maxReportDetailsLength} characters. Please leave out your own personal details.`,
            attributes: html`rows="6" maxlength="${maxReportDetailsLength}"`,
          }),
          isMailOn &&
            textInput({
              name: 'email',
              label: t`Email address (optional)`,
              hint: t`If you enter one, you get a receipt, and an answer when we have decided.`,
              attributes: html`type="email" autocomplete="email"`,
            }),
        ],
        label: t`Send report`,
        beside: linkButton(jobPath(ad.id), t`Cancel`),
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
      done: { sent: t`Thank you. Your report was sent to the people who run this job board.` },
    }),
    publicPage.get(policyPath, ({ reply }) =>
      sendPage(reply, {
        title: t`Reports about jobs`,
        body: policyMarkup(policy, reply.server.board.contactUrl),
      }),
    ),
  ]
}

function policyMarkup({ url, text }: ReportPageDeps['policy'], contactUrl: string | undefined): Html {
  return html`${text !== undefined && html`<section class="card prose">${markdown(text, 2)}</section>`}
${url !== undefined && html`<p><a href="${url}">${t`Read our policy about job ads`}</a></p>`}
<section class="prose"><h2>${t`What happens with a report`}</h2>
<p>${t`Each job has a link “Report this job”. You don’t need an account, and the company doesn’t learn who reported it. The people who run this job board read each report and decide: they leave the job as it is, or take it off the board and tell the company why. If you left an email address, you get a receipt and an answer.`}</p>
<p>${t`We keep reports and decisions for three years, and then remove them. Write to us to have your email address removed earlier.`}${contactUrl !== undefined && html` <a href="${contactUrl}">${t`Contact us`}</a>`}</p></section>`
}
