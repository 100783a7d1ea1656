import type { Draft } from '../../apply/form/draft.ts'
import { applyPath, discardDraftPath, discardPath, listPath } from '../../apply/form/receipt-path.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { avatar, section } from '../../platform/web/components.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { timeElement } from '../../platform/web/time.ts'

/** Drafts, above the submitted applications. */
export const draftsMarkup = (drafts: readonly Draft[]): Html | false =>
  drafts.length > 0 &&
  section(
    'drafts',
    'Drafts',
    html`<p class="quiet">Not sent: only you can see these.</p>
<ul class="rows" aria-label="Drafts">${drafts.map(rowMarkup)}</ul>`,
  )

function rowMarkup({ id, jobAdId, jobTitle, advertiserName, savedAt, expiresAt }: Draft): Html {
  const named = html`<span class="visually-hidden"> ${isolateBidi(jobTitle)}</span>`
  return html`<li>${avatar(advertiserName)}<div><div class="line"><strong>${isolateBidi(jobTitle)}</strong></div>
<span>at ${isolateBidi(advertiserName)}</span>
<span class="hint">saved on ${timeElement(savedAt)}, kept until ${timeElement(expiresAt)}</span>
<div class="actions tight"><a href="${applyPath(jobAdId)}">Continue${named}</a> <a href="${discardPath(id)}">Discard${named}</a></div></div></li>`
}

export const discardMarkup = ({ id, jobTitle, advertiserName }: Draft, form: Forms['form']): Html =>
  html`<section class="card"><p>Your draft for <strong>${isolateBidi(jobTitle)}</strong> at ${isolateBidi(advertiserName)} will be removed, with everything you typed and its files. Nothing was sent to the company.</p>
${form({
  action: discardDraftPath,
  isInCard: true,
  hidden: { draft: id },
  label: 'Discard draft',
  kind: 'danger',
  beside: html`<a class="button second" href="${listPath}">Keep draft</a>`,
})}</section>`
