import { notice } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { type DocsAddresses, placed } from './addresses.ts'
import { createSearch, type SearchEntry, type SearchResult } from './assets/docs-search.mjs'
import { type CodeStyle, codeBlock, languageTabs } from './code/code-markup.ts'
import { grammarOf, loadHighlight } from './code/highlight-markup.ts'
import { errorSections, errorsMarkup } from './errors-markup.ts'
import type { DocsFiles } from './files-adapter.ts'
import { renderGuide } from './guide-markup.ts'
import { limitSections, limitsMarkup, type ShownLimits } from './limits-markup.ts'
import { doorList, heading, withCode } from './markup.ts'
import { type Chapter, type DocsPath, docsPageList, type Section } from './navigation-markup.ts'
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
import { type SampleLanguage, sampleCommand, samplePath, samplePrograms } from './sample-list.ts'
import { searchEntries } from './search/search-markup.ts'

const descriptions = {
  collect: {
    label: 'Collect applications',
    text: 'One round of a poller that never misses or repeats an application: run it every minute. Its only state is what it has stored.',
  },
  follow: {
    label: 'Follow events',
    text: 'Waits for what happens and prints it, without gap or repetition, also after a crash. Its only state is what it has stored.',
  },
  share: {
    label: 'Read a shared profile',
    text: 'Prints the link for the candidate, waits for the redirect, exchanges the code, gets the profile and resume, and reports completion.',
  },
  apply: {
    label: 'Send an application',
    text: 'Sends an application with its resume, and retries until it gets a response. The application is stored once, even if the network fails.',
  },
}

const sampleSections: readonly Section[] = samplePrograms.map(program => ({
  id: program,
  label: descriptions[program].label,
}))

/** Each language has its own page, which keeps pages small and links precise. */
async function samplesMarkup(files: DocsFiles, addresses: DocsAddresses, style: CodeStyle): Promise<Html> {
  const { language } = style
  const programs = await Promise.all(
    samplePrograms.map(async program => {
      const path = samplePath(language, program)
      const code = placed(await files.read(path), addresses).trimEnd()
      const { label, text } = descriptions[program]
      return html`${heading(2, program, label)}<p>${text} Run it with <code>${sampleCommand(language, program)}</code>.</p>
${codeBlock(style, { id: `${program}-code`, title: path, code, grammar: grammarOf(language), isWhole: true })}`
    }),
  )
  return html`<p>${withCode('Four small programs without dependencies. Each reads its settings from the environment; without any, it talks to the demo. All of them honour Retry-After. They are in the folder `samples` of the repository. The tests run them against a running service, except those in C#.')}</p>
${languageTabs(each => `/docs/samples/${each}`, language)}
${programs}`
}

export interface DocsContentDeps {
  files: DocsFiles
  /** The limits that are settings, with this service's values. */
  limits: ShownLimits
  baseUrl(): string
  authUrl(): string
  isDemo: boolean
}

export interface DocsContent {
  title: string
  sections?: readonly Section[]
  chapters?: readonly Chapter[]
  content: Html
  /** Whether the page has a form that sends a request. */
  hasForm?: boolean
}

type Render = (style: CodeStyle, addresses: DocsAddresses) => Promise<DocsContent> | DocsContent

/** The pages of the docs and their search index, each rendered once, on first request: the port is known by then. */
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
      const content = html`${!addresses.isDemo && notice('info', notDemo)}${body}`
      return { title, sections, content }
    }

  const fixed: Record<DocsPath, Render> = {
    '/docs': async (style, addresses) => {
      const start = await guide('docs/developers/start.md')(style, addresses)
      return {
        ...start,
        sections: [...(start.sections ?? []), { id: doorsId, label: 'Where to go next' }],
        content: html`${start.content}${heading(2, doorsId, 'Where to go next')}${doorList(doors)}`,
      }
    },
    '/docs/share': guide('docs/integrating/sharing.md'),
    '/docs/apply': guide('docs/integrating/applying.md'),
    '/docs/collect': guide('docs/integrating/collecting.md'),
    '/docs/polling': guide('docs/integrating/polling.md'),
    '/docs/follow': guide('docs/integrating/following.md'),
    '/docs/sdk': guide('docs/integrating/sdk.md'),
    '/docs/webhooks': guide('docs/integrating/webhooks.md'),
    '/docs/progress': guide('docs/integrating/reporting-progress.md'),
    '/docs/errors': () => ({ title: 'Errors', sections: errorSections, content: errorsMarkup() }),
    '/docs/limits': async () => {
      const fixed: ShownLimits = JSON.parse(await files.read('spec/limits.json'))
      return { title: 'Limits', sections: limitSections, content: limitsMarkup({ ...fixed, ...limits }) }
    },
    '/docs/samples': async (style, addresses) => ({
      title: 'Code samples',
      sections: sampleSections,
      content: await samplesMarkup(files, addresses, style),
    }),
    '/docs/reference': async () => {
      const document = await readDocument()
      return {
        title: 'API reference',
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
        title: 'Schemas',
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

  /** The sections of all pages. The language of the samples makes no difference. */
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
    async search(query: string, max: number): Promise<SearchResult[]> {
      const find = await once('search', async () => {
        const { default: MiniSearch } = await import('minisearch')
        return createSearch(MiniSearch, await entries())
      })
      return find(query, max)
    },
  }
}

const doorsId = 'where-to-go-next'

const doors = docsPageList.filter(page => 'text' in page)

const notDemo = html`<p>This service holds real data. The examples on these pages are for the demo, which runs on your own machine: run <code>npm start</code> in a checkout, and it listens on <code>http://localhost:8080</code> with the credentials shown here.</p>`
