import type { RouteOptions } from 'fastify'
import { pathId } from '../platform/http/routes.ts'
import { isolateBidi } from '../platform/web/bidi.ts'
import { html } from '../platform/web/html.ts'
import { markdown } from '../platform/web/markdown.ts'
import { sendPage } from '../platform/web/page-response.ts'
import { publicPage } from '../platform/web/page-routes.ts'
import { timeElement } from '../platform/web/time.ts'
import type { PrivacyNotices } from './privacy-notice-service.ts'

/**
 * A version of a company's privacy notice, open to everyone; former versions stay for the applications that refer to
 * them.
 */
export function privacyNoticePage({ find }: Pick<PrivacyNotices, 'find'>): RouteOptions {
  return publicPage.get('/companies/:advertiserId/privacy/:version', async ({ reply, params }) => {
    const notice = await find(pathId(params.advertiserId), pathId(params.version))
    const { advertiserName, url, content, createdAt, version } = notice
    return sendPage(reply, {
      title: `Privacy notice of ${advertiserName}`,
      head: html`<meta name="robots" content="noindex">`,
      body: html`<p class="quiet">Version ${version}, since ${timeElement(createdAt)}. It says how ${isolateBidi(advertiserName)} uses the data of applicants.</p>
<section class="card prose">${url === null ? markdown(content ?? '', 2) : html`<p><a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a></p>`}</section>`,
    })
  })
}
