import type { EpochMs } from '../core/clock.ts'
import { isolateBidi } from './bidi.ts'
import { type Html, html } from './html.ts'
import { timeElement } from './time.ts'

const texts = {
  pagerLabel: 'Pages',
  newest: 'Newest',
  newer: 'Newer',
  older: 'Older',
  crumbsLabel: 'Breadcrumb',
  copy: 'Copy',
  copied: 'Copied',
  invited: (email: string): Html =>
    html`<p><strong>${isolateBidi(email)} has been invited.</strong> Give this link only to them: anyone who opens it can join with that address. It is shown only once.</p>`,
  invitationLink: 'Invitation link',
  invitedUntil: (time: Html): Html => html`It works once, until ${time}.`,
} as const

/** The components of pages. /demo/components shows each in every state. */

export type NoticeKind = 'info' | 'good' | 'warning' | 'problem'

/** A message on a page. A problem is announced immediately and takes the focus. */
export function notice(kind: NoticeKind, content: Html | string): Html {
  const body = typeof content === 'string' ? html`<p>${content}</p>` : content
  return kind === 'problem'
    ? html`<div class="problem" role="alert" tabindex="-1" autofocus>${body}</div>`
    : html`<div class="notice ${kind}" role="status">${body}</div>`
}

/** A logo, or the first letter of the name where there is none. */
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

/** What an empty list shows, with an optional next step. */
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
    html`<nav class="pager" aria-label="${texts.pagerLabel}">${link(newest, texts.newest)}${link(newer, texts.newer, 'prev')}${link(older, texts.older, 'next')}</nav>`
  )
}

/** Links to the pages above this one. */
export function breadcrumb(above: readonly { href: string; label: string }[]): Html {
  return html`<nav class="crumbs" aria-label="${texts.crumbsLabel}">${above.map(({ href, label }) => html`<a href="${href}">${isolateBidi(label)}</a>`)}</nav>`
}

/** The title of a page with its actions. */
export function pageHead(
  title: Html | string,
  actions: Html | false = false,
  crumbs: Html | false = false,
): Html {
  return html`${crumbs}<div class="page-head"><h1>${title}</h1>${actions !== false && html`<div class="actions tight">${actions}</div>`}</div>`
}

/** A value with a copy button, which is shown only if scripts run. */
export function copyField({ id, label, value }: { id: string; label: string; value: string }): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<div class="copy"><input id="${id}" value="${value}" readonly spellcheck="false">${copyButton(id)}</div></div>`
}

/** The link of an invitation, shown once where the service does not email it. */
export function invitationLink(invited: { email: string; url: string; expiresAt: EpochMs }): Html {
  return notice(
    'good',
    html`${texts.invited(invited.email)}
${copyField({ id: 'link', label: texts.invitationLink, value: invited.url })}
<p>${texts.invitedUntil(timeElement(invited.expiresAt))}</p>`,
  )
}

/** A command of one or more lines with a copy button. */
export function copyBlock({ id, label, value }: { id: string; label: string; value: string }): Html {
  return html`<div class="field"><p class="label" id="${id}-label">${label}</p>
<div class="copy"><pre tabindex="0" role="region" aria-labelledby="${id}-label"><code id="${id}">${value}</code></pre>${copyButton(id)}</div></div>`
}

const copyButton = (id: string) =>
  html`<button class="second" type="button" data-copy="${id}" data-done="${texts.copied}" hidden>${texts.copy}</button>`

/** Values such as addresses, one per line. */
export function valueLines(values: readonly string[]): Html {
  return html`${values.map(
    (value, index) => html`${index > 0 && html`<br>`}<span class="line-break">${isolateBidi(value)}</span>`,
  )}`
}

/** A form with one button. `describedAs` is its accessible name where a page has several alike. */
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

/** A meter with its text. */
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
  /** Visible only to screen readers, for example above a column of buttons. */
  isHidden?: boolean
}

/** A table whose rows become cards on narrow pages, where each cell shows its column's label. */
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

/** A placeholder while content loads: announced to screen readers, and about as tall as the content. */
export function loading(text: string): Html {
  return html`<div class="card loading" role="status" aria-busy="true"><p>${text}</p><div class="skeleton"></div><div class="skeleton short"></div></div>`
}
