import { type Html, html } from '../../web/html.ts'
import { searchForm } from './search/search-markup.ts'
import { docsTexts as texts } from './texts.ts'

/** A section of a page with an anchor. */
export interface Section {
  id: string
  label: string
}

export interface DocsLink {
  path: string
  label: string
}

export const docsPageList = [
  { path: '/docs', label: texts.pages.start, group: 'guides' },
  { path: '/docs/share', label: texts.pages.share, group: 'guides' },
  { path: '/docs/apply', label: texts.pages.apply, group: 'guides' },
  { path: '/docs/collect', label: texts.pages.collect, group: 'guides' },
  { path: '/docs/polling', label: texts.pages.polling, group: 'guides' },
  { path: '/docs/follow', label: texts.pages.follow, group: 'guides' },
  { path: '/docs/webhooks', label: texts.pages.webhooks, group: 'guides' },
  { path: '/docs/reference', label: texts.pages.reference, group: 'reference' },
  { path: '/docs/errors', label: texts.pages.errors, group: 'reference' },
  { path: '/docs/limits', label: texts.pages.limits, group: 'reference' },
  { path: '/docs/sdk', label: texts.pages.sdk, group: 'more' },
  { path: '/docs/samples', label: texts.pages.samples, group: 'more' },
  { path: '/docs/changelog', label: texts.pages.changelog, group: 'more' },
] as const satisfies readonly (DocsLink & { group: keyof typeof texts.groups })[]

export type DocsPath = (typeof docsPageList)[number]['path']

/** The pages below one of the list, such as the calls of the reference. */
export interface Chapter {
  title: string
  pages: readonly DocsLink[]
}

export interface FrameOptions {
  /** The page itself, which may be below one of the list, or beside them all. */
  path: string
  title: string
  sections?: readonly Section[]
  chapters?: readonly Chapter[] | undefined
  /** What the reader searches for. */
  query?: string
  content: Html
}

/** The frame of a docs page: search, navigation, content, and links to the previous and next page. */
export function docsFrame(options: FrameOptions): Html {
  const { path, title, content, chapters = [] } = options
  const links: readonly DocsLink[] = docsPageList
  const siblings = links.some(page => page.path === path) ? links : chapters.flatMap(({ pages }) => pages)
  const place = siblings.findIndex(page => page.path === path)
  const list = pageList(options)
  return html`<div class="docs"><div class="docs-side"><a class="skip" href="#docs-text">${texts.skip}</a>${searchForm(options.query)}
<nav class="docs-nav" aria-label="${texts.docsLabel}">${list}</nav>
<details class="docs-menu"><summary>${texts.menu}</summary><nav aria-label="${texts.docsLabel}">${list}</nav></details></div>
<article class="docs-text" id="docs-text" tabindex="-1"><h1>${title}</h1>
${content}
${place !== -1 && wayOn(siblings[place - 1], siblings[place + 1])}</article></div>`
}

function pageList({ path, sections = [], chapters = [] }: FrameOptions): Html {
  return html`${Object.entries(texts.groups).map(
    ([group, label]) =>
      html`<p>${label}</p><ul>${docsPageList
        .filter(page => page.group === group)
        .map(page => {
          const isHere = page.path === path
          const isAbove = page.path === '/docs/reference' && path.startsWith('/docs/reference/')
          return html`<li>${pageLink(page, path)}${isHere && sections.length > 1 && sectionList(sections)}${isAbove && chapters.map(chapter => chapterList(chapter, path))}</li>`
        })}</ul>`,
  )}`
}

const pageLink = (page: DocsLink, path: string): Html =>
  html`<a href="${page.path}"${page.path === path && html` aria-current="page"`}>${page.label}</a>`

const sectionList = (sections: readonly Section[]): Html =>
  html`<ul class="contents" aria-label="${texts.onThisPage}">${sections.map(({ id, label }) => html`<li><a href="#${id}">${label}</a></li>`)}</ul>`

const chapterList = ({ title, pages }: Chapter, path: string): Html =>
  html`<ul class="contents" aria-label="${title}"><li class="chapter">${title}</li>${pages.map(page => html`<li>${pageLink(page, path)}</li>`)}</ul>`

function wayOn(before: DocsLink | undefined, after: DocsLink | undefined): Html {
  const link = (page: DocsLink | undefined, rel: string, label: string) =>
    page &&
    html`<a class="${rel}" rel="${rel}" href="${page.path}"><span class="quiet">${label}</span> ${page.label}</a>`
  return html`<nav class="way-on" aria-label="${texts.wayOnLabel}">${link(before, 'prev', texts.previous)}${link(after, 'next', texts.next)}</nav>`
}
