import type { Findings, Growth, Result, Tail } from './findings.ts'
import { circle, grouped, legend, line, niceStep, polyline, rect, svg, text, toneOf } from './svg.ts'

export interface Chart {
  file: string
  /** Alternative text. */
  alt: string
  content: string
}

const databases = [
  ['SQLite', 'a'],
  ['PostgreSQL', 'b'],
] as const

/** The charts of a run, without those for which nothing was measured. */
export function chartsOf({ results, growth, tails }: Findings): Chart[] {
  const charts: Chart[] = []
  const withTarget = results.filter(({ target }) => target !== null)
  const memory = { what: 'same bytes from memory', label: 'bare Fastify', isOneForAll: true }
  const lists = barsOf(results, whats.lists, memory)
  const other = { what: '', label: 'oidc-provider', isOneForAll: false }
  const oauth = barsOf(results, whats.oauth, other)
  if (withTarget.length > 0) charts.push(targetsChart(withTarget))
  if (lists.length > 0) {
    charts.push(
      barChart('lists.svg', 'A page of 100 applications in JSON, requests per second of CPU time', lists),
    )
  }
  if (oauth.length > 0) {
    charts.push(
      barChart(
        'oauth.svg',
        'Sharing against oidc-provider on the same database, per second of CPU time',
        oauth,
      ),
    )
  }
  if (growth.length > 0) charts.push(growthChart(growth))
  if (tails.length > 0) charts.push(tailsChart(tails))
  return charts
}

/** How far each value is from its target: better values are further right. */
function targetsChart(results: readonly Result[]): Chart {
  const [width, rowHeight, top, left] = [980, 20, 64, 560]
  const height = top + results.length * rowHeight + 40
  const [least, most] = [1 / 4, 16]
  const x = (times: number) => {
    const bounded = Math.min(Math.max(times, least), most)
    return left + (Math.log2(bounded / least) / Math.log2(most / least)) * (width - left - 40)
  }
  const parts: string[] = []
  for (const times of [1 / 4, 1 / 2, 2, 4, 8, 16]) {
    parts.push(line(x(times), top - 8, x(times), height - 30, 'grid'))
    parts.push(text(x(times), height - 14, `${grouped(times)}×`, { class: 'quiet', anchor: 'middle' }))
  }
  for (const [index, result] of results.entries()) {
    const y = top + index * rowHeight
    const times = timesBetter(result)
    const [from, to] = [x(Math.min(times, 1)), x(Math.max(times, 1))]
    parts.push(text(left - 12, y + 11, shortened(result.name, 82), { anchor: 'end' }))
    parts.push(rect(from, y + 1, Math.max(to - from, 2), rowHeight - 6, result.met === true ? 'good' : 'bad'))
  }
  parts.push(line(x(1), top - 8, x(1), height - 30, 'mark'))
  parts.push(text(x(1), height - 14, 'target', { anchor: 'middle' }))
  const title = 'Against the targets: how many times better than wanted'
  const missed = results.filter(({ met }) => met === false).length
  const alt = `${results.length - missed} targets met, ${missed} missed`
  return {
    file: 'targets.svg',
    alt,
    content: svg({ width, height, title, description: alt, parts }),
  }
}

function timesBetter({ value, ratio, target, direction, met }: Result): number {
  // A ratio to zero has no meaning.
  if (target === 0) return met === true ? 1 : 0
  const shown = ratio ?? value
  const wanted = target ?? 1
  return direction === 'min' ? shown / wanted : wanted / Math.max(shown, 1e-9)
}

