import type { RouteOptions } from 'fastify'
import { type Rhythm, rhythms } from '../../model/notice-topics.ts'
import type { Notifications } from '../../people/notifications/service.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { notice } from '../../platform/web/components.ts'
import { flag, html } from '../../platform/web/html.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

/**
 * The page where a member chooses how often they are notified of new applications; members cannot see or change each
 * other's choice.
 */
export function consoleNotificationPages(deps: {
  notifications: Notifications
  sessions: Sessions
  isMailOn: boolean
}): RouteOptions[] {
  const { notifications } = deps
  const tab = consoleTab(deps.sessions, 'notifications', { view: 'member' })
  return tab('/console/:advertiserId/notifications', {
    async show({ caller: { advertiserId, candidateId, timeZone }, form }) {
      const [chosen, { refusedAt }] = await Promise.all([
        notifications.rhythm(advertiserId, candidateId),
        notifications.preferences(candidateId),
      ])
      const choices = rhythms.map(rhythm => {
        const [label, hint] = rhythmTexts(timeZone.replaceAll('_', ' '))[rhythm]
        return html`<label class="choice"><input type="radio" name="rhythm" value="${rhythm}" ${flag('checked', rhythm === chosen)}> <span>${label}<span class="hint">${hint}</span></span></label>
`
      })
      const security = html`<a href="/account/security">Sign-in and security</a>`
      return {
        title: 'Notifications',
        body: html`${!deps.isMailOn && notice('info', 'This service isn’t set up to send email yet. Your choice takes effect once it is.')}
${refusedAt !== null && notice('warning', html`<p>The mail server rejected our email to your address, so you get no notifications. See ${security}.</p>`)}
${form({
  action: consolePath(advertiserId, 'notifications'),
  lead: html`<fieldset class="choices" aria-describedby="rhythm-hint"><legend>Email me about new applications</legend>
<p class="hint" id="rhythm-hint">The email says how many there are and for which jobs, and which applications were withdrawn. It never names a candidate.</p>
${choices}</fieldset>`,
  label: 'Save notifications',
  beside: html`<span class="hint">Each of your colleagues chooses for themselves.</span>`,
})}`,
      }
    },
    acts: {
      '': {
        async run({ caller, value }) {
          const rhythm = rhythms.find(each => each === value('rhythm'))
          if (rhythm === undefined) throw new Problem('bad-request', 'There is no such choice.')
          await notifications.setRhythm(caller.advertiserId, caller.candidateId, rhythm)
          return 'saved'
        },
      },
    },
    done: { saved: 'Notifications saved.' },
  })
}

const rhythmTexts = (zone: string): Record<Rhythm, [label: string, hint: string]> => ({
  soon: ['As they come', 'One email every 15 minutes at most.'],
  daily: ['Once a day', `At eight in the morning (${zone} time), if there’s something new.`],
  off: ['Off', 'No emails about applications to this company.'],
})
