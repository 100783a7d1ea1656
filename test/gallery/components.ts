import { barChart } from '../../src/platform/web/chart.ts'
import {
  badge,
  breadcrumb,
  copyBlock,
  copyField,
  dataTable,
  emptyState,
  loading,
  meter,
  notice,
  pager,
} from '../../src/platform/web/components.ts'
import { filePreview } from '../../src/platform/web/file-preview.ts'
import { type Html, html } from '../../src/platform/web/html.ts'
import { timeElement } from '../../src/platform/web/time.ts'
import { type DesignToken, isColour } from './design-tokens.ts'
import { fieldsMarkup, summaryMarkup } from './fields.ts'
import { componentsTexts as texts } from './texts.ts'

/** The sections of the page in order, each with its title. */
const parts = (tokens: readonly DesignToken[]): [id: string, title: string, content: Html][] => [
  ['colours', texts.colours.title, colours(tokens)],
  ['measures', texts.measures.title, measures(tokens)],
  ['type', texts.type.title, type()],
  ['buttons', texts.buttons.title, buttons()],
  ['notices', texts.notices.title, notices()],
  ['badges', texts.badges.title, badges()],
  ['fields', texts.fields.title, fieldsMarkup()],
  ['summary', texts.summary.title, summaryMarkup()],
  ['copying', texts.copy.title, copying()],
  ['tables', texts.tables.title, tables()],
  ['empty', texts.empty.title, empty()],
  ['paging', texts.paging.title, paging()],
  ['meters', texts.meters.title, meters()],
  ['chart', texts.chart.title, charts()],
  ['cards', texts.cards.title, cards()],
  ['tabs', texts.tabs.title, tabs()],
  ['preview', texts.preview.title, preview()],
  ['time', texts.time.title, html`<p>${texts.time.text(timeElement(Date.UTC(2026, 10, 14, 9, 30)))}</p>`],
]

export function componentsMarkup(tokens: readonly DesignToken[]): Html {
  const all = parts(tokens)
  return html`<p class="lead">${texts.lead}</p>
<nav class="card" aria-label="${texts.contents}"><p class="links">${all.map(([id, title]) => html`<a href="#${id}">${title}</a> `)}</p></nav>
${all.map(([id, title, content]) => html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`)}`
}

function colours(tokens: readonly DesignToken[]): Html {
  const { colours: words } = texts
  // Coloured by attributes, because both themes are shown side by side in either theme.
  const swatch = (value: string | undefined) =>
    value === undefined
      ? ''
      : html`<span class="swatch"><svg viewBox="0 0 3 2" aria-hidden="true"><rect width="3" height="2" fill="${value}"/></svg><code>${value}</code></span>`
  return html`<p>${words.text}</p>${dataTable(
    words.caption,
    [words.name, words.light, words.dark].map(label => ({ label })),
    tokens
      .filter(({ light }) => isColour(light))
      .map(({ name, light, dark }) => [html`<code>${name}</code>`, swatch(light), swatch(dark)]),
  )}`
}

function measures(tokens: readonly DesignToken[]): Html {
  const { measures: words } = texts
  return dataTable(
    words.caption,
    [words.name, words.value].map(label => ({ label })),
    tokens
      .filter(({ light }) => !isColour(light))
      .map(({ name, light }) => [html`<code>${name}</code>`, html`<code>${light}</code>`]),
  )
}

function type(): Html {
  const { type: words } = texts
  return html`<div class="card"><h3>${words.second}</h3><p>${words.plain}</p><h4>${words.third}</h4><p class="quiet">${words.quiet}</p><span class="hint">${words.hint}</span><p class="lead">${words.lead}</p><pre>${words.pre}</pre></div>`
}

function buttons(): Html {
  const { buttons: words } = texts
  return html`<div class="card"><div class="actions"><button type="button">${words.first}</button><button class="second" type="button">${words.second}</button><button class="danger" type="button">${words.danger}</button><button class="link" type="button">${words.link}</button><a class="button" href="#buttons">${words.anchor}</a></div>
