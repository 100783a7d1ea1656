import { lexer, type MarkedToken, type Token } from 'marked'
import { type Html, html } from './html.ts'

/**
 * The subset of Markdown that people may use: paragraphs, headings, lists, emphasis and links. Everything else, HTML
 * included, is shown as it was typed. All headings have the level `top`, so that none is skipped below those of the page.
 */
export function markdown(text: string, top: 2 | 3 = 3): Html {
  let tokens: Token[]
  try {
    tokens = lexer(text, { gfm: true, breaks: true })
  } catch {
    // Too deeply nested for the parser: no one writes so, and the plain text is still readable.
    return html`<p class="written">${text}</p>`
  }
  return html`${tokens.map(token => block(token as MarkedToken, top, 0))}`
}

/** Deeper lists and quotations are shown as they were typed. */
const maxDepth = 8

function block(token: MarkedToken, top: 2 | 3, depth: number): Html | string {
  const inner = (tokens: Token[] = []) => tokens.map(each => block(each as MarkedToken, top, depth + 1))
  if (depth > maxDepth) return plain(token)
  switch (token.type) {
    case 'space':
    case 'hr':
    case 'def':
      return ''
    case 'heading':
      return top === 2 ? html`<h2>${inline(token.tokens)}</h2>` : html`<h3>${inline(token.tokens)}</h3>`
    case 'paragraph':
      return html`<p>${inline(token.tokens)}</p>`
    case 'text':
      return html`${token.tokens === undefined ? token.text : inline(token.tokens)}`
    case 'list': {
      const items = token.items.map(item => html`<li>${inner(item.tokens)}</li>`)
      return token.ordered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`
    }
    case 'blockquote':
      return html`${inner(token.tokens)}`
    default:
      return plain(token)
  }
}

const plain = ({ raw }: Token) => html`<p class="written">${raw.trim()}</p>`

function inline(tokens: Token[] = [], depth = 0): (Html | string)[] {
  return (tokens as MarkedToken[]).map(token => {
    const inner = () => inline('tokens' in token ? token.tokens : [], depth + 1)
    if (depth > maxDepth) return token.raw
    switch (token.type) {
      case 'strong':
        return html`<strong>${inner()}</strong>`
      case 'em':
        return html`<em>${inner()}</em>`
      case 'br':
        return html`<br>`
      case 'escape':
        return token.text
      case 'link':
        return /^(https?:|mailto:)/i.test(token.href)
          ? html`<a href="${token.href}" rel="nofollow noopener">${inner()}</a>`
          : token.raw
      default:
        return token.raw
    }
  })
}

/** The text without marks, on one line, cut at a word: for lists and search engines. */
export function excerpt(text: string, length: number): string {
  const words = text
    .slice(0, length * 2)
    .replace(/^\s*(#{1,6}|[-*+]|\d+[.)])\s+/gm, '')
    .replace(/[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return words.length <= length ? words : `${words.slice(0, length).replace(/\s+\S*$/, '')}…`
}