function shortened(name: string, most: number): string {
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`
}

interface Bar {
  what: string
  label: string
  value: number
}

const whats = {
  lists: [
    ['hot page', 'hot page of 100, JSON, '],
    ['random pages', 'page of 100, JSON, '],
    ['plain way', 'plain way, page of 100, JSON, '],
  ],
  oauth: [
    ['token exchange', 'token exchange against oidc-provider, '],
    ['full flow', 'full flow against oidc-provider, '],
  ],
} as const

/** The values of results by the beginning of their names, on each database, with their floors. */
function barsOf(
  results: readonly Result[],
  shown: readonly (readonly [what: string, beginning: string])[],
  floor: { what: string; label: string; isOneForAll: boolean },
): Bar[] {
  const bars: Bar[] = []
  for (const [what, beginning] of shown) {
    for (const [label] of databases) {
      const found = results.find(({ name }) => name === `${beginning}${label}: by CPU time`)
      if (found === undefined) continue
      const ours = { what: floor.isOneForAll ? what : `${what}, ${label}`, label, value: found.value }
      if (found.floor === null) bars.push(ours)
      else if (!floor.isOneForAll) bars.push(ours, { ...ours, label: floor.label, value: found.floor })
      else if (bars.length > 0) bars.push(ours)
      else bars.push({ what: floor.what, label: floor.label, value: found.floor }, ours)
    }
  }
  return bars
}

function barChart(file: string, title: string, bars: readonly Bar[]): Chart {
  const [width, rowHeight, top, left] = [760, 24, 72, 210]
  const height = top + bars.length * rowHeight + 40
  const most = Math.max(...bars.map(({ value }) => value))
  const x = (value: number) => left + (value / most) * (width - left - 90)
  const step = niceStep(most)
  const labels = [...new Set(bars.map(({ label }) => label))]
  const parts = [
    legend(
      20,
      52,
      labels.map(label => [label, toneOf(label)] as const),
    ),
  ]
  for (let value = 0; value <= most; value += step) {
    parts.push(line(x(value), top - 6, x(value), height - 32, 'grid'))
    parts.push(text(x(value), height - 14, grouped(value), { class: 'quiet', anchor: 'middle' }))
  }
  for (const [index, { what, label, value }] of bars.entries()) {
    const y = top + index * rowHeight
    if (bars[index - 1]?.what !== what) parts.push(text(left - 12, y + 13, what, { anchor: 'end' }))
    parts.push(rect(left, y + 1, x(value) - left, rowHeight - 8, toneOf(label)))
    parts.push(text(x(value) + 6, y + 13, grouped(value)))
  }
  const alt = bars
    .map(
      ({ what, label, value }) => `${what.endsWith(label) ? what : `${what}, ${label}`}: ${grouped(value)}`,
    )
    .join('; ')
  return { file, alt, content: svg({ width, height, title, description: alt, parts }) }
}

function growthChart(growth: readonly Growth[]): Chart {
  const [width, height, left, right, top, bottom, inset] = [760, 360, 70, 120, 60, 50, 40]
  const all = growth.flatMap(({ points }) => points)
  const sizes = all.map(({ applications }) => Math.log10(applications))
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
  const highest = Math.max(...all.map(({ microseconds }) => microseconds)) * 1.15
  const x = (applications: number) =>
    left +
    inset +
    ((Math.log10(applications) - least) / Math.max(most - least, 1e-9)) * (width - left - right - inset)
  const y = (microseconds: number) => height - bottom - (microseconds / highest) * (height - top - bottom)
  const parts: string[] = []
  const step = niceStep(highest)
  for (let value = 0; value <= highest; value += step) {
    parts.push(line(left, y(value), width - right, y(value), 'grid'))
    parts.push(text(left - 8, y(value) + 4, grouped(value), { class: 'quiet', anchor: 'end' }))
  }
  for (const { applications } of growth[0]?.points ?? []) {
    const options = { class: 'quiet', anchor: 'middle' } as const
    parts.push(text(x(applications), height - bottom + 20, grouped(applications), options))
  }
  parts.push(
    text((left + width - right) / 2, height - 10, 'applications of the advertiser', { anchor: 'middle' }),
  )
  for (const { label, points } of growth) {
    const tone = toneOf(label)
    const places = points.map(point => [x(point.applications), y(point.microseconds)] as const)
    parts.push(polyline(places, `line ${tone}`))
    for (const [index, [px, py]] of places.entries()) {
      parts.push(circle(px, py, 4, tone))
      parts.push(text(px, py - 10, grouped(points[index]?.microseconds ?? 0), { anchor: 'middle' }))
    }
    const [endX, endY] = places.at(-1) ?? [0, 0]
    parts.push(text(endX + 26, endY + 4, label, { class: tone }))
  }
  const title = 'What a random page of 100 costs, µs'
  const alt = growth
    .map(({ label, points }) => {
      const costs = points.map(point => `${grouped(point.microseconds)} at ${grouped(point.applications)}`)
      return `${label}: ${costs.join(', ')}`
    })
    .join('; ')
  return { file: 'growth.svg', alt, content: svg({ width, height, title, description: alt, parts }) }
}

const quantiles = [
  ['p50', 5],
  ['p90', 4],
  ['p99', 4],
  ['p999', 4],
  ['max', 3],
] as const

function tailsChart(tails: readonly Tail[]): Chart {
  const [width, rowHeight, top, left] = [900, 26, 76, 310]
  const height = top + tails.length * rowHeight + 44
  const values = tails.flatMap(tail => [tail.p50, tail.max])
  const least = 10 ** Math.floor(Math.log10(Math.min(...values)))
  const most = 10 ** Math.ceil(Math.log10(Math.max(...values)))
  const x = (ms: number) => left + (Math.log10(ms / least) / Math.log10(most / least)) * (width - left - 50)
  const parts = [
    legend(20, 54, databases),
    text(250, 54, 'dots: half, 90 %, 99 %, 99.9 % and all of the requests were answered within', {
      class: 'quiet',
    }),
  ]
  for (let ms = least; ms <= most * 1.001; ms *= 10) {
    parts.push(line(x(ms), top - 6, x(ms), height - 32, 'grid'))
    parts.push(text(x(ms), height - 14, `${grouped(ms)} ms`, { class: 'quiet', anchor: 'middle' }))
  }
  for (const [index, tail] of tails.entries()) {
    const y = top + index * rowHeight + 10
    const tone = toneOf(tail.label)
    if (tails[index - 1]?.name !== tail.name) parts.push(text(20, y + 4, tail.name))
    parts.push(text(left - 12, y + 4, `${grouped(tail.rate)}/s`, { class: 'quiet', anchor: 'end' }))
    parts.push(
      polyline(
        [
          [x(tail.p50), y],
          [x(tail.max), y],
        ],
        `line ${tone}`,
      ),
    )
    for (const [name, radius] of quantiles) parts.push(circle(x(tail[name]), y, radius, tone))
  }
  const title = 'How long requests take that come at half of the highest rate'
  const alt = tails
    .map(
      ({ name, label, p50, p99 }) =>
        `${name}, ${label}: half within ${grouped(p50)} ms, 99 % within ${grouped(p99)} ms`,
    )
    .join('; ')
  return { file: 'tails.svg', alt, content: svg({ width, height, title, description: alt, parts }) }
}
