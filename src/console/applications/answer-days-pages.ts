import type { RouteOptions } from 'fastify'
import type { Advertiser } from '../../companies/advertiser-store.ts'
import { maxAnswerDays, standardAnswerDays } from '../../model/unanswered.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { linkButton } from '../../platform/web/components.ts'
import { inputs, textInput } from '../../platform/web/forms.ts'
import { answerDaysPath, consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

/** The page where an admin chooses after how many days an application counts as unanswered. */
export function answerDaysPages(deps: {
  advertisers: { setAnswerDays(advertiserId: number, days: number | null): Promise<Advertiser> }
  sessions: Sessions
}): RouteOptions[] {
  return consoleTab(deps.sessions, 'applications', { view: 'admin' })(
    '/console/:advertiserId/applications/answer-days',
    {
      show({ caller: { advertiserId, answerDays }, form }) {
        const list = consolePath(advertiserId, 'applications')
        return {
          title: 'Days without an answer',
          crumbs: [{ href: list, label: 'Applications' }],
          body: form({
            action: answerDaysPath(advertiserId),
            text: 'An application that has never been more than new or seen after this time counts as unanswered: to the candidate, nothing has happened. The overview shows how many there are. Nothing is changed or sent.',
            fields: [
              textInput({
                name: 'days',
                label: 'Days without an answer',
                hint: `From 1 to ${maxAnswerDays}, or empty for ${standardAnswerDays}.`,
                value: answerDays === standardAnswerDays ? '' : String(answerDays),
                attributes: inputs.number,
              }),
            ],
            label: 'Save number of days',
            beside: linkButton(list, 'Cancel'),
          }),
        }
      },
      acts: {
        '': {
          async run({ caller: { advertiserId }, value }) {
            const days = value('days').trim()
            // Input that is not a number is also out of bounds.
            const chosen = days === '' ? null : /^\d{1,3}$/.test(days) ? Number(days) : 0
            await deps.advertisers.setAnswerDays(advertiserId, chosen)
            return { location: consolePath(advertiserId, 'applications') }
          },
        },
      },
    },
  )
}
