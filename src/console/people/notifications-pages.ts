import type { RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { rhythms } from '../../model/notice-topics.ts'
import type { Notifications } from '../../people/notifications/service.ts'
import { notice } from '../../web/components.ts'
import { flag, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { memberPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { consoleNotificationsTexts as texts } from './notifications-texts.ts'

const url = '/console/:advertiserId/notifications'

/** Where a member chooses how often they hear of new applications; no member sees or changes another's choice. */
export function consoleNotificationPages(deps: {
  notifications: Notifications
  sessions: Sessions
  isMailOn: boolean
}): RouteOptions[] {
  const { notifications, sessions } = deps
  return [
    memberPage.get(url, async ({ request, reply, caller }) => {
      const { advertiserId, candidateId, timeZone } = caller
      const path = consolePath(advertiserId, 'notifications')
      const [chosen, { refusedAt }] = await Promise.all([
        notifications.rhythm(advertiserId, candidateId),
        notifications.preferences(candidateId),
      ])
      const choices = rhythms.map(rhythm => {
        const { label, hint } = texts.rhythms[rhythm]
        return html`<label class="choice"><input type="radio" name="rhythm" value="${rhythm}" ${flag('checked', rhythm === chosen)}> <span>${label}<span class="hint">${hint(timeZone.replaceAll('_', ' '))}</span></span></label>
`
      })
      const isSaved = new FormFields(searchOf(request.url)).get('done') === 'saved'
      return sendPage(reply, {
        title: texts.title,
        navigation: consoleNavigation(caller, 'notifications'),
        body: html`${isSaved && notice('good', texts.saved)}
${!deps.isMailOn && notice('info', texts.noMail)}
${refusedAt !== null && notice('warning', html`<p>${texts.refused}</p>`)}
<form class="card" method="post" action="${path}">
<input type="hidden" name="form_token" value="${sessions.formToken(reply, path)}">
<fieldset class="choices" aria-describedby="rhythm-hint"><legend>${texts.legend}</legend>
<p class="hint" id="rhythm-hint">${texts.hint}</p>
${choices}</fieldset>
<div class="actions"><button type="submit">${texts.save}</button><span class="hint">${texts.forYou}</span></div></form>`,
      })
    }),
    memberPage.post(url, async call => {
      const { advertiserId, candidateId } = call.caller
      const path = consolePath(advertiserId, 'notifications')
      const typed = sessions.checkForm(call, path).get('rhythm')
      const rhythm = rhythms.find(each => each === typed)
      if (rhythm === undefined) throw new Problem('bad-request', 'There is no such choice.')
      await notifications.setRhythm(advertiserId, candidateId, rhythm)
      return redirect(call.reply, `${path}?done=saved`)
    }),
  ]
}
