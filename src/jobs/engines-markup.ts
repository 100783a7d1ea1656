import { logoUrl } from '../core/brand/logo.ts'
import type { EpochMs } from '../core/clock.ts'
import { xmlElement } from '../core/xml.ts'
import { isOpen } from '../model/job-ad.ts'
import { stripBidi } from '../web/bidi.ts'
import { Html, html } from '../web/html.ts'
import { excerpt, markdown } from '../web/markdown.ts'
import { jobPath, jobsPath } from './markup.ts'
import type { ListedJobAd, PublicJobAd } from './ports.ts'

/** What search engines and previews of links read: head elements, the sitemap and robots.txt. */

export function jobHead(ad: PublicJobAd, now: EpochMs, origin: string, board: string): Html {
  const url = `${origin}${jobPath(ad.id)}`
  const description = stripBidi(excerpt(ad.description, 160))
  const title = stripBidi(`${ad.title}, ${ad.advertiserName}`)
  if (!isOpen(ad, now)) return html`<meta name="robots" content="noindex">`
  return html`<link rel="canonical" href="${url}">
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${board}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
<script type="application/ld+json">${dataBlock(postingOf(ad, url))}</script>
`
}

/** https://schema.org/JobPosting, as far as an ad says it. */
function postingOf(ad: PublicJobAd, url: string) {
  const logo = logoUrl(ad.logoHash)
  return {
    '@context': 'https://schema.org',
    '@type': 'JobPosting',
    title: ad.title,
    description: markdown(ad.description).text,
    datePosted: new Date(ad.createdAt).toISOString(),
    ...(ad.closingDate === null ? {} : { validThrough: `${ad.closingDate}T23:59:59+10:00` }),
    hiringOrganization: {
      '@type': 'Organization',
      name: ad.advertiserName,
      ...(logo === undefined ? {} : { logo: new URL(logo, url).href }),
    },
    jobLocation: { '@type': 'Place', address: ad.location },
    ...(ad.reference === null ? {} : { identifier: { '@type': 'PropertyValue', value: ad.reference } }),
    directApply: true,
    url,
  }
}

/** JSON in which no text can end the element. Browsers run no script of this type. */
const dataBlock = (data: unknown) =>
  new Html(
    JSON.stringify(data).replace(
      /[<>&\u2028\u2029]/g,
      c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  )

export function sitemap(ads: readonly ListedJobAd[], origin: string): string {
  const entry = (path: string, changed?: EpochMs) =>
    `<url>${xmlElement('loc', origin + path)}${changed === undefined ? '' : xmlElement('lastmod', new Date(changed).toISOString())}</url>\n`
  const pages = ['/', jobsPath, '/about/data'].map(path => entry(path))
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${pages.join('')}${ads.map(ad => entry(jobPath(ad.id), ad.updatedAt)).join('')}</urlset>
`
}

export function robotsText(origin: string): string {
  return `User-agent: *
Disallow: /account
Disallow: /console
Disallow: /api/
Disallow: /v1/
Disallow: /v2/

Sitemap: ${origin}/sitemap.xml
`
}
