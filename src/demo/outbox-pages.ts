import type { RouteOptions } from 'fastify'
import { Problem } from '../core/problems.ts'
import { isolateBidi, stripBidi } from '../web/bidi.ts'
import { flag, type Html, html } from '../web/html.ts'
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
  html: 'In an email app',
  htmlOf: (subject: string) => `Email: ${subject}`,
  to: (recipient: string, at: Html) => html`To ${isolateBidi(recipient)}, ${at}`,
}

export function outboxRoutes({ outbox }: { outbox: Outbox }): RouteOptions[] {
  return [
    publicPage.get('/demo/outbox', async ({ reply }) => {
      const mails = await outbox.list()
      return sendPage(reply, {
        title: texts.title,
        hasPreview: true,
        body: html`<p>${texts.lead}</p>
${
  mails.length === 0
    ? html`<div class="notice"><p>${texts.nothing(linkTo('/sign-up'), linkTo('/forgotten'))}</p></div>`
    : mails.map(mailCard)
}`,
      })
    }),
    publicPage.get('/demo/outbox/:mailId', async ({ reply, params }) => {
      const mail = await outbox.findHtml(params.mailId)
      if (mail === undefined) throw new Problem('not-found')
      // A click on a link leaves the frame.
      return reply.headers(mailHeaders).send(mail.replace('<head>', '<head><base target="_top">'))
    }),
  ]
}

/** An email may load nothing and run nothing. Its styles are in its elements, as mail programs need them. */
const mailHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox allow-top-navigation-by-user-activation; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
}

const linkTo = (path: string) => (label: string) => html`<a href="${path}">${label}</a>`

function mailCard({ id, recipient, subject, body, sentAt }: MailInOutbox, index: number): Html {
  return html`<article class="card"><h2 class="first">${isolateBidi(subject)}</h2>
<p class="quiet">${texts.to(recipient, timeElement(sentAt))}</p>
<details ${flag('open', index === 0)}><summary>${texts.html}</summary><iframe class="preview-text" sandbox="allow-top-navigation-by-user-activation" title="${texts.htmlOf(stripBidi(subject))}" src="/demo/outbox/${id}" loading="lazy"></iframe></details>
${body
  .trim()
  .split('\n\n')
  .map(paragraph => html`<p class="written">${withLinks(paragraph)}</p>`)}
</article>`
}

/** The text form; URLs become links, as in a mail client. */
function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
}
