import type { Agent } from '../../advertisers/ports.ts'
import { logoUrl } from '../../core/brand/logo.ts'
import { agentRoles } from '../../model/principal.ts'
import type { Clients } from '../../share/clients/service.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, avatar, badge, copyField, dataTable, notice, valueLines } from '../../web/components.ts'
import { errorSummary, logoField, selectField, textArea, textField, tickBox } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { Typed } from '../companies/markup.ts'
import type { TokenOf } from '../forms-markup.ts'
import { clientsTexts as texts } from './texts.ts'

export type ListedClient = Awaited<ReturnType<Clients['list']>>[number]

export const clientPath = (id: string) => `/operator/clients/${encodeURIComponent(id)}`

export interface ClientsPage {
  agents: readonly (Agent & { advertiserIds: number[] })[]
  clients: readonly ListedClient[]
  /** The requests of agents; undefined if none waits. */
  changes: Html | undefined
  isMailOn: boolean
  isOperator: boolean
  token: TokenOf
  formKey: string
  typed: Typed
}

/** The page has two forms whose fields look alike. */
const fieldLabels: Readonly<Record<string, string>> = {
  id: texts.clientId,
  name: texts.clientName,
  redirectUri: texts.redirectUris,
  agentId: texts.agentId,
  privacyUrl: texts.privacyUrl,
  scope: texts.scopes,
  advertiser: texts.companies,
  agentName: texts.agentName,
  ownId: texts.ownId,
  invitedAgent: texts.invitedAgent,
  email: texts.email,
}

const columns = (...labels: string[]) => labels.map(label => ({ label }))
const stateOf = ({ disabledAt }: ListedClient) =>
  disabledAt === null ? badge('good', texts.active) : badge('neutral', texts.disabled)

export function clientsMarkup(page: ClientsPage): Html {
  const { agents, clients, changes, isOperator, typed } = page
  const agentRows = agents.map(({ id, name, advertiserIds, createdAt }) => [
    String(id),
    isolateBidi(name),
    advertiserIds.join(', ') || texts.none,
    timeElement(createdAt),
  ])
  const clientRows = clients.map(client => [
    html`<a href="${clientPath(client.id)}">${client.id}</a>`,
    isolateBidi(client.name),
    client.agentId === null ? texts.none : String(client.agentId),
    client.scopes.join(' '),
    String(client.secrets),
    stateOf(client),
  ])
  const ofAgents = columns(texts.id, texts.name, texts.companies, texts.since)
  const ofClients = columns(texts.id, texts.name, texts.agent, texts.scopes, texts.secrets, texts.state)
  return html`${errorSummary(typed.errors, field => fieldLabels[field], texts.notAdded)}
${changes}
<h2${changes === undefined && html` class="first"`}>${texts.clients}</h2><p>${texts.clientsText}</p>
${clients.length === 0 ? html`<p class="quiet">${texts.noClients}</p>` : dataTable(texts.clientsCaption, ofClients, clientRows)}
<h2>${texts.agents}</h2><p>${texts.agentsText}</p>
${agents.length === 0 ? html`<p class="quiet">${texts.noAgents}</p>` : dataTable(texts.agentsCaption, ofAgents, agentRows)}
${isOperator && html`${agents.length > 0 && inviteForm(page)}${addClientForm(page)}${addAgentForm(page)}`}`
}

const formOpening = (token: TokenOf, action: string) =>
  html`<form class="card" method="post" action="${action}" novalidate><input type="hidden" name="form_token" value="${token(action)}">`

const hiddenKey = (formKey: string) => html`<input type="hidden" name="form_key" value="${formKey}">`

function addAgentForm({ token, formKey, typed: { values, errors } }: ClientsPage): Html {
  const field = (name: string, label: string, hint: string | undefined, attributes: Html) =>
    textField({
      ...{ name, label, value: values[name] ?? '', errors, attributes },
      ...(hint === undefined ? {} : { hint }),
    })
  return html`<h2>${texts.addAgent}</h2>
${formOpening(token, '/operator/clients/agents')}${hiddenKey(formKey)}
<div class="fields">${field('agentName', texts.agentName, undefined, html`type="text" autocomplete="off" required`)}
${field('ownId', texts.ownId, texts.ownIdHint, html`type="text" inputmode="numeric" autocomplete="off"`)}</div>
<div class="actions"><button class="second" type="submit">${texts.addAgentButton}</button></div></form>`
}

function inviteForm({ agents, isMailOn, token, typed: { values, errors } }: ClientsPage): Html {
  const only = agents.length === 1 ? String(agents[0]?.id) : ''
  const roles = agentRoles.map(role => ({ id: role, description: texts.roles[role] })).toReversed()
  return html`<h2>${texts.invite}</h2>
${formOpening(token, '/operator/clients/invite')}
<p>${texts.inviteText(isMailOn)}</p>
<div class="fields">${textField({ name: 'invitedAgent', label: texts.invitedAgent, value: values['invitedAgent'] ?? only, errors, attributes: html`type="text" inputmode="numeric" autocomplete="off" required` })}
${selectField({ name: 'role', label: texts.role, value: values['role'] ?? '', choices: roles, errors })}</div>
${textField({ name: 'email', label: texts.email, value: values['email'] ?? '', errors, attributes: html`type="email" autocomplete="off" required` })}
<div class="actions"><button class="second" type="submit">${texts.inviteButton}</button></div></form>`
}

