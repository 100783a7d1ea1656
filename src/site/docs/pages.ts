import { parseCookie } from 'cookie'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../../platform/core/problems.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { html } from '../../platform/web/html.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { publicPage } from '../../platform/web/page-routes.ts'
import { docsAssets } from './assets-markup.ts'
import { type DocsContent, type DocsContentDeps, docsContents } from './contents-markup.ts'
import { docsFrame, docsPageList } from './navigation-markup.ts'
import { isSampleLanguage, type SampleLanguage } from './sample-list.ts'
import { searchIndexPath, searchPath, searchResults } from './search/search-markup.ts'

const cookieName = 'docs-language'
const yearSeconds = 365 * 86_400
const indexSeconds = 600
const longestQuery = 100
const maxResults = 50

/** Files that scripts/sdk-packages.ts makes. */
const sdkPackage = /^dossier-sdk(-\d+\.\d+\.\d+)?\.tgz$|^dossier_sdk-\d+\.\d+\.\d+-py3-none-any\.whl$/

/** Public, without secrets, and on the origin of the API, which the reference calls. */
const ofDocs = { isOnBaseUrl: true, isCompressed: true }

/** The developer docs, which are public. */
export function docsPages(deps: DocsContentDeps): RouteOptions[] {
  const contents = docsContents(deps)

  /** The language of the samples: from the URL, saved in a cookie, or else from the cookie. */
  function languageOf(request: FastifyRequest, reply: FastifyReply, named?: string): SampleLanguage {
    const lang = queryOf(request, 'lang') ?? named ?? ''
    if (isSampleLanguage(lang)) {
      const secure = deps.baseUrl().startsWith('https:') ? '; Secure' : ''
      const attributes = `Path=/docs; HttpOnly; SameSite=Lax; Max-Age=${yearSeconds}${secure}`
      reply.header('set-cookie', `${cookieName}=${lang}; ${attributes}`)
      return lang
    }
    const kept = parseCookie(request.headers.cookie ?? '')[cookieName] ?? ''
    return isSampleLanguage(kept) ? kept : 'curl'
  }

  async function show(reply: FastifyReply, path: string, language: SampleLanguage): Promise<FastifyReply> {
    const content = await contents.page(path, language)
    if (content === undefined) throw new Problem('not-found')
    return sendDocs(reply, path, content)
  }

  return [
    ...docsPageList.map(({ path }) =>
      publicPage.get(path, ({ request, reply }) => show(reply, path, languageOf(request, reply)), ofDocs),
    ),
    publicPage.get(
      '/docs/samples/:language',
      ({ request, reply, params }) => {
        if (!isSampleLanguage(params.language)) throw new Problem('not-found')
        return show(reply, '/docs/samples', languageOf(request, reply, params.language))
      },
      ofDocs,
    ),
    publicPage.get(
      '/docs/reference/:operationId',
      ({ request, reply, params }) =>
        show(reply, `/docs/reference/${params.operationId}`, languageOf(request, reply)),
      ofDocs,
    ),
    publicPage.get(
      '/docs/sdk/:file',
      async ({ reply, params: { file = '' } }) => {
        const bytes = sdkPackage.test(file) ? await deps.files.readBytes(`sdk/packages/${file}`) : undefined
        if (bytes === undefined) throw new Problem('not-found')
        return reply
          .headers({
            'content-type': file.endsWith('.tgz') ? 'application/gzip' : 'application/octet-stream',
            'cache-control': `public, max-age=${indexSeconds}`,
          })
          .send(bytes)
      },
      { isOnBaseUrl: true, errors: 'problem' },
    ),
    publicPage.get(
      searchPath,
      async ({ request, reply }) => {
        const query = (queryOf(request, 'q') ?? '').slice(0, longestQuery).trim()
        const results = query === '' ? [] : await contents.search(query, maxResults)
        return sendDocs(reply, searchPath, {
          title: 'Search',
          query,
          content: searchResults(query, results),
        })
      },
      ofDocs,
    ),
    publicPage.get(
      searchIndexPath,
      async ({ reply }) =>
        reply
          .headers({
            'content-type': 'application/json; charset=utf-8',
            'cache-control': `public, max-age=${indexSeconds}`,
          })
          .send(await contents.searchIndex()),
      { ...ofDocs, errors: 'problem' },
    ),
  ]
}

const queryOf = ({ raw }: FastifyRequest, name: string) => new FormFields(searchOf(raw.url)).get(name)

function sendDocs(
  reply: FastifyReply,
  path: string,
  { hasForm = false, ...content }: DocsContent & { query?: string },
): FastifyReply {
  return sendPage(reply, {
    title: content.title,
    heading: html``,
    body: docsFrame({ path, ...content }),
    isWide: true,
    styles: [docsAssets.url('docs.css')],
    scripts: (hasForm ? ['docs.js', 'reference.js'] : ['docs.js']).map(docsAssets.url),
  })
}
