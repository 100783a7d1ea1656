import { changeText } from '../../audit/rendering.ts'
import { dataTable, pager } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { BoardEntry } from '../ports.ts'
import { auditTexts as texts } from './texts.ts'

const kinds: Record<string, string> = texts.kinds

/** `before`: the number that the page begins below; undefined for the newest. */
export function auditMarkup(
  entries: readonly BoardEntry[],
  { before, most }: { before: number | undefined; most: number },
): Html {
  const labels = [texts.number, texts.at, texts.actor, texts.action, texts.target, texts.change]
  const rows = entries.map(entry => [
    String(entry.number),
    timeElement(entry.at),
    html`<span class="whole">${kinds[entry.actorKind] ?? entry.actorKind}</span> ${entry.actorId} <span class="quiet whole">${texts.proof(entry.proof)}</span>`,
    html`<span class="whole">${entry.action}</span>`,
    entry.target,
    changeText(entry) || texts.nothing,
  ])
  const last = entries.at(-1)
  const older =
    entries.length === most && last !== undefined ? `/operator/audit?before=${last.number}` : undefined
  const newest = before === undefined ? undefined : '/operator/audit'
  return html`<p>${texts.lead}</p>
${
  rows.length === 0
    ? html`<p class="quiet">${before === undefined ? texts.none : texts.noOlder}</p>`
    : dataTable(
        texts.caption,
        labels.map(label => ({ label })),
        rows,
      )
}
${pager({ newest, older })}`
}
