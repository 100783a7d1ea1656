import type { FastifyReply, RouteOptions } from 'fastify'
import type { Subscription } from '../../model/notice-topics.ts'
import { type Html, html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { visitorPage } from '../../web/page-routes.ts'
import type { Members } from '../members/service.ts'
import { notificationsPath } from './markup.ts'
import type { Notifications } from './service.ts'
import { notificationTexts } from './texts.ts'

const texts = notificationTexts.unsubscribe

interface UnsubscribePageDeps {
  notifications: Pick<Notifications, 'findSubscription' | 'rhythmOf' | 'switchOff' | 'switchOn'>
  members: Pick<Members, 'find'>
}

/**
 * Links in emails that switch them off without signing in. Mail scanners open links, so GET changes nothing: it asks. POST
 * is for the button, and for the mail programs of RFC 8058, which send no cookie.
 */
export function unsubscribePages({ notifications, members }: UnsubscribePageDeps): RouteOptions[] {
  async function nameOf(subscription: Subscription): Promise<Html> {
    if ('topic' in subscription) return html`${notificationTexts.topics[subscription.topic].off}`
    const member = await members.find(subscription.advertiserId, subscription.candidateId)
    return member === undefined ? html`${texts.former}` : texts.company(member.advertiserName)
  }

  const send = (reply: FastifyReply, title: string, text: Html | string, form?: Html) =>
    sendPage(reply, {
      isFocused: true,
      status: title === texts.badTitle ? 404 : 200,
      title,
      body: html`<div class="card"><p>${text}</p>${form}</div>
<p><a href="${notificationsPath}">${texts.settings}</a></p>`,
    })

  const form = (action: string, label: string, former = '') =>
    html`<form method="post" action="${action}">${former !== '' && html`<input type="hidden" name="former" value="${former}">`}
<div class="actions"><button type="submit">${label}</button></div></form>`

  const sendOff = async (reply: FastifyReply, token: string, subscription: Subscription, former: string) =>
    send(
      reply,
      texts.doneTitle,
      texts.done(await nameOf(subscription)),
      form(`/unsubscribe/${token}/undo`, texts.undo, former),
    )

  return [
    visitorPage.get('/unsubscribe/:token', async ({ reply, params: { token } }) => {
      const subscription = await notifications.findSubscription(token)
      if (subscription === undefined) return send(reply, texts.badTitle, texts.bad)
      const rhythm = await notifications.rhythmOf(subscription)
      if (rhythm === 'off') return sendOff(reply, token, subscription, '')
      const text = texts.ask(await nameOf(subscription))
      return send(reply, texts.title, text, form(`/unsubscribe/${token}`, texts.submit))
    }),
    visitorPage.anyPost('/unsubscribe/:token', async ({ reply, params: { token } }) => {
      const subscription = await notifications.findSubscription(token)
      if (subscription === undefined) return send(reply, texts.badTitle, texts.bad)
      const former = await notifications.switchOff(subscription)
      return sendOff(reply, token, subscription, former === 'off' ? '' : former)
    }),
    visitorPage.post('/unsubscribe/:token/undo', async ({ reply, fields, params: { token } }) => {
      const subscription = await notifications.findSubscription(token)
      if (subscription === undefined) return send(reply, texts.badTitle, texts.bad)
      await notifications.switchOn(subscription, fields.get('former'))
      return send(reply, texts.undoneTitle, texts.undone(await nameOf(subscription)))
    }),
  ]
}
