import type { FastifyReply, RouteOptions } from 'fastify'
import type { Holds } from '../../collect/retention/holds-service.ts'
import type { ApplicationFinding } from '../../collect/search/ports.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type Call, pathId } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { breadcrumb, pageHead } from '../../web/components.ts'
import { errorSummary, needed, textArea } from '../../web/fields.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { checked } from '../refusals.ts'
import { holdTexts as texts } from './hold-texts.ts'
import { nameOf } from './markup.ts'

interface PageDeps {
  holds: Pick<Holds, 'place' | 'release'>
  finding: Pick<ApplicationFinding, 'detail'>
  sessions: Sessions
  limits: Pick<Limits, 'holdReasonLength'>
}

type HoldCall = Call<'console', 'applicationId'>

export const holdPath = (advertiserId: number, applicationId: number) =>
  `${consolePath(advertiserId, 'applications')}/${applicationId}/hold`

/** Where an admin puts an application on hold for a dispute, and releases it. */
export function holdPages({ holds, finding, sessions, limits }: PageDeps): RouteOptions[] {
  const url = '/console/:advertiserId/applications/:applicationId/hold'

  async function show(call: HoldCall, typed = '', errors: readonly FieldError[] = []): Promise<FastifyReply> {
    const { reply, caller } = call
    const application = await finding.detail(caller.advertiserId, pathId(call.params.applicationId))
    if (application.erasedAt !== null) throw new Problem('not-found')
    const path = holdPath(caller.advertiserId, application.id)
    const back = path.replace(/\/hold$/, '')
    return sendPage(reply, {
      status: errors.length > 0 ? 422 : 200,
      title: texts.formTitle,
      heading: pageHead(texts.formTitle, false, breadcrumb([{ href: back, label: nameOf(application) }])),
      navigation: consoleNavigation(caller, 'applications'),
      body: html`${errorSummary(errors)}<form class="card" method="post" action="${path}" novalidate>
<input type="hidden" name="form_token" value="${sessions.formToken(reply, path)}">
<p>${texts.lead}</p>
${textArea({ name: 'reason', label: needed(texts.reason), hint: texts.reasonHint, value: typed, errors, attributes: html`rows="4" required maxlength="${limits.holdReasonLength}"` })}
<p class="actions"><button type="submit">${texts.save}</button><a class="button second" href="${back}">${texts.cancel}</a></p></form>`,
    })
  }

  return [
    adminPage.get(url, call => show(call)),
    adminPage.post(url, async call => {
      const { advertiserId, candidateId } = call.caller
      const applicationId = pathId(call.params.applicationId)
      const path = holdPath(advertiserId, applicationId)
      const fields = sessions.checkForm(call, path)
      await finding.detail(advertiserId, applicationId)
      if (fields.get('action') === 'release') {
        await holds.release(advertiserId, applicationId, candidateId)
      } else {
        // Browsers send line breaks as CR and LF.
        const reason = (fields.get('reason') ?? '').replaceAll('\r\n', '\n')
        const placed = await checked(() =>
          holds.place(advertiserId, applicationId, { reason, by: candidateId }),
        )
        if ('errors' in placed) return show(call, reason, placed.errors)
      }
      return redirect(call.reply, path.replace(/\/hold$/, ''))
    }),
  ]
}
