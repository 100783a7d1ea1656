import type { FieldError } from '../../core/problems.ts'
import { badge, dataTable, emptyState } from '../../web/components.ts'
import { errorSummary, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import type { TokenOf } from '../forms-markup.ts'
import { type OperatorTab, operatorPath } from '../navigation-markup.ts'
import type { Finding } from './ports.ts'
import type { Attention } from './service.ts'
import { type AttentionKind, attentionTexts, homeTexts as texts } from './texts.ts'

const attentionTabs: Record<AttentionKind, OperatorTab> = {
  deadMail: 'mail',
  heldMail: 'mail',
  unjudged: 'files',
  failedTasks: 'work',
  stoppedWebhooks: 'webhooks',
  failingWebhooks: 'webhooks',
  withoutAdmin: 'companies',
  clientChanges: 'clients',
}

export interface HomePage {
  attention: readonly Attention[]
  findings: readonly Finding[]
  areAllChecks: boolean
  isEmpty: boolean
  isMailOn: boolean
  isOperator: boolean
  token: TokenOf
  typed: { email: string; errors: readonly FieldError[] }
}

export function homeMarkup(page: HomePage): Html {
  const { attention, isEmpty, isOperator, typed } = page
  const { title, text, action } = texts.first
  const link = isOperator ? { href: '/operator/companies', label: action } : undefined
  return html`${errorSummary(typed.errors, undefined, texts.notSent)}
${isEmpty && emptyState({ title, text, action: link })}
<h2 class="first">${texts.attention}</h2>
${attention.length === 0 ? html`<p class="quiet">${texts.nothing}</p>` : html`<ul>${attention.map(({ kind, count }) => html`<li><a href="${operatorPath(attentionTabs[kind])}">${attentionTexts[kind](count)}</a></li>`)}</ul>`}
${checksMarkup(page)}
${isOperator && mailForm(page)}`
}

function checksMarkup({ findings, areAllChecks }: HomePage): Html {
  const columns = [{ label: texts.what }, { label: texts.state }, { label: texts.says }]
  // What is wrong comes first.
  const rows = findings
    .toSorted((a, b) => Number(a.isFine) - Number(b.isFine))
    .map(({ what, isFine, says }) => [
      html`<span class="whole">${what}</span>`,
      isFine ? badge('good', texts.fine) : badge('danger', texts.wrong),
      says,
    ])
  return html`<h2>${texts.checks}</h2>
<p class="quiet">${areAllChecks ? texts.checksAll : texts.checksText}</p>
${dataTable(texts.caption, columns, rows)}
${!areAllChecks && html`<p><a class="button second" href="/operator?checks=all">${texts.runAll}</a></p>`}`
}

function mailForm({ isMailOn, token, typed }: HomePage): Html {
  const action = '/operator/test-mail'
  if (!isMailOn) return html`<h2>${texts.mail}</h2><p>${texts.noMail}</p>`
  return html`<h2>${texts.mail}</h2>
<form class="card" method="post" action="${action}" novalidate>
<input type="hidden" name="form_token" value="${token(action)}">
<p>${texts.mailText}</p>
${textField({ name: 'email', label: texts.address, value: typed.email, errors: typed.errors, attributes: html`type="email" autocomplete="email" required` })}
<div class="actions"><button class="second" type="submit">${texts.send}</button></div>
</form>`
}
