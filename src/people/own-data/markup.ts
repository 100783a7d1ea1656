import type { FieldError } from '../../core/problems.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, notice } from '../../web/components.ts'
import { errorSummary, tickBox } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { accountField } from '../account/form-markup.ts'
import type { Led } from './ports.ts'
import type { Outlook } from './removal-service.ts'
import { ownDataTexts as texts } from './texts.ts'

export const dataPath = '/account/data'
export const downloadPath = '/account/data/download'
export const removePath = '/account/data/delete'

export function dataBody(downloadToken: string): Html {
  return html`<p>${texts.lead}</p>
<section class="card" aria-labelledby="download-title"><h2 class="first" id="download-title">${texts.downloadTitle}</h2>
<p>${texts.downloadText}</p>
<div class="actions">${actionForm({ action: downloadPath, token: downloadToken, label: texts.downloadButton, kind: 'first' })}</div>
<p class="hint">${texts.downloadHint}</p></section>
<section class="card" aria-labelledby="remove-title"><h2 class="first" id="remove-title">${texts.removeTitle}</h2>
<p>${texts.removeText}</p>
<div class="actions"><a class="button second" href="${removePath}">${texts.removeLink}</a></div></section>`
}

export interface RemovalPage {
  outlook: Outlook
  retentionDays: number
  /** The most names that a list shows. */
  shown: number
  isMember: boolean
  email: string
  token: string
  errors: readonly FieldError[]
  isSure: boolean
}

export function removalBody(page: RemovalPage): Html {
  const { outlook } = page
  return html`${errorSummary(page.errors, undefined, texts.errorLead)}
${outlook.lastAdminOf.length > 0 && handOver(outlook)}
<section class="card" aria-labelledby="deleted-title"><h2 class="first" id="deleted-title">${texts.deletedTitle}</h2>
<ul>${texts.deleted.map(text => html`<li>${text}</li>`)}${page.isMember && html`<li>${texts.deletedAccess}</li>`}</ul></section>
${whatStays(page)}
${outlook.lastAdminOf.length === 0 && removalForm(page)}`
}

function handOver({ lastAdminOf }: Outlook): Html {
  return notice(
    'problem',
    html`<p><strong>${texts.lastAdminTitle}</strong></p><p>${texts.lastAdmin}</p>
<ul>${lastAdminOf.map(led => html`<li>${handOverTo(led)}</li>`)}</ul>`,
  )
}

function handOverTo({ kind, id, name, isOnHold }: Led): Html {
  if (kind === 'board') return texts.lastOperator
  if (isOnHold) return texts.lastAdminOnHold(name)
  return texts.lastAdminPeople(kind === 'agent' ? `/agent/${id}/people` : `/console/${id}/people`, name)
}

function whatStays({ outlook, retentionDays, shown }: RemovalPage): Html {
  const { advertisers, recipients } = outlook
  const isCut = advertisers.length === shown || recipients.length === shown
  return html`<section class="card" aria-labelledby="stays-title"><h2 class="first" id="stays-title">${texts.staysTitle}</h2>
<p>${advertisers.length === 0 ? texts.staysNothing : texts.stays(retentionDays)}</p>
${advertisers.length > 0 && html`<p>${texts.advertisersLead}</p><ul>${advertisers.map(name => html`<li>${isolateBidi(name)}</li>`)}</ul>`}
${
  advertisers.length + recipients.length > 0 && html`<p>${texts.staysElsewhere}</p>`
}${recipients.length > 0 && html`<p>${texts.recipientsLead}</p><ul>${recipients.map(recipient => html`<li>${texts.recipient(recipient)}</li>`)}</ul>`}
${isCut && html`<p class="hint">${texts.more}</p>`}</section>`
}

function removalForm({ email, token, errors, isSure }: RemovalPage): Html {
  return html`<section class="card" aria-labelledby="confirm-title"><h2 class="first" id="confirm-title">${texts.confirmTitle}</h2>
<p>${texts.downloadFirst(dataPath)}</p>
<form method="post" action="${removePath}" novalidate><input type="hidden" name="form_token" value="${token}">
<input type="text" name="username" autocomplete="username" value="${email}" hidden>
${accountField({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password' }, errors)}
${tickBox({ name: 'sure', label: texts.sure, isTicked: isSure, errors })}
<div class="actions"><button class="danger" type="submit">${texts.removeButton}</button><a class="button second" href="${dataPath}">${texts.keep}</a></div>
</form></section>`
}

export function goodbyeBody(retentionDays: number, board: string): Html {
  return html`${notice('good', texts.goodbye)}
<p>${texts.goodbyeApplications(retentionDays)}</p>
<p>${texts.goodbyeThanks(board)}</p>
<p><a class="button second" href="/jobs">${texts.goodbyeJobs}</a></p>`
}
