import type { EpochMs } from '../../core/clock.ts'
import { actionForm, badge, dataTable, notice } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { TokenOf } from '../forms-markup.ts'
import type { RunningNode } from '../ports.ts'
import type { BackupState, LateWebhook, SettingInForce } from './ports.ts'
import { backupsTexts, nodesTexts, settingsTexts, webhooksTexts } from './texts.ts'

const columns = (...labels: string[]) => labels.map(label => ({ label }))

export function webhooksMarkup(webhooks: readonly LateWebhook[]): Html {
  const texts = webhooksTexts
  if (webhooks.length === 0) return html`<p class="quiet">${texts.none}</p>`
  const time = (at: EpochMs | null) => (at === null ? texts.nothing : timeElement(at))
  const rows = webhooks.map(({ id, owner, url, state, events, oldestAt, nextTryAt }) => [
    html`<code>${id}</code>`,
    owner,
    url,
    badge(state === 'failing' || state === 'stopped' ? 'warning' : 'neutral', texts.states[state]),
    String(events),
    time(oldestAt),
    time(nextTryAt),
  ])
  const labels = [texts.id, texts.owner, texts.url, texts.state, texts.events, texts.oldest, texts.next]
  return html`<p>${texts.lead}</p>${dataTable(texts.caption, columns(...labels), rows)}`
}

export function backupsMarkup(
  { place, verified, sets }: BackupState,
  { isOperator, token }: { isOperator: boolean; token: TokenOf },
): Html {
  const texts = backupsTexts
  const action = '/operator/backups'
  return html`<p>${place === undefined ? texts.off : texts.place(place)}</p>
<h2>${texts.verified}</h2>
${verified.length === 0 ? html`<p class="quiet">${texts.noneVerified}</p>` : html`<ul>${verified.map(each => html`<li>${texts.verifiedLine(each.set, each.place)}, ${timeElement(each.at)}</li>`)}</ul>`}
${place !== undefined && html`<h2>${texts.sets}</h2>${setsMarkup(sets)}`}
${isOperator && place !== undefined && html`<p>${texts.makeText}</p><div class="actions">${actionForm({ action, token: token(action), label: texts.make, kind: 'first' })}</div>`}`
}

function setsMarkup(sets: BackupState['sets']): Html {
  const texts = backupsTexts
  if (sets === undefined) return notice('warning', texts.unreadable)
  if (sets.length === 0) return html`<p class="quiet">${texts.noSets}</p>`
  const rows = sets.map(({ set, rows: count, files, fault }) => [
    set,
    String(count ?? ''),
    String(files ?? ''),
    fault ?? (count === undefined ? badge('warning', texts.unfinished) : badge('good', texts.whole)),
  ])
  return dataTable(texts.caption, columns(texts.set, texts.rows, texts.files, texts.state), rows)
}

export function nodesMarkup(
  nodes: readonly RunningNode[],
  { restoredAt, heldMails }: { restoredAt: EpochMs | undefined; heldMails: number },
): Html {
  const texts = nodesTexts
  const rows = nodes.map(({ id, release, seenAt }) => [
    html`<code>${id}</code>`,
    release,
    timeElement(seenAt),
  ])
  return html`<p>${texts.lead}</p>
${rows.length === 0 ? html`<p class="quiet">${texts.none}</p>` : dataTable(texts.caption, columns(texts.id, texts.release, texts.seen), rows)}
<h2>${texts.restored}</h2>
<p>${restoredAt === undefined ? texts.never : html`${texts.setBack} ${timeElement(restoredAt)}. ${texts.held(heldMails)}`}</p>`
}

export function settingsMarkup(settings: readonly SettingInForce[]): Html {
  const texts = settingsTexts
  const rows = settings.map(({ name, value, isDefault }) => [
    html`<code class="whole">${name}</code>`,
    html`${value}${isDefault && html` ${badge('neutral', texts.standard)}`}`,
  ])
  return html`<p>${texts.lead}</p>${dataTable(texts.caption, columns(texts.name, texts.value), rows)}`
}
