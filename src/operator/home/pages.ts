import type { RouteOptions } from 'fastify'
import type { EpochMs } from '../../platform/core/clock.ts'
import { isEmail, normaliseEmail } from '../../platform/core/email.ts'
import { invalidField } from '../../platform/core/fields.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { badge, emptyState, table } from '../../platform/web/components.ts'
import { type Forms, textInput } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { good, refusal } from '../../platform/web/tab.ts'
import { type OperatorTab, operatorPath } from '../navigation-markup.ts'
import { operatorTab } from '../tab-pages.ts'
import type { CheckResult } from './ports.ts'
import type { Attention, AttentionKind } from './service.ts'

export interface ServiceState {
  attention: readonly Attention[]
  results: readonly CheckResult[]
  isEmpty: boolean
  /** The current time if the clock is in doubt, so that an operator can confirm it. */
  doubtedClock: EpochMs | undefined
}

/** Failed checks, and everything that needs attention. */
export function operatorHomePages(deps: {
  look(isComplete: boolean): Promise<ServiceState>
  confirmClock(): Promise<unknown>
  isMailOn: boolean
  /** Whether emails go to the demo inbox. */
  isDemo: boolean
  /** Undefined if the mail server has accepted the email; otherwise the server's reply. */
  sendTestMail(email: string): Promise<string | undefined>
  sessions: Sessions
}): RouteOptions[] {
  const { isMailOn } = deps
  const sent = deps.isDemo
    ? html`<p>Email sent. In the demo, you’ll find it in the <a href="/demo/outbox">demo inbox</a>.</p>`
    : 'The mail server accepted the email. Check the mailbox, and its spam folder.'

  return operatorTab(deps.sessions, 'home')('/operator', {
    async show(call) {
      const areAllChecks = call.request.method === 'GET' && call.request.url.endsWith('?checks=all')
      const state = await deps.look(areAllChecks)
      return {
        title: 'How the service runs',
        failed: 'No email was sent.',
        body: homeMarkup(state, { ...call, areAllChecks, isMailOn }),
      }
    },
    acts: {
      clock: {
        command: 'clock confirm',
        audit: 'clock.confirm',
        async run() {
          await deps.confirmClock()
          return good(
            'The clock is trusted again. What a retention period plans still waits for a day of running time.',
          )
        },
      },
      'test-mail': {
        command: 'mail test',
        audit: 'mail.test',
        async run({ value }) {
          const email = normaliseEmail(value('email'))
          if (!isEmail(email))
            throw invalidField('email', 'not-an-email', 'Enter an email address such as name@example.com.')
          const words = await deps.sendTestMail(email)
          return words === undefined
            ? good(sent)
            : refusal(`The mail server did not take the email: ${words}`, 422)
        },
      },
    },
  })
}

