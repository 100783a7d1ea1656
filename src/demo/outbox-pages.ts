import type { RouteOptions } from 'fastify'
import { Problem } from '../platform/core/problems.ts'
import { isolateBidi, stripBidi } from '../platform/web/bidi.ts'
import { remark } from '../platform/web/components.ts'
import { flag, type Html, html } from '../platform/web/html.ts'
import { sendPage } from '../platform/web/page-response.ts'
import { publicPage } from '../platform/web/page-routes.ts'
import { timeElement } from '../platform/web/time.ts'
import type { Outbox } from './outbox-service.ts'
import type { MailInOutbox } from './outbox-store.ts'

export function outboxRoutes({ outbox }: { outbox: Outbox }): RouteOptions[] {
  return [
    publicPage.get('/demo/outbox', async ({ reply }) => {
      const mails = await outbox.list()
      return sendPage(reply, {
        title: 'Demo inbox',
        hasPreview: true,
        body: html`<p>The demo doesn’t send email. These are the emails it would have sent, newest first.</p>
${
  mails.length === 0
    ? remark(
        html`No emails yet. <a href="/sign-up">Sign up</a> or <a href="/forgotten">reset a password</a>, then come back.`,
      )
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

/** An email may load nothing and run nothing. Its styles are inline, as mail programs require. */
const mailHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox allow-top-navigation-by-user-activation; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
}

function mailCard({ id, recipient, subject, body, sentAt }: MailInOutbox, index: number): Html {
  return html`<article class="card"><h2 class="first">${isolateBidi(subject)}</h2>
<p class="quiet">To ${isolateBidi(recipient)}, ${timeElement(sentAt)}</p>
<details ${flag('open', index === 0)}><summary>In an email app</summary><iframe class="preview-text" sandbox="allow-top-navigation-by-user-activation" title="Email: ${stripBidi(subject)}" src="/demo/outbox/${id}" loading="lazy"></iframe></details>
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
