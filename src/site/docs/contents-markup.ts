import { createSearch, type SearchEntry, type SearchResult } from '../../web/assets/docs-search.mjs'
import { notice } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { type DocsAddresses, placed } from './addresses.ts'
import type { CodeStyle } from './code/code-markup.ts'
import { loadHighlight } from './code/highlight-markup.ts'
import { errorSections, errorsMarkup } from './errors-markup.ts'
import { renderGuide } from './guide-markup.ts'
import { type LimitTable, limitSections, limitsMarkup } from './limits-markup.ts'
import { limitTexts } from './limits-texts.ts'
import { doorList, heading } from './markup.ts'
import { type Chapter, type DocsPath, docsPageList, type Section } from './navigation-markup.ts'
import type { DocsFiles } from './ports.ts'
import { callMarkup, callSections, type ResponseExample } from './reference/call-markup.ts'
import { callsOf, type OpenApiDocument } from './reference/openapi.ts'
import {
  callPath,
  overviewMarkup,
  overviewSections,
  referenceChapters,
  schemaSections,
  schemasMarkup,
  titleOf,
} from './reference/overview-markup.ts'
import { schemaPath } from './reference/schema-markup.ts'
import { referenceTexts } from './reference/texts.ts'
import type { SampleLanguage } from './sample-list.ts'
import { sampleSections, samplesMarkup } from './samples-markup.ts'
import { searchEntries } from './search/search-markup.ts'
import { docsTexts, errorTexts, sampleTexts } from './texts.ts'

export interface DocsContentDeps {
  files: DocsFiles
  limits: LimitTable
  baseUrl(): string
  authUrl(): string
  isDemo: boolean
}

export interface DocsContent {
  title: string
  sections?: readonly Section[]
  chapters?: readonly Chapter[]
  content: Html
  /** Whether it has a form that sends a request. */
  hasForm?: boolean
}

type Render = (style: CodeStyle, addresses: DocsAddresses) => Promise<DocsContent> | DocsContent

/** The pages of the docs and their search index, each made once, on first request: the port is known by then. */
export function docsContents(deps: DocsContentDeps) {
  const { files, limits } = deps
  const made = new Map<string, Promise<unknown>>()

  function once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = made.get(key) as Promise<T> | undefined
    if (known !== undefined) return known
    const value = make()
    made.set(key, value)
    // Retry with the next request.
    value.catch(() => made.delete(key))
    return value
  }

  const guide =
    (file: string): Render =>
    async (style, addresses) => {
      const { title, body, sections } = await renderGuide(file, await files.read(file), addresses, style)
      const content = html`${!addresses.isDemo && notice('info', docsTexts.notDemo())}${body}`
      return { title, sections, content }
    }

  const fixed: Record<DocsPath, Render> = {
    '/docs': async (style, addresses) => {
      const start = await guide('docs/developers/start.md')(style, addresses)
      return {
        ...start,
        sections: [...(start.sections ?? []), { id: doorsId, label: docsTexts.doorsTitle }],
        content: html`${start.content}${heading(2, doorsId, docsTexts.doorsTitle)}${doorList(doors)}`,
      }
    },
    '/docs/share': guide('docs/integrating/sharing.md'),
    '/docs/apply': guide('docs/integrating/applying.md'),
    '/docs/collect': guide('docs/integrating/collecting.md'),
    '/docs/polling': guide('docs/integrating/polling.md'),
    '/docs/follow': guide('docs/integrating/following.md'),
    '/docs/sdk': guide('docs/integrating/sdk.md'),
    '/docs/webhooks': guide('docs/integrating/webhooks.md'),
    '/docs/errors': () => ({ ...errorTexts, sections: errorSections, content: errorsMarkup() }),
    '/docs/limits': () => ({ ...limitTexts, sections: limitSections, content: limitsMarkup(limits) }),
    '/docs/samples': async (style, addresses) => ({
      title: sampleTexts.title,
      sections: sampleSections,
      content: await samplesMarkup(files, addresses, style),
    }),
    '/docs/reference': async () => {
      const document = await readDocument()
      return {
        title: referenceTexts.title,
        sections: overviewSections(document),
        content: overviewMarkup(document),
      }
    },
    '/docs/changelog': guide('CHANGELOG.md'),
  }

  const readDocument = () =>
    once('document', async (): Promise<OpenApiDocument> => JSON.parse(await files.read('spec/openapi.json')))

  /** All pages by path: the list of the navigation, and one for each call. */
  const renders = () =>
    once('renders', async (): Promise<Map<string, Render>> => {
      const document = await readDocument()
      const chapters = referenceChapters(document)
      const calls = callsOf(document).map((call): [string, Render] => [
        callPath(call),
        async (style, addresses) => {
          const responses: Record<string, ResponseExample> = JSON.parse(
            placed(await files.read('spec/responses.json'), addresses),
          )
          const response = responses[call.operationId]
          return {
            title: titleOf(call),
            sections: callSections(call),
            chapters,
            content: callMarkup({ document, call, addresses, style, response }),
            hasForm: true,
          }
        },
      ])
      const schemas: Render = () => ({
        title: referenceTexts.schemas,
        sections: schemaSections(document),
        chapters,
        content: schemasMarkup(document),
      })
      return new Map([...Object.entries(fixed), ...calls, [schemaPath, schemas]])
    })

  async function page(path: string, language: SampleLanguage): Promise<DocsContent | undefined> {
    const render = (await renders()).get(path)
    if (render === undefined) return undefined
    return once(`${path} ${language}`, async () => {
      const addresses = { baseUrl: deps.baseUrl(), authUrl: deps.authUrl(), isDemo: deps.isDemo }
      return render({ highlight: await loadHighlight(), language }, addresses)
    })
  }

  /** The sections of all pages. The language of the code makes no difference. */
  const entries = () =>
    once('entries', async (): Promise<SearchEntry[]> => {
      const found: SearchEntry[] = []
      for (const path of (await renders()).keys()) {
        const content = await page(path, 'curl')
        if (content !== undefined) found.push(...searchEntries(path, content.title, content.content))
      }
      return found
    })

  return {
    page,
    searchIndex: () => once('index', async () => JSON.stringify(await entries())),
    async search(query: string, most: number): Promise<SearchResult[]> {
      const find = await once('search', async () => {
        const { default: MiniSearch } = await import('minisearch')
        return createSearch(MiniSearch, await entries())
      })
      return find(query, most)
    },
  }
}

const doorsId = 'where-to-go-next'

const doors = docsPageList
  .filter(({ path }) => path !== '/docs')
  .map(({ path, label }) => ({
    path,
    label,
    text: docsTexts.doors[path.replace('/docs/', '') as keyof typeof docsTexts.doors],
  }))
