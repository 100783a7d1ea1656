import type { RouteOptions } from 'fastify'
import type { Credential } from '../../companies/advertiser-store.ts'
import type { AgentOfAdvertiser } from '../../companies/agent-store.ts'
import type { Agents } from '../../companies/agents-service.ts'
import { isUsable } from '../../companies/rules.ts'
import type { Credentials } from '../../companies/service.ts'
import type { DayOfUsage, Usage } from '../../companies/usage-service.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { numberText } from '../../platform/core/locale.ts'
import { Problem } from '../../platform/core/problems.ts'
import { aestDayStart } from '../../platform/core/time/ms-date.ts'
import { dayAfter, startOfDay } from '../../platform/core/time/time-zone.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { pathId } from '../../platform/http/routes.ts'
import { assetUrl } from '../../platform/web/assets.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import {
  badge,
  copyBlock,
  emptyState,
  linkButton,
  notice,
  pageHead,
  section,
  table,
} from '../../platform/web/components.ts'
import { needed } from '../../platform/web/fields.ts'
import { choice, type Field, textInput } from '../../platform/web/forms.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { type Page, secretPage, showOnce, warning } from '../../platform/web/tab.ts'
import { timeElement, zonedTime } from '../../platform/web/time.ts'
import { applicationsChart, callsChart, fullDateText } from '../charts-markup.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

const base = '/console/:advertiserId/access'
const title = 'API access'
const pathOf = ({ advertiserId }: { advertiserId: number }) => consolePath(advertiserId, 'access')
const crumbsTo = (path: string) => [{ href: path, label: title }]

