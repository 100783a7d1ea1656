import type { Draft } from '../../apply/form/draft.ts'
import { applyPath, discardDraftPath, discardPath, listPath } from '../../apply/form/receipt-path.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { avatar, section } from '../../platform/web/components.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { t } from '../../platform/web/t.ts'
import { timeElement } from '../../platform/web/time.ts'

/** Drafts, above the submitted applications. */
export const draftsMarkup = (drafts: readonly Draft[]): Html | false =>
  drafts.length > 0 &&
  section(
    'drafts',
    t`Drafts`,
    html`<p class="quiet">${t`Not sent: only you can see these.`}</p>
<ul class="rows" aria-label="${t`Drafts`}">${drafts.map(rowMarkup)}</ul>`,
  )

function rowMarkup({ id, jobAdId, jobTitle, advertiserName, savedAt, expiresAt }: Draft): Html {
  const named = html`<span class="visually-hidden"> ${isolateBidi(jobTitle)}</span>`
  return html`<li>${avatar(advertiserName)}<div><div class="line"><strong>${isolateBidi(jobTitle)}</strong></div>
<span>${t`at ${isolateBidi(advertiserName)}`}</span>
<span class="hint">${t`saved on ${timeElement(savedAt)}, kept until ${timeElement(expiresAt)}`}</span>
<div class="actions tight"><a href="${applyPath(jobAdId)}">${t`Continue${named}`}</a> <a href="${discardPath(id)}">${t`Discard${named}`}</a></div></div></li>`
}

export const discardMarkup = ({ id, jobTitle, advertiserName }: Draft, form: Forms['form']): Html =>
  html`<section class="card"><p>${t`Your draft for ${html`<strong>${isolateBidi(jobTitle)}</strong>`} at ${isolateBidi(advertiserName)} will be removed, with everything you typed and its files. Nothing was sent to the company.`}</p>
${form({
  action: discardDraftPath,
  isInCard: true,
  hidden: { draft: id },
  label: t`Discard draft`,
  kind: 'danger',
  beside: html`<a class="button second" href="${listPath}">${t`Keep draft`}</a>`,
})}</section>`
