import type { AgentOfAdvertiser, Credential } from '../../advertisers/ports.ts'
import { isUsable } from '../../advertisers/rules.ts'
import type { DayOfUsage } from '../../advertisers/usage-service.ts'
import type { EpochMs } from '../../core/clock.ts'
import type { FieldError } from '../../core/problems.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { barChart, numberText } from '../../web/chart.ts'
import {
  type BadgeKind,
  badge,
  copyBlock,
  copyField,
  dataTable,
  emptyState,
  notice,
} from '../../web/components.ts'
import { errorSummary, needed, selectField, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement, zonedTime } from '../../web/time.ts'
import { accessTexts as texts } from './texts.ts'

export type CredentialState = 'active' | 'expired' | 'revoked'

export function stateOf(credential: Credential, now: EpochMs): CredentialState {
  if (credential.revokedAt !== null) return 'revoked'
  return isUsable(credential, now) ? 'active' : 'expired'
}

const badges: Record<CredentialState, BadgeKind> = { active: 'good', expired: 'warning', revoked: 'neutral' }

export function credentialSection(
  credentials: readonly Credential[],
  { now, timeZone, path }: { now: EpochMs; timeZone: string; path: string },
): Html {
  const { credentials: words } = texts
  const action = { href: `${path}/new-credential`, label: words.issue }
  const rows = credentials.toReversed().map(credential => {
    const { id, label, hint, createdAt, expiresAt, lastUsedAt } = credential
    const state = stateOf(credential, now)
    return [
      isolateBidi(label),
      html`<code>${hint}</code>`,
      badge(badges[state], words.states[state]),
      timeElement(createdAt),
      expiresAt === null ? words.never : zonedTime(expiresAt, timeZone),
      lastUsedAt === null ? words.never : timeElement(lastUsedAt),
      state === 'active'
        ? html`<a href="${path}/credentials/${id}/revoke" aria-label="${words.revokeOf(label)}">${words.revoke}</a>`
        : '',
    ]
  })
  const columns = [words.label, words.hint, words.state, words.created, words.expires, words.lastUsed]
  return html`<section aria-labelledby="credentials"><div class="section-head"><h2 id="credentials">${words.title}</h2>${rows.length > 0 && html`<a class="button" href="${action.href}">${action.label}</a>`}</div>
<p>${words.lead}</p>
${
  rows.length === 0
    ? emptyState({ ...words.empty, action })
    : dataTable(
        words.caption,
        [...columns.map(label => ({ label })), { label: words.actions, isHidden: true }],
        rows,
      )
}</section>`
}

export function agentSection(agents: readonly AgentOfAdvertiser[], path: string): Html {
  const { agents: words } = texts
  const action = { href: `${path}/new-agent`, label: words.authorise }
  const rows = agents.flatMap(({ id, name, authorisedAt }) =>
    authorisedAt === null
      ? []
      : [
          [
            isolateBidi(name),
            html`<code>${id}</code>`,
            timeElement(authorisedAt),
            html`<a href="${path}/agents/${id}/withdraw" aria-label="${words.withdrawOf(name)}">${words.withdraw}</a>`,
          ],
        ],
  )
  const columns = [words.name, words.id, words.since]
  return html`<section aria-labelledby="agents"><div class="section-head"><h2 id="agents">${words.title}</h2>${rows.length > 0 && html`<a class="button second" href="${action.href}">${action.label}</a>`}</div>
<p>${words.lead}</p>
${
  rows.length === 0
    ? emptyState({ ...words.empty, action })
    : dataTable(
        words.caption,
        [...columns.map(label => ({ label })), { label: words.actions, isHidden: true }],
        rows,
      )
}</section>`
}

/** An empty form without errors. */
export interface Typed {
  values: Record<string, string>
  errors: readonly FieldError[]
}

export function credentialForm(
  action: string,
  hidden: { token: string; key: string },
  { values, errors }: Typed,
  { backTo, timeZone }: { backTo: string; timeZone: string },
): Html {
  const { newCredential: words } = texts
  return html`${errorSummary(errors, undefined, words.nothingIssued)}<form class="card" method="post" action="${action}" novalidate>
<input type="hidden" name="form_token" value="${hidden.token}"><input type="hidden" name="form_key" value="${hidden.key}">
${textField({ name: 'label', label: needed(words.label), hint: words.labelHint, value: values['label'] ?? '', errors, attributes: html`required maxlength="200" autocomplete="off"` })}
${textField({ name: 'expires', label: words.expires, hint: words.expiresHint(timeZone), value: values['expires'] ?? '', errors, attributes: html`type="date"` })}
<p class="quiet">${words.once}</p>
<div class="actions"><button type="submit">${words.submit}</button><a class="button second" href="${backTo}">${words.cancel}</a></div></form>`
}

