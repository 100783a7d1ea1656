import type { FieldError } from '../../core/problems.ts'
import { badge, dataTable } from '../../web/components.ts'
import { errorSummary, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { TokenOf } from '../forms-markup.ts'
import type { Found } from './ports.ts'
import { lookupTexts as texts } from './texts.ts'

export interface LookupPage {
  typed: { email: string; reason: string; errors: readonly FieldError[] }
  found: Found | undefined
  isOperator: boolean
  token: TokenOf
}

export function lookupMarkup({ typed, found, isOperator, token }: LookupPage): Html {
  const { email, reason, errors } = typed
  const action = '/operator/lookup'
  const plain = html`type="text" autocomplete="off" required`
  return html`${errorSummary(errors, undefined, texts.nothingDone)}
<p>${texts.lead}</p>
${
  isOperator &&
  html`<form class="card" method="post" action="${action}" novalidate>
<input type="hidden" name="form_token" value="${token(action)}">
<div class="fields">${textField({ name: 'email', label: texts.email, value: email, errors, attributes: html`type="email" autocomplete="off" required` })}
${textField({ name: 'reason', label: texts.reason, hint: texts.reasonHint, value: reason, errors, attributes: plain })}</div>
<div class="actions"><button type="submit">${texts.look}</button></div></form>`
}
${found && foundMarkup(found, { email, reason, token })}`
}

function foundMarkup(
  { account, applications }: Found,
  { email, reason, token }: { email: string; reason: string; token: TokenOf },
): Html {
  if (account === undefined && applications.length === 0) return html`<p>${texts.none}</p>`
  const action = '/operator/lookup/erase'
  const rows = applications.map(each => [
    String(each.advertiserId),
    String(each.applicationId),
    timeElement(each.submittedAt),
    html`${each.status}${each.isOnHold && html` ${badge('warning', texts.hold)}`}`,
  ])
  const columns = [texts.company, texts.application, texts.sent, texts.status].map(label => ({ label }))
  const free = applications.filter(({ isOnHold }) => !isOnHold).length
  return html`<h2>${texts.found}</h2>
${accountMarkup(account)}
${rows.length > 0 && dataTable(texts.caption, columns, rows)}
<form class="card" method="post" action="${action}">
<input type="hidden" name="form_token" value="${token(action)}">
<input type="hidden" name="email" value="${email}"><input type="hidden" name="reason" value="${reason}">
<p>${texts.eraseText(free, account !== undefined)}</p>
<div class="actions"><button class="danger" type="submit">${texts.erase}</button></div></form>`
}

function accountMarkup(account: Found['account']): Html {
  const yesOrNo = (is: boolean) => (is ? texts.yes : texts.no)
  const facts: [string, Html | string][] =
    account === undefined
      ? [[texts.account, texts.noAccount]]
      : [
          [texts.account, html`<code>${account.candidateId}</code>`],
          [texts.since, timeElement(account.createdAt)],
          [texts.confirmed, yesOrNo(account.isConfirmed)],
          [texts.resumes, String(account.resumes)],
          [texts.consents, String(account.consents)],
          [texts.companies, String(account.companies)],
          [texts.isOperator, yesOrNo(account.isOperator)],
        ]
  return html`<dl class="values">${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`
}
