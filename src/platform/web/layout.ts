import type { Board } from '../core/brand/board.ts'
import { boardLocale } from '../core/locale.ts'
import type { Theme } from '../http/responses/theme-cookie.ts'
import { assetUrl, fontUrl } from './assets.ts'
import { isolateBidi, stripBidi } from './bidi.ts'
import { avatar, notice } from './components.ts'
import { type Html, html } from './html.ts'
import { type IconName, icon } from './icons.ts'

export interface NavigationLink {
  path: string
  label: string
  icon?: IconName
}

/** The signed-in person, as shown in the page header. */
export interface Viewer {
  name: string
  /** Whether they work for a company, to whose pages the header then links. */
  isMember: boolean
  /** Whether they run the board. */
  isOperator?: boolean
  /** Whether our emails to them are rejected. */
  isMailRefused: boolean
  signOutToken: string
}

/** The pages of an account or a workplace, shown beside the content. */
export interface Navigation {
  /** Label of these pages: the account, or the name of the workplace. */
  area: string
  /** The company whose console this is; undefined for account pages. */
  company?: { logoUrl: string | undefined; home?: string } | undefined
  pages: readonly NavigationLink[]
  /** Path of the current page, or of the page to which it belongs. */
  current: string
}

export interface PageContent {
  title: string
  body: Html
  /** Replaces the title above the body. */
  heading?: Html
  navigation?: Navigation
  isWide?: boolean
  /** A page with a single task, such as signing in: it has no other links. */
  isFocused?: boolean
  /** URLs of additional stylesheets. */
  styles?: readonly string[]
  /** URLs of scripts besides `page.js`. Every page also works without them. */
  scripts?: readonly string[]
  /** Content for the head: descriptions for search engines and link previews. */
  head?: Html
  /** A third party's frame instead of ours, for the demo careers page. */
  site?: { name: string; stylesheetUrl: string; iconUrl: string; header: Html; aside: Html; footer: Html }
}

/** The board, reader and colours of a page. */
export interface PageFrame {
  board: Board
  viewer: Viewer | undefined
  theme: Theme | undefined
  /** The path to return to after a sign-in, or when the theme changes. */
  path: string
}

export function layout(content: PageContent, frame: PageFrame): string {
  const { title, body, heading, navigation, styles = [], scripts = [], site, head } = content
  const { board, theme } = frame
  const sheets =
    site === undefined
      ? [
          assetUrl('style.css'),
          navigation?.company && assetUrl('company.css'),
          ...styles,
          board.stylesheetUrl,
        ]
      : [site.stylesheetUrl]
  const area = navigation?.company && `, ${stripBidi(navigation.area)}`
  return html`<!doctype html>
<html lang="${boardLocale()}"${theme && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${stripBidi(title)}${area} · ${site?.name ?? board.name}</title>
${site === undefined && html`<link rel="preload" href="${fontUrl}" as="font" type="font/woff2" crossorigin>`}
${sheets.map(url => url && html`<link rel="stylesheet" href="${url}">`)}
<link rel="icon" href="${site === undefined ? (board.logoUrl ?? assetUrl('icon.svg')) : site.iconUrl}">
${head}${[assetUrl('page.js'), ...scripts].map(scriptElement)}
</head>
<body class="${shellOf(content)}">
<a class="skip" href="#main">Skip to content</a>
${site?.header ?? ourHeader(content, frame)}
<div class="page">${navigation && sideOf(navigation)}
<main id="main">
${refusalNotice(content, frame)}${heading ?? html`<h1>${stripBidi(title)}</h1>`}
${body}
</main>${site?.aside}</div>
${site?.footer ?? footerOf(content, frame)}
</body>
</html>
`.text
}

/** Selects one of the stylesheet's frames for the page. */
function shellOf({ navigation, isWide, isFocused, site }: PageContent): string {
  if (site !== undefined) return 'elsewhere'
  if (isFocused) return 'focused'
  if (navigation?.company) return 'console'
  if (navigation) return 'account'
  return isWide ? 'wide' : 'narrow'
}

/** Shown on account pages until the person has dealt with it on the page about the address. */
function refusalNotice({ navigation }: PageContent, { viewer }: PageFrame): Html | false {
  const isOwn = navigation !== undefined && navigation.company === undefined
  if (!isOwn || !viewer?.isMailRefused || navigation.current === addressPage) return false
  return notice(
    'warning',
    html`<p>Our emails to you are being rejected. <a href="${addressPage}">Check your email address</a></p>`,
  )
}

