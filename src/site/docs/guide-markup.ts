import type { Token, Tokens } from 'marked'
import { Html, html } from '../../platform/web/html.ts'
import { type DocsAddresses, placed } from './addresses.ts'
import {
  type CodeStyle,
  codeBlock,
  codePair,
  codeTitles,
  requestBlock,
  responseTitle,
} from './code/code-markup.ts'
import { readCurl } from './code/curl-markup.ts'
import { heading } from './markup.ts'
import type { Section } from './navigation-markup.ts'

export interface Guide {
  title: string
  body: Html
  sections: Section[]
}

/** Paths in the docs of the files that guides link to. */
const docsLinks: Record<string, string> = {
  'docs/integrating/sharing.md': '/docs/share',
  'docs/integrating/collecting.md': '/docs/collect',
  'docs/integrating/polling.md': '/docs/polling',
  'docs/integrating/following.md': '/docs/follow',
  'docs/integrating/webhooks.md': '/docs/webhooks',
  'docs/integrating/reporting-progress.md': '/docs/progress',
  'docs/integrating/applying.md': '/docs/apply',
  'docs/developers/start.md': '/docs',
  'spec/problems.md': '/docs/errors',
  'docs/reference/settings.md': '/docs/limits',
  samples: '/docs/samples',
  'docs/integrating/sdk.md': '/docs/sdk',
  'spec/openapi.json': '/docs/reference',
}

/** Translates a link in the file at `path` to the docs. Throws on a link without a target, so that tests find it. */
function docsLink(path: string, link: string): string {
  if (/^([a-z]+:|#)/.test(link)) return link
  const { pathname, hash } = new URL(link, `file:///${path}`)
  const target = docsLinks[pathname.replace(/^\/|\/$/g, '')]
  if (target === undefined) throw new Error(`${path} links to ${link}, which is not in the docs`)
  return target + hash
}

/** Anchors as Markdown hosts generate them, so that links to sections work in the repository and here. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** Renders a guide of the repository. Its title is its only first-level heading. */
export async function renderGuide(
  path: string,
  markdown: string,
  addresses: DocsAddresses,
  style: CodeStyle,
): Promise<Guide> {
  // Loaded with the first guide, to keep the start of the service fast.
  const { Marked } = await import('marked')
  const sections: Section[] = []
  let title = ''
  let blocks = 0
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        if (depth === 1) {
          title = text
          return ''
        }
        const words = plain(tokens)
        const id = anchorOf(words)
        if (depth === 2) sections.push({ id, label: words })
        return heading(depth === 2 ? 2 : 3, id, new Html(this.parser.parseInline(tokens))).text
      },
      code({ text, lang = '' }: Tokens.Code): string {
        blocks += 1
        const id = `code-${blocks}`
        const code = placed(text, addresses)
        const request = lang === 'sh' ? readCurl(code) : undefined
        if (request !== undefined) return requestBlock(style, id, request, code).text
        const [grammar = '', status] = lang.split(' ')
        const name = status === undefined ? codeTitles[grammar] : responseTitle(Number(status))
        return codeBlock(style, { id, title: name ?? '', code, grammar }).text
      },
      link({ href, tokens }: Tokens.Link): string {
        const target = placed(docsLink(path, href), addresses)
        const words = placed(this.parser.parseInline(tokens), addresses)
        return html`<a href="${target}">${new Html(words)}</a>`.text
      },
      table({ header, rows }: Tokens.Table): string {
        const cell = ({ tokens }: Tokens.TableCell) => new Html(this.parser.parseInline(tokens))
        // A column without a title gets no `th`: screen readers would announce an empty header.
        const head = header.map(column =>
          column.text === '' ? html`<td></td>` : html`<th scope="col">${cell(column)}</th>`,
        )
        return html`<table class="guide"><thead><tr>${head}</tr></thead><tbody>${rows.map(
          row => html`<tr>${row.map(each => html`<td>${cell(each)}</td>`)}</tr>`,
        )}</tbody></table>`.text
      },
      // HTML in guides is escaped and shown as text.
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        return html`${text}`.text
      },
      codespan({ text }: Tokens.Codespan): string {
        return html`<code>${placed(text, addresses)}</code>`.text
      },
    },
  })
  const render = (tokens: Token[]) => new Html(marked.parser(tokens))
  const body = html`${pairsOf(marked.lexer(markdown)).map(({ text, code, rest }) =>
    code.length === 0
      ? render(text)
      : codePair({ text: render(text), code: render(code), rest: render(rest) }),
  )}`
  return { body, title, sections }
}

interface Pair {
  text: Token[]
  code: Token[]
  rest: Token[]
}

/**
 * Splits a guide into text and the code that belongs beside it. A heading begins a new pair, as does the block that
 * introduces the next code; the blocks before that one are still shown beside the previous code.
 */
export function pairsOf(tokens: readonly Token[]): Pair[] {
  const pairs: Pair[] = []
  let pair: Pair = { text: [], code: [], rest: [] }
  const begin = (text: Token[]) => {
    pair = { text, code: [], rest: [] }
    pairs.push(pair)
  }
  begin([])
  for (const token of tokens) {
    if (token.type === 'space') continue
    if (token.type === 'heading') {
      if (pair.code.length === 0 && pair.text.every(({ type }) => type === 'heading')) pair.text.push(token)
      else begin([token])
    } else if (token.type === 'code') {
      const introduction = pair.rest.pop()
      if (introduction !== undefined) begin([introduction])
      pair.code.push(token)
    } else if (pair.code.length === 0) pair.text.push(token)
    else pair.rest.push(token)
  }
  return pairs
}

/** The plain text of a heading. */
function plain(tokens: readonly { text?: string; raw: string }[]): string {
  return tokens.map(({ text, raw }) => text ?? raw).join('')
}
