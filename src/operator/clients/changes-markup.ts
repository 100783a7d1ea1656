import { logoUrl } from '../../core/brand/logo.ts'
import type { ClientChange } from '../../share/clients/change-ports.ts'
import { wantedOf } from '../../share/clients/change-rules.ts'
import { actionForm, avatar, dataTable, valueLines } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { TokenOf } from '../forms-markup.ts'
import { changesTexts as texts } from './changes-texts.ts'
import { clientPath, type ListedClient } from './markup.ts'

export const changePath = (id: string) => `/operator/clients/changes/${encodeURIComponent(id)}`

export interface ChangesPage {
  changes: readonly ClientChange[]
  clients: readonly ListedClient[]
  isOperator: boolean
  token: TokenOf
}

export function changesMarkup({ changes, clients, isOperator, token }: ChangesPage): Html {
  const rows = changes.map(change => {
    const client = clients.find(({ id }) => id === change.clientId)
    const path = changePath(change.id)
    const form = (end: 'confirm' | 'refuse') =>
      actionForm({
        ...{ action: `${path}/${end}`, token: token(`${path}/${end}`), label: texts[end] },
        describedAs: texts.about(texts[end], change.clientId, texts.kinds[change.kind]),
        kind: end === 'confirm' ? 'first' : 'second',
      })
    return [
      html`<a class="whole" href="${clientPath(change.clientId)}">${change.clientId}</a>`,
      texts.kinds[change.kind],
      valueNow(change, client),
      valueWanted(change),
      timeElement(change.requestedAt),
      ...(isOperator ? [html`<div class="actions tight">${form('confirm')}${form('refuse')}</div>`] : []),
    ]
  })
  const labels = [texts.client, texts.kind, texts.now, texts.wanted, texts.askedAt]
  const columns = [
    ...labels.map(label => ({ label })),
    ...(isOperator ? [{ label: texts.actions, isHidden: true }] : []),
  ]
  return html`<h2 class="first">${texts.title}</h2><p>${texts.text}</p>
${dataTable(texts.title, columns, rows)}`
}

const lines = (values: readonly string[]) => (values.length === 0 ? texts.none : valueLines(values))

function valueNow({ kind }: ClientChange, client: ListedClient | undefined): Html | string {
  if (client === undefined) return texts.none
  if (kind === 'redirect-uris') return lines(client.redirectUris)
  if (kind === 'privacy') return lines(client.privacyUrl === null ? [] : [client.privacyUrl])
  return client.logoHash === null ? texts.none : avatar(client.name, logoUrl(client.logoHash), 'large')
}

function valueWanted(change: ClientChange): Html | string {
  const wanted = wantedOf(change)
  if (wanted.kind === 'redirect-uris') return lines(wanted.uris)
  if (wanted.kind === 'privacy') return lines(wanted.url === undefined ? [] : [wanted.url])
  if (wanted.bytes === undefined) return texts.none
  return html`<img class="avatar large" src="${changePath(change.id)}/image" alt="${texts.wantedLogo(change.clientId)}">`
}
