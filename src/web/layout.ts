import { assetUrl } from './assets.ts'
import { type Html, html } from './html.ts'
import { unturned } from './their-words.ts'

/** The pages of somebody who is signed in: where they are, and the way out. */
export interface Navigation {
  /** Name of the account, as it stands in the header. */
  account: string
  /** Path of the current page. */
  current: string
  signOutToken: string
}

export interface PageContent {
  title: string
  body: Html
  navigation?: Navigation
  isWide?: boolean
  /** The asset that the page runs. Every page works without, too. */
  script?: string
  /** Whose page it is, where it is not ours: the demo plays a third party. */
  site?: { name: string; path: string }
}

// Not the root, which is for programs: whoever reads a page has an account, or is asked to sign in.
const ourSite = { name: 'Dossier', path: '/account' }

export const accountPages = [
  { path: '/account', label: 'Profile' },
  { path: '/account/resumes', label: 'Resumes' },
  { path: '/account/applications', label: 'Applications' },
  { path: '/account/sharing', label: 'Who has my data' },
  { path: '/account/security', label: 'Sign-in and security' },
] as const

export function layout(content: PageContent): string {
  const { title, body, navigation, isWide = false, script, site = ourSite } = content
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${unturned(title)} · ${site.name}</title>
<link rel="stylesheet" href="${assetUrl('style.css')}">
<link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
${script !== undefined && html`<script src="${assetUrl(script)}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site"><a class="name" href="${site.path}">${site.name}</a>${navigation && accountNavigation(navigation)}</header>
<main id="main"${isWide && html` class="wide"`}>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text
}

function accountNavigation({ account, current, signOutToken }: Navigation): Html {
  const links = accountPages.map(
    ({ path, label }) =>
      html`<a href="${path}"${path === current && html` aria-current="page"`}>${label}</a>`,
  )
  return html`<nav aria-label="Account">${links}
<form class="inline" method="post" action="/sign-out">
<input type="hidden" name="form_token" value="${signOutToken}">
<button class="link" type="submit">Sign out ${account}</button></form></nav>`
}
