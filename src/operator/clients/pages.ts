import type { RouteOptions } from 'fastify'
import type { Agents } from '../../companies/agents-service.ts'
import { checked, ifFound } from '../../console/refusals.ts'
import { type AgentRole, agentRoles } from '../../model/principal.ts'
import type { Invitations } from '../../people/members/invitations-service.ts'
import { checkLogo, logoUrl } from '../../platform/core/brand/logo.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { type FieldError, Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { logoPolicy } from '../../platform/web/board.ts'
import { avatar, invitationLink, table } from '../../platform/web/components.ts'
import { choice, inputs, row, textInput, tick } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { viewerPage } from '../../platform/web/page-routes.ts'
import type { ActCall, Outcome, PageCall } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import { type ClientChange, wantedOf } from '../../share/clients/change-rules.ts'
import {
  type ClientPageDeps,
  changeNames,
  clientPage,
  clientPath,
  type ListedClient,
  linesOrNone,
  noSuchCompany,
  notANumber,
  privacyHint,
  stateOf,
  urisIn,
  urisInput,
  wantedMarkup,
} from '../../share/clients/pages.ts'
import { notSent } from '../companies/pages.ts'
import { operatorTab } from '../tab-pages.ts'

const path = '/operator/clients'
const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)
const changePath = (id: string) => `${path}/changes/${encodeURIComponent(id)}`

