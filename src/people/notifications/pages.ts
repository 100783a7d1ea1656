import type { RouteOptions } from 'fastify'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { topics } from '../../model/notice-topics.ts'
import { notice } from '../../web/components.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import type { Members } from '../members/service.ts'
import { notificationsBody, notificationsPath as path } from './markup.ts'
import type { Notifications } from './service.ts'
import { notificationTexts as texts } from './texts.ts'

interface NotificationPageDeps {
  notifications: Notifications
  members: Pick<Members, 'workplacesOf'>
  sessions: Sessions
  isMailOn: boolean
}

/** Where a person chooses which emails they get. */
export function notificationPages(deps: NotificationPageDeps): RouteOptions[] {
  const { notifications, members, sessions } = deps
  return [
    accountPage.get(path, async ({ request, reply, caller }) => {
      const { candidateId } = caller
      const isSaved = new FormFields(searchOf(request.url)).get('done') === 'saved'
      const workplaces = await members.workplacesOf(candidateId)
      return sendPage(reply, {
        title: texts.title,
        navigation: accountNavigation(path),
        body: html`${isSaved && notice('good', texts.saved)}${notificationsBody({
          preferences: await notifications.preferences(candidateId),
          isMailOn: deps.isMailOn,
          workplaces: workplaces.filter(({ status }) => status === 'active'),
          token: sessions.formToken(reply, path),
        })}`,
      })
    }),
    accountPage.post(path, async call => {
      const fields = sessions.checkForm(call, path)
      const wanted = topics.filter(topic => fields.get(topic) === 'yes')
      await notifications.chooseTopics(call.caller.candidateId, wanted)
      return redirect(call.reply, `${path}?done=saved`)
    }),
  ]
}
