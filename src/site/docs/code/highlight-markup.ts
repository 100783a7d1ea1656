import { Html, html } from '../../../platform/web/html.ts'
import type { SampleLanguage } from '../sample-list.ts'

/** The grammars of highlight.js, by the name that a Markdown fence gives them. */
const grammars = {
  sh: 'bash',
  json: 'json',
  xml: 'xml',
  typescript: 'typescript',
  python: 'python',
  csharp: 'csharp',
  php: 'php',
}

export type Grammar = keyof typeof grammars

export const grammarOf = (language: SampleLanguage): Grammar => (language === 'curl' ? 'sh' : language)

/** Marks up code with class names; code without a grammar is only escaped. */
export type Highlight = (code: string, grammar: string) => Html

let ready: Promise<Highlight> | undefined

/** Loaded with the first page of the docs, to keep the start of the service fast. */
export function loadHighlight(): Promise<Highlight> {
  ready ??= load()
  return ready
}

interface Highlighter {
  configure(options: { classPrefix: string }): void
  registerLanguage(name: string, grammar: unknown): void
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string }
}

/**
 * Imports by a computed name: with a literal one, the package's types would declare a browser's globals for the whole
 * program.
 */
const part = async (name: string) => (await import(`highlight.js/lib/${name}`)).default

async function load(): Promise<Highlight> {
  const highlighter: Highlighter = await part('core')
  // A short prefix, because a page has hundreds of these classes.
  highlighter.configure({ classPrefix: 'h-' })
  for (const [name, file] of Object.entries(grammars)) {
    highlighter.registerLanguage(name, await part(`languages/${file}`))
  }
  return (code, grammar) => {
    if (!Object.hasOwn(grammars, grammar)) return html`${code}`
    const { value } = highlighter.highlight(code, { language: grammar, ignoreIllegals: true })
    // Every comma and bracket of JSON is marked, but has no colour here.
    return new Html(value.replace(/<span class="h-punctuation">(.*?)<\/span>/g, '$1'))
  }
}
