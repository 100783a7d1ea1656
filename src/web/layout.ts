import { assetUrl } from './assets.ts'
import { isolateBidi, stripBidi } from './bidi.ts'
import { type Html, html } from './html.ts'
import { layoutTexts as texts } from './layout-texts.ts'

export interface NavigationLink {
  path: string
  label: string
}

/** The signed-in person, as shown in the page header. */
export interface Viewer {
  name: string
  /** Whether they are a member of an advertiser and so has console access. */
  isMember: boolean
  signOutToken: string
}

/** The tabs above the pages of an account or an advertiser. */
export interface Navigation {
  /** Label of the tabs: the account, or the advertiser's name. */
  area: string
  pages: readonly NavigationLink[]
  /** Path of the current page, or of the tab that it belongs to. */
  current: string
}

export interface PageContent {
  title: string
  body: Html
  /** Replaces the title above the body. */
  heading?: Html
  navigation?: Navigation
  isWide?: boolean
  /** Additional stylesheets. */
  styles?: readonly string[]
  /** Scripts besides `page.js`. Every page also works without them. */
  scripts?: readonly string[]
  /** The third party that owns the page, for the demo careers page. */
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
<title>${stripBidi(title)}${isOfAdvertiser(navigation) && `, ${stripBidi(navigation.area)}`} · ${site?.name ?? texts.site}</title>
${['style.css', ...styles].map(name => html`<link rel="stylesheet" href="${assetUrl(name)}">`)}
<link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
${['page.js', ...scripts].map(scriptElement)}
</head>
<body>
<a class="skip" href="#main">${texts.skip}</a>
${site === undefined ? ourHeader(navigation, viewer) : html`<header class="site"><div class="bar"><a class="name" href="${site.path}">${site.name}</a></div></header>`}
<main id="main"${isWide && html` class="wide"`}>
${heading ?? html`<h1>${stripBidi(title)}</h1>`}
${body}
</main>
${site === undefined && html`<footer class="site"><p>${texts.footer}</p><nav aria-label="${texts.footerLabel}">${publicPages.map(linkOf(undefined))}<a href="/openapi.json">${texts.openapi}</a></nav></footer>`}
</body>
</html>
`.text
}

/** True for tabs of an advertiser, false for those of an account. */
function isOfAdvertiser(navigation: Navigation | undefined): navigation is Navigation {
  return navigation !== undefined && navigation.area !== texts.accountArea
}

/** Blocks rendering until the script has run, so that local times cause no layout shift. */
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
${navigation && html`<nav class="tabs" aria-label="${stripBidi(navigation.area)}">${isOfAdvertiser(navigation) && html`<a class="area" href="/console">${isolateBidi(navigation.area)}</a>`}<div class="row">${navigation.pages.map(linkOf(navigation.current))}</div></nav>`}</header>`
}

function doorsOf({ name, isMember, signOutToken }: Viewer): Html {
  return html`${isMember && html`<a href="/console">${texts.console}</a>`}
<form class="inline" method="post" action="/sign-out">
<input type="hidden" name="form_token" value="${signOutToken}">
<button class="link" type="submit">${texts.signOut(name)}</button></form>`
}
