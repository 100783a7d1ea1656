import type { RouteOptions } from 'fastify'
import { type Html, html } from '../web/html.ts'
import { sendPage } from '../web/page-response.ts'
import { timeElement } from '../web/time.ts'
import type { Outbox } from './outbox.ts'
import type { MailInOutbox } from './ports.ts'

export function outboxRoutes({ outbox }: { outbox: Outbox }): RouteOptions[] {
  return [
    {
      method: 'GET',
      url: '/demo/outbox',
      config: { auth: 'public', errors: 'page' },
      schema: { hide: true },
      async handler(_request, reply) {
        const mails = await outbox.list()
        return sendPage(reply, {
          title: 'Outbox of the demo',
          body: html`<p>The demo sends no mail. Here is what it would have sent, the newest first.</p>
${
  mails.length === 0
    ? html`<div class="notice"><p>Nothing yet. <a href="/sign-up">Sign up</a>, or <a href="/forgotten">forget a password</a>, and come back.</p></div>`
    : mails.map(mailCard)
}`,
        })
      },
    },
  ]
}

function mailCard({ recipient, subject, body, sentAt }: MailInOutbox): Html {
  return html`<article class="card"><h2 class="first">${subject}</h2>
<p class="quiet">To ${recipient}, ${timeElement(sentAt)}</p>
${body
  .trim()
  .split('\n\n')
  .map(paragraph => html`<p>${withLinks(paragraph)}</p>`)}
</article>`
}

/** Mails are text; what a mail program would make clickable is so here. */
function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
}
