import { type Html, html } from '../../platform/web/html.ts'
import { searchForm } from './search/search-markup.ts'

/** A section of a page with an anchor. */
export interface Section {
  id: string
  label: string
}

export interface DocsLink {
  path: string
  label: string
}

const groups = { guides: 'Guides', reference: 'Reference', more: 'More' }

/** `text` is the first page's description of each page. */
export const docsPageList = [
  { path: '/docs', label: 'Start', group: 'guides' },
  {
    path: '/docs/share',
    label: 'Share a profile',
    group: 'guides',
    text: 'Fill in your own form with the profile and resume a candidate shares. OAuth 2.0.',
  },
  {
    path: '/docs/apply',
    label: 'Send applications',
    group: 'guides',
    text: 'Send us applications, job ads and questionnaires from your own site.',
  },
  {
    path: '/docs/collect',
    label: 'Collect applications',
    group: 'guides',
    text: 'Get an advertiser’s applications with their files, in JSON or XML.',
  },
  {
    path: '/docs/polling',
    label: 'Polling without gaps',
    group: 'guides',
    text: 'What to store and when to poll, so that you miss no application and get none twice.',
  },
  {
    path: '/docs/follow',
    label: 'Following what happens',
    group: 'guides',
    text: 'How to learn of new applications, verdicts, withdrawals and erasures at once, without reading the list again.',
  },
  {
    path: '/docs/webhooks',
    label: 'Receiving webhooks',
    group: 'guides',
    text: 'Have events sent to you: how to verify, answer and never lose one.',
  },
  {
    path: '/docs/progress',
    label: 'Reporting progress',
    group: 'guides',
    text: 'Send the states of your recruiting system back, so that candidates hear of them.',
  },
  {
    path: '/docs/reference',
    label: 'API reference',
    group: 'reference',
    text: 'Every call with its parameters and responses. Try them from the page.',
  },
  {
    path: '/docs/errors',
    label: 'Errors',
    group: 'reference',
    text: 'Every error code: what it means and what to do.',
  },
  {
    path: '/docs/limits',
    label: 'Limits',
    group: 'reference',
    text: 'Sizes, rates and times, each with its reason.',
  },
  {
    path: '/docs/sdk',
    label: 'SDK',
    group: 'more',
    text: 'A client for TypeScript and Python that stays in sync by itself, without dependencies.',
  },
  {
    path: '/docs/samples',
    label: 'Code samples',
    group: 'more',
    text: 'Four small programs, in curl, TypeScript, Python, C# and PHP.',
  },
  { path: '/docs/changelog', label: 'Changelog', group: 'more', text: 'What is new, version by version.' },
] as const satisfies readonly (DocsLink & { group: keyof typeof groups; text?: string })[]

export type DocsPath = (typeof docsPageList)[number]['path']

/** The pages below a page of the list, such as the calls of the reference. */
export interface Chapter {
  title: string
  pages: readonly DocsLink[]
}

export interface FrameOptions {
  /** Path of the page itself, which may be below a page of the list, or beside them all. */
  path: string
  title: string
  sections?: readonly Section[]
  chapters?: readonly Chapter[] | undefined
  /** The reader's search. */
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
  return html`<div class="docs"><div class="docs-side"><a class="skip" href="#docs-text">Skip the navigation</a>${searchForm(options.query)}
<nav class="docs-nav" aria-label="Developers">${list}</nav>
<details class="docs-menu"><summary>Menu</summary><nav aria-label="Developers">${list}</nav></details></div>
<article class="docs-text" id="docs-text" tabindex="-1"><h1>${title}</h1>
${content}
${place !== -1 && wayOn(siblings[place - 1], siblings[place + 1])}</article></div>`
}

function pageList({ path, sections = [], chapters = [] }: FrameOptions): Html {
  return html`${Object.entries(groups).map(
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
  html`<ul class="contents" aria-label="On this page">${sections.map(({ id, label }) => html`<li><a href="#${id}">${label}</a></li>`)}</ul>`

const chapterList = ({ title, pages }: Chapter, path: string): Html =>
  html`<ul class="contents" aria-label="${title}"><li class="chapter">${title}</li>${pages.map(page => html`<li>${pageLink(page, path)}</li>`)}</ul>`

function wayOn(before: DocsLink | undefined, after: DocsLink | undefined): Html {
  const link = (page: DocsLink | undefined, rel: string, label: string) =>
    page &&
    html`<a class="${rel}" rel="${rel}" href="${page.path}"><span class="quiet">${label}</span> ${page.label}</a>`
  return html`<nav class="way-on" aria-label="Previous and next">${link(before, 'prev', 'Previous:')}${link(after, 'next', 'Next:')}</nav>`
}
