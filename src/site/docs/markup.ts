import { type Html, html } from '../../web/html.ts'
import { deskTexts as texts } from './texts.ts'

/** The heading is the link to itself: whoever wants to point somebody to it copies that. */
export function heading(level: 2 | 3, id: string, content: Html | string): Html {
  const link = html`<a class="anchor" href="#${id}">${content}</a>`
  return level === 2 ? html`<h2 id="${id}">${link}</h2>\n` : html`<h3 id="${id}">${link}</h3>\n`
}

/** What is to be run or written, with a button to take it along. */
export function codeBlock(id: string, code: string): Html {
  return html`<div class="code"><pre id="${id}"><code>${code}</code></pre><button class="second" type="button" data-copy="${id}" data-done="${texts.copied}" hidden>${texts.copy}</button></div>
`
}

/** Our own words, in which names of the code stand between backticks. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

export interface Door {
  path: string
  label: string
  text: string
}

export function doorList(doors: readonly Door[]): Html {
  return html`<ul class="desk-doors">${doors.map(({ path, label, text }) => html`<li class="card"><a href="${path}">${label}</a><p>${text}</p></li>`)}</ul>`
}
