import type { Advertiser } from '../../advertisers/ports.ts'
import type { CompanyPlan } from '../../collect/retention/service.ts'
import type { FieldError } from '../../core/problems.ts'
import type { RetentionBounds } from '../../model/retention.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, badge, dataTable, emptyState } from '../../web/components.ts'
import { errorSummary, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { TokenOf } from '../forms-markup.ts'
import type { CompanyFigures } from '../ports.ts'
import { companiesTexts as texts } from './texts.ts'

export type Company = Advertiser & CompanyFigures

export const companyPath = (id: number) => `/operator/companies/${id}`

export interface Typed {
  values: Readonly<Record<string, string>>
  errors: readonly FieldError[]
}
export const nothingTyped: Typed = { values: {}, errors: [] }

export interface CompaniesPage {
  companies: readonly Company[]
  days: number
  timeZone: string
  isOperator: boolean
  token: TokenOf
  formKey: string
  typed: Typed
}

const stateBadges = ({ status, admins }: Company) =>
  html`${status === 'active' ? badge('good', texts.active) : badge('warning', texts.onHold)}${admins === 0 && html` ${badge('warning', texts.noAdmin)}`}`

export function companiesMarkup({
  companies,
  days,
  timeZone,
  isOperator,
  token,
  formKey,
  typed,
}: CompaniesPage): Html {
  const labels = [texts.id, texts.name, texts.state, texts.people, texts.applications, texts.calls(days)]
  const rows = companies.map(company => [
    html`<a class="whole" href="${companyPath(company.id)}">${company.id}</a>`,
    isolateBidi(company.name),
    stateBadges(company),
    String(company.people),
    String(company.applications),
    String(company.calls),
    company.lastApplicationAt === null ? texts.never : timeElement(company.lastApplicationAt),
  ])
  const columns = [...labels, texts.lastActivity].map(label => ({ label }))
  return html`${errorSummary(typed.errors, undefined, texts.notAdded)}
${companies.length === 0 ? emptyState(texts.none) : dataTable(texts.caption, columns, rows)}
${isOperator && addForm(token, formKey, typed, timeZone)}`
}

const hiddenToken = (token: TokenOf, action: string) =>
  html`<input type="hidden" name="form_token" value="${token(action)}">`

function addForm(token: TokenOf, formKey: string, { values, errors }: Typed, timeZone: string): Html {
  const action = '/operator/companies'
  const field = (name: string, label: string, hint: string, attributes: Html) =>
    textField({ name, label, hint, value: values[name] ?? '', errors, attributes })
  return html`<h2>${texts.add}</h2>
<form class="card" method="post" action="${action}" novalidate>${hiddenToken(token, action)}<input type="hidden" name="form_key" value="${formKey}">
${field('name', texts.name, texts.nameHint, html`type="text" autocomplete="off" required`)}
<div class="fields">${field('id', texts.ownId, texts.ownIdHint, html`type="text" inputmode="numeric" autocomplete="off"`)}
${field('timeZone', texts.timeZone, texts.timeZoneHint(timeZone), html`type="text" autocomplete="off"`)}</div>
<div class="actions"><button type="submit">${texts.addButton}</button></div>
</form>`
}

export interface CompanyPage {
  company: Company
  plan: CompanyPlan
  bounds: RetentionBounds
  days: number
  isMailOn: boolean
  isOperator: boolean
  token: TokenOf
  typed: Typed
}

export function companyMarkup(page: CompanyPage): Html {
  const { company, days, isOperator, typed } = page
  const facts: [string, Html | string][] = [
    [texts.id, String(company.id)],
    [texts.state, stateBadges(company)],
    [texts.since, timeElement(company.createdAt)],
    [texts.people, String(company.people)],
    [texts.applications, String(company.applications)],
    [texts.calls(days), String(company.calls)],
    [
      texts.lastActivity,
      company.lastApplicationAt === null ? texts.never : timeElement(company.lastApplicationAt),
    ],
  ]
  return html`${errorSummary(typed.errors, undefined, texts.notChanged)}
<section class="card"><h2 class="first">${texts.facts}</h2>
<dl class="values">${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl></section>
${isOperator && stateForm(page)}
${isOperator && inviteForm(page)}
${retentionMarkup(page)}`
}

function stateForm({ company, token }: CompanyPage): Html {
  const isActive = company.status === 'active'
  const action = `${companyPath(company.id)}/${isActive ? 'hold' : 'release'}`
  const label = isActive ? texts.hold : texts.release
  return html`<section class="card"><h2 class="first">${texts.state}</h2>
<p>${isActive ? texts.holdText : texts.releaseText}</p>
<div class="actions">${actionForm({ action, token: token(action), label, kind: isActive ? 'danger' : 'first' })}</div></section>`
}

function inviteForm({ company, isMailOn, token, typed: { values, errors } }: CompanyPage): Html {
  const action = `${companyPath(company.id)}/invite`
  return html`<form class="card" method="post" action="${action}" novalidate>${hiddenToken(token, action)}
<h2 class="first">${company.admins === 0 ? texts.invite : texts.inviteMore}</h2>
<p>${texts.inviteText(isMailOn)}</p>
${textField({ name: 'email', label: texts.email, value: values['email'] ?? '', errors, attributes: html`type="email" autocomplete="off" required` })}
<div class="actions"><button class="second" type="submit">${texts.inviteButton}</button></div></form>`
}

function retentionMarkup({ company, plan, bounds, isOperator, token, typed }: CompanyPage): Html {
  const action = `${companyPath(company.id)}/retention`
  const undo = `${companyPath(company.id)}/take-back`
  const { change } = plan
  return html`<section class="card"><h2 class="first">${texts.retention}</h2>
<p>${texts.keeps(plan.months)}${plan.choice === null && html` <span class="quiet">${texts.keepsDefault}</span>`}</p>
${change !== null && html`<p>${texts.change(change.months, timeElement(change.at))} ${plan.plan && texts.erases(plan.plan.count)}</p>`}
${isOperator && plan.canTakeBack && html`<div class="actions">${actionForm({ action: undo, token: token(undo), label: texts.takeBack })}</div>`}
${
  isOperator &&
  html`<form method="post" action="${action}" novalidate>${hiddenToken(token, action)}
${textField({ name: 'months', label: texts.months, hint: texts.monthsHint(bounds.min, bounds.max), value: typed.values['months'] ?? String(plan.choice ?? ''), errors: typed.errors, attributes: html`type="text" inputmode="numeric" autocomplete="off"` })}
<div class="actions"><button class="second" type="submit">${texts.setRetention}</button></div></form>`
}</section>`
}
