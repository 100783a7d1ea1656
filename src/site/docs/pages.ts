import { parseCookie } from 'cookie'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { type DocsContentDeps, docsContents } from './contents-markup.ts'
import { docsFrame, docsPageList } from './navigation-markup.ts'
import { isSampleLanguage, type SampleLanguage } from './sample-list.ts'
import { searchIndexPath, searchPath, searchResults } from './search/search-markup.ts'
import { searchTexts } from './texts.ts'

export type DocsDeps = DocsContentDeps

const cookieName = 'docs-language'
const yearSeconds = 365 * 86_400
const longestQuery = 100
const mostResults = 50

/** The developer docs, which are public. */
export function docsPages(deps: DocsDeps): RouteOptions[] {
  const contents = docsContents(deps)

  /** The language of the code: that of the address, which is remembered, or the one remembered. */
  function languageOf(request: FastifyRequest, reply: FastifyReply, named?: string): SampleLanguage {
    const lang = new FormFields(searchOf(request.raw.url)).get('lang') ?? named ?? ''
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
    const { title, hasForm = false } = content
    return sendPage(reply, {
      title,
      heading: html``,
      body: docsFrame({ path, ...content }),
      isWide: true,
      styles: ['docs.css'],
      scripts: ['docs.js', ...(hasForm ? ['reference.js'] : [])],
    })
  }

  return [
    ...docsPageList.map(({ path }) => ({
      ...page,
      url: path,
      handler: (request: FastifyRequest, reply: FastifyReply) =>
        show(reply, path, languageOf(request, reply)),
    })),
    {
      ...page,
      url: '/docs/samples/:language',
      handler: (request, reply) => {
        const { language } = request.params as { language: string }
        if (!isSampleLanguage(language)) throw new Problem('not-found')
        return show(reply, '/docs/samples', languageOf(request, reply, language))
      },
    },
    {
      ...page,
      url: '/docs/reference/:operationId',
      handler: (request, reply) => {
        const { operationId } = request.params as { operationId: string }
        return show(reply, `/docs/reference/${operationId}`, languageOf(request, reply))
      },
    },
    {
      ...page,
      url: searchPath,
      handler: async (request, reply) => {
        const words = new FormFields(searchOf(request.raw.url)).get('q') ?? ''
        const query = words.slice(0, longestQuery).trim()
        const results = query === '' ? [] : await contents.search(query, mostResults)
        return sendPage(reply, {
          title: searchTexts.title,
          heading: html``,
          body: docsFrame({
            path: searchPath,
            title: searchTexts.title,
            query,
            content: searchResults(query, results),
          }),
          isWide: true,
          styles: ['docs.css'],
          scripts: ['docs.js'],
        })
      },
    },
    {
      ...page,
      config: { auth: 'public', isOnBaseUrl: true, isCompressed: true },
      url: searchIndexPath,
      handler: async (_request, reply) =>
        reply
          .headers({
            'content-type': 'application/json; charset=utf-8',
            'cache-control': 'public, max-age=600',
          })
          .send(await contents.searchIndex()),
    },
  ]
}

const page = {
  method: 'GET',
  config: { auth: 'public', errors: 'page', isOnBaseUrl: true, isCompressed: true },
  schema: { hide: true },
} as const