export function homeMarkup(
  { attention, results, isEmpty, doubtedClock }: ServiceState,
  page: Forms & { canChange: boolean; areAllChecks: boolean; isMailOn: boolean },
): Html {
  const { form, canChange, areAllChecks, isMailOn } = page
  return html`${
    isEmpty &&
    emptyState({
      title: 'Add the first company',
      text: 'Nothing can be received yet. Add a company, then invite its first admin, who writes job ads and reads applications. On the command line: dossier advertiser add <name>',
      action: canChange ? { href: '/operator/companies', label: 'Add company' } : undefined,
    })
  }
<h2 class="first">Needs attention</h2>
${attentionList(attention, results)}
${
  canChange &&
  doubtedClock !== undefined &&
  html`<h2>Is the clock right?</h2>
${form({
  action: '/operator/clock',
  text: `This machine says that it is ${new Date(doubtedClock).toUTCString()}. Its clock has moved, or the service was stopped for more than an hour, so nothing is removed by age for a day. Compare the time with another clock before you confirm it.`,
  label: 'Confirm time',
  kind: 'second',
})}`
}
<h2 id="checks">Checklist</h2>
<p class="quiet">${areAllChecks ? 'All checks of “dossier doctor”.' : 'These are the checks of “dossier doctor”, without those that read every file.'}</p>
${table({
  caption: 'Checks of the service',
  rows: results.toSorted((a, b) => orderOf(a) - orderOf(b)),
  columns: [
    ['Part', ({ what }) => html`<span class="whole">${what}</span>`],
    ['State', result => states[orderOf(result)]],
    ['Result', ({ says }) => says],
  ],
})}
${!areAllChecks && html`<p><a class="button second" href="/operator?checks=all">Run all checks</a></p>`}
${
  canChange &&
  html`<h2>Test email</h2>
${
  isMailOn
    ? form({
        action: '/operator/test-mail',
        text: 'Sends an email to a mailbox of yours and shows what the mail server says.',
        fields: [
          textInput({
            name: 'email',
            label: 'Email address',
            attributes: html`type="email" autocomplete="email" required`,
          }),
        ],
        label: 'Send test email',
        kind: 'second',
      })
    : html`<p>There is no mail server. Set SMTP_URL, so that candidates can sign up and reset passwords.</p>`
}`
}`
}

/** Failed checks come first, then recommendations. */
const orderOf = ({ isFine, isAdvised = false }: CheckResult) => (isFine ? (isAdvised ? 1 : 2) : 0)

const states = [badge('danger', 'Fix'), badge('warning', 'Recommended'), badge('good', 'OK')] as const

/** Lists what waits, and how many checks are not fine: it never says that nothing waits while a check fails. */
function attentionList(attention: readonly Attention[], results: readonly CheckResult[]): Html {
  const [wrong, advised] = [0, 1].map(order => results.filter(each => orderOf(each) === order).length)
  const line = (href: string, text: string) => html`<li><a href="${href}">${text}</a></li>`
  const lines = [
    ...(wrong ? [line('#checks', wrong === 1 ? '1 check failed' : `${wrong} checks failed`)] : []),
    ...attention.map(({ kind, count }) => {
      const [tab, text] = attentionKinds[kind]
      return line(operatorPath(tab), text(count))
    }),
    ...(advised
      ? [line('#checks', advised === 1 ? '1 change is recommended' : `${advised} changes are recommended`)]
      : []),
  ]
  return lines.length === 0 ? html`<p class="quiet">Nothing needs attention.</p>` : html`<ul>${lines}</ul>`
}

const emails = (count: number) => (count === 1 ? '1 email' : `${count} emails`)

/** Items that may need an operator, each with the tab where they are handled. */
const attentionKinds: Record<AttentionKind, [tab: OperatorTab, text: (count: number) => string]> = {
  deadMail: ['mail', count => `${emails(count)} could not be sent`],
  heldMail: ['mail', count => `${emails(count)} held after a restore`],
  unjudged: ['files', count => (count === 1 ? '1 file not scanned yet' : `${count} files not scanned yet`)],
  failedTasks: [
    'work',
    count => (count === 1 ? '1 background task failed' : `${count} background tasks failed`),
  ],
  stoppedWebhooks: ['webhooks', count => (count === 1 ? '1 webhook stopped' : `${count} webhooks stopped`)],
  failingWebhooks: ['webhooks', count => (count === 1 ? '1 webhook fails' : `${count} webhooks fail`)],
  withoutAdmin: [
    'companies',
    count => (count === 1 ? '1 company has no admin' : `${count} companies have no admin`),
  ],
  jobReports: [
    'reports',
    count => (count === 1 ? '1 report of a job is open' : `${count} reports of jobs are open`),
  ],
  adReviews: [
    'reports',
    count => (count === 1 ? '1 ad waits for your review' : `${count} ads wait for your review`),
  ],
  clientChanges: [
    'clients',
    count =>
      count === 1 ? '1 change of a client waits for you' : `${count} changes of clients wait for you`,
  ],
}