const addressPage = '/account/security'

/** Blocks rendering until the script has run, so that local times cause no layout shift. */
const scriptElement = (url: string): Html =>
  html`<script src="${url}" ${url.endsWith('.mjs') ? html`type="module"` : html`defer`} blocking="render"></script>`

const linkOf =
  (current?: string) =>
  (link: NavigationLink): Html =>
    html`<a href="${link.path}"${link.path === current && html` aria-current="page"`}>${link.icon && icon(link.icon)}${link.label}</a>`

function ourHeader({ isFocused = false }: PageContent, { board, viewer, path }: PageFrame): Html {
  return html`<header class="site"><div class="bar">
<a class="brand" href="${board.homeUrl ?? '/'}"><img src="${board.logoUrl ?? assetUrl('icon.svg')}" alt="" height="28"${board.logoUrl === undefined && html` width="28"`}>${board.name}</a>
${
  !isFocused &&
  html`<nav class="main" aria-label="Main">${board.publicPages.map(linkOf())}</nav>
${menuOf(viewer, board, path)}`
}</div></header>`
}

/** Opens and closes without scripts. On narrow screens it also contains the header's links. */
function menuOf(viewer: Viewer | undefined, { publicPages }: Board, path: string): Html {
  const links = html`<nav class="on-phones" aria-label="Pages">${publicPages.map(linkOf())}</nav>`
  if (viewer === undefined) {
    // A sign-in from the front page continues to the account.
    const signIn = path === '/' ? '/account' : `/sign-in?continue=${encodeURIComponent(path)}`
    return html`<a class="button second sign-in" href="${signIn}">Sign in</a>
<details class="menu on-phones"><summary aria-label="Menu">${icon('menu')}</summary><div class="panel">${links}<a href="${signIn}">Sign in</a></div></details>`
  }
  const { name, isMember, isOperator, signOutToken } = viewer
  return html`<details class="menu"><summary aria-label="${stripBidi(name)}, menu">${avatar(name)}<span class="who">${isolateBidi(name)}</span>${icon('down')}</summary><div class="panel">${links}
<a href="/account">${icon('person')}Your account</a>${isMember && html`<a href="/console">${icon('company')}Console</a>`}${isOperator && html`<a href="/operator">${icon('system')}Operator</a>`}
<form method="post" action="/sign-out"><input type="hidden" name="form_token" value="${signOutToken}"><button class="link" type="submit">${icon('signOut')}Sign out ${isolateBidi(name)}</button></form></div></details>`
}

function sideOf({ area, company, pages, current }: Navigation): Html {
  return html`<nav class="side" aria-label="${stripBidi(area)}">${
    company &&
    html`<a class="company" href="${company.home ?? '/console'}"${company.home === undefined && html` title="All your companies"`}>${avatar(area, company.logoUrl)}<span>${isolateBidi(area)}</span></a>`
  }<div class="row">${pages.map(linkOf(current))}</div></nav>`
}

function footerOf({ isFocused = false }: PageContent, { board, theme, path }: PageFrame): Html {
  const links: readonly (readonly [string | undefined, string])[] = [
    ['/about/data', 'What we keep'],
    [board.privacyUrl, 'Privacy'],
    [board.termsUrl, 'Terms'],
    [board.contactUrl, 'Contact'],
    ['/docs', 'Developers'],
  ]
  const choice = (value: string, name: IconName, label: string) =>
    html`<button type="submit" name="theme" value="${value}" aria-pressed="${String(value === (theme ?? 'system'))}" title="${label}">${icon(name)}<span class="visually-hidden">${label}</span></button>`
  return html`<footer class="site"><div>
<p>Your data is yours: you see who has it, and you can take it back.</p>
<nav aria-label="About">${links.map(([url, label]) => url && html`<a href="${url}">${label}</a>`)}</nav>
${!isFocused && html`<form class="theme" method="post" action="/theme"><input type="hidden" name="to" value="${path}">${choice('light', 'light', 'Light colours')}${choice('dark', 'dark', 'Dark colours')}${choice('system', 'system', 'Colours of your device')}</form>`}
<p class="powered">Powered by Dossier</p></div></footer>`
}
