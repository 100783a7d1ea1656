import type { RouteOptions } from 'fastify'
import type { CompanyPlan, Retention } from '../../collect/retention/service.ts'
import { unansweredCounted } from '../../collect/search/unanswered-service.ts'
import type { Advertiser } from '../../companies/advertiser-store.ts'
import type { Advertisers } from '../../companies/service.ts'
import type { Role } from '../../model/principal.ts'
import type { Invitations } from '../../people/members/invitations-service.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { numberText } from '../../platform/core/locale.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { pathId } from '../../platform/http/routes.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import { badge, card, emptyState, invitationLink, table, valueList } from '../../platform/web/components.ts'
import { inputs, row, textInput } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { type PageCall, refusal } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { BoardStore, CompanyFigures } from '../board-store.ts'
import { operatorPath } from '../navigation-markup.ts'
import { operatorTab } from '../tab-pages.ts'

type Company = Advertiser & CompanyFigures

const days = 30
const companyPath = (id: number) => `/operator/companies/${id}`
const holdText =
  'While it is on hold, its API calls and console pages are rejected and its jobs are not listed. No data is lost, and you can release it.'

/** Companies: their figures and state, their first admin, how long they keep applications. */
export function operatorCompanyPages(deps: {
  advertisers: Advertisers
  board: Pick<BoardStore, 'companies'>
  retention: Pick<Retention, 'bounds' | 'of' | 'choose' | 'takeBack'>
  invitations: Pick<Invitations<Role>, 'invite' | 'isMailOn'>
  sessions: Sessions
  sentForms: SentForms
  clock: Clock
  timeZone: string
}): RouteOptions[] {
  const { advertisers, retention, invitations } = deps
  const tab = operatorTab(deps.sessions, 'companies')

  async function list(): Promise<Company[]> {
    const since = new Date(deps.clock() - days * 86_400_000).toISOString().slice(0, 10)
    const [known, figures] = await Promise.all([advertisers.list(), deps.board.companies(since)])
    const byId = new Map(figures.map(each => [each.id, each]))
    return known.flatMap(advertiser => {
      const found = byId.get(advertiser.id)
      return found === undefined ? [] : [{ ...found, ...advertiser }]
    })
  }

  async function companyOf({ advertiserId }: { advertiserId: string }): Promise<Company> {
    const id = pathId(advertiserId)
    const company = (await list()).find(each => each.id === id)
    if (company === undefined) throw new Problem('not-found')
    return company
  }

  return [
    ...tab('/operator/companies', {
      async show({ form, canChange }) {
        return {
          title: 'Companies',
          failed: 'No company was added.',
          body: html`${table({
            caption: 'Companies on this job board',
            empty: emptyState({
              title: 'No companies yet',
              text: 'Add the first one below, then invite its first admin.',
            }),
            rows: await list(),
            columns: [
              ['ID', ({ id }) => html`<a class="whole" href="${companyPath(id)}">${id}</a>`],
              ['Name', ({ name }) => isolateBidi(name)],
              ['State', stateBadges],
              ...figures,
            ],
          })}
${
  canChange &&
  html`<h2>Add a company</h2>
${form({
  action: '/operator/companies',
  isOnce: true,
  fields: [
    textInput({ name: 'name', label: 'Name', hint: 'Candidates see it.', attributes: inputs.requiredText }),
    row(
      textInput({
        name: 'id',
        label: 'Your own ID (optional)',
        hint: 'Leave it empty to get the next free one.',
        attributes: inputs.number,
      }),
      textInput({
        name: 'timeZone',
        label: 'Time zone (optional)',
        hint: `Such as Europe/London. Otherwise ${deps.timeZone}.`,
        attributes: inputs.text,
      }),
    ),
  ],
  label: 'Add company',
})}`
}`,
        }
      },
      acts: {
        '': {
          command: 'advertiser add',
          audit: 'company.add',
          async run(call) {
            const [name = '', own = '', timeZone] = ['name', 'id', 'timeZone'].map(each =>
              call.value(each).trim(),
            )
            const id = own === '' ? undefined : parseNumericId(own)
            if (own !== '' && id === undefined)
              throw invalidField('id', 'not-a-number', 'The ID must be a positive whole number.')
            return deps.sentForms.once(call, call.fields, async () => {
              const company = await advertisers.add(name, id, timeZone || undefined)
              return `${companyPath(company.id)}?done=added`
            })
          },
        },
      },
    }),

    ...tab('/operator/companies/:advertiserId', {
      async show(call) {
        const company = await companyOf(call.params)
        const plan = await retention.of(company.id)
        return {
          title: company.name,
          crumbs: [{ href: operatorPath('companies'), label: 'All companies' }],
          failed: 'Nothing was changed.',
          body: html`${card(
            'Figures',
            valueList([
              ['ID', company.id],
              ['State', stateBadges(company)],
              ['Added', timeElement(company.createdAt)],
              ...figures.map(([label, figure]) => [label, figure(company)] as const),
            ]),
          )}
${call.canChange && html`${stateCard(company, call)}\n${inviteForm(company, invitations.isMailOn, call)}`}
${retentionCard(company, plan, retention.bounds, call)}`,
        }
      },
      acts: {
        hold: {
          command: 'advertiser hold',
          audit: 'company.status',
          async confirm({ params }) {
            const { id, name } = await companyOf(params)
            return {
              title: `Put ${stripBidi(name)} on hold?`,
              text: holdText,
              label: 'Put company on hold',
              back: companyPath(id),
            }
          },
          async run({ params }) {
            await advertisers.setStatus(pathId(params.advertiserId), 'hold')
            return 'held'
          },
        },
        release: {
          command: 'advertiser activate',
          audit: 'company.status',
          async run({ params }) {
            await advertisers.setStatus(pathId(params.advertiserId), 'active')
            return 'released'
          },
        },
        invite: {
          command: 'advertiser invite',
          audit: 'invitation.send',
          async run({ params, value }) {
            const result = await invitations.invite(pathId(params.advertiserId), value('email'), 'admin')
            if (result.outcome === 'sent') return 'invited'
            if (result.outcome === 'link') return { above: invitationLink(result) }
            return result.outcome === 'not-sent' ? notSent : { errors: result.errors }
          },
        },
        retention: {
          command: 'retention set',
          audit: 'company.retention',
          async run({ params, value }) {
            const months = value('months').trim()
            // Input that is not a number is also out of bounds.
            const chosen = months === '' ? null : /^\d{1,3}$/.test(months) ? Number(months) : 0
            await retention.choose(pathId(params.advertiserId), chosen)
            return 'retention'
          },
        },
        'take-back': {
          command: 'retention take-back',
          audit: 'company.retention',
          async run({ params }) {
            await retention.takeBack(pathId(params.advertiserId))
            return 'taken-back'
          },
        },
      },
      done: {
        added: 'The company was added. Invite its first admin below.',
        held: 'The company is on hold.',
        released: 'The company is active again.',
        invited: 'The invitation was sent by email.',
        retention: 'The retention period was changed.',
        'taken-back': 'The change was taken back.',
      },
    }),
  ]
}

