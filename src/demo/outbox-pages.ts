import type { RouteOptions } from 'fastify'
import { isolateBidi } from '../web/bidi.ts'
import { type Html, html } from '../web/html.ts'
import { sendPage } from '../web/page-response.ts'
import { publicPage } from '../web/page-routes.ts'
import { timeElement } from '../web/time.ts'
import type { Outbox } from './outbox-service.ts'
import type { MailInOutbox } from './ports.ts'

type Link = (label: string) => Html

const texts = {
  title: 'Demo inbox',
  lead: 'The demo doesn’t send email. These are the emails it would have sent, newest first.',
  nothing: (signUp: Link, forgotten: Link) =>
    html`No emails yet. ${signUp('Sign up')} or ${forgotten('reset a password')}, then come back.`,
  to: (recipient: string, at: Html) => html`To ${isolateBidi(recipient)}, ${at}`,
}

export function outboxRoutes({ outbox }: { outbox: Outbox }): RouteOptions[] {
  return [
    publicPage.get('/demo/outbox', async ({ reply }) => {
      const mails = await outbox.list()
      return sendPage(reply, {
        title: texts.title,
        body: html`<p>${texts.lead}</p>
${
  mails.length === 0
    ? html`<div class="notice"><p>${texts.nothing(linkTo('/sign-up'), linkTo('/forgotten'))}</p></div>`
    : mails.map(mailCard)
}`,
      })
    }),
  ]
}

const linkTo = (path: string) => (label: string) => html`<a href="${path}">${label}</a>`

function mailCard({ recipient, subject, body, sentAt }: MailInOutbox): Html {
  return html`<article class="card"><h2 class="first">${subject}</h2>
<p class="quiet">${texts.to(recipient, timeElement(sentAt))}</p>
${body
  .trim()
  .split('\n\n')
  .map(paragraph => html`<p>${withLinks(paragraph)}</p>`)}
</article>`
}

/** Emails are plain text; URLs become links, as in a mail client. */
function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
}