export function issuedCredential({
  label,
  value,
  baseUrl,
  backTo,
}: {
  label: string
  value: string
  baseUrl: string
  backTo: string
}): Html {
  const { issued: words } = texts
  const command = `curl -H 'Authorization: SWS ${value}' '${baseUrl}/v1/advertiser/applications?limit=2'`
  return html`${notice('warning', words.notice(label))}
<div class="card">${copyField({ id: 'credential', label: words.value, value })}
${copyBlock({ id: 'command', label: words.command, value: command })}<p class="quiet">${words.commandHint}</p>
<div class="actions"><a class="button" href="${backTo}">${words.back}</a></div></div>`
}

export function agentForm(
  action: string,
  token: string,
  agents: readonly AgentOfAdvertiser[],
  { values, errors }: Typed,
  backTo: string,
): Html {
  const { newAgent: words } = texts
  const choices = agents
    .filter(({ authorisedAt }) => authorisedAt === null)
    .map(({ id, name }) => ({ id: String(id), description: words.choice(name, id) }))
  if (choices.length === 0 && errors.length === 0) {
    const about = agents.length === 0 ? words.noAgents : words.allAuthorised
    return emptyState({ ...about, action: { href: backTo, label: words.back } })
  }
  return html`${errorSummary(errors, undefined, words.nothingDone)}<form class="card" method="post" action="${action}" novalidate>
<input type="hidden" name="form_token" value="${token}">
<p>${words.text}</p>
${choices.length > 0 && selectField({ name: 'agent', label: words.agent, hint: words.agentHint, none: words.choose, choices, value: values['agent'] ?? '', errors })}
${textField({ name: 'agent_id', label: choices.length > 0 ? words.agentId : words.onlyAgentId, hint: words.agentIdHint, value: values['agent_id'] ?? '', errors, attributes: html`inputmode="numeric" autocomplete="off"` })}
<div class="actions"><button type="submit">${words.submit}</button><a class="button second" href="${backTo}">${words.cancel}</a></div></form>`
}

/** A confirmation page. */
export function confirmation({
  action,
  token,
  text,
  submit,
  keep,
  backTo,
  key,
}: {
  action: string
  token: string
  /** Recognises a form that is sent again. */
  key?: string
  text: Html
  submit: string
  keep: string
  backTo: string
}): Html {
  return html`<form class="card" method="post" action="${action}"><input type="hidden" name="form_token" value="${token}">${key !== undefined && html`<input type="hidden" name="form_key" value="${key}">`}
<p>${text}</p><div class="actions"><button class="danger" type="submit">${submit}</button><a class="button second" href="${backTo}">${keep}</a></div></form>`
}

export function usageSection(days: readonly DayOfUsage[]): Html {
  const { usage: words } = texts
  const series = (pick: (day: DayOfUsage) => number) => {
    const bars = days.map(day => ({ label: words.dayText(day.day), value: pick(day) }))
    const total = bars.reduce((sum, { value }) => sum + value, 0)
    const highest = bars.reduce((a, b) => (b.value > a.value ? b : a), { label: '', value: 0 })
    return { bars, total, highest }
  }
  const applied = series(({ applications }) => applications)
  const called = series(({ calls }) => calls)
  return html`<section aria-labelledby="usage"><div class="section-head"><h2 id="usage">${words.title(days.length)}</h2></div><p class="quiet">${words.lead}</p>
<div class="columns">${barChart({
    title: words.applications(applied.total),
    summary: words.applicationsSummary(applied.total, applied.highest.value, applied.highest.label),
    whenEmpty: words.noApplications,
    bars: applied.bars,
  })}${barChart({
    title: words.calls(called.total),
    summary: words.callsSummary(called.total, called.highest.value, called.highest.label),
    whenEmpty: words.noCalls,
    bars: called.bars,
  })}</div>
<details><summary>${words.table}</summary>${dataTable(
    words.caption,
    [words.day, words.applicationsColumn, words.callsColumn].map(label => ({ label })),
    days
      .toReversed()
      .map(({ day, applications, calls }) => [
        words.wholeDayText(day),
        numberText(applications),
        numberText(calls),
      ]),
  )}</details></section>`
}
