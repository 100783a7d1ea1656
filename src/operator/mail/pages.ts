import type { RouteOptions } from 'fastify'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { badge, notice, table } from '../../platform/web/components.ts'
import { html } from '../../platform/web/html.ts'
import { refusal } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { ChosenDeliveries, DeliveryState } from '../../platform/work/delivery-ports.ts'
import type { Deliveries } from '../../platform/work/delivery-service.ts'
import type { BoardStore } from '../board-store.ts'
import { operatorTab } from '../tab-pages.ts'

const max = 100
const giveUpMs = 3 * 86_400_000

/** The outbox, and the addresses that reject our emails. */
export function operatorMailPages(deps: {
  deliveries: Pick<Deliveries, 'list' | 'retryNow' | 'drop' | 'wake'>
  board: Pick<BoardStore, 'refused' | 'liftRefusal'>
  isMailOn: boolean
  sessions: Sessions
}): RouteOptions[] {
  const { deliveries, board, isMailOn } = deps
  const gone = refusal('Nothing was done: no such email is waiting, failed or held.')
  const notRetried = refusal(
    'Nothing was done: no such email is waiting, failed or held. Most emails about an account are not sent after their time.',
  )

  return operatorTab(deps.sessions, 'mail')('/operator/mail', {
    async show({ button, canChange }) {
      const [emails, refused] = await Promise.all([
        deliveries.list(['waiting', 'dead', 'held'], max),
        board.refused(max),
      ])
      const about = (name: 'retry' | 'drop', label: string, { id, kind }: (typeof emails)[number]) =>
        button({
          action: `/operator/mail/${name}`,
          fields: { mail: id },
          label,
          describedAs: `${label}: ${kind}, ${id}`,
        })
      const every = (name: 'retry' | 'drop', all: 'dead' | 'held', label: string) =>
        emails.some(({ state }) => state === all) &&
        button({ action: `/operator/mail/${name}`, fields: { all }, label })
      return {
        title: 'Email',
        body: html`${!isMailOn && notice('warning', 'There is no mail server: set SMTP_URL. Emails that wait for one are dropped at the end of their time: after three to seven days, or when their link expires.')}
${table({
  caption: 'Emails that are waiting, failed or held',
  empty: 'No emails are waiting, failed or held.',
  rows: emails,
  columns: [
    ['Kind', ({ kind }) => kind],
    ['State', ({ state }) => badge(state === 'waiting' ? 'neutral' : 'warning', stateNames[state])],
    ['Attempts', ({ attempts }) => attempts],
    ['Written', ({ createdAt }) => timeElement(createdAt)],
    ['Next attempt', ({ state, dueAt }) => (state === 'waiting' ? timeElement(dueAt) : '–')],
    ['What the mail server said', ({ fault }) => said(fault)],
  ],
  actions:
    canChange &&
    (email =>
      html`<div class="actions tight">${about('retry', 'Try again', email)}${about('drop', 'Drop email', email)}</div>`),
})}
${emails.length >= max && html`<p class="quiet">Only the newest ${max} are shown. “dossier mail list” lists more.</p>`}
${canChange && emails.length > 0 && html`<div class="actions">${every('retry', 'dead', 'Retry all failed emails')}${every('retry', 'held', 'Send all that are held')}${every('drop', 'held', 'Drop all that are held')}</div>`}
<h2>Addresses that reject our emails</h2>
${refused.length > 0 && html`<p>We send them no notifications until the person, or you, have dealt with it. Accounts are named by their IDs.</p>`}
${table({
  caption: 'Accounts whose address rejects emails',
  empty: 'No address rejects our emails.',
  rows: refused,
  columns: [
    ['Account', ({ candidateId }) => html`<code>${candidateId}</code>`],
    ['Since', ({ at }) => timeElement(at)],
    ['What the mail server said', ({ words }) => said(words)],
  ],
  actions:
    canChange &&
    (({ candidateId }) =>
      button({
        action: '/operator/mail/lift',
        fields: { account: candidateId },
        label: 'Send emails again',
        describedAs: `Send emails again: Account, ${candidateId}`,
      })),
})}`,
      }
    },
    acts: {
      retry: {
        command: 'mail retry',
        audit: 'mail.retry',
        async run({ value }) {
          if ((await deliveries.retryNow(chosenIn(value), giveUpMs)) === 0) return notRetried
          deliveries.wake()
          return 'retried'
        },
      },
      drop: {
        command: 'mail drop',
        audit: 'mail.drop',
        confirm: async ({ value }) => {
          const all = value('all')
          const isOne = all === ''
          return {
            title: isOne ? 'Drop this email?' : 'Drop all these emails?',
            text: isOne
              ? 'It’s removed and never sent. It can’t be undone.'
              : 'They’re removed and never sent. It can’t be undone.',
            label: isOne ? 'Drop email' : 'Drop emails',
            back: '/operator/mail',
            fields: isOne ? { mail: value('mail') } : { all },
          }
        },
        run: async ({ value }) => ((await deliveries.drop(chosenIn(value))) === 0 ? gone : 'dropped'),
      },
      lift: {
        command: 'mail lift',
        audit: 'mail.lift',
        run: async ({ value }) => ((await board.liftRefusal(value('account'))) ? 'lifted' : gone),
      },
    },
    done: {
      retried: 'The emails are sent again now. Reload the page to see what the mail server says.',
      dropped: 'Dropped.',
      lifted: 'Emails are sent to this account again.',
    },
  })
}

const stateNames: Record<DeliveryState, string> = {
  waiting: 'Waiting',
  dead: 'Failed',
  held: 'Held after a restore',
  sent: 'Sent',
}

/** A mail server's reply often repeats the address, and operators see no personal data. */
const said = (words: string | null) =>
  words === null ? '–' : words.replaceAll(/<?[^\s<>"'()[\],;:]+@[^\s<>"'()[\],;:]+>?/g, '(address)')

function chosenIn(value: (name: string) => string): ChosenDeliveries {
  const all = value('all')
  return all === 'dead' || all === 'held' ? all : [value('mail')]
}