/** API access: credentials, agents and usage. For admins. */
export function accessPages(deps: {
  credentials: Pick<Credentials, 'list' | 'issue' | 'revokeOf'>
  agents: Pick<Agents, 'listFor' | 'authorise' | 'withdraw'>
  usage: Pick<Usage, 'lastDays'>
  sentForms: SentForms
  sessions: Sessions
  clock: Clock
  baseUrl(): string
}): RouteOptions[] {
  const { credentials, agents, usage, clock } = deps
  const tab = consoleTab(deps.sessions, 'access', { view: 'admin', proof: 'fresh' })

  async function authorisedAgent(advertiserId: number, id: string): Promise<AgentOfAdvertiser> {
    const agentId = pathId(id)
    const all = await agents.listFor(advertiserId)
    const agent = all.find(each => each.id === agentId && each.authorisedAt !== null)
    if (agent === undefined) throw new Problem('not-found')
    return agent
  }

  return [
    ...tab(base, {
      async show({ caller: { advertiserId, timeZone } }) {
        const [issued, known, days] = await Promise.all([
          credentials.list(advertiserId),
          agents.listFor(advertiserId),
          usage.lastDays(advertiserId),
        ])
        const path = pathOf({ advertiserId })
        return {
          title,
          heading: pageHead(title),
          styles: [assetUrl('chart.css')],
          body: html`<p class="lead">Credentials, agents and usage.</p>
${credentialSection(issued, { now: clock(), timeZone, path })}
${agentSection(known, path)}
${usageSection(days)}`,
        }
      },
      acts: {
        'credentials/:credentialId/revoke': {
          async ask({ caller, params }) {
            const all = await credentials.list(caller.advertiserId)
            const credential = all.find(({ id }) => id === params.credentialId)
            if (credential === undefined) throw new Problem('not-found')
            const back = pathOf(caller)
            const asked = { title: 'Revoke this credential?', crumbs: crumbsTo(back) }
            if (!isUsable(credential, clock())) {
              const isRevoked = credential.revokedAt !== null
              const text = isRevoked
                ? 'This credential has already been revoked.'
                : 'This credential has expired and no longer works.'
              return {
                ...asked,
                body: html`${notice('info', text)}<p><a href="${back}">Back to API access</a></p>`,
              }
            }
            const hint = html`<code>${credential.hint}…</code>`
            return {
              ...asked,
              text: html`The credential for ${isolateBidi(credential.label)} (${hint}) stops working immediately. Programs that still use it get 401. This can’t be undone.`,
              label: 'Revoke credential',
              keep: 'Keep credential',
              back,
            }
          },
          async run({ caller, params }) {
            await credentials.revokeOf(caller.advertiserId, params.credentialId)
            return 'revoked'
          },
        },
        'agents/:agentId/withdraw': {
          async ask({ caller, params }) {
            const { name } = await authorisedAgent(caller.advertiserId, params.agentId)
            return {
              title: 'Withdraw authorisation?',
              crumbs: crumbsTo(pathOf(caller)),
              text: html`${isolateBidi(name)} will no longer be able to read your applications: its tokens for you are revoked immediately. You can authorise it again at any time.`,
              label: 'Withdraw authorisation',
              keep: 'Keep authorisation',
              back: pathOf(caller),
            }
          },
          async run({ caller: { advertiserId }, params }) {
            const { id } = await authorisedAgent(advertiserId, params.agentId)
            await agents.withdraw(advertiserId, id)
            return 'withdrawn'
          },
        },
      },
      done: {
        'shown-once': warning(
          'This credential has already been created and its value shown once. If you don’t have the value, revoke the credential and create another.',
        ),
        revoked: 'Credential revoked.',
        authorised: 'Agent authorised.',
        withdrawn: 'Authorisation withdrawn. Its tokens have been revoked.',
      },
    }),

    ...tab(`${base}/new-credential`, {
      show({ caller, form }) {
        const back = pathOf(caller)
        return {
          title: 'Create a credential',
          crumbs: crumbsTo(back),
          failed: 'No credential has been created yet.',
          body: form({
            action: `${back}/new-credential`,
            isOnce: true,
            fields: [
              textInput({
                name: 'label',
                label: needed('Label'),
                hint: 'The program that will use the credential and where it runs, such as “Payroll import, production”.',
                attributes: html`required maxlength="200" autocomplete="off"`,
              }),
              textInput({
                name: 'expires',
                label: 'Last day',
                hint: `The credential works until the end of this day in your company’s time zone, ${caller.timeZone}. Leave empty for no expiry.`,
                attributes: html`type="date"`,
              }),
              webhooksTick,
            ],
            label: 'Create credential',
            beside: linkButton(back, 'Cancel'),
          }),
        }
      },
      acts: {
        '': {
          run(call) {
            const { caller, value } = call
            const back = pathOf(caller)
            return showOnce(deps.sentForms, call, {
              async make() {
                const expiresAt = endOfDay(value('expires'), caller.timeZone)
                const managesWebhooks = value('webhooks') === '1'
                return credentials.issue(caller.advertiserId, value('label'), expiresAt, managesWebhooks)
              },
              location: () => `${back}?done=shown-once`,
              show: credential => issuedPage(credential, deps.baseUrl(), back),
            })
          },
        },
      },
    }),

    ...tab(`${base}/new-agent`, {
      async show({ caller, form, state }) {
        const back = pathOf(caller)
        const page = { title: 'Authorise an agent', crumbs: crumbsTo(back) }
        const known = await agents.listFor(caller.advertiserId)
        const choices = known
          .filter(({ authorisedAt }) => authorisedAt === null)
          .map(({ id, name }) => ({ id: String(id), description: `${name} (${id})` }))
        const hasChoice = choices.length > 0
        if (!hasChoice && state.errors.length === 0) {
          const text =
            known.length === 0
              ? {
                  title: 'No agents yet',
                  text: 'This service has no agents yet. The operator of the service adds them.',
                }
              : {
                  title: 'Every agent is already authorised',
                  text: 'You have authorised all agents on this service.',
                }
          return {
            ...page,
            body: emptyState({ ...text, action: { href: back, label: 'Back to API access' } }),
          }
        }
        const chosen = choice({
          name: 'agent',
          label: 'Agent',
          hint: 'Agents on this service that you haven’t authorised yet.',
          none: 'Choose an agent',
          choices,
        })
        return {
          ...page,
          failed: 'No agent has been authorised yet.',
          body: form({
            action: `${back}/new-agent`,
            text: 'The agent will be able to read all your applications, including past ones, until you withdraw the authorisation.',
            fields: [
              ...(hasChoice ? [chosen] : []),
              textInput({
                name: 'agent_id',
                label: hasChoice ? 'Or the agent ID' : 'Agent ID',
                hint: 'The number the agent gave you.',
                attributes: html`inputmode="numeric" autocomplete="off"`,
              }),
            ],
            label: 'Authorise agent',
            beside: linkButton(back, 'Cancel'),
          }),
        }
      },
      acts: {
        '': {
          async run({ caller, value }) {
            const agentId = agentIn(value, await agents.listFor(caller.advertiserId))
            // Repeating it is harmless: the first authorisation stays.
            await agents.authorise(caller.advertiserId, agentId)
            return { location: `${pathOf(caller)}?done=authorised` }
          },
        },
      },
    }),
  ]
}

