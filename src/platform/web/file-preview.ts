import { sizeInWords } from '../core/size-in-words.ts'
import { documentKindOf } from '../documents/document.ts'
import { assetUrl, pdfDataUrl } from './assets.ts'
import { isolateBidi } from './bidi.ts'
import { type Html, html } from './html.ts'

export interface PreviewedFile {
  name: string
  contentType: string
  /** URL of the download. */
  href: string
  /** URL of the file's text, for a frame; see file-frame.ts. Used for text, Word and RTF files. */
  textHref: string
  size: number
}

/** For `sendPage({ scripts: previewAssets, hasPreview: true })` on pages with previews. */
export const previewAssets = [assetUrl('preview.mjs')]

export const previewFailed = 'This file can’t be shown here. Download it to view it.'

/** Marks a preview's request, so that it does not count as a download. */
const forPreview = '?for=preview'
export const isForPreview = (url: string | undefined): boolean => url?.endsWith(forPreview) ?? false

/**
 * A preview of a file with a download link. PDFs are drawn by preview.mjs, because browsers do not show them in a
 * sandboxed frame. Text is shown in such a frame, and so is the text of Word and RTF files.
 */
export function filePreview(file: PreviewedFile): Html {
  return html`<div class="preview"><p class="preview-bar"><a class="button second" href="${file.href}" download>Download<span class="visually-hidden"> ${file.name}</span></a> <span class="hint">${isolateBidi(file.name)}, ${sizeInWords(file.size)}</span></p>
${previewBox(file)}</div>`
}

/** The content of a file, as far as it can be previewed. */
export function previewBox({ name, contentType, href, textHref }: PreviewedFile): Html {
  if (contentType === 'application/pdf') return pdfPages(name, href)
  const isDocument = documentKindOf(contentType) !== undefined
  if (contentType === 'text/plain' || isDocument) {
    return html`${isDocument && html`<p class="hint">Text only. Download the file to see its layout and pictures.</p>`}<iframe class="preview-text" sandbox title="Text of ${name}" src="${textHref}" loading="lazy"></iframe>`
  }
  return html`<p class="quiet">${previewFailed}</p>`
}

/** The script gets its texts and URLs from data attributes. */
function pdfPages(name: string, href: string): Html {
  return html`<div class="preview-pages" role="region" tabindex="0" aria-label="Pages of ${name}" data-pdf="${href}${forPreview}" data-library="${assetUrl('pdf.min.mjs')}" data-worker="${assetUrl('pdf.worker.min.mjs')}" data-library-files="${pdfDataUrl}" data-page="Page {page} of {pages}" data-cut="Showing the first {shown} of {pages} pages. Download the file to see the rest." data-failed="${previewFailed}"><p class="quiet preview-state" role="status">Loading preview.</p></div>
<p class="quiet without-script">Turn on JavaScript to see a preview, or download the file.</p>`
}
