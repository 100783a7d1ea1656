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
import { t } from '../../platform/web/t.ts'
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
      reject('agentId', 'unknown', t`There is no agent ${agentId}.`)
    if (advertisers.includes(undefined)) reject('advertiser', 'not-a-number', notANumber)
    else if (unknownCompany !== undefined) reject('advertiser', 'unknown', noSuchCompany(unknownCompany))
    if (errors.length > 0) return { errors }
    return secretOnce(call, value('id'), {
      title: t`Client added`,
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
      throw invalidField('invitedAgent', 'unknown', t`Enter the ID of an agent in the list above.`)
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
          title: t`Agents and clients`,
          failed: t`Nothing was added.`,
          labels: fieldLabels,
          body: html`${waiting.length > 0 && changesTable(waiting, list, call)}
<h2${waiting.length === 0 && html` class="first"`}>${t`OAuth clients`}</h2><p>${t`Programs of agents and job boards, and sites that candidates share their profile with.`}</p>
${table({
  caption: t`OAuth clients`,
  empty: t`No clients yet.`,
  rows: list,
  columns: [
    [t`ID`, ({ id }) => html`<a href="${clientPath(path, id)}">${id}</a>`],
    [t`Name`, ({ name }) => isolateBidi(name)],
    [t`Agent`, ({ agentId }) => agentId ?? t`None`],
    [t`Scopes`, ({ scopes }) => scopes.join(' ')],
    [t`Secrets`, ({ secrets }) => secrets],
    [t`State`, stateOf],
  ],
})}
<h2>${t`Agents`}</h2><p>${t`Vendors that act for companies which authorise them, such as applicant tracking systems.`}</p>
${table({
  caption: t`Agents`,
  empty: t`No agents yet.`,
  rows: knownAgents,
  columns: [
    [t`ID`, ({ id }) => id],
    [t`Name`, ({ name }) => isolateBidi(name)],
    [t`Companies`, ({ advertiserIds }) => advertiserIds.join(', ') || t`None`],
    [t`Added`, ({ createdAt }) => timeElement(createdAt)],
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
        'agent-added': t`The agent was added. Invite its first admin below.`,
        invited: t`The invitation was sent by email.`,
        confirm: t`The change was confirmed.`,
        refuse: t`The change was refused. Nothing was changed.`,
        gone: t`This request no longer waits: it was withdrawn, replaced or dealt with.`,
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
  id: t`Client ID`,
  name: t`Name that candidates see`,
  redirectUri: t`Redirect URIs`,
  agentId: t`ID of its agent (optional)`,
  privacyUrl: t`Privacy notice`,
  scope: t`Scopes`,
  advertiser: t`Companies`,
  agentName: t`Name of the agent`,
  ownId: t`Your own ID (optional)`,
  invitedAgent: t`ID of the agent`,
  email: t`Email address`,
}

const input = (name: string, attributes: Html, hint?: string, value = '') =>
  textInput({ name, label: fieldLabels[name] ?? '', hint, value, attributes })

const plain = html`type="text" autocomplete="off" spellcheck="false"`

const roleNames: Record<AgentRole, string> = {
  reader: t`Reader: sees the pages of the agent`,
  admin: t`Admin: sees and changes everything`,
}

function inviteForm(
  agents: readonly { id: number }[],
  isMailOn: boolean,
  { form }: PageCall<'operator'>,
): Html {
  const only = agents.length === 1 ? String(agents[0]?.id) : ''
  const choices = agentRoles.map(role => ({ id: role, description: roleNames[role] })).toReversed()
  return html`<h2>${t`Invite a person of an agent`}</h2>
${form({
  action: `${path}/invite`,
  text: isMailOn
    ? t`The invitation is sent by email. An admin of the agent invites everyone else.`
    : t`You get a link that works once, only for this address. Send it yourself: there is no mail server.`,
  fields: [
    row(
      input('invitedAgent', inputs.requiredNumber, undefined, only),
      choice({ name: 'role', label: t`Role`, choices }),
    ),
    input('email', inputs.email),
  ],
  label: t`Invite person`,
  kind: 'second',
})}`
}

const addForms = ({ form }: PageCall<'operator'>): Html => html`<h2>${t`Add a client`}</h2>
${form({
  action: path,
  isOnce: true,
  fields: [
    row(
      input('id', plain, t`Letters, digits, dots, hyphens and underscores. It can’t be changed.`),
      input('name', plain),
    ),
    urisInput(),
    row(input('agentId', plain), input('privacyUrl', plain, privacyHint)),
    input(
      'scope',
      plain,
      t`Separated by spaces: r_profile_apply; with an agent r_applications, w_progress and m_webhooks; for a job board w_applications. Empty: the usual ones.`,
    ),
    input(
      'advertiser',
      plain,
      t`IDs of the companies that a job board may send applications to, or that the consent page names, separated by spaces.`,
    ),
    tick({ name: 'requirePkce', label: t`Reject authorization requests without PKCE` }),
  ],
  label: t`Add client`,
})}<h2>${t`Add an agent`}</h2>
${form({
  action: `${path}/agents`,
  isOnce: true,
  fields: [
    row(
      input('agentName', inputs.requiredText),
      input('ownId', inputs.number, t`Leave it empty to get the next free one.`),
    ),
  ],
  label: t`Add agent`,
  kind: 'second',
})}`

/** Changes that agents have requested, to be confirmed or rejected. */
function changesTable(
  changes: readonly ClientChange[],
  clients: readonly ListedClient[],
  { button, canChange }: PageCall<'operator'>,
): Html {
  const end = ({ id, clientId, kind }: ClientChange, name: 'confirm' | 'refuse') => {
    const label = name === 'confirm' ? t`Confirm change` : t`Refuse change`
    return button({
      action: `${changePath(id)}/${name}`,
      label,
      describedAs: t`${label}: ${changeNames[kind]} of ${clientId}`,
      kind: name === 'confirm' ? 'first' : 'second',
    })
  }
  return html`<h2 class="first">${t`Changes that agents ask for`}</h2><p>${t`Candidates trust where they are sent back to, and the logo and privacy notice that they see. Nothing changes until you confirm it.`}</p>
${table({
  caption: t`Changes that agents ask for`,
  rows: changes,
  columns: [
    [
      t`Client`,
      ({ clientId }) => html`<a class="whole" href="${clientPath(path, clientId)}">${clientId}</a>`,
    ],
    [t`Change`, ({ kind }) => changeNames[kind]],
    [t`Now`, change => valueNow(change, clients)],
    [t`Wanted`, change => wantedMarkup(change, `${changePath(change.id)}/image`)],
    [t`Requested`, ({ requestedAt }) => timeElement(requestedAt)],
  ],
  actions:
    canChange &&
    (change => html`<div class="actions tight">${end(change, 'confirm')}${end(change, 'refuse')}</div>`),
})}`
}

function valueNow({ kind, clientId }: ClientChange, clients: readonly ListedClient[]): Html | string {
  const client = clients.find(({ id }) => id === clientId)
  if (client === undefined) return t`None`
  if (kind === 'redirect-uris') return linesOrNone(client.redirectUris)
  if (kind === 'privacy') return linesOrNone(client.privacyUrl === null ? [] : [client.privacyUrl])
  return client.logoHash === null ? t`None` : avatar(client.name, logoUrl(client.logoHash), 'large')
}
