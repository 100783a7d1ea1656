import type { AdDetails } from '../model/ad-details.ts'
import { closesAt, isOpen } from '../model/job-ad.ts'
import { countryInWords } from '../model/profile-words.ts'
import { logoUrl } from '../platform/core/brand/logo.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { isoIn } from '../platform/core/time/time-zone.ts'
import { xmlElement } from '../platform/core/xml.ts'
import { stripBidi } from '../platform/web/bidi.ts'
import { Html, html } from '../platform/web/html.ts'
import { excerpt, markdown } from '../platform/web/markdown.ts'
import { jobPath, jobsPath } from './markup.ts'
import type { ListedJobAd, PublicJobAd } from './postings.ts'

/** Content for search engines and link previews: head elements, the sitemap and robots.txt. */

export function jobHead(ad: PublicJobAd, now: EpochMs, origin: string, board: string): Html {
  const url = `${origin}${jobPath(ad.id)}`
  const description = stripBidi(excerpt(ad.description, 160))
  const title = stripBidi(`${ad.title}, ${ad.advertiserName}`)
  if (!isOpen(ad, now, ad.timeZone) || !isIndexable(ad)) return html`<meta name="robots" content="noindex">`
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

/** The ad as https://schema.org/JobPosting, as far as it has the details. */
function postingOf(ad: PublicJobAd, url: string) {
  const logo = logoUrl(ad.logoHash)
  const { closingDate, timeZone } = ad
  return {
    '@context': 'https://schema.org',
    '@type': 'JobPosting',
    title: ad.title,
    description: markdown(ad.description).text,
    datePosted: isoIn(ad.createdAt, timeZone),
    ...(closingDate === null
      ? {}
      : { validThrough: isoIn(closesAt(closingDate, timeZone) - 1000, timeZone) }),
    hiringOrganization: {
      '@type': 'Organization',
      name: ad.advertiserName,
      ...(logo === undefined ? {} : { logo: new URL(logo, url).href }),
    },
    ...placeOf(ad),
    ...detailsOf(ad.details),
    identifier: {
      '@type': 'PropertyValue',
      name: ad.advertiserName,
      value: ad.reference ?? String(ad.id),
    },
    directApply: true,
    url,
  }
}

/**
 * Whether an ad has the details that search engines require: the country of its workplace, or the countries that people
 * may work from. An ad without them is not described, and is hidden from search engines, because a guess could be
 * wrong.
 */
const isIndexable = ({ details = {} }: ListedJobAd) =>
  details.country !== undefined || (details.workplace === 'remote' && details.remoteCountries !== undefined)

function placeOf({ location, details = {} }: PublicJobAd) {
  const { country, region, locality, workplace, remoteCountries = country ? [country] : [] } = details
  if (workplace === 'remote') {
    return {
      jobLocationType: 'TELECOMMUTE',
      applicantLocationRequirements: remoteCountries.map(code => ({
        '@type': 'Country',
        name: countryInWords(code),
      })),
    }
  }
  const address = { addressLocality: locality, addressRegion: region, addressCountry: country }
  return {
    jobLocation: { '@type': 'Place', name: location, address: { '@type': 'PostalAddress', ...address } },
  }
}

function detailsOf({ employmentTypes, openings, pay }: AdDetails = {}) {
  const amounts = pay && (pay.min === pay.max ? { value: pay.min } : { minValue: pay.min, maxValue: pay.max })
  return {
    employmentType: employmentTypes,
    totalJobOpenings: openings,
    baseSalary: pay && {
      '@type': 'MonetaryAmount',
      currency: pay.currency,
      value: { '@type': 'QuantitativeValue', ...amounts, unitText: pay.period.toUpperCase() },
    },
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
${pages.join('')}${ads
  .filter(isIndexable)
  .map(ad => entry(jobPath(ad.id), ad.updatedAt))
  .join('')}</urlset>
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
