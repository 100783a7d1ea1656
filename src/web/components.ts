import { theirs } from './bidi.ts'
import { componentTexts as texts } from './component-texts.ts'
import { type Html, html } from './html.ts'

/** The pieces that pages are made of. Each is shown in every state at /demo/components. */

export type NoticeKind = 'info' | 'good' | 'warning' | 'problem'

/** What has just happened, or what has to be known. A problem is read out at once, and takes the focus. */
export function notice(kind: NoticeKind, content: Html | string): Html {
  const body = typeof content === 'string' ? html`<p>${content}</p>` : content
  return kind === 'problem'
    ? html`<div class="problem" role="alert" tabindex="-1" autofocus>${body}</div>`
    : html`<div class="notice ${kind}" role="status">${body}</div>`
}

export type BadgeKind = 'neutral' | 'good' | 'warning' | 'danger'

/** A state in a word. The word says it; the colour only helps. */
export function badge(kind: BadgeKind, text: string): Html {
  return html`<span class="badge ${kind}">${text}</span>`
}

/** What a list shows while there is nothing in it, and the way to change that. */
export function emptyState({
  title,
  text,
  action,
}: {
  title: string
  text: Html | string
  action?: { href: string; label: string } | undefined
}): Html {
  return html`<div class="card empty"><p class="empty-title">${title}</p><p>${text}</p>${
    action && html`<p><a class="button" href="${action.href}">${action.label}</a></p>`
  }</div>`
}

/** The way through a list that is longer than a page. */
export function pager({
  newest,
  newer,
  older,
}: {
  newest?: string | undefined
  newer?: string | undefined
  older?: string | undefined
}): Html | false {
  const link = (href: string | undefined, label: string, rel?: string) =>
    href !== undefined &&
    html`<a class="button second" href="${href}"${rel !== undefined && html` rel="${rel}"`}>${label}</a>`
  return (
    (newest ?? newer ?? older) !== undefined &&
    html`<nav class="pager" aria-label="${texts.pagerLabel}">${link(newest, texts.newest)}${link(newer, texts.newer, 'prev')}${link(older, texts.older, 'next')}</nav>`
  )
}

/** Where a page is, below others. */
export function breadcrumb(above: readonly { href: string; label: string }[]): Html {
  return html`<nav class="crumbs" aria-label="${texts.crumbsLabel}">${above.map(({ href, label }) => html`<a href="${href}">${theirs(label)}</a>`)}</nav>`
}

/** The title of a page with what can be done on it beside. */
export function pageHead(
  title: Html | string,
  actions: Html | false = false,
  crumbs: Html | false = false,
): Html {
  return html`${crumbs}<div class="page-head"><h1>${title}</h1>${actions !== false && html`<div class="actions tight">${actions}</div>`}</div>`
}

/** A value to take along. The button shows itself only where there is a script to copy with. */
export function copyField({ id, label, value }: { id: string; label: string; value: string }): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><input id="${id}" value="${value}" readonly spellcheck="false">${copyButton(id)}</div></div>`
}

/** A command to take along, in as many lines as it needs. */
export function copyBlock({ id, label, value }: { id: string; label: string; value: string }): Html {
  return html`<div class="field"><p class="label" id="${id}-label">${label}</p>
<div class="copy"><pre tabindex="0" role="region" aria-labelledby="${id}-label"><code id="${id}">${value}</code></pre>${copyButton(id)}</div></div>`
}

const copyButton = (id: string) =>
  html`<button class="second" type="button" data-copy="${id}" data-done="${texts.copied}" hidden>${texts.copy}</button>`

/** One thing to do with one press. `describedAs` tells readers which of many it is about. */
export function actionForm({
  action,
  token,
  fields = {},
  label,
  describedAs,
  kind = 'second',
}: {
  action: string
  token: string
  fields?: Record<string, string>
  label: string
  describedAs?: string | undefined
  kind?: 'first' | 'second' | 'danger' | 'link'
}): Html {
  return html`<form class="inline" method="post" action="${action}"><input type="hidden" name="form_token" value="${token}">${Object.entries(
    fields,
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button type="submit"${kind !== 'first' && html` class="${kind}"`}${describedAs !== undefined && html` aria-label="${describedAs}"`}>${label}</button></form>`
}

/** How much of something is there. */
export function meter({
  id,
  label,
  value,
  most,
}: {
  id: string
  label: string
  value: number
  most: number
}): Html {
  return html`<div class="meter"><label for="${id}">${label}</label><meter id="${id}" min="0" max="${most}" value="${value}">${value} / ${most}</meter></div>`
}

export interface Column {
  label: string
  /** Said to readers only, over a column of buttons for instance. */
  isHidden?: boolean
}

/** On a narrow page each row becomes a card, and each cell carries the label of its column. */
export function dataTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  return html`<div class="table-frame"><table class="data"><caption class="for-readers">${caption}</caption>
<thead><tr>${columns.map(({ label, isHidden }) => html`<th scope="col">${isHidden ? html`<span class="for-readers">${label}</span>` : label}</th>`)}</tr></thead>
<tbody>${rows.map(
    cells =>
      html`<tr>${cells.map((cell, index) => html`<td data-label="${columns[index]?.isHidden ? '' : (columns[index]?.label ?? '')}">${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>`
}

/** What stands where something is on its way: said to readers, and with the room that it will take. */
export function loading(text: string): Html {
  return html`<div class="card loading" role="status" aria-busy="true"><p>${text}</p><div class="skeleton"></div><div class="skeleton short"></div></div>`
}