function credentialSection(
  credentials: readonly Credential[],
  { now, timeZone, path }: { now: EpochMs; timeZone: string; path: string },
): Html {
  const action = { href: `${path}/new-credential`, label: 'Create a credential' }
  const header = html`<code>Authorization: SWS …</code>`
  const docs = html`<a href="/docs">How to use a credential</a>`
  return section(
    'credentials',
    'SWS credentials',
    html`<p>A credential lets one of your programs read all your applications and their files with a header (${header}). Give each program its own, so that you can revoke one without stopping the others. ${docs}</p>
${table({
  caption: 'SWS credentials, newest first',
  empty: emptyState({
    title: 'No credentials yet',
    text: 'Create one when your program is ready to collect applications.',
    action,
  }),
  rows: credentials.toReversed(),
  columns: [
    [
      'Label',
      ({ id, label, managesWebhooks }) =>
        html`${isolateBidi(label)}${managesWebhooks === 1 && html`<br><span class="quiet">Manages webhook endpoints</span>`}<br><span class="quiet">ID in events: <code>${id}</code></span>`,
    ],
    ['Prefix', ({ hint }) => html`<code>${hint}</code>`],
    ['State', credential => stateBadge(credential, now)],
    ['Created', ({ createdAt }) => timeElement(createdAt)],
    ['Expires', ({ expiresAt }) => (expiresAt === null ? 'Never' : zonedTime(expiresAt, timeZone))],
    ['Last used', ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : timeElement(lastUsedAt))],
  ],
  actions: credential =>
    html`${isUsable(credential, now) && html`<a href="${path}/credentials/${credential.id}/revoke" aria-label="Revoke ${stripBidi(credential.label)}">Revoke</a>`}`,
})}`,
    credentials.length > 0 && html`<a class="button" href="${action.href}">${action.label}</a>`,
  )
}

function stateBadge(credential: Credential, now: EpochMs): Html {
  if (credential.revokedAt !== null) return badge('neutral', 'Revoked')
  return isUsable(credential, now) ? badge('good', 'Active') : badge('warning', 'Expired')
}