/** Shown if the invitation could not be emailed. */
export const notSent = refusal(
  'The email could not be sent, so no one was invited. The page “Email” says why.',
  503,
)

const stateBadges = ({ status, admins }: Company) =>
  html`${status === 'active' ? badge('good', 'Active') : badge('warning', 'On hold')}${admins === 0 && html` ${badge('warning', 'No admin')}`}`

const figures: [label: string, figure: (company: Company) => Html | string | number][] = [
  ['People', ({ people }) => people],
  ['Applications', ({ applications }) => applications],
  ['Unanswered', ({ unanswered, answerDays }) => unansweredMarkup(unanswered, answerDays)],
  [`API calls in ${days} days`, ({ calls }) => calls],
  ['Last application', ({ lastApplicationAt: at }) => (at === null ? 'None yet' : timeElement(at))],
]

/** Includes the number of days, for a company that has chosen it. */
const unansweredMarkup = (count: number | null, days: number | null) =>
  count === null
    ? 'Not counted yet'
    : html`${count === unansweredCounted ? `${numberText(count)} or more` : numberText(count)}${days !== null && html` <span class="quiet">${days === 1 ? 'after 1 day' : `after ${days} days`}</span>`}`

function stateCard({ id, status }: Company, { button }: PageCall<'operator'>): Html {
  const [text, act] =
    status === 'active'
      ? ([
          holdText,
          { action: `${companyPath(id)}/hold`, label: 'Put company on hold', kind: 'danger' },
        ] as const)
      : ([
          'This company is on hold: its API calls and console pages are rejected.',
          { action: `${companyPath(id)}/release`, label: 'Release company', kind: 'first' },
        ] as const)
  return card(
    'State',
    html`<p>${text}</p>
<div class="actions">${button(act)}</div>`,
  )
}

const inviteForm = ({ id, admins }: Company, isMailOn: boolean, { form }: PageCall<'operator'>): Html =>
  form({
    action: `${companyPath(id)}/invite`,
    title: admins === 0 ? 'Invite the first admin' : 'Invite an admin',
    text: isMailOn
      ? 'The invitation is sent by email. The admin invites everyone else.'
      : 'You get a link that works once, only for this address. Send it yourself: there is no mail server.',
    fields: [textInput({ name: 'email', label: 'Email address', attributes: inputs.email })],
    label: 'Invite admin',
    kind: 'second',
  })

function retentionCard(
  { id }: Company,
  { months, choice, change, plan, canTakeBack }: CompanyPlan,
  { min, max }: Retention['bounds'],
  { form, button, canChange }: PageCall<'operator'>,
): Html {
  return card(
    'Retention period',
    html`<p>${months === null ? 'Applications are kept without end.' : `Applications are kept for ${inMonths(months)}.`}${choice === null && html` <span class="quiet">This is the default in RETENTION_MONTHS.</span>`}</p>
${change !== null && html`<p>From ${timeElement(change.at)} on, they are kept for ${inMonths(change.months)}. ${plan && (plan.count === 1 ? '1 application is erased then.' : `${plan.count} applications are erased then.`)}</p>`}
${canChange && canTakeBack && html`<div class="actions">${button({ action: `${companyPath(id)}/take-back`, label: 'Take back the change' })}</div>`}
${
  canChange &&
  form({
    action: `${companyPath(id)}/retention`,
    isInCard: true,
    fields: [
      textInput({
        name: 'months',
        label: 'Months after submission',
        hint: `From ${min} to ${max} (RETENTION_MONTHS_MIN and _MAX), or empty for the default. A shorter period takes effect after 14 days, and the admins get an email.`,
        value: String(choice ?? ''),
        attributes: inputs.number,
      }),
    ],
    label: 'Set retention period',
    kind: 'second',
  })
}`,
  )
}

const inMonths = (months: number) => (months === 1 ? '1 month' : `${months} months`)