<div class="actions"><button type="button" disabled>${words.disabled}</button><button class="second" type="button" disabled>${words.disabled}</button></div>
<div class="actions"><button class="second" type="button">${words.long}</button></div>
<p class="quiet">${words.focus}</p></div>`
}

function notices(): Html {
  const { notices: words } = texts
  return html`${(['info', 'good', 'warning', 'problem'] as const).map(kind => notice(kind, words[kind]))}${notice('info', words.long)}`
}

function badges(): Html {
  const kinds = ['neutral', 'accent', 'good', 'warning', 'danger'] as const
  return html`<div class="card"><p class="links">${kinds.map(kind => badge(kind, texts.badges[kind]))}</p></div>`
}

function copying(): Html {
  const { copy: words } = texts
  return html`<p>${words.text}</p><div class="card">${copyField({ id: 'copy-me', ...words })}${copyBlock({ id: 'copy-command', ...words.command })}</div>`
}

function tables(): Html {
  const { tables: words } = texts
  const columns = [...words.columns.map(label => ({ label })), { label: words.actions, isHidden: true }]
  const when = timeElement(Date.UTC(2026, 10, 14, 9, 30))
  const rowOf = (name: string) => [
    html`<bdi>${name}</bdi>`,
    badge('good', texts.badges.good),
    when,
    html`<a href="#tables" aria-label="${words.open(name)}">${words.action}</a>`,
  ]
  const names = [words.name, texts.fields.long, texts.fields.rtl, texts.fields.long.replaceAll(' ', '')]
  return html`<p>${words.text}</p>
<h3>${words.one}</h3>${dataTable(words.one, columns, [rowOf(words.name)])}
<h3>${words.many}</h3>${dataTable(words.many, columns, names.map(rowOf))}`
}

function empty(): Html {
  const { empty: words } = texts
  return emptyState({
    title: words.heading,
    text: words.text,
    action: { href: '#empty', label: words.action },
  })
}

function paging(): Html {
  const [home, components] = texts.paging.above
  return html`<div class="card">${breadcrumb([
    { href: '/', label: home },
    { href: '#paging', label: components },
  ])}${pager({ newest: '#paging', newer: '#paging', older: '#paging' })}</div>`
}

function meters(): Html {
  const { meters: words } = texts
  return html`<div class="card">${meter({ id: 'meter-some', label: words.meter, value: 3, max: 5 })}${meter({ id: 'meter-full', label: words.full, value: 5, max: 5 })}
<label for="progress-some">${words.progress}</label><progress id="progress-some" max="100" value="40"></progress></div>
${loading(words.loading)}<p class="quiet">${words.loadingText}</p>`
}

function charts(): Html {
  const { chart: words } = texts
  const values = [0, 3, 120, 80, 640, 0, 0, 310, 290, 505, 770, 12, 4, 1200]
  const bars = values.map((value, index) => ({ label: words.day(index + 1), value }))
  return html`<div class="columns">${barChart({ title: words.bars, summary: words.summary, whenEmpty: words.empty, bars })}${barChart({ title: words.emptyTitle, summary: words.summary, whenEmpty: words.empty, bars: [] })}</div>`
}

function cards(): Html {
  const { cards: words } = texts
  return html`<div class="columns"><div class="card"><h3>${words.heading}</h3><p>${words.text}</p></div>
<div class="card"><h3>${words.values}</h3><dl class="values">${words.pairs.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl><details><summary>${words.details}</summary><p>${words.detailsText}</p></details></div></div>`
}

function tabs(): Html {
  const { tabs: words } = texts
  return html`<div class="card"><header class="site"><nav class="tabs" aria-label="${words.area}"><span class="area">${words.area}</span><div class="row">${words.labels.map((label, index) => html`<a href="#tabs"${index === 0 && html` aria-current="page"`}>${label}</a>`)}</div></nav></header></div>`
}

function preview(): Html {
  const { preview: words } = texts
  const contentType = 'application/octet-stream'
  return html`<div class="card">${filePreview({ name: words.name, contentType, href: '#preview', textHref: '#preview', size: 48_200 })}</div>`
}
