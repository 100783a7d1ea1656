import type { Board } from '../core/brand/board.ts'
import type { Theme } from '../http/responses/theme-cookie.ts'
import { assetUrl } from './assets.ts'
import { isolateBidi, stripBidi } from './bidi.ts'
import { avatar, notice } from './components.ts'
import { type Html, html } from './html.ts'
import { type IconName, icon } from './icons.ts'
import { layoutTexts as texts } from './layout-texts.ts'

export interface NavigationLink {
  path: string
  label: string
  icon?: IconName
}

/** The signed-in person, as shown in the page header. */
export interface Viewer {
  name: string
  /** Whether they are a member of an advertiser and so has console access. */
  isMember: boolean
  /** Whether they run the board. */
  isOperator?: boolean
  /** Whether our emails to them are rejected. */
  isMailRefused: boolean
  signOutToken: string
}

/** The pages of an account or an advertiser, beside their content. */
export interface Navigation {
  /** Label of the pages: the account, or the advertiser's name. */
  area: string
  /** The company whose console this is; undefined for an account. */
  company?: { logoUrl: string | undefined; home?: string } | undefined
  pages: readonly NavigationLink[]
  /** Path of the current page, or of the one that it belongs to. */
  current: string
}

export interface PageContent {
  title: string
  body: Html
  /** Replaces the title above the body. */
  heading?: Html
  navigation?: Navigation
  isWide?: boolean
  /** A page with one task, such as signing in: no way leads elsewhere. */
  isFocused?: boolean
  /** Additional stylesheets. */
  styles?: readonly string[]
  /** Scripts besides `page.js`. Every page also works without them. */
  scripts?: readonly string[]
  /** For the head: descriptions for search engines and previews of links. */
  head?: Html
  /** The frame of a third party in place of ours, for the demo careers page. */
  site?: { name: string; stylesheet: string; icon: string; header: Html; aside: Html; footer: Html }
}

/** Whose page it is, who reads it, and in which colours. */
export interface PageFrame {
  board: Board
  viewer: Viewer | undefined
  theme: Theme | undefined
  /** The address to return to when the colours change. */
  path: string
}

const publicPages: readonly NavigationLink[] = [
  { path: '/jobs', label: texts.jobs },
  { path: '/docs', label: texts.developers },
]

