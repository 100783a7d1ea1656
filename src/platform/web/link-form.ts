import type { FastifyReply } from 'fastify'
import type { Sessions } from '../http/auth/sessions.ts'
import { textField } from './fields.ts'
import { formsOf } from './forms.ts'
import { html } from './html.ts'
import { sendPage } from './page-response.ts'

/**
 * The target of links in emails. Their secret follows the `#`, which browsers do not send, so it appears in no log and
 * no Referer. A script submits it; without scripts, the person pastes the link.
 */
export function sendLinkForm(
  sessions: Pick<Sessions, 'formToken'>,
  reply: FastifyReply,
  action: string,
): FastifyReply {
  return sendPage(reply, {
    isFocused: true,
    title: 'Open your link',
    body: formsOf(sessions, reply).ownForm({
      action,
      className: 'card',
      attributes: html`data-opens-link`,
      isChecked: true,
      content: html`${textField({ name: 'token', label: 'Link from the email', hint: 'Paste the whole link. If you’ve just opened it, copy it from the address bar.', value: '', errors: [], attributes: html`type="text" autocomplete="off" spellcheck="false" required` })}
<div class="actions"><button type="submit">Continue</button></div>
`,
    }),
  })
}

/** Extracts the secret from a pasted link. */
export function linkTokenIn(pasted = ''): string {
  return pasted.slice(pasted.lastIndexOf('#') + 1).trim()
}
