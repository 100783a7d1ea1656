import { logoUrl } from '../../core/brand/logo.ts'
import type { ClientChange } from '../../share/clients/change-ports.ts'
import { wantedOf } from '../../share/clients/change-rules.ts'
import type { Clients } from '../../share/clients/service.ts'
import { isolateBidi } from '../../web/bidi.ts'
import {
  actionForm,
  avatar,
  badge,
  copyField,
  dataTable,
  emptyState,
  notice,
  valueLines,
} from '../../web/components.ts'
import { errorSummary, logoField, textArea, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { Typed } from '../access/markup.ts'
import { agentTexts } from './texts.ts'

const { clients: texts } = agentTexts

export type OwnClient = Awaited<ReturnType<Clients['listOf']>>[number]
export type ClientAction = 'rotate' | 'redirect-uris' | 'privacy' | 'withdraw'

const stateOf = ({ disabledAt }: OwnClient) =>
  disabledAt === null ? badge('good', texts.active) : badge('neutral', texts.disabled)

export function clientsMarkup(clients: readonly OwnClient[], path: string): Html {
  const rows = clients.map(client => [
    html`<a href="${path}/${client.id}">${isolateBidi(client.name)}</a>`,
    html`<code>${client.id}</code>`,
    stateOf(client),
    client.scopes.join(' '),
    String(client.secrets),
  ])
  const columns = [texts.name, texts.id, texts.state, texts.scopes, texts.secrets].map(label => ({ label }))
  return html`<p class="lead">${texts.lead}</p>
${rows.length === 0 ? emptyState(texts.empty) : dataTable(texts.caption, columns, rows)}`
}

/** A secret, shown once. */
export const secretMarkup = (secret: string, path: string): Html =>
  html`${notice('warning', texts.copyNow)}
<div class="card">${copyField({ id: 'secret', label: texts.secret, value: secret })}
<p>${texts.overlap}</p><div class="actions"><a class="button" href="${path}">${texts.copied}</a></div></div>`

export interface ClientPage {
  client: OwnClient
  changes: readonly ClientChange[]
  path: string
  isAdmin: boolean
  isSelfService: boolean
  token(...parts: string[]): string
  formKey: string
  typed: Typed
}

export function clientMarkup(page: ClientPage): Html {
  const { client, changes, isAdmin, typed } = page
  const facts: [string, Html | string][] = [
    [texts.id, html`<code>${client.id}</code>`],
    [texts.state, stateOf(client)],
    [texts.scopes, client.scopes.join(' ')],
    [texts.secrets, String(client.secrets)],
    [texts.redirectUris, lines(client.redirectUris)],
    [texts.privacyUrl, isolateBidi(client.privacyUrl ?? texts.none)],
    [texts.logo, client.logoHash === null ? texts.none : avatar(client.name, logoUrl(client.logoHash))],
    [texts.since, timeElement(client.createdAt)],
  ]
  return html`${errorSummary(typed.errors, undefined, texts.notChanged)}
<section class="card"><dl class="values">${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl></section>
${changes.length > 0 && waitingMarkup(page)}${isAdmin && client.disabledAt === null && formsMarkup(page)}`
}

const lines = (values: readonly string[]): Html | string =>
  values.length === 0 ? texts.none : valueLines(values)

function valueText(change: ClientChange): Html | string {
  const wanted = wantedOf(change)
  if (wanted.kind === 'redirect-uris') return lines(wanted.uris)
  if (wanted.kind === 'logo') return wanted.bytes === undefined ? texts.removal : texts.newImage
  return wanted.url === undefined ? texts.removal : isolateBidi(wanted.url)
}

function waitingMarkup({ changes, path, token, isAdmin }: ClientPage): Html {
  const rows = changes.map(change => [
    texts.kinds[change.kind],
    valueText(change),
    timeElement(change.requestedAt),
    ...(isAdmin
      ? [
          actionForm({
            ...{ action: path, token: token('withdraw'), label: texts.withdraw },
            fields: { action: 'withdraw', change: change.id },
            describedAs: `${texts.withdraw}: ${texts.kinds[change.kind]}`,
          }),
        ]
      : []),
  ])
  const columns = [texts.change, texts.wanted, texts.askedAt].map(label => ({ label }))
  return html`<h2>${texts.waiting}</h2><p>${texts.waitingText}</p>
${dataTable(texts.waiting, [...columns, ...(isAdmin ? [{ label: texts.actions, isHidden: true }] : [])], rows)}`
}

function formsMarkup({ client, path, token, formKey, isSelfService, typed }: ClientPage): Html {
  const { values, errors } = typed
  const opening = (action: ClientAction) =>
    html`<form class="card" method="post" action="${path}" novalidate><input type="hidden" name="form_token" value="${token(action)}"><input type="hidden" name="action" value="${action}">`
  const submit = (label: string) =>
    html`<div class="actions"><button class="second" type="submit">${label}</button></div></form>`
  return html`<h2>${texts.rotate}</h2>
${opening('rotate')}<input type="hidden" name="form_key" value="${formKey}"><p>${texts.rotateText}</p>
<div class="actions"><button class="second" type="submit">${texts.rotateButton}</button><button class="danger" type="submit" name="only" value="yes">${texts.onlyButton}</button></div></form>
<h2>${texts.changeTitle}</h2><p>${isSelfService ? texts.selfService : texts.confirmed}</p>
${opening('redirect-uris')}
${textArea({ name: 'redirectUri', label: texts.redirectUris, hint: texts.redirectUrisHint, value: values['redirectUri'] ?? client.redirectUris.join('\n'), errors, attributes: html`rows="3" spellcheck="false"` })}
${submit(isSelfService ? texts.saveUris : texts.askUris)}
${opening('privacy')}
${textField({ name: 'privacyUrl', label: texts.privacyUrl, hint: texts.privacyHint, value: values['privacyUrl'] ?? client.privacyUrl ?? '', errors, attributes: html`type="url" autocomplete="off" spellcheck="false"` })}
${submit(isSelfService ? texts.savePrivacy : texts.askPrivacy)}
<form class="card" method="post" action="${path}/logo" enctype="multipart/form-data" novalidate><input type="hidden" name="form_token" value="${token('logo')}">
${logoField({ label: texts.logo, errors })}
<div class="actions"><button class="second" type="submit">${isSelfService ? texts.saveLogo : texts.askLogo}</button>${client.logoHash !== null && html`<button class="second" type="submit" name="action" value="remove">${isSelfService ? texts.removeLogo : texts.askRemoval}</button>`}</div></form>`
}
