import { assetUrl } from './assets.ts'
import { theirs, unturned } from './bidi.ts'
import { type Html, html } from './html.ts'
import { layoutTexts as texts } from './layout-texts.ts'

export interface NavigationLink {
  path: string
  label: string
}

/** Who is signed in, as the header of every page names them. */
export interface Viewer {
  name: string
  /** Whether they work for an advertiser, and so have a console to go to. */
  isMember: boolean
  signOutToken: string
}

/** The tabs above the pages of an account, or of an advertiser. */
export interface Navigation {
  /** What the tabs belong to: the account, or the name of an advertiser. */
  area: string
  pages: readonly NavigationLink[]
  /** Path of the current page, or of the tab that it belongs to. */
  current: string
}

export interface PageContent {
  title: string
  body: Html
  /** What stands in place of the title above the body, where a page has a head of its own. */
  heading?: Html
  navigation?: Navigation
  isWide?: boolean
  /** Further looks, of a part of the site that has more to show than the others. */
  styles?: readonly string[]
  /** Assets that the page runs beside `page.js`. Every page works without, too. */
  scripts?: readonly string[]
  /** Whose page it is, where it is not ours: the demo plays a third party. */
  site?: { name: string; path: string }
}

const publicPages: readonly NavigationLink[] = [
  { path: '/jobs', label: texts.jobs },
  { path: '/docs', label: texts.developers },
]

export function layout(content: PageContent, viewer: Viewer | undefined): string {
  const { title, body, heading, navigation, isWide = false, styles = [], scripts = [], site } = content
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${unturned(title)}${isOfAdvertiser(navigation) && `, ${unturned(navigation.area)}`} · ${site?.name ?? texts.site}</title>
${['style.css', ...styles].map(name => html`<link rel="stylesheet" href="${assetUrl(name)}">`)}
<link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
${['page.js', ...scripts].map(scriptElement)}
</head>
<body>
<a class="skip" href="#main">${texts.skip}</a>
${site === undefined ? ourHeader(navigation, viewer) : html`<header class="site"><div class="bar"><a class="name" href="${site.path}">${site.name}</a></div></header>`}
<main id="main"${isWide && html` class="wide"`}>
${heading ?? html`<h1>${unturned(title)}</h1>`}
${body}
</main>
${site === undefined && html`<footer class="site"><p>${texts.footer}</p><nav aria-label="${texts.footerLabel}">${publicPages.map(linkOf(undefined))}<a href="/openapi.json">${texts.openapi}</a></nav></footer>`}
</body>
</html>
`.text
}

/** Rather than of the account of somebody. */
function isOfAdvertiser(navigation: Navigation | undefined): navigation is Navigation {
  return navigation !== undefined && navigation.area !== texts.accountArea
}

/** Run before the page is first shown, so that nothing moves when times become those of the reader. */
const scriptElement = (name: string): Html =>
  html`<script src="${assetUrl(name)}" ${name.endsWith('.mjs') ? html`type="module"` : html`defer`} blocking="render"></script>`

const linkOf =
  (current: string | undefined) =>
  ({ path, label }: NavigationLink): Html =>
    html`<a href="${path}" data-label="${label}"${path === current && html` aria-current="page"`}>${label}</a>`

function ourHeader(navigation: Navigation | undefined, viewer: Viewer | undefined): Html {
  return html`<header class="site"><div class="bar">
<a class="name" href="/"><img src="${assetUrl('icon.svg')}" alt="" width="28" height="28">${texts.site}</a>
<nav aria-label="${texts.mainLabel}">${publicPages.map(linkOf(undefined))}<a href="/account">${texts.account}</a>${viewer && doorsOf(viewer)}</nav></div>
${navigation && html`<nav class="tabs" aria-label="${unturned(navigation.area)}">${isOfAdvertiser(navigation) && html`<a class="area" href="/console">${theirs(navigation.area)}</a>`}<div class="row">${navigation.pages.map(linkOf(navigation.current))}</div></nav>`}</header>`
}

function doorsOf({ name, isMember, signOutToken }: Viewer): Html {
  return html`${isMember && html`<a href="/console">${texts.console}</a>`}
<form class="inline" method="post" action="/sign-out">
<input type="hidden" name="form_token" value="${signOutToken}">
<button class="link" type="submit">${texts.signOut(name)}</button></form>`
}
