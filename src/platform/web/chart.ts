import { numberText } from '../core/locale.ts'
import { type Html, html } from './html.ts'

export interface Bar {
  label: string
  value: number
}

const height = 100

/**
 * A bar chart rendered on the server. Axis labels are HTML, so that they keep their size however
 * wide the chart is. Screen readers get the summary; the numbers are in the table next to it.
 */
export function barChart({
  title,
  summary,
  whenEmpty,
  bars,
}: {
  title: string
  /** One sentence that describes the chart. */
  summary: string
  /** Shown instead of an empty chart. */
  whenEmpty: string
  bars: readonly Bar[]
}): Html {
  const max = Math.max(0, ...bars.map(({ value }) => value))
  const plot = max === 0 ? html`<p class="chart-empty">${whenEmpty}</p>` : plotOf(bars, scaleOf(max), summary)
  return html`<figure class="chart card"><figcaption>${title}</figcaption>
${plot}</figure>`
}

function plotOf(bars: readonly Bar[], top: number, summary: string): Html {
  const middle = bars[Math.floor((bars.length - 1) / 2)]
  const marks = [bars[0], ...(bars.length > 2 ? [middle] : []), ...(bars.length > 1 ? [bars.at(-1)] : [])]
  return html`<div class="plot"><div class="scale" aria-hidden="true">${[top, top / 2, 0].map(value => html`<span>${numberText(value)}</span>`)}</div>
<svg viewBox="0 0 ${bars.length} ${height}" preserveAspectRatio="none" role="img" aria-label="${summary}">
${[0, height / 2, height].map(y => html`<line class="chart-grid" x1="0" x2="${bars.length}" y1="${y}" y2="${y}" vector-effect="non-scaling-stroke"/>`)}
${bars.map((bar, index) => barOf(bar, index, top))}
</svg>
<div class="marks" aria-hidden="true">${marks.map(mark => html`<span>${mark?.label}</span>`)}</div></div>`
}

function barOf({ label, value }: Bar, index: number, top: number): Html {
  const size = (value / top) * height
  return html`<g><title>${label}: ${numberText(value)}</title><rect class="chart-touch" x="${index}" y="0" width="1" height="${height}"/><rect class="chart-bar" x="${index + 0.15}" y="${rounded(height - size)}" width="0.7" height="${rounded(size)}"/></g>
`
}

const rounded = (value: number) => Math.round(value * 100) / 100

/** The smallest round number that is at least as high as every bar and has an integer half. */
export function scaleOf(max: number): number {
  for (let power = 1; ; power *= 10) {
    const found = [2, 4, 6, 8, 10].find(step => step * power >= max)
    if (found !== undefined) return found * power
  }
}

/** The sum of the bars, and the highest of them. */
export function figuresOf(bars: readonly Bar[]): { total: number; highest: Bar } {
  return {
    total: bars.reduce((sum, { value }) => sum + value, 0),
    highest: bars.reduce((a, b) => (b.value > a.value ? b : a), { label: '', value: 0 }),
  }
}