/** Agents and the programs that call the service, with their secrets. */
export function operatorClientPages(
  deps: ClientPageDeps & {
    agents: Pick<Agents, 'list' | 'add'>
    invitations: Pick<Invitations<AgentRole>, 'invite' | 'isMailOn'>
    sessions: Sessions
  },
): RouteOptions[] {
  const { agents, clients, changes, invitations, sentForms } = deps
  const tab = operatorTab(deps.sessions, 'clients')
  const { show, acts, ofOperator, upload, secretOnce, done, doneByOperator } = clientPage(deps)

  async function addClient(call: ActCall<'operator'>): Promise<Outcome> {
    const value = (name: string) => call.value(name).trim()
    const scopes = words(value('scope'))
    const advertisers = words(value('advertiser')).map(parseNumericId)
    const agentId = value('agentId') === '' ? null : parseNumericId(value('agentId'))
    const [knownAgents, knownCompanies] = await Promise.all([agents.list(), deps.advertisers.list()])
    const unknownCompany = advertisers.find(
      each => each !== undefined && !knownCompanies.some(({ id }) => id === each),
    )
    const errors: FieldError[] = []
    const reject = (field: string, code: string, message: string) => errors.push({ field, code, message })
    if (agentId === undefined) reject('agentId', 'not-a-number', notANumber)
    else if (agentId !== null && !knownAgents.some(({ id }) => id === agentId))
      reject('agentId', 'unknown', `There is no agent ${agentId}.`)
    if (advertisers.includes(undefined)) reject('advertiser', 'not-a-number', notANumber)
    else if (unknownCompany !== undefined) reject('advertiser', 'unknown', noSuchCompany(unknownCompany))
    if (errors.length > 0) return { errors }
    return secretOnce(call, value('id'), {
      title: 'Client added',
      make: () =>
        clients.add({
          id: value('id'),
          name: value('name'),
          redirectUris: urisIn(value('redirectUri')),
          agentId: agentId ?? null,
          requirePkce: value('requirePkce') === 'yes',
          privacyUrl: value('privacyUrl') || undefined,
          scopes: scopes.length === 0 ? undefined : scopes,
          advertiserIds: advertisers.filter(id => id !== undefined),
        }),
    })
  }

  async function addAgent(call: ActCall<'operator'>): Promise<Outcome> {
    const own = call.value('ownId').trim()
    const id = own === '' ? undefined : parseNumericId(own)
    if (own !== '' && id === undefined) throw invalidField('ownId', 'not-a-number', notANumber)
    const added = await checked(() =>
      sentForms.once(call, call.fields, async () => {
        await agents.add(call.value('agentName'), id)
        return `${path}?done=agent-added`
      }),
    )
    if (!('errors' in added)) return added.result
    const fieldOf: Record<string, string> = { name: 'agentName', id: 'ownId' }
    return { errors: added.errors.map(error => ({ ...error, field: fieldOf[error.field] ?? error.field })) }
  }

  async function inviteAgent({ value, fields }: ActCall<'operator'>): Promise<Outcome> {
    const agentId = parseNumericId(value('invitedAgent'))
    if (agentId === undefined || !(await agents.list()).some(({ id }) => id === agentId))
      throw invalidField('invitedAgent', 'unknown', 'Enter the ID of an agent in the list above.')
    const role = agentRoles.find(each => each === value('role')) ?? 'admin'
    const result = await invitations.invite(agentId, value('email'), role)
    if (result.outcome === 'sent') return 'invited'
    if (result.outcome === 'link') return { above: invitationLink(result) }
    return result.outcome === 'not-sent'
      ? { ...notSent, values: Object.fromEntries(fields.pairs()) }
      : { errors: result.errors }
  }

  const endOfChange = (end: 'confirm' | 'refuse') => ({
    command: `client ${end}`,
    audit: 'client.request-end',
    run: async ({ params }: ActCall<'operator', 'changeId'>) =>
      (await ifFound(() => changes[end](params.changeId))) === undefined ? 'gone' : end,
  })

  return [
    ...tab(path, {
      async show(call) {
        const [knownAgents, list, waiting] = await Promise.all([
          agents.list(),
          clients.list(),
          changes.list(),
        ])
        return {
          title: 'Agents and clients',
          failed: 'Nothing was added.',
          labels: fieldLabels,
          body: html`${waiting.length > 0 && changesTable(waiting, list, call)}
<h2${waiting.length === 0 && html` class="first"`}>OAuth clients</h2><p>Programs of agents and job boards, and sites that candidates share their profile with.</p>
${table({
  caption: 'OAuth clients',
  empty: 'No clients yet.',
  rows: list,
  columns: [
    ['ID', ({ id }) => html`<a href="${clientPath(path, id)}">${id}</a>`],
    ['Name', ({ name }) => isolateBidi(name)],
    ['Agent', ({ agentId }) => agentId ?? 'None'],
    ['Scopes', ({ scopes }) => scopes.join(' ')],
    ['Secrets', ({ secrets }) => secrets],
    ['State', stateOf],
  ],
})}
<h2>Agents</h2><p>Vendors that act for companies which authorise them, such as applicant tracking systems.</p>
${table({
  caption: 'Agents',
  empty: 'No agents yet.',
  rows: knownAgents,
  columns: [
    ['ID', ({ id }) => id],
    ['Name', ({ name }) => isolateBidi(name)],
    ['Companies', ({ advertiserIds }) => advertiserIds.join(', ') || 'None'],
    ['Added', ({ createdAt }) => timeElement(createdAt)],
  ],
})}
${call.canChange && html`${knownAgents.length > 0 && inviteForm(knownAgents, invitations.isMailOn, call)}${addForms(call)}`}`,
        }
      },
      acts: {
        '': { command: 'client add', audit: 'client.add', run: addClient },
        agents: { command: 'agent add', audit: 'agent.add', run: addAgent },
        invite: { command: 'agent invite', audit: 'agent.invite', run: inviteAgent },
        'changes/:changeId/confirm': endOfChange('confirm'),
        'changes/:changeId/refuse': endOfChange('refuse'),
      },
      done: {
        'agent-added': 'The agent was added. Invite its first admin below.',
        invited: 'The invitation was sent by email.',
        confirm: 'The change was confirmed.',
        refuse: 'The change was refused. Nothing was changed.',
        gone: 'This request no longer waits: it was withdrawn, replaced or dealt with.',
      },
    }),
    viewerPage.get('/operator/clients/changes/:changeId/image', async ({ reply, params }) => {
      const wanted = wantedOf(await changes.find(params.changeId))
      if (wanted.kind !== 'logo' || wanted.bytes === undefined) throw new Problem('not-found')
      const { type, bytes } = checkLogo(wanted.bytes)
      return reply
        .headers({ 'content-type': type, 'cache-control': 'private, no-store', ...logoPolicy })
        .send(bytes)
    }),
    ...tab('/operator/clients/:clientId', {
      show,
      acts: {
        ...acts,
        ...ofOperator,
        // The form posts to the page itself, because the operator returns there after verification.
        '': { command: 'client logo', audit: 'client.logo', upload },
      },
      done: { ...done, ...doneByOperator },
    }),
  ]
}

/** Labels that tell apart fields of the page's forms that look alike. */
const fieldLabels: Readonly<Record<string, string>> = {
  id: 'Client ID',
  name: 'Name that candidates see',
  redirectUri: 'Redirect URIs',
  agentId: 'ID of its agent (optional)',
  privacyUrl: 'Privacy notice',
  scope: 'Scopes',
  advertiser: 'Companies',
  agentName: 'Name of the agent',
  ownId: 'Your own ID (optional)',
  invitedAgent: 'ID of the agent',
  email: 'Email address',
}

