import type { EpochMs } from '../core/clock.ts'
import { isolateBidi } from './bidi.ts'
import { type Html, type HtmlValue, html } from './html.ts'
import { timeElement } from './time.ts'

/** The components of pages. test/gallery shows each of them in every state. */

export type NoticeKind = 'info' | 'good' | 'warning' | 'problem'

/** A message on a page. A problem is announced immediately and takes the focus. */
export function notice(kind: NoticeKind, content: Html | string): Html {
  const body = typeof content === 'string' ? html`<p>${content}</p>` : content
  return kind === 'problem'
    ? html`<div class="problem" role="alert" tabindex="-1" autofocus>${body}</div>`
    : html`<div class="notice ${kind}" role="status">${body}</div>`
}

/** A remark in the text of a page. It is not announced, because it was already true when the page was opened. */
export const remark = (content: HtmlValue, attributes?: Html): Html =>
  html`<p class="notice"${attributes && html` ${attributes}`}>${content}</p>`

/** A logo, or the first letter of the name if there is no logo. */
export function avatar(name: string, logoUrl?: string, size: '' | 'large' = ''): Html {
  if (logoUrl !== undefined)
    return html`<img class="avatar${size === 'large' && ' large'}" src="${logoUrl}" alt="" loading="lazy">`
  const [initial = ''] = /[\p{L}\p{N}]/u.exec(name) ?? []
  return html`<span class="avatar${size === 'large' && ' large'}" data-initial="${initial.toUpperCase()}" aria-hidden="true"></span>`
}

export type BadgeKind = 'neutral' | 'accent' | 'good' | 'warning' | 'danger'

/** A state in one word; its colour carries no extra information. */
export function badge(kind: BadgeKind, text: string): Html {
  return html`<span class="badge ${kind}">${text}</span>`
}

/** The content of an empty list, with an optional next step. */
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

/** Links between the pages of a list. */
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
    html`<nav class="pager" aria-label="Pages">${link(newest, 'Newest')}${link(newer, 'Newer', 'prev')}${link(older, 'Older', 'next')}</nav>`
  )
}

/** Links to the pages above this one. */
export function breadcrumb(above: readonly { href: string; label: string }[]): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb">${above.map(({ href, label }) => html`<a href="${href}">${isolateBidi(label)}</a>`)}</nav>`
}

/** The title of a page with its actions. */
export function pageHead(
  title: Html | string,
  actions: Html | false = false,
  crumbs: Html | false = false,
): Html {
  return html`${crumbs}<div class="page-head"><h1>${title}</h1>${actions !== false && html`<div class="actions tight">${actions}</div>`}</div>`
}

/** A link beside a button. */
export const linkButton = (href: string, label: string): Html =>
  html`<a class="button second" href="${href}">${label}</a>`

/** A value with a copy button, which only appears if scripts run. */
export function copyField({ id, label, value }: { id: string; label: string; value: string }): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><input id="${id}" value="${value}" readonly spellcheck="false">${copyButton(id)}</div></div>`
}

/** An invitation link, shown once if the service does not email it. */
export function invitationLink(invited: { email: string; url: string; expiresAt: EpochMs }): Html {
  return notice(
    'good',
    html`<p><strong>${isolateBidi(invited.email)} has been invited.</strong> Give this link only to them: anyone who opens it can join with that address. It is shown only once.</p>
${copyField({ id: 'link', label: 'Invitation link', value: invited.url })}
<p>It works once, until ${timeElement(invited.expiresAt)}.</p>`,
  )
}

/** A command of one or more lines with a copy button. */
export function copyBlock({ id, label, value }: { id: string; label: string; value: string }): Html {
  return html`<div class="field"><p class="label" id="${id}-label">${label}</p>
<div class="copy"><pre tabindex="0" role="region" aria-labelledby="${id}-label"><code id="${id}">${value}</code></pre>${copyButton(id)}</div></div>`
}

const copyButton = (id: string) =>
  html`<button class="second" type="button" data-copy="${id}" data-done="Copied" hidden>Copy</button>`

/** Values such as addresses, one per line. */
export function valueLines(values: readonly string[]): Html {
  return html`${values.map(
    (value, index) => html`${index > 0 && html`<br>`}<span class="line-break">${isolateBidi(value)}</span>`,
  )}`
}

/** A meter with a text. */
export function meter({
  id,
  label,
  value,
  max,
}: {
  id: string
  label: string
  value: number
  max: number
}): Html {
  return html`<div class="meter"><label for="${id}">${label}</label><meter id="${id}" min="0" max="${max}" value="${value}">${value} / ${max}</meter></div>`
}

export interface Column {
  label: string
  /** Visible only to screen readers, for example above a column of buttons. */
  isHidden?: boolean
}

/** A table whose rows become cards on narrow pages, where each cell shows its column's label. */
export function dataTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly HtmlValue[])[],
): Html {
  return html`<div class="table-frame"><table class="data"><caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map(({ label, isHidden }) => html`<th scope="col">${isHidden ? html`<span class="visually-hidden">${label}</span>` : label}</th>`)}</tr></thead>
<tbody>${rows.map(
    cells =>
      html`<tr>${cells.map((cell, index) => html`<td data-label="${columns[index]?.isHidden ? '' : (columns[index]?.label ?? '')}">${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>`
}

/** A table of these rows, or a replacement if there are none. `actions` is a last column without a visible label. */
export function table<Row>({
  caption,
  rows,
  columns,
  actions = false,
  empty,
}: {
  caption: string
  rows: readonly Row[]
  columns: readonly (readonly [label: string, cell: (row: Row) => HtmlValue])[]
  actions?: ((row: Row) => Html) | false
  empty?: Html | string
}): Html {
  if (rows.length === 0 && empty !== undefined)
    return typeof empty === 'string' ? html`<p class="quiet">${empty}</p>` : empty
  return dataTable(
    caption,
    [
      ...columns.map(([label]) => ({ label })),
      ...(actions === false ? [] : [{ label: 'Actions', isHidden: true }]),
    ],
    rows.map(row => [...columns.map(([, cell]) => cell(row)), ...(actions === false ? [] : [actions(row)])]),
  )
}

/** Values with their labels. */
export function valueList(values: readonly (readonly [label: string, value: HtmlValue])[]): Html {
  return html`<dl class="values">${values.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`
}

/** A part of a page with its own heading. `id`: the heading's, which then names the part for screen readers. */
export function card(title: string, content: HtmlValue, id?: string): Html {
  return html`<section class="card"${id !== undefined && html` aria-labelledby="${id}"`}><h2 class="first"${id !== undefined && html` id="${id}"`}>${title}</h2>
${content}</section>`
}

/** A part of a page with a heading, and a link or button beside it. */
export function section(id: string, title: string, content: HtmlValue, beside: HtmlValue = false): Html {
  return html`<section aria-labelledby="${id}"><div class="section-head"><h2 id="${id}">${title}</h2>${beside}</div>
${content}</section>`
}

/** A placeholder while content loads: announced to screen readers, and about as tall as the content. */
export function loading(text: string): Html {
  return html`<div class="card loading" role="status" aria-busy="true"><p>${text}</p><div class="skeleton"></div><div class="skeleton short"></div></div>`
}
