import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Problem } from '../core/problems.ts'
import { frameHeaders, sendFramedText } from '../http/responses/text-frame.ts'
import { type DocumentConversions, documentKindOf } from '../model/document.ts'
import { blocksMarkup } from './document-markup.ts'
import { filePreviewTexts as texts } from './file-preview-texts.ts'
import { Html, html } from './html.ts'

interface FramedFile {
  contentType: string
  size: number
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

interface FrameOptions {
  previewTextBytes: number
  conversions: DocumentConversions
  /** The signed-in person. */
  viewer: string
}

/** Sends the text of an untrusted file for a frame in our own pages, in a sandbox without any rights. */
export async function sendFileFrame(
  reply: FastifyReply,
  file: FramedFile,
  { previewTextBytes, conversions, viewer }: FrameOptions,
): Promise<FastifyReply> {
  const { contentType, size, open } = file
  if (contentType === 'text/plain')
    return sendFramedText(reply, { size, open }, { maxBytes: previewTextBytes, rest: texts.restNotShown })
  const kind = documentKindOf(contentType)
  if (kind === undefined) throw new Problem('not-found')
  const text = await conversions.convert(kind, { size, open: () => open() }, viewer)
  if (text === 'busy') reply.status(503).header('retry-after', '5')
  const body =
    typeof text === 'string'
      ? html`<p class="note">${text === 'busy' ? texts.busy : texts.failed}</p>`
      : html`<div lang="">${blocksMarkup(text.blocks)}</div>${text.isCut && html`<p class="note">${texts.restNotShown}</p>`}`
  return reply
    .headers(frameHeaders('text/html; charset=utf-8', stylePolicy))
    .send(
      html`<!doctype html><html lang="en"><head><title>${texts.document}</title><style>${styles}</style></head><body>${body}</body></html>`
        .text,
    )
}

/** The frame may load nothing, so its style sheet is in it, and allowed by its hash alone. */
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
