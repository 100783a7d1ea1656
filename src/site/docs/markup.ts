import { type Html, html } from '../../platform/web/html.ts'

/** A heading that links to itself, so that readers can copy its link. */
export function heading(level: 2 | 3, id: string, content: Html | string): Html {
  const link = html`<a class="anchor" href="#${id}">${content}</a>`
  return level === 2 ? html`<h2 id="${id}">${link}</h2>\n` : html`<h3 id="${id}">${link}</h3>\n`
}

/** Renders backticks in our own texts as code. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

export interface Door {
  path: string
  label: string
  text: string
}

export function doorList(doors: readonly Door[]): Html {
  return html`<ul class="docs-doors">${doors.map(({ path, label, text }) => html`<li class="card"><a href="${path}">${label}</a><p>${text}</p></li>`)}</ul>`
}
