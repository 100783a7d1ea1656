import { type Html, html } from '../../web/html.ts'
import { docsTexts as texts } from './texts.ts'

/** A section of a page with an anchor. */
export interface Section {
  id: string
  label: string
}

interface DocsPage {
  path: string
  label: string
}

export const docsPageList = [
  { path: '/docs', label: texts.pages.start },
  { path: '/docs/share', label: texts.pages.share },
  { path: '/docs/apply', label: texts.pages.apply },
  { path: '/docs/collect', label: texts.pages.collect },
  { path: '/docs/polling', label: texts.pages.polling },
  { path: '/docs/errors', label: texts.pages.errors },
  { path: '/docs/limits', label: texts.pages.limits },
  { path: '/docs/samples', label: texts.pages.samples },
  { path: '/docs/reference', label: texts.pages.reference },
] as const satisfies readonly DocsPage[]

export type DocsPath = (typeof docsPageList)[number]['path']

/** The frame of a docs page: navigation, sections, content, and links to the previous and next page. */
export function docsFrame({
  path,
  title,
  sections = [],
  content,
}: {
  path: DocsPath
  title: string
  sections?: readonly Section[]
  content: Html
}): Html {
  const place = docsPageList.findIndex(page => page.path === path)
  return html`<div class="docs"><div class="docs-side">
<nav aria-label="${texts.docsLabel}"><ul>${docsPageList.map(page => html`<li><a href="${page.path}"${page.path === path && html` aria-current="page"`}>${page.label}</a></li>`)}</ul></nav>
${
  sections.length > 1 &&
  html`<nav class="contents" aria-labelledby="contents"><p id="contents">${texts.onThisPage}</p><ul>${sections.map(({ id, label }) => html`<li><a href="#${id}">${label}</a></li>`)}</ul></nav>`
}</div>
<article class="docs-text"><h1>${title}</h1>
${content}
${wayOn(docsPageList[place - 1], docsPageList[place + 1])}</article></div>`
}

function wayOn(before: DocsPage | undefined, after: DocsPage | undefined): Html {
  const link = (page: DocsPage | undefined, rel: string, label: string) =>
    page &&
    html`<a class="${rel}" rel="${rel}" href="${page.path}"><span class="quiet">${label}</span> ${page.label}</a>`
  return html`<nav class="way-on" aria-label="${texts.wayOnLabel}">${link(before, 'prev', texts.previous)}${link(after, 'next', texts.next)}</nav>`
}
