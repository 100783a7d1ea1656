import { type Html, html } from '../../web/html.ts'
import { deskTexts as texts } from './texts.ts'

/** A part of a page that can be gone to. */
export interface Section {
  id: string
  label: string
}

interface DeskPage {
  path: string
  label: string
}

export const deskPageList = [
  { path: '/docs', label: texts.pages.start },
  { path: '/docs/share', label: texts.pages.share },
  { path: '/docs/apply', label: texts.pages.apply },
  { path: '/docs/collect', label: texts.pages.collect },
  { path: '/docs/polling', label: texts.pages.polling },
  { path: '/docs/errors', label: texts.pages.errors },
  { path: '/docs/limits', label: texts.pages.limits },
  { path: '/docs/samples', label: texts.pages.samples },
  { path: '/docs/reference', label: texts.pages.reference },
] as const satisfies readonly DeskPage[]

export type DeskPath = (typeof deskPageList)[number]['path']

/** A page of the desk: the others beside it, its sections, its text, and the way on. */
export function deskFrame({
  path,
  title,
  sections = [],
  content,
}: {
  path: DeskPath
  title: string
  sections?: readonly Section[]
  content: Html
}): Html {
  const place = deskPageList.findIndex(page => page.path === path)
  return html`<div class="desk"><div class="desk-side">
<nav aria-label="${texts.deskLabel}"><ul>${deskPageList.map(page => html`<li><a href="${page.path}"${page.path === path && html` aria-current="page"`}>${page.label}</a></li>`)}</ul></nav>
${
  sections.length > 1 &&
  html`<nav class="contents" aria-labelledby="contents"><p id="contents">${texts.onThisPage}</p><ul>${sections.map(({ id, label }) => html`<li><a href="#${id}">${label}</a></li>`)}</ul></nav>`
}</div>
<article class="desk-text"><h1>${title}</h1>
${content}
${wayOn(deskPageList[place - 1], deskPageList[place + 1])}</article></div>`
}

function wayOn(before: DeskPage | undefined, after: DeskPage | undefined): Html {
  const link = (page: DeskPage | undefined, rel: string, label: string) =>
    page &&
    html`<a class="${rel}" rel="${rel}" href="${page.path}"><span class="quiet">${label}</span> ${page.label}</a>`
  return html`<nav class="way-on" aria-label="${texts.wayOnLabel}">${link(before, 'prev', texts.previous)}${link(after, 'next', texts.next)}</nav>`
}
