import type { RouteOptions } from 'fastify'
import { isMuted, type Topic, topics } from '../../model/notice-topics.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { card, notice } from '../../platform/web/components.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { accountTab } from '../account/tab-pages.ts'
import type { Workplace } from '../members/rules.ts'
import type { Members } from '../members/service.ts'
import type { Notifications } from './service.ts'

export const notificationsPath = '/account/notifications'

/** The page where a person chooses which emails they get. */
export function notificationPages(deps: {
  notifications: Notifications
  members: Pick<Members, 'workplacesOf'>
  sessions: Sessions
  isMailOn: boolean
}): RouteOptions[] {
  const { notifications, members, sessions, isMailOn } = deps
  return accountTab(sessions, notificationsPath)(notificationsPath, {
    async show({ caller: { candidateId }, form }) {
      const { muted, refusedAt } = await notifications.preferences(candidateId)
      const workplaces = await members.workplacesOf(candidateId)
      const active = workplaces.filter(({ status }) => status === 'active')
      return {
        title: 'Email notifications',
        body: html`${!isMailOn && notice('info', 'This service isn’t set up to send email yet. Your choices take effect once it is.')}
${
  refusedAt !== null &&
  notice(
    'warning',
    html`<p>The mail server rejected our email to your address, so we don’t send notifications there. See <a href="/account/security">Sign-in and security</a>.</p>`,
  )
}
${form({
  action: notificationsPath,
  lead: html`<fieldset class="choices"><legend><h2 class="first">What we email you about</h2></legend>
${topics.map(topic => topicChoice(topic, !isMuted(muted, topic)))}</fieldset>`,
  label: 'Save notifications',
})}
${card(
  'Always on',
  html`<p>We always tell you about a new password, a new email address and the deletion of your account. You can’t switch these emails off.</p>`,
  'always',
)}
${active.length > 0 && workplaceCard(active)}`,
      }
    },
    acts: {
      '': {
        async run({ caller, value }) {
          const wanted = topics.filter(topic => value(topic) === 'yes')
          await notifications.chooseTopics(caller.candidateId, wanted)
          return 'saved'
        },
      },
    },
    done: { saved: 'Notifications saved.' },
  })
}

const topicWords: Record<Topic, { label: string; hint: string }> = {
  receipts: {
    label: 'Receipts for my applications',
    hint: 'What you sent, each time you apply for a job.',
  },
  progress: {
    label: 'Progress of my applications',
    hint: 'When a company tells you what it decided, and when you withdraw.',
  },
  disclosures: {
    label: 'New companies that get my data',
    hint: 'The first time that a website or company reads your profile with your permission.',
  },
}

function topicChoice(topic: Topic, isChosen: boolean): Html {
  const { label, hint } = topicWords[topic]
  return html`<label class="choice"><input type="checkbox" name="${topic}" value="yes" ${flag('checked', isChosen)}> <span>${label}<span class="hint">${hint}</span></span></label>
`
}

const workplaceCard = (workplaces: readonly Workplace[]) =>
  card(
    'New applications',
    html`<p>Emails about applications to your company are set for each company.</p><ul>${workplaces.map(
      ({ advertiserId, advertiserName }) =>
        html`<li><a href="/console/${advertiserId}/notifications">Notifications for ${isolateBidi(advertiserName)}</a></li>`,
    )}</ul>`,
    'work',
  )
