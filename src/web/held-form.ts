import type { FastifyReply } from 'fastify'
import type { HeldForm } from '../http/auth/held-form.ts'
import { notice } from './components.ts'
import { textField } from './fields.ts'
import { heldFormTexts as texts } from './held-form-texts.ts'
import { type Html, html } from './html.ts'
import { sendPage } from './page-response.ts'

/**
 * The page after a form whose token was rejected, or whose sender had to sign in first: the entered values and a
 * button that sends them. They are never sent automatically, because a different person may have signed in.
 */
export function sendHeldForm(
  reply: FastifyReply,
  page: {
    held: HeldForm
    token: string
    status: number
    /** The account that has just signed in; undefined if the token was rejected. */
    account?: string
  },
): FastifyReply {
  const { held, token, status, account } = page
  const typed = held.fields.filter(isTyped)
  return sendPage(reply, {
    status,
    title: texts.title,
    body: html`${account === undefined ? notice('problem', texts.expired) : notice('info', texts.signedIn(account))}
<form class="card" method="post" action="${held.action}"${held.isUpload && html` enctype="multipart/form-data"`} novalidate>
<p>${typed.length === 0 ? texts.keptNothing : texts.kept}</p>
${held.isUpload && html`<p>${texts.files}</p>`}
${typed.length > 0 && typedMarkup(typed)}
<input type="hidden" name="form_token" value="${token}">
${held.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${held.secrets.length > 0 && html`<p>${texts.passwords}</p>`}
${held.secrets.map(name => textField({ name, label: texts.nameOf(name), value: '', errors: [], attributes: html`type="password" autocomplete="off" required` }))}
<div class="actions"><button type="submit">${texts.send}</button> <a class="button second" href="/account">${texts.leave}</a></div>
</form>`,
  })
}

function typedMarkup(typed: HeldForm['fields']): Html {
  return html`<details class="held"><summary>${texts.typed(typed.length)}</summary>
<dl class="values">${typed.map(([name, value]) => html`<dt>${texts.nameOf(name)}</dt><dd><bdi>${value}</bdi></dd>`)}</dl></details>`
}

/** Hidden fields, which mean nothing to the reader. */
const carried =
  /^(form_key|token|candidate|questions|kept_months|version|continue|action|username|shown|.+Id|updatedAt)$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function isTyped([name, value]: readonly [string, string]): boolean {
  return value.trim() !== '' && !carried.test(name) && !uuid.test(value)
}