function agentSection(known: readonly AgentOfAdvertiser[], path: string): Html {
  const action = { href: `${path}/new-agent`, label: 'Authorise an agent' }
  const agents = known.flatMap(({ authorisedAt, ...agent }) =>
    authorisedAt === null ? [] : [{ ...agent, authorisedAt }],
  )
  return section(
    'agents',
    'Agents',
    html`<p>Companies that collect applications for you, such as the vendor of your recruiting software. An agent you authorise gets its own tokens and can read all your applications.</p>
${table({
  caption: 'Agents that act for you',
  empty: emptyState({
    title: 'No authorised agents',
    text: 'Authorise one when another company collects your applications for you.',
    action,
  }),
  rows: agents,
  columns: [
    ['Agent', ({ name }) => isolateBidi(name)],
    ['ID', ({ id }) => html`<code>${id}</code>`],
    ['Since', ({ authorisedAt }) => timeElement(authorisedAt)],
    ['Reports progress', ({ progressGrantedAt }) => (progressGrantedAt === null ? 'No' : 'Yes')],
  ],
  actions: ({ id, name }) =>
    html`<a href="${path}/agents/${id}/progress" aria-label="Progress reports of ${stripBidi(name)}">Progress reports</a>
<a href="${path}/agents/${id}/withdraw" aria-label="Withdraw authorisation from ${stripBidi(name)}">Withdraw</a>`,
})}`,
    agents.length > 0 && linkButton(action.href, action.label),
  )
}

const usageSection = (days: readonly DayOfUsage[]): Html =>
  section(
    'usage',
    `The last ${days.length} days`,
    html`<p class="quiet">Days are in Australian Eastern Standard Time (UTC+10). API calls appear here after a few seconds.</p>
<div class="columns">${applicationsChart(days)}${callsChart(days)}</div>
<details><summary>View as table</summary>${table({
      caption: 'Applications and API calls per day, newest first',
      rows: days.toReversed(),
      columns: [
        ['Day', ({ day }) => fullDateText(day)],
        ['Applications', ({ applications }) => numberText(applications)],
        ['API calls', ({ calls }) => numberText(calls)],
      ],
    })}</details>`,
  )

const webhooksTick: Field = ({ values }) =>
  html`<div class="field"><label class="tick"><input type="checkbox" name="webhooks" value="1" ${flag('checked', values['webhooks'] === '1')}> May manage webhook endpoints</label><p class="hint">The program can then add, change and remove the endpoints that events are sent to, and make new secrets for them.</p></div>
<p class="quiet">You’ll see the credential only once, on the next page. Have somewhere safe ready to store it.</p>`

function issuedPage(
  { id, label, value }: { id: string; label: string; value: string },
  baseUrl: string,
  back: string,
): Page {
  const header = `Authorization: SWS ${value}`
  const command = `curl -H '${header}' '${baseUrl}/v1/advertiser/applications?limit=2'`
  return secretPage({
    title: 'Your new credential',
    crumbs: crumbsTo(back),
    label: 'Credential',
    value,
    warning: html`The credential for ${isolateBidi(label)} is shown only here and only now: we keep just a fingerprint of it.`,
    content: html`${copyBlock({ id: 'command', label: 'Try it in a terminal', value: command })}<p class="quiet">It lists your first two applications.</p>
<p>Events about what this program reports name it by the ID <code>${id}</code>, which API access shows at any time.</p>`,
    next: { href: back },
  })
}

/** Null if the field is empty. */
function endOfDay(text: string, timeZone: string): EpochMs | null {
  const day = text.trim()
  if (day === '') return null
  if (aestDayStart(day) === undefined)
    throw invalidField('expires', 'not-a-day', 'Enter a date such as 2027-06-30, or leave it empty.')
  return startOfDay(dayAfter(day), timeZone)
}

function agentIn(value: (name: string) => string, known: readonly AgentOfAdvertiser[]): number {
  const [chosen, typed] = [value('agent').trim(), value('agent_id').trim()]
  const fault = (code: string, message: string) => invalidField('agent_id', code, message)
  if (!chosen && !typed) throw fault('missing', 'Choose an agent or enter its ID.')
  if (chosen && typed && chosen !== typed)
    throw fault('ambiguous', 'The agent you chose and the ID you entered differ. Use only one of them.')
  const agentId = parseNumericId(chosen || typed)
  if (agentId === undefined || !known.some(({ id }) => id === agentId))
    throw fault('unknown', 'No agent has this ID. Ask the agent for it: it is a number such as 20000001.')
  return agentId
}
