import type { FastifyReply, RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { notice } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import type { DeskAddresses } from './addresses.ts'
import { errorSections, errorsMarkup } from './errors-markup.ts'
import { renderGuide } from './guide-markup.ts'
import { type LimitTable, limitSections, limitsMarkup } from './limits-markup.ts'
import { limitTexts } from './limits-texts.ts'
import { doorList, heading } from './markup.ts'
import { type DeskPath, deskFrame, deskPageList, type Section } from './navigation-markup.ts'
import type { OpenApiDocument } from './openapi.ts'
import type { DeskFiles } from './ports.ts'
import { referenceMarkup, referenceSections } from './reference-markup.ts'
import { referenceTexts } from './reference-texts.ts'
import { isSampleLanguage, type SampleLanguage } from './sample-list.ts'
import { sampleSections, samplesMarkup } from './samples-markup.ts'
import { deskTexts, errorTexts, sampleTexts } from './texts.ts'

export interface DeskDeps {
  files: DeskFiles
  limits: LimitTable
  baseUrl(): string
  authUrl(): string
  isDemo: boolean
}

interface DeskContent {
  title: string
  sections: readonly Section[]
  content: Html
}

/** The desk of those who write programs against us. Nothing on it is anybody's: everybody may read it. */
export function deskPages(deps: DeskDeps): RouteOptions[] {
  const { files, limits } = deps
  const made = new Map<string, Promise<DeskContent>>()

  /** A page is made once: it is the same for everybody, from the moment on that we know where we listen. */
  function once(key: string, make: (addresses: DeskAddresses) => Promise<DeskContent>): Promise<DeskContent> {
    const known = made.get(key)
    if (known !== undefined) return known
    const page = make({ baseUrl: deps.baseUrl(), authUrl: deps.authUrl(), isDemo: deps.isDemo })
    made.set(key, page)
    // What could not be made is tried again with the next request.
    page.catch(() => made.delete(key))
    return page
  }

  const guide = (file: string) => async (addresses: DeskAddresses) => {
    const { title, body, sections } = await renderGuide(file, await files.read(file), addresses)
    return {
      title,
      sections,
      content: html`${!addresses.isDemo && notice('info', deskTexts.notDemo())}${body}`,
    }
  }
  const samples = (language: SampleLanguage) =>
    once(`samples ${language}`, async addresses => ({
      title: sampleTexts.title,
      sections: sampleSections,
      content: await samplesMarkup(files, language, addresses),
    }))

  const pages: Record<DeskPath, (addresses: DeskAddresses) => Promise<DeskContent>> = {
    '/docs': async addresses => {
      const start = await guide('docs/developers/start.md')(addresses)
      return {
        ...start,
        sections: [...start.sections, { id: doorsId, label: deskTexts.doorsTitle }],
        content: html`${start.content}${heading(2, doorsId, html`${deskTexts.doorsTitle}`)}${doorList(doors)}`,
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
    ...deskPageList.map(({ path }) => ({
      ...page,
      url: path,
      handler: async (_request: unknown, reply: FastifyReply) =>
        send(reply, path, await once(path, pages[path])),
    })),
    {
      ...page,
      url: '/docs/samples/:language',
      handler: async (request, reply) => {
        const { language } = request.params as { language: string }
        if (!isSampleLanguage(language)) throw new Problem('not-found')
        return send(reply, '/docs/samples', await samples(language))
      },
    },
  ]
}

const page = {
  method: 'GET',
  config: { auth: 'public', errors: 'page', isOnBaseUrl: true, isCompressed: true },
  schema: { hide: true },
} as const

const doorsId = 'where-to-go-next'

const doors = deskPageList
  .filter(({ path }) => path !== '/docs')
  .map(({ path, label }) => ({
    path,
    label,
    text: deskTexts.doors[path.replace('/docs/', '') as keyof typeof deskTexts.doors],
  }))

function send(reply: FastifyReply, path: DeskPath, { title, sections, content }: DeskContent): FastifyReply {
  return sendPage(reply, {
    title,
    heading: html``,
    body: deskFrame({ path, title, sections, content }),
    isWide: true,
    styles: ['desk.css'],
    ...(path === '/docs/reference' ? { scripts: ['reference.js'] } : {}),
  })
}
