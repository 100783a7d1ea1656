import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { boardLocale } from '../core/locale.ts'
import { Problem } from '../core/problems.ts'
import {
  type Block,
  type DocumentConversions,
  documentKindOf,
  type Paragraph,
  type Row,
  type Run,
} from '../documents/document.ts'
import { previewFailed } from './file-preview.ts'
import { Html, html } from './html.ts'

/** Renders the text of a document: headings, paragraphs, lists and tables. It has no links, pictures or styles. */
function blocksMarkup(blocks: readonly Block[]): Html {
  return html`${groupsOf(blocks).map(group => {
    const [first] = group
    if (first === undefined) return ''
    if ('cells' in first) return tableMarkup(group as Row[])
    return first.item === undefined ? paragraphMarkup(first) : listMarkup(group as Paragraph[])
  })}`
}

/** Groups consecutive rows into a table, and items into a list; each other block forms its own group. */
function groupsOf(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = []
  let last = ''
  for (const block of blocks) {
    const kind = 'cells' in block ? 'table' : block.item === undefined ? '' : 'list'
    if (kind !== '' && kind === last) groups.at(-1)?.push(block)
    else groups.push([block])
    last = kind
  }
  return groups
}

/** The writing direction follows the text. */
function paragraphMarkup({ runs, heading }: Paragraph): Html {
  if (heading === undefined) return html`<p dir="auto">${runs.map(runMarkup)}</p>`
  const text = runs.map(run => runMarkup({ ...run, isBold: false }))
  if (heading === 2) return html`<h2 dir="auto">${text}</h2>`
  return heading === 3 ? html`<h3 dir="auto">${text}</h3>` : html`<h4 dir="auto">${text}</h4>`
}

function runMarkup({ text, isBold, isItalic }: Run): Html {
  const inner = isItalic ? html`<em>${text}</em>` : html`${text}`
  return isBold ? html`<strong>${inner}</strong>` : inner
}

function tableMarkup(rows: readonly Row[]): Html {
  return html`<table>${rows.map(({ cells }) => html`<tr>${cells.map(cell => html`<td>${blocksMarkup(cell)}</td>`)}</tr>`)}</table>`
}

const starts = { ul: html`<ul>`, ol: html`<ol>` }
const ends = { ul: html`</li></ul>`, ol: html`</li></ol>` }
const itemEnd = html`</li>`

function listMarkup(items: readonly Paragraph[]): Html {
  const parts: Html[] = []
  /** The open lists, each in an item of the previous list. */
  const open: ('ul' | 'ol')[] = []
  const closeTo = (count: number) => {
    for (let kind = open.at(-1); kind !== undefined && open.length > count; kind = open.at(-1)) {
      parts.push(ends[kind])
      open.pop()
    }
  }
  for (const { item, runs } of items) {
    // An item that skips levels is only one level deeper.
    const level = Math.min(item?.level ?? 0, open.length)
    const kind = item?.isOrdered ? 'ol' : 'ul'
    closeTo(open[level] === kind ? level + 1 : level)
    if (open.length > level) parts.push(itemEnd)
    else {
      parts.push(starts[kind])
      open.push(kind)
    }
    parts.push(html`<li dir="auto">${runs.map(runMarkup)}`)
  }
  closeTo(0)
  return html`${parts}`
}

/** Limit: Bytes of a text file shown in the page: a hundred printed pages. */
const previewTextBytes = 512 * 1024

interface FramedFile {
  contentType: string
  size: number
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

interface FrameOptions {
  conversions: DocumentConversions
  /** The signed-in person. */
  viewer: string
}

/** Sends the text of an untrusted file for a frame in our own pages, in a sandbox without any rights. */
export async function sendFileFrame(
  reply: FastifyReply,
  file: FramedFile,
  { conversions, viewer }: FrameOptions,
): Promise<FastifyReply> {
  const { contentType, size, open } = file
  if (contentType === 'text/plain')
    return sendFramedText(reply, { size, open }, { maxBytes: previewTextBytes, rest: restNotShown })
  const kind = documentKindOf(contentType)
  if (kind === undefined) throw new Problem('not-found')
  const text = await conversions.convert(kind, { size, open: () => open() }, viewer)
  if (text === 'busy') reply.status(503).header('retry-after', '5')
  const body =
    typeof text === 'string'
      ? html`<p class="note">${text === 'busy' ? 'Too many previews are being prepared. Reload the page in a moment, or download the file.' : previewFailed}</p>`
      : html`<div lang="">${blocksMarkup(text.blocks)}</div>${text.isCut && html`<p class="note">${restNotShown}</p>`}`
  return reply
    .headers(frameHeaders('text/html; charset=utf-8', stylePolicy))
    .send(
      html`<!doctype html><html lang="${boardLocale()}"><head><title>Text of the document</title><style>${styles}</style></head><body>${body}</body></html>`
        .text,
    )
}

/** The frame may load nothing, so it contains its style sheet, which is allowed by its hash alone. */
const styles = new Html(
  [
    ':root{color-scheme:light dark}',
    'body{margin:0 auto;padding:1rem 1.25rem;max-width:48rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}',
    'h2,h3,h4{margin:1.25em 0 .4em;line-height:1.25}h2{font-size:1.375rem}h3{font-size:1.125rem}h4{font-size:1rem}',
    'p,li{white-space:pre-wrap;tab-size:8}p{margin:0 0 .6em}ul,ol{margin:0 0 .6em;padding-inline-start:1.5em}',
    'table{width:100%;margin:0 0 1em;border-collapse:collapse}td{padding:.4em .6em;border:1px solid #8886;vertical-align:top}',
    'td>:last-child,li>:last-child{margin-bottom:0}body>div>:first-child{margin-top:0}.note{font-style:italic}',
  ].join(''),
)
const stylePolicy = `style-src 'sha256-${createHash('sha256').update(styles.text).digest('base64')}'; `

const restNotShown = 'The rest of this text isn’t shown here. Download the file to see all of it.'

interface FramedText {
  size: number
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

/**
 * Sends an untrusted text file for a frame in our own pages: as plain text, in a sandbox without any rights. A file
 * longer than `maxBytes` is truncated and ends with `rest`.
 */
async function sendFramedText(
  reply: FastifyReply,
  { size, open }: FramedText,
  { maxBytes, rest }: { maxBytes: number; rest: string },
): Promise<FastifyReply> {
  const isCut = size > maxBytes
  const chunks: Uint8Array[] = []
  if (size > 0) {
    for await (const chunk of await open(isCut ? { start: 0, end: maxBytes - 1 } : undefined)) {
      chunks.push(chunk as Uint8Array)
    }
  }
  const text = decodeText(Buffer.concat(chunks), isCut)
  return reply
    .headers(frameHeaders('text/plain; charset=utf-8'))
    .send(isCut ? `${text}\n\n[${rest}]\n` : text)
}

/**
 * For an untrusted file's content in a frame: it may not run or load anything. `styles` allows one of our style sheets.
 */
function frameHeaders(contentType: string, styles = ''): Record<string, string> {
  return {
    'content-type': contentType,
    'content-security-policy': `sandbox; default-src 'none'; ${styles}frame-ancestors 'self'`,
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'no-referrer',
    'cache-control': 'private, no-store',
  }
}

/** Decodes UTF-16 by its byte order mark, then UTF-8, and anything else as Windows-1252. */
export function decodeText(bytes: Uint8Array, isCut = false): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    // Truncated text may end within a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    // Not UTF-8: every byte is a character of Windows-1252.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