function addClientForm({ token, formKey, typed: { values, errors } }: ClientsPage): Html {
  const plain = html`type="text" autocomplete="off" spellcheck="false"`
  const field = (name: string, label: string, hint?: string) =>
    textField({
      ...{ name, label, value: values[name] ?? '', errors, attributes: plain },
      ...(hint === undefined ? {} : { hint }),
    })
  return html`<h2>${texts.addClient}</h2>
${formOpening(token, '/operator/clients')}${hiddenKey(formKey)}
<div class="fields">${field('id', texts.clientId, texts.clientIdHint)}
${field('name', texts.clientName)}</div>
${uriField(values['redirectUri'] ?? '', errors)}
<div class="fields">${field('agentId', texts.agentId)}
${field('privacyUrl', texts.privacyUrl, texts.privacyHint)}</div>
${field('scope', texts.scopes, texts.scopesHint)}
${field('advertiser', texts.companies, texts.companiesHint)}
${tickBox({ name: 'requirePkce', label: texts.requirePkce, errors, isTicked: values['requirePkce'] === 'yes' })}
<div class="actions"><button type="submit">${texts.addClientButton}</button></div></form>`
}

const uriField = (value: string, errors: Typed['errors']) =>
  textArea({
    ...{ name: 'redirectUri', label: texts.redirectUris, hint: texts.redirectUrisHint, value, errors },
    attributes: html`rows="3" spellcheck="false"`,
  })

/** A secret, shown once. */
export function secretMarkup(secret: string): Html {
  return notice(
    'good',
    html`<p>${texts.secretTitle}</p>${copyField({ id: 'secret', label: texts.secret, value: secret })}`,
  )
}

export interface ClientPage {
  client: ListedClient
  isOperator: boolean
  token: TokenOf
  formKey: string
  typed: Typed
}

export function clientMarkup(page: ClientPage): Html {
  const { client, isOperator, typed } = page
  const facts: [string, Html | string][] = [
    [texts.clientId, client.id],
    [texts.state, stateOf(client)],
    [texts.agent, client.agentId === null ? texts.none : String(client.agentId)],
    [texts.scopes, client.scopes.join(' ')],
    [texts.companies, client.advertiserIds.join(', ') || texts.none],
    [texts.secrets, String(client.secrets)],
    [texts.redirectUris, client.redirectUris.length === 0 ? texts.none : valueLines(client.redirectUris)],
    [texts.privacyUrl, client.privacyUrl ?? texts.none],
    [texts.logo, client.logoHash === null ? texts.none : avatar(client.name, logoUrl(client.logoHash))],
    [texts.since, timeElement(client.createdAt)],
  ]
  return html`${errorSummary(typed.errors, undefined, texts.notChanged)}
<section class="card"><h2 class="first">${texts.facts}</h2>
<dl class="values">${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl></section>
${isOperator && client.disabledAt === null && actionsMarkup(page)}`
}

function actionsMarkup({ client, token, formKey, typed: { values, errors } }: ClientPage): Html {
  const path = clientPath(client.id)
  const form = (
    name: string,
    label: string,
    kind: 'second' | 'danger',
    fields: Record<string, string> = {},
  ) => actionForm({ action: `${path}/${name}`, token: token(`${path}/${name}`), label, kind, fields })
  return html`<section class="card"><h2 class="first">${texts.rotate}</h2><p>${texts.rotateText}</p>
<div class="actions">${form('rotate', texts.rotateButton, 'second', { form_key: formKey })}</div>
<p>${texts.onlyText}</p><div class="actions">${form('rotate', texts.onlyButton, 'danger', { form_key: formKey, only: 'yes' })}</div></section>
${formOpening(token, `${path}/redirect-uris`)}
${uriField(values['redirectUri'] ?? client.redirectUris.join('\n'), errors)}
<div class="actions"><button class="second" type="submit">${texts.saveUris}</button></div></form>
${formOpening(token, `${path}/privacy`)}
${textField({ name: 'privacyUrl', label: texts.privacyUrl, hint: texts.privacyHint, value: values['privacyUrl'] ?? client.privacyUrl ?? '', errors, attributes: html`type="url" autocomplete="off"` })}
<div class="actions"><button class="second" type="submit">${texts.savePrivacy}</button></div></form>
<form class="card" method="post" action="${path}" enctype="multipart/form-data" novalidate><input type="hidden" name="form_token" value="${token(path)}">
${logoField({ label: texts.logo, errors })}
<div class="actions"><button class="second" type="submit">${texts.saveLogo}</button>${client.logoHash !== null && html`<button class="second" type="submit" name="action" value="remove">${texts.removeLogo}</button>`}</div></form>
<section class="card"><h2 class="first">${texts.disable}</h2><p>${texts.disableText}</p>
<div class="actions">${form('disable', texts.disable, 'danger')}</div></section>`
}
