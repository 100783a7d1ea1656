import type { FastifyReply, RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { notice } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { publicPage } from '../../web/page-routes.ts'
import type { DocsAddresses } from './addresses.ts'
import { errorSections, errorsMarkup } from './errors-markup.ts'
import { renderGuide } from './guide-markup.ts'
import { type LimitTable, limitSections, limitsMarkup } from './limits-markup.ts'
import { limitTexts } from './limits-texts.ts'
import { doorList, heading } from './markup.ts'
import { type DocsPath, docsFrame, docsPageList, type Section } from './navigation-markup.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { DocsFiles } from './ports.ts'
import { referenceMarkup, referenceSections } from './reference-markup.ts'
import { referenceTexts } from './reference-texts.ts'
import { isSampleLanguage, type SampleLanguage } from './sample-list.ts'
import { sampleSections, samplesMarkup } from './samples-markup.ts'
import { docsTexts, errorTexts, sampleTexts } from './texts.ts'

export interface DocsDeps {
  files: DocsFiles
  limits: LimitTable
  baseUrl(): string
  authUrl(): string
  isDemo: boolean
}

interface DocsContent {
  title: string
  sections: readonly Section[]
  content: Html
}

/** The developer docs, which are public. */
export function docsPages(deps: DocsDeps): RouteOptions[] {
  const { files, limits } = deps
  const made = new Map<string, Promise<DocsContent>>()

  /** Renders each page once, on first request: it is the same for every reader, and the port is known by then. */
  function once(key: string, make: (addresses: DocsAddresses) => Promise<DocsContent>): Promise<DocsContent> {
    const known = made.get(key)
    if (known !== undefined) return known
    const page = make({ baseUrl: deps.baseUrl(), authUrl: deps.authUrl(), isDemo: deps.isDemo })
    made.set(key, page)
    // Retry with the next request.
    page.catch(() => made.delete(key))
    return page
  }

  const guide = (file: string) => async (addresses: DocsAddresses) => {
    const { title, body, sections } = await renderGuide(file, await files.read(file), addresses)
    return {
      title,
      sections,
      content: html`${!addresses.isDemo && notice('info', docsTexts.notDemo())}${body}`,
    }
  }
  const samples = (language: SampleLanguage) =>
    once(`samples ${language}`, async addresses => ({
      title: sampleTexts.title,
      sections: sampleSections,
      content: await samplesMarkup(files, language, addresses),
    }))

  const pages: Record<DocsPath, (addresses: DocsAddresses) => Promise<DocsContent>> = {
    '/docs': async addresses => {
      const start = await guide('docs/developers/start.md')(addresses)
      return {
        ...start,
        sections: [...start.sections, { id: doorsId, label: docsTexts.doorsTitle }],
        content: html`${start.content}${heading(2, doorsId, html`${docsTexts.doorsTitle}`)}${doorList(doors)}`,
      }
    },
    '/docs/share': guide('docs/integrating/sharing.md'),
    '/docs/apply': guide('docs/integrating/applying.md'),
    '/docs/collect': guide('docs/integrating/collecting.md'),
    '/docs/polling': guide('docs/integrating/polling.md'),
    '/docs/errors': async () => ({ ...errorTexts, sections: errorSections, content: errorsMarkup() }),
    '/docs/limits': async () => ({ ...limitTexts, sections: limitSections, content: limitsMarkup(limits) }),
    '/docs/samples': () => samples('curl'),
    '/docs/reference': async addresses => {
      const document: OpenApiDocument = JSON.parse(await files.read('spec/openapi.json'))
      return {
        title: referenceTexts.title,
        sections: referenceSections(document),
        content: referenceMarkup(document, addresses),
      }
    },
  }

  return [
    ...docsPageList.map(({ path }) =>
      publicPage.get(path, async ({ reply }) => send(reply, path, await once(path, pages[path])), options),
    ),
    publicPage.get(
      '/docs/samples/:language',
      async ({ reply, params: { language } }) => {
        if (!isSampleLanguage(language)) throw new Problem('not-found')
        return send(reply, '/docs/samples', await samples(language))
      },
      options,
    ),
  ]
}

const options = { isOnBaseUrl: true, isCompressed: true }

const doorsId = 'where-to-go-next'

const doors = docsPageList
  .filter(({ path }) => path !== '/docs')
  .map(({ path, label }) => ({
    path,
    label,
    text: docsTexts.doors[path.replace('/docs/', '') as keyof typeof docsTexts.doors],
  }))

function send(reply: FastifyReply, path: DocsPath, { title, sections, content }: DocsContent): FastifyReply {
  return sendPage(reply, {
    title,
    heading: html``,
    body: docsFrame({ path, title, sections, content }),
    isWide: true,
    styles: ['docs.css'],
    ...(path === '/docs/reference' ? { scripts: ['reference.js'] } : {}),
  })
}
