import { sizeInWords } from '../core/size-in-words.ts'
import { assetUrl, pdfDataUrl } from './assets.ts'
import { theirs } from './bidi.ts'
import { filePreviewTexts as texts } from './file-preview-texts.ts'
import { type Html, html } from './html.ts'

export interface PreviewedFile {
  name: string
  contentType: string
  /** Where it is downloaded. */
  href: string
  /** The same as plain text for a frame: see src/http/responses/text-frame.ts. Used for text files alone. */
  textHref: string
  size: number
}

/** For `sendPage({ scripts: previewAssets, hasPreview: true })` on pages with previews. */
export const previewAssets = ['preview.mjs'] as const

/**
 * A file in the page, with the link to download it above. A pdf is drawn by preview.mjs, since browsers refuse to
 * show one in a frame that may do nothing; text is shown in such a frame; the others are for download alone.
 */
export function filePreview(file: PreviewedFile): Html {
  return html`<div class="preview"><p class="preview-bar"><a class="button second" href="${file.href}" download>${texts.download}<span class="for-readers"> ${file.name}</span></a> <span class="hint">${theirs(file.name)}, ${sizeInWords(file.size)}</span></p>
${shown(file)}</div>`
}

function shown({ name, contentType, href, textHref }: PreviewedFile): Html {
  if (contentType === 'application/pdf') return pdfPages(name, href)
  if (contentType === 'text/plain') {
    return html`<iframe class="preview-text" sandbox title="${texts.textOf(name)}" src="${textHref}" loading="lazy"></iframe>`
  }
  return html`<p class="quiet">${texts.notShown}</p>`
}

/** The words and addresses that the script needs stand in the page: it has none of its own. */
function pdfPages(name: string, href: string): Html {
  return html`<div class="preview-pages" role="region" tabindex="0" aria-label="${texts.pagesOf(name)}" data-pdf="${href}" data-library="${assetUrl('pdf.min.mjs')}" data-worker="${assetUrl('pdf.worker.min.mjs')}" data-library-files="${pdfDataUrl}" data-page="${texts.page}" data-cut="${texts.cut}" data-failed="${texts.failed}"><p class="quiet preview-state" role="status">${texts.loading}</p></div>
<p class="quiet without-script">${texts.withoutScript}</p>`
}
