import type { FastifyReply } from 'fastify'
import { textField } from './fields.ts'
import { html } from './html.ts'
import { sendPage } from './page-response.ts'

const texts = {
  title: 'Open your link',
  link: 'Link from the email',
  hint: 'Paste the whole link. If you’ve just opened it, copy it from the address bar.',
  submit: 'Continue',
} as const

/**
 * The target of links in emails. Their secret follows the `#`, which browsers do not send, so it appears in no log and
 * no Referer. A script submits it; without scripts, the person pastes the link.
 */
export function sendLinkForm(reply: FastifyReply, page: { action: string; formToken: string }): FastifyReply {
  return sendPage(reply, {
    isFocused: true,
    title: texts.title,
    body: html`<form class="card" method="post" action="${page.action}" data-opens-link>
<input type="hidden" name="form_token" value="${page.formToken}">
${textField({ name: 'token', label: texts.link, hint: texts.hint, value: '', errors: [], attributes: html`type="text" autocomplete="off" spellcheck="false" required` })}
<div class="actions"><button type="submit">${texts.submit}</button></div>
</form>`,
  })
}

/** The secret in a pasted link. */
export function linkTokenIn(pasted = ''): string {
  return pasted.slice(pasted.lastIndexOf('#') + 1).trim()
}