export function layout(content: PageContent, frame: PageFrame): string {
  const { title, body, heading, navigation, styles = [], scripts = [], site, head } = content
  const { board, theme } = frame
  const sheets =
    site === undefined
      ? [
          assetUrl('style.css'),
          navigation?.company && assetUrl('company.css'),
          ...styles.map(assetUrl),
          board.stylesheetUrl,
        ]
      : [assetUrl(site.stylesheet)]
  const area = navigation?.company && `, ${stripBidi(navigation.area)}`
  return html`<!doctype html>
<html lang="en"${theme && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${stripBidi(title)}${area} · ${site?.name ?? board.name}</title>
${site === undefined && html`<link rel="preload" href="${assetUrl('inter.woff2')}" as="font" type="font/woff2" crossorigin>`}
${sheets.map(url => url && html`<link rel="stylesheet" href="${url}">`)}
<link rel="icon" href="${site === undefined ? (board.logoUrl ?? assetUrl('icon.svg')) : assetUrl(site.icon)}">
${head}${['page.js', ...scripts].map(scriptElement)}
</head>
<body class="${shellOf(content)}">
<a class="skip" href="#main">${texts.skip}</a>
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

/** Which of the stylesheet's frames the page has. */
function shellOf({ navigation, isWide, isFocused, site }: PageContent): string {
  if (site !== undefined) return 'elsewhere'
  if (isFocused) return 'focused'
  if (navigation?.company) return 'console'
  if (navigation) return 'account'
  return isWide ? 'wide' : 'narrow'
}

/** On the pages of an account, until the person has dealt with it on the page about the address. */
function refusalNotice({ navigation }: PageContent, { viewer }: PageFrame): Html | false {
  const isOwn = navigation !== undefined && navigation.company === undefined
  if (!isOwn || !viewer?.isMailRefused || navigation.current === addressPage) return false
  return notice(
    'warning',
    html`<p>${texts.mailRefused} <a href="${addressPage}">${texts.checkAddress}</a></p>`,
  )
}

const addressPage = '/account/security'

/** Blocks rendering until the script has run, so that local times cause no layout shift. */
const scriptElement = (name: string): Html =>
  html`<script src="${assetUrl(name)}" ${name.endsWith('.mjs') ? html`type="module"` : html`defer`} blocking="render"></script>`

const linkOf =
  (current?: string) =>
  (link: NavigationLink): Html =>
    html`<a href="${link.path}"${link.path === current && html` aria-current="page"`}>${link.icon && icon(link.icon)}${link.label}</a>`

function ourHeader({ isFocused = false }: PageContent, { board, viewer }: PageFrame): Html {
  return html`<header class="site"><div class="bar">
<a class="brand" href="${board.homeUrl ?? '/'}"><img src="${board.logoUrl ?? assetUrl('icon.svg')}" alt="" height="28"${board.logoUrl === undefined && html` width="28"`}>${board.name}</a>
${
  !isFocused &&
  html`<nav class="main" aria-label="${texts.mainLabel}">${publicPages.map(linkOf())}</nav>
${menuOf(viewer)}`
}</div></header>`
}

/** Opens and closes without scripts. On narrow screens it also has the links of the header. */
function menuOf(viewer: Viewer | undefined): Html {
  const links = html`<nav class="on-phones" aria-label="${texts.menuLabel}">${publicPages.map(linkOf())}</nav>`
  if (viewer === undefined) {
    return html`<a class="button second sign-in" href="/account">${texts.signIn}</a>
<details class="menu on-phones"><summary aria-label="${texts.menu}">${icon('menu')}</summary><div class="panel">${links}<a href="/account">${texts.signIn}</a></div></details>`
  }
  const { name, isMember, isOperator, signOutToken } = viewer
  return html`<details class="menu"><summary aria-label="${texts.menuOf(stripBidi(name))}">${avatar(name)}<span class="who">${isolateBidi(name)}</span>${icon('down')}</summary><div class="panel">${links}
<a href="/account">${icon('person')}${texts.account}</a>${isMember && html`<a href="/console">${icon('company')}${texts.console}</a>`}${isOperator && html`<a href="/operator">${icon('system')}${texts.operator}</a>`}
<form method="post" action="/sign-out"><input type="hidden" name="form_token" value="${signOutToken}"><button class="link" type="submit">${icon('signOut')}${texts.signOut(name)}</button></form></div></details>`
}

function sideOf({ area, company, pages, current }: Navigation): Html {
  return html`<nav class="side" aria-label="${stripBidi(area)}">${
    company &&
    html`<a class="company" href="${company.home ?? '/console'}"${company.home === undefined && html` title="${texts.switchCompany}"`}>${avatar(area, company.logoUrl)}<span>${isolateBidi(area)}</span></a>`
  }<div class="row">${pages.map(linkOf(current))}</div></nav>`
}

function footerOf({ isFocused = false }: PageContent, { board, theme, path }: PageFrame): Html {
  const links: readonly (readonly [string | undefined, string])[] = [
    ['/about/data', texts.aboutData],
    [board.privacyUrl, texts.privacy],
    [board.termsUrl, texts.terms],
    [board.contactUrl, texts.contact],
    ['/docs', texts.developers],
  ]
  const choice = (value: string, name: IconName, label: string) =>
    html`<button type="submit" name="theme" value="${value}" aria-pressed="${String(value === (theme ?? 'system'))}" title="${label}">${icon(name)}<span class="for-readers">${label}</span></button>`
  return html`<footer class="site"><div>
<p>${texts.footer}</p>
<nav aria-label="${texts.footerLabel}">${links.map(([url, label]) => url && html`<a href="${url}">${label}</a>`)}</nav>
${!isFocused && html`<form class="theme" method="post" action="/theme"><input type="hidden" name="to" value="${path}">${choice('light', 'light', texts.light)}${choice('dark', 'dark', texts.dark)}${choice('system', 'system', texts.system)}</form>`}
<p class="powered">${texts.poweredBy}</p></div></footer>`
}