const input = (name: string, attributes: Html, hint?: string, value = '') =>
  textInput({ name, label: fieldLabels[name] ?? '', hint, value, attributes })

const plain = html`type="text" autocomplete="off" spellcheck="false"`

const roleNames: Record<AgentRole, string> = {
  reader: 'Reader: sees the pages of the agent',
  admin: 'Admin: sees and changes everything',
}

function inviteForm(
  agents: readonly { id: number }[],
  isMailOn: boolean,
  { form }: PageCall<'operator'>,
): Html {
  const only = agents.length === 1 ? String(agents[0]?.id) : ''
  const choices = agentRoles.map(role => ({ id: role, description: roleNames[role] })).toReversed()
  return html`<h2>Invite a person of an agent</h2>
${form({
  action: `${path}/invite`,
  text: isMailOn
    ? 'The invitation is sent by email. An admin of the agent invites everyone else.'
    : 'You get a link that works once, only for this address. Send it yourself: there is no mail server.',
  fields: [
    row(
      input('invitedAgent', inputs.requiredNumber, undefined, only),
      choice({ name: 'role', label: 'Role', choices }),
    ),
    input('email', inputs.email),
  ],
  label: 'Invite person',
  kind: 'second',
})}`
}

const addForms = ({ form }: PageCall<'operator'>): Html => html`<h2>Add a client</h2>
${form({
  action: path,
  isOnce: true,
  fields: [
    row(
      input('id', plain, 'Letters, digits, dots, hyphens and underscores. It can’t be changed.'),
      input('name', plain),
    ),
    urisInput(),
    row(input('agentId', plain), input('privacyUrl', plain, privacyHint)),
    input(
      'scope',
      plain,
      'Separated by spaces: r_profile_apply; with an agent r_applications, w_progress and m_webhooks; for a job board w_applications. Empty: the usual ones.',
    ),
    input(
      'advertiser',
      plain,
      'IDs of the companies that a job board may send applications to, or that the consent page names, separated by spaces.',
    ),
    tick({ name: 'requirePkce', label: 'Reject authorization requests without PKCE' }),
  ],
  label: 'Add client',
})}<h2>Add an agent</h2>
${form({
  action: `${path}/agents`,
  isOnce: true,
  fields: [
    row(
      input('agentName', inputs.requiredText),
      input('ownId', inputs.number, 'Leave it empty to get the next free one.'),
    ),
  ],
  label: 'Add agent',
  kind: 'second',
})}`

/** Changes that agents have requested, to be confirmed or rejected. */
function changesTable(
  changes: readonly ClientChange[],
  clients: readonly ListedClient[],
  { button, canChange }: PageCall<'operator'>,
): Html {
  const end = ({ id, clientId, kind }: ClientChange, name: 'confirm' | 'refuse') => {
    const label = name === 'confirm' ? 'Confirm change' : 'Refuse change'
    return button({
      action: `${changePath(id)}/${name}`,
      label,
      describedAs: `${label}: ${changeNames[kind]} of ${clientId}`,
      kind: name === 'confirm' ? 'first' : 'second',
    })
  }
  return html`<h2 class="first">Changes that agents ask for</h2><p>Candidates trust where they are sent back to, and the logo and privacy notice that they see. Nothing changes until you confirm it.</p>
${table({
  caption: 'Changes that agents ask for',
  rows: changes,
  columns: [
    ['Client', ({ clientId }) => html`<a class="whole" href="${clientPath(path, clientId)}">${clientId}</a>`],
    ['Change', ({ kind }) => changeNames[kind]],
    ['Now', change => valueNow(change, clients)],
    ['Wanted', change => wantedMarkup(change, `${changePath(change.id)}/image`)],
    ['Requested', ({ requestedAt }) => timeElement(requestedAt)],
  ],
  actions:
    canChange &&
    (change => html`<div class="actions tight">${end(change, 'confirm')}${end(change, 'refuse')}</div>`),
})}`
}

function valueNow({ kind, clientId }: ClientChange, clients: readonly ListedClient[]): Html | string {
  const client = clients.find(({ id }) => id === clientId)
  if (client === undefined) return 'None'
  if (kind === 'redirect-uris') return linesOrNone(client.redirectUris)
  if (kind === 'privacy') return linesOrNone(client.privacyUrl === null ? [] : [client.privacyUrl])
  return client.logoHash === null ? 'None' : avatar(client.name, logoUrl(client.logoHash), 'large')
}
