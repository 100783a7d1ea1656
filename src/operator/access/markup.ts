import type { FieldError } from '../../core/problems.ts'
import { type OperatorRole, operatorRoles } from '../../model/principal.ts'
import { isolateBidi, stripBidi } from '../../web/bidi.ts'
import { actionForm, badge, dataTable } from '../../web/components.ts'
import { errorSummary, selectField, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { TokenOf } from '../forms-markup.ts'
import type { Operator, OperatorInvitation } from './ports.ts'
import { operatorsTexts as texts } from './texts.ts'

export interface OperatorsPage {
  operators: readonly Operator[]
  invitations: readonly OperatorInvitation[]
  ownId: string
  isOperator: boolean
  token: TokenOf
  days: number
  typed: { email: string; role: OperatorRole; errors: readonly FieldError[] }
}

export function operatorsMarkup(page: OperatorsPage): Html {
  const { invitations, isOperator, typed } = page
  return html`${errorSummary(typed.errors, undefined, texts.nothingDone)}
<p>${texts.lead}</p>
${operatorsTable(page)}
${invitations.length > 0 && html`<h2>${texts.invitations}</h2>${invitationsTable(page)}`}
${isOperator && inviteForm(page)}`
}

const roleBadge = (role: OperatorRole) => badge(role === 'operator' ? 'good' : 'neutral', texts.role[role])

/** Without the column of actions for viewers. */
const columnsFor = (labels: readonly string[], isOperator: boolean) => [
  ...labels.map(label => ({ label })),
  ...(isOperator ? [{ label: texts.actions, isHidden: true }] : []),
]

function operatorsTable({ operators, ownId, isOperator, token }: OperatorsPage): Html {
  const changing = operators.filter(({ role }) => role === 'operator')
  const action = '/operator/people/remove'
  const removal = ({ candidateId, email }: Operator) =>
    changing.length === 1 && changing[0]?.candidateId === candidateId
      ? html`<span class="quiet">${texts.last}</span>`
      : actionForm({
          ...{ action, token: token(action), fields: { person: candidateId }, label: texts.remove },
          describedAs: texts.about(texts.remove, stripBidi(email)),
          kind: 'danger',
        })
  const rows = operators.map(operator => [
    html`${isolateBidi(operator.email)}${operator.candidateId === ownId && html` <span class="quiet">(${texts.you})</span>`}`,
    roleBadge(operator.role),
    timeElement(operator.since),
    ...(isOperator ? [removal(operator)] : []),
  ])
  return dataTable(texts.caption, columnsFor([texts.email, texts.roleLabel, texts.since], isOperator), rows)
}

function invitationsTable({ invitations, isOperator, token }: OperatorsPage): Html {
  const action = '/operator/people/withdraw'
  const rows = invitations.map(({ id, email, role, createdAt, expiresAt }) => [
    isolateBidi(email),
    roleBadge(role),
    timeElement(createdAt),
    timeElement(expiresAt),
    ...(isOperator
      ? [
          actionForm({
            ...{ action, token: token(action), fields: { invitation: id }, label: texts.takeBack },
            describedAs: texts.about(texts.takeBack, stripBidi(email)),
          }),
        ]
      : []),
  ])
  const labels = [texts.email, texts.roleLabel, texts.invitedAt, texts.validUntil]
  return dataTable(texts.invitationsCaption, columnsFor(labels, isOperator), rows)
}

function inviteForm({ token, days, typed: { email, role, errors } }: OperatorsPage): Html {
  const action = '/operator/people'
  return html`<h2>${texts.invite}</h2>
<form class="card" method="post" action="${action}" novalidate>
<input type="hidden" name="form_token" value="${token(action)}">
<p>${texts.inviteText(days)}</p>
<div class="fields">
${textField({ name: 'email', label: texts.email, value: email, errors, attributes: html`type="email" autocomplete="off" required` })}
${selectField({ name: 'role', label: texts.roleLabel, value: role, errors, choices: operatorRoles.map(id => ({ id, description: texts.meaning[id] })) })}
</div>
<div class="actions"><button type="submit">${texts.inviteButton}</button></div>
</form>`
}
