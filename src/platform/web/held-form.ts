import type { FastifyReply } from 'fastify'
import type { HeldForm } from '../http/auth/held-form.ts'
import { notice } from './components.ts'
import { textField } from './fields.ts'
import { type Html, html } from './html.ts'
import { sendPage } from './page-response.ts'

/**
 * The page after a form whose token was rejected, or whose sender had to sign in first: the entered values and a button
 * that sends them. They are never sent automatically, because a different person may have signed in.
 */
export function sendHeldForm(
  reply: FastifyReply,
  page: {
    held: HeldForm
    token: string
    status: number
    /** The account that has just signed in; undefined if the token was rejected. */
    account?: string
    fault?: string | undefined
  },
): FastifyReply {
  const { held, token, status, account, fault } = page
  const typed = held.fields.filter(isTyped)
  return sendPage(reply, {
    status,
    title: 'Please send this again',
    body: html`${fault && notice('problem', fault)}${account === undefined ? notice('problem', 'Your form was not submitted: the page was open for too long, or you have signed in or out since. Nothing has changed yet.') : notice('info', `You’re signed in as ${account}. Your form has not been submitted yet.`)}
<form class="card" method="post" action="${held.action}"${held.isUpload && html` enctype="multipart/form-data"`} novalidate>
<p>${typed.length === 0 ? 'Send it again if you still want to.' : 'Everything you typed is still here. Check it, and send it again if you still want to.'}</p>
${held.isUpload && html`<p>We can’t keep files. If you had chosen any, please choose them again on the next page.</p>`}
${typed.length > 0 && typedMarkup(typed)}
<input type="hidden" name="form_token" value="${token}">
${held.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${held.secrets.length > 0 && html`<p>We don’t keep passwords, so please enter them again.</p>`}
${held.secrets.map(name => textField({ name, label: fieldNameInWords(name), value: '', errors: [], attributes: html`type="password" autocomplete="off" required` }))}
<div class="actions"><button type="submit">Send again</button> <a class="button second" href="/account">Discard</a></div>
</form>`,
  })
}

function typedMarkup(typed: HeldForm['fields']): Html {
  return html`<details class="held"><summary>${typed.length === 1 ? 'What you typed: 1 field' : `What you typed: ${typed.length} fields`}</summary>
<dl class="values">${typed.map(([name, value]) => html`<dt>${fieldNameInWords(name)}</dt><dd><bdi>${value}</bdi></dd>`)}</dl></details>`
}

/** Hidden fields, which would mean nothing to the reader. */
const carried =
  /^(form_key|draft_version|token|questions|kept_months|keep_until|privacy_notice|ad|seen|reports|version|continue|action|username|shown|.+Id|updatedAt)$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isTyped([name, value]: readonly [string, string]): boolean {
  return value.trim() !== '' && !carried.test(name) && !uuid.test(value)
}

/** Labels for field names that cannot be derived from the name. */
const fieldNames: Record<string, string> = {
  email: 'Email address',
  current: 'Current password',
  letter: 'Cover letter',
}

/** Derives a label from a field name: `job-0-jobTitle` becomes "Job 1 job title". */
export function fieldNameInWords(field: string): string {
  const words = field
    .replaceAll(/-(\d{1,2})-/g, (_, index) => ` ${Number(index) + 1} `)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
  return fieldNames[field] ?? words.slice(0, 1).toUpperCase() + words.slice(1)
}
