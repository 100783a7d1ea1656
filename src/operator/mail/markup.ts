import { actionForm, badge, dataTable, notice } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { ListedDelivery } from '../../work/delivery-ports.ts'
import type { TokenOf } from '../forms-markup.ts'
import type { RefusedAddress } from '../ports.ts'
import { withoutAddresses } from '../redaction.ts'
import { mailTexts as texts } from './texts.ts'

export interface MailPage {
  deliveries: readonly ListedDelivery[]
  most: number
  refused: readonly RefusedAddress[]
  isMailOn: boolean
  isOperator: boolean
  token: TokenOf
}

export function mailMarkup(page: MailPage): Html {
  const { deliveries, refused, isMailOn, most } = page
  return html`${!isMailOn && notice('warning', texts.off)}
${deliveries.length === 0 ? html`<p class="quiet">${texts.none}</p>` : html`${deliveriesTable(page)}${deliveries.length >= most && html`<p class="quiet">${texts.more(most)}</p>`}${allForms(page)}`}
<h2>${texts.refused}</h2>
${refused.length === 0 ? html`<p class="quiet">${texts.noneRefused}</p>` : html`<p>${texts.refusedText}</p>${refusedTable(page)}`}`
}

const columnsOf = (labels: readonly string[], isOperator: boolean) => [
  ...labels.map(label => ({ label })),
  ...(isOperator ? [{ label: texts.actions, isHidden: true }] : []),
]

const said = (words: string | null) =>
  words === null ? texts.nothing : withoutAddresses(words, texts.address)

function deliveriesTable({ deliveries, isOperator, token }: MailPage): Html {
  const form = (path: string, label: string, { id, kind }: ListedDelivery) =>
    actionForm({
      ...{ action: path, token: token(path), fields: { mail: id }, label },
      describedAs: texts.about(label, kind, id),
    })
  const labels = [texts.kind, texts.state, texts.attempts, texts.created, texts.next, texts.words]
  const rows = deliveries.map(each => [
    each.kind,
    badge(each.state === 'waiting' ? 'neutral' : 'warning', texts.states[each.state]),
    String(each.attempts),
    timeElement(each.createdAt),
    each.state === 'waiting' ? timeElement(each.dueAt) : texts.nothing,
    said(each.fault),
    ...(isOperator
      ? [
          html`<div class="actions tight">${form('/operator/mail/retry', texts.retry, each)}${form('/operator/mail/drop', texts.drop, each)}</div>`,
        ]
      : []),
  ])
  return dataTable(texts.caption, columnsOf(labels, isOperator), rows)
}

function allForms({ deliveries, isOperator, token }: MailPage): Html | false {
  const isAny = (state: ListedDelivery['state']) => deliveries.some(each => each.state === state)
  const form = (name: 'retry' | 'drop', all: 'dead' | 'held', label: string) =>
    actionForm({
      ...{ action: `/operator/mail/${name}`, token: token(`/operator/mail/${name}`), fields: { all }, label },
    })
  return (
    isOperator &&
    html`<div class="actions">${isAny('dead') && form('retry', 'dead', texts.retryDead)}${isAny('held') && html`${form('retry', 'held', texts.retryHeld)}${form('drop', 'held', texts.dropHeld)}`}</div>`
  )
}

function refusedTable({ refused, isOperator, token }: MailPage): Html {
  const action = '/operator/mail/lift'
  const rows = refused.map(({ candidateId, at, words }) => [
    html`<code>${candidateId}</code>`,
    timeElement(at),
    said(words),
    ...(isOperator
      ? [
          actionForm({
            ...{ action, token: token(action), fields: { account: candidateId }, label: texts.lift },
            describedAs: texts.about(texts.lift, texts.account, candidateId),
          }),
        ]
      : []),
  ])
  return dataTable(
    texts.refusedCaption,
    columnsOf([texts.account, texts.since, texts.words], isOperator),
    rows,
  )
}
