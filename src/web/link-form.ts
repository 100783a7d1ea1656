import type { FastifyReply } from 'fastify'
import { textField } from './fields.ts'
import { html } from './html.ts'
import { linkFormTexts as texts } from './link-form-texts.ts'
import { sendPage } from './page-response.ts'

/**
 * Where the links in emails lead. Their secret stands behind the `#`, which browsers keep to themselves, so no log and
 * no other site sees it. A script of the page sends it on; without one, the person pastes the link.
 */
export function sendLinkForm(reply: FastifyReply, page: { action: string; formToken: string }): FastifyReply {
  return sendPage(reply, {
    title: texts.title,
    body: html`<form class="card" method="post" action="${page.action}" data-opens-link>
<input type="hidden" name="form_token" value="${page.formToken}">
${textField({ name: 'token', label: texts.link, hint: texts.hint, value: '', errors: [], attributes: html`type="text" autocomplete="off" spellcheck="false" required` })}
<div class="actions"><button type="submit">${texts.submit}</button></div>
</form>`,
  })
}

/** The secret of a link, of which the whole was pasted. */
export function linkTokenIn(pasted = ''): string {
  return pasted.slice(pasted.lastIndexOf('#') + 1).trim()
}
