import { type Html, html } from '../../../platform/web/html.ts'
import { type CodeRequest, requestCode } from '../assets/request-code.mjs'
import { languageNames, type SampleLanguage, sampleLanguages } from '../sample-list.ts'
import { grammarOf, type Highlight } from './highlight-markup.ts'

/** Titles by the name of a fence in Markdown. */
export const codeTitles: Record<string, string | undefined> = {
  ...languageNames,
  sh: 'Shell',
  json: 'JSON',
  xml: 'XML',
  http: 'Request',
}

export const responseTitle = (status: number): Html => html`Response <span class="quiet">${status}</span>`

/** How a page's code is shown: highlighted, and requests in the reader's language. */
export interface CodeStyle {
  highlight: Highlight
  language: SampleLanguage
}

export interface CodeBlock {
  id: string
  title: Html | string
  code: string
  grammar: string
  /** Shown in full, however long it is. */
  isWhole?: boolean
}

/** More lines than this scroll within the block, which then must be reachable by keyboard. */
const shownLines = 18

/** Code with its title and a copy button. */
export function codeBlock(
  { highlight }: CodeStyle,
  { id, title, code, grammar, isWhole = false }: CodeBlock,
): Html {
  const isLong = !isWhole && code.split('\n').length > shownLines
  return html`<div class="code" id="${id}-block"><div class="code-bar"><span class="code-title">${title}</span><button class="second" type="button" data-copy="${id}" data-done="Copied" hidden>Copy</button></div>
<pre id="${id}"${isLong && html` class="long" tabindex="0" role="group" aria-label="Code"`}><code>${highlight(code, grammar)}</code></pre></div>
`
}

/**
 * A request in the reader's language, with a link for each other language. The links work without a script, and
 * `docs.js` follows them without leaving the page.
 */
export function requestBlock(style: CodeStyle, id: string, request: CodeRequest, curl?: string): Html {
  const { language } = style
  const code = language === 'curl' && curl !== undefined ? curl : requestCode(language, request)
  return codeBlock(style, {
    id,
    title: languageTabs(each => `?lang=${each}#${id}-block`, language),
    code,
    grammar: grammarOf(language),
  })
}

export function languageTabs(href: (language: SampleLanguage) => string, current: SampleLanguage): Html {
  return html`<ul class="languages" aria-label="Language">${sampleLanguages.map(each => html`<li><a href="${href(each)}"${each === current && html` aria-current="true"`}>${languageNames[each]}</a></li>`)}</ul>`
}

/** Shows text with its code beside it on wide screens, and between the two parts of the text on narrow ones. */
export function codePair({ text, code, rest }: { text: Html; code: Html; rest: Html }): Html {
  return html`<div class="pair"><div class="prose">${text}</div>
<div class="codes">${code}</div>${rest.text !== '' && html`<div class="prose">${rest}</div>`}</div>
`
}
