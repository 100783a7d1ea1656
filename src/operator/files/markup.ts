import { actionForm, dataTable } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { TokenOf } from '../forms-markup.ts'
import type { InfectedFile, UnjudgedFiles } from '../ports.ts'
import { filesTexts as texts } from './texts.ts'

export interface FilesPage {
  hasScanner: boolean
  unjudged: readonly UnjudgedFiles[]
  infected: readonly InfectedFile[]
  /** Undefined unless the operator has asked. */
  examined: { checked: number; damaged: readonly string[] } | undefined
  isOperator: boolean
  token: TokenOf
}

const shownDamaged = 20

export function filesMarkup(page: FilesPage): Html {
  const { hasScanner, unjudged, infected, isOperator, token } = page
  const action = '/operator/files/scan'
  const rows = unjudged.map(({ of, reason, count, oldestAt }) => [
    texts.of[of],
    texts.reasons[reason],
    String(count),
    timeElement(oldestAt),
  ])
  const columns = [texts.where, texts.reason, texts.count, texts.oldest].map(label => ({ label }))
  const infectedRows = infected.map(each => [String(each.advertiserId), String(each.applicationId)])
  return html`<h2 class="first">${texts.unjudged}</h2>
${!hasScanner ? html`<p>${texts.noScanner}</p>` : rows.length === 0 ? html`<p class="quiet">${texts.noneUnjudged}</p>` : dataTable(texts.caption, columns, rows)}
${isOperator && hasScanner && html`<div class="actions">${actionForm({ action, token: token(action), label: texts.rescan })}</div>`}
<h2>${texts.infected}</h2>
${infectedRows.length === 0 ? html`<p class="quiet">${texts.noneInfected}</p>` : html`<p>${texts.infectedText}</p>${dataTable(texts.infectedCaption, [{ label: texts.company }, { label: texts.application }], infectedRows)}`}
<h2>${texts.missing}</h2>
${examinedMarkup(page)}`
}

function examinedMarkup({ examined }: FilesPage): Html {
  if (examined === undefined)
    return html`<p>${texts.missingText}</p><p><a class="button second" href="/operator/files?look=missing">${texts.look}</a></p>`
  const { checked, damaged } = examined
  if (damaged.length === 0) return html`<p>${texts.whole(checked)}</p>`
  return html`<p>${texts.lost(damaged.length, checked)}</p>
<ul>${damaged.slice(0, shownDamaged).map(blob => html`<li><code>${blob}</code></li>`)}</ul>`
}
