import { lazily } from '../../core/lazily.ts'
import { dataTable } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { type CallerLimit, limitTexts as texts } from './limits-texts.ts'
import { heading } from './markup.ts'
import type { Section } from './navigation-markup.ts'

export interface LimitTable {
  /** The default. */
  known: Record<CallerLimit, { reason: string; setting?: string }>
  /** The value of this service. */
  values: Record<CallerLimit, number>
}

const groups = Object.entries(texts.groups)

export const limitSections: readonly Section[] = groups.map(([id, { label }]) => ({ id, label }))

export function limitsMarkup(table: LimitTable): Html {
  return html`<p>${texts.intro}</p>
${groups.map(([id, { label, limits }]) => html`${heading(2, id, label)}${groupTable(label, limits, table)}`)}`
}

function groupTable(caption: string, labels: Record<string, string>, { known, values }: LimitTable): Html {
  const names = Object.keys(labels) as CallerLimit[]
  return dataTable(
    caption,
    [{ label: texts.limit }, { label: texts.value }, { label: texts.reason }],
    names.map(name => {
      const { reason, setting } = known[name]
      return [
        labels[name] ?? '',
        html`<strong>${inUnits(name, values[name])}</strong>`,
        html`${reason}${setting !== undefined && html`<span class="hint">${texts.setting(setting)}</span>`}`,
      ]
    }),
  )
}

const grouped = lazily(() => new Intl.NumberFormat('en'))

/** Derives the unit from the end of the name. */
function inUnits(name: string, value: number): string {
  const count = grouped().format(value)
  if (name.endsWith('Bytes')) {
    const kibibytes = value / 1024
    return kibibytes < 1024
      ? texts.kibibytes(grouped().format(kibibytes))
      : texts.mebibytes(grouped().format(kibibytes / 1024))
  }
  if (name.endsWith('Seconds')) return texts.seconds(count)
  if (name.endsWith('Days')) return texts.days(count)
  if (name.endsWith('PerMinute')) return texts.perMinute(count)
  if (name.endsWith('PerHour')) return texts.perHour(count)
  return name.endsWith('Length') ? texts.characters(count) : count
}
