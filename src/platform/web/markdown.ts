import { Html, html } from './html.ts'

/** Lists and emphasis beyond this depth are shown at this depth, or as typed. */
const maxDepth = 8

/**
 * The subset of Markdown that people may use: paragraphs, headings, lists, emphasis and links. Everything else,
 * including HTML, is shown as typed. All headings have the level `top`, so that no level is skipped below the page's
 * own headings. Takes time proportional to the length of the text, whatever it contains:
 * docs/decisions/059-read-markdown-of-people-ourselves.md.
 */
export function markdown(text: string, top: 2 | 3 = 3): Html {
  const out: string[] = []
  const lists: { tag: 'ul' | 'ol'; indent: number }[] = []
  let lines: string[] = []
  const flush = () => {
    if (lines.length > 0) out.push(lists.length > 0 ? inline(lines) : `<p>${inline(lines)}</p>`)
    lines = []
  }
  const closeLists = (depth = 0) => {
    flush()
    while (lists.length > depth) out.push(`</li></${lists.pop()?.tag}>`)
  }
  const heading = (content: string) => {
    closeLists()
    out.push(`<h${top}>${inline([content])}</h${top}>`)
  }
  const item = (indent: number, tag: 'ul' | 'ol', number: number) => {
    flush()
    const isDeeper = (list: { indent: number } | undefined) => list !== undefined && indent > list.indent + 1
    while (lists.length > 1 && indent < (lists.at(-1)?.indent ?? 0)) closeLists(lists.length - 1)
    const isNested = isDeeper(lists.at(-1)) && lists.length < maxDepth
    if (!isNested && lists.length > 0 && lists.at(-1)?.tag !== tag) closeLists(lists.length - 1)
    if (!isNested && lists.at(-1)?.tag === tag) {
      out.push('</li><li>')
      return
    }
    lists.push({ tag, indent })
    out.push(tag === 'ol' && number !== 1 ? `<ol start="${number}"><li>` : `<${tag}><li>`)
  }

  let isAfterBlank = true
  for (const typed of text.split(/\r\n?|\n/)) {
    const line = typed.replace(/^ {0,3}(?:> ?)+/, '').trimEnd()
    const content = line.trimStart()
    const indent = line.length - content.length
    const [bullet, mark, number] = /^(?:([-*+])|(\d{1,9})[.)])\s+(?=\S)/.exec(content) ?? []
    if (content === '') {
      if (lists.length === 0) flush()
    } else if (indent < 4 && /^#{1,6}\s/.test(content)) {
      heading(content.replace(/^#+/, '').trim().replace(/\s#+$/, ''))
    } else if (lines.length === 1 && lists.length === 0 && /^(=+|-{2,})$/.test(content)) {
      const [underlined = ''] = lines.splice(0)
      heading(underlined)
    } else if (/^([-*_])(\s*\1){2,}$/.test(content)) {
      closeLists()
    } else if (bullet !== undefined) {
      item(indent, mark === undefined ? 'ol' : 'ul', Number(number))
      lines.push(content.slice(bullet.length))
    } else {
      // Text after an empty line belongs to an item only if it is indented.
      if (isAfterBlank && indent < 2) closeLists()
      lines.push(content)
    }
    isAfterBlank = content === ''
  }
  closeLists()
  return new Html(out.join(''))
}

const tags: Record<number, readonly [open: string, close: string]> = {
  1: ['<em>', '</em>'],
  2: ['<strong>', '</strong>'],
  3: ['<strong><em>', '</em></strong>'],
}

/** The pieces of a block's text: characters, and marks that may begin or end formatting. */
const pieces = new RegExp(
  [
    /(?<literal>\\[!-/:-@[-`{-~])/,
    /(?<run>\*+|_+)/,
    /(?<begin>\[)/,
    // Browsers drop white space in URLs and treat a backslash as a slash.
    /(?<end>\](?:\(<?(?<href>[^\s()<>\\]{1,1000}(?:\([^\s()<>\\]{0,200}\))?)>?(?: +"[^"\n]{0,200}")?\))?)/,
    /(?<url>(?<![\p{L}\p{N}])https?:\/\/[^\s<>"'*[\]\\]{1,1000})/u,
    /(?<mail>(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})/,
    /(?<line>\n)/,
    /(?<other>[\p{L}\p{N}]+|[^\p{L}\p{N}\\*_[\]\n.+%-]+|[\s\S])/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)

const escaped = (text: string) => (/[&<>"']/.test(text) ? html`${text}`.text : text)

const link = (href: string, content: string) =>
  `<a href="${escaped(href)}" rel="nofollow noopener">${content}</a>`

/** The parts of a block: text and tags. An open mark remains text until another mark closes it. */
function inline(lines: readonly string[]): string {
  const text = lines.join('\n')
  const parts: string[] = []
  const open: { mark: string; size: number; at: number }[] = []
  /** Positions at which URLs became links, with the original pieces. */
  const linked = new Map<number, string>()

  const push = (mark: string, size: number) => {
    open.push({ mark, size, at: parts.length })
    if (open.length > maxDepth) open.shift()
    parts.push(mark.repeat(size))
  }

  /** Closes the open marks that these match, and returns how many are left. */
  const close = (mark: string, count: number): number => {
    let left = count
    for (let index = open.length - 1; index >= 0 && left > 0; index--) {
      const opened = open[index]
      if (opened === undefined || opened.mark === '[') break
      const tag = tags[opened.size]
      if (opened.mark !== mark || opened.size > left || tag === undefined) continue
      parts[opened.at] = tag[0]
      parts.push(tag[1])
      open.length = index
      left -= opened.size
    }
    return left
  }

  const closeLink = (raw: string, href: string | undefined) => {
    const index = open.findLastIndex(({ mark }) => mark === '[')
    const opened = open[index]
    const isSafe = href !== undefined && /^(https?:|mailto:)/i.test(href)
    if (opened === undefined || !isSafe) {
      parts.push(escaped(raw))
    } else {
      for (let at = opened.at; at < parts.length; at++) parts[at] = linked.get(at) ?? parts[at] ?? ''
      const content = parts.splice(opened.at).slice(1).join('')
      parts.push(link(href, content))
    }
    if (index < 0) return
    // Links cannot contain links.
    const outer = open.splice(0).slice(0, index)
    open.push(...(isSafe ? outer.filter(({ mark }) => mark !== '[') : outer))
  }

  for (const { 0: raw, index, groups = {} } of text.matchAll(pieces)) {
    const { literal, run, begin, end, href, url, mail, line } = groups
    if (literal !== undefined) parts.push(escaped(literal.slice(1)))
    else if (run !== undefined) {
      const [before = ' ', after = ' '] = [text[index - 1], text[index + run.length]]
      const mark = run[0] ?? ''
      const isInWord = mark === '_' && isWord(before) && isWord(after)
      const left = run.length <= 3 && !isInWord && !/\s/.test(before) ? close(mark, run.length) : run.length
      if (left > 0 && left <= 3 && !isInWord && !/\s/.test(after)) push(mark, left)
      else parts.push(mark.repeat(left))
    } else if (begin !== undefined) push('[', 1)
    else if (end !== undefined) closeLink(raw, href)
    else if (url !== undefined) {
      let length = url.length
      while (/[.,;:!?]|\)/.test(url[length - 1] ?? '') && !(url[length - 1] === ')' && url.includes('(')))
        length--
      const address = url.slice(0, length)
      linked.set(parts.length, escaped(address))
      parts.push(link(address, escaped(address)), escaped(url.slice(address.length)))
    } else if (mail !== undefined) {
      linked.set(parts.length, escaped(mail))
      parts.push(link(`mailto:${mail}`, escaped(mail)))
    } else parts.push(line === undefined ? escaped(raw) : '<br>')
  }
  return parts.join('')
}

const isWord = (character: string) => /[\p{L}\p{N}]/u.test(character)

/** The text without headings and marks, on one line, truncated at a word: for lists and search engines. */
export function excerpt(text: string, length: number): string {
  const words = text
    .slice(0, length * 2)
    .replace(/^#{1,6}[ \t].*\n/gm, '')
    .replace(/^.*\n(=+|-{2,})[ \t]*$/gm, '')
    .replace(/^[ \t]*([-=*_])\1{2,}[ \t]*$/gm, '')
    .replace(/(?<=[\p{L}\p{N}])[ \t]*\n+(?=[ \t]*([-*+]|\d{1,9}[.)])[ \t])/gu, '; ')
    .replace(/(?<=^|; )[ \t]*((#{1,6}|[-*+>]|\d{1,9}[.)])[ \t]+)+/gm, '')
    .replace(/\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/[*`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}/g, '')
    .replace(/(?<![\p{L}\p{N}])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\p{L}\p{N}])/gu, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  return words.length <= length
    ? words
    : `${words
        .slice(0, length)
        .replace(/\s+\S*$/, '')
        .replace(/[\uD800-\uDBFF]$/, '')}…`
}
