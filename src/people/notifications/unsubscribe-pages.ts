import type { FastifyReply, RouteOptions } from 'fastify'
import type { Subscription, Topic } from '../../model/notice-topics.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { visitorPage } from '../../platform/web/page-routes.ts'
import type { Members } from '../members/service.ts'
import { notificationsPath } from './pages.ts'
import type { Notifications } from './service.ts'

/**
 * Links in emails that switch them off without signing in. Mail scanners open links, so GET only asks and changes
 * nothing. POST is for the button, and for mail programs that follow RFC 8058, which send no cookie.
 */
export function unsubscribePages({
  notifications,
  members,
}: {
  notifications: Pick<Notifications, 'findSubscription' | 'rhythmOf' | 'switchOff' | 'switchOn'>
  members: Pick<Members, 'find'>
}): RouteOptions[] {
  async function nameOf(subscription: Subscription): Promise<Html | string> {
    if ('topic' in subscription) return topicNames[subscription.topic]
    const member = await members.find(subscription.advertiserId, subscription.candidateId)
    return member === undefined
      ? 'applications to a company that you no longer work for'
      : html`applications to ${isolateBidi(member.advertiserName)}`
  }

  const send = (reply: FastifyReply, title: string, text: Html | string, form?: Html, status = 200) =>
    sendPage(reply, {
      isFocused: true,
      status,
      title,
      body: html`<div class="card"><p>${text}</p>${form}</div>
<p><a href="${notificationsPath}">See all notifications</a></p>`,
    })

  const sendBadLink = (reply: FastifyReply) =>
    send(
      reply,
      'This link isn’t complete',
      'Copy the whole link from the email, or sign in to choose your notifications.',
      undefined,
      404,
    )

  const form = (action: string, label: string, former = '') =>
    html`<form method="post" action="${action}">${former !== '' && html`<input type="hidden" name="former" value="${former}">`}
<div class="actions"><button type="submit">${label}</button></div></form>`

  const sendOff = async (reply: FastifyReply, token: string, subscription: Subscription, former: string) =>
    send(
      reply,
      'These emails are off',
      html`We won’t email you about ${await nameOf(subscription)}.`,
      form(`/unsubscribe/${token}/undo`, 'Turn these emails on again', former),
    )

  return [
    visitorPage.get('/unsubscribe/:token', async ({ reply, params: { token } }) => {
      const subscription = await notifications.findSubscription(token)
      if (subscription === undefined) return sendBadLink(reply)
      const rhythm = await notifications.rhythmOf(subscription)
      if (rhythm === 'off') return sendOff(reply, token, subscription, '')
      const text = html`We email you about ${await nameOf(subscription)}.`
      return send(reply, 'Stop these emails?', text, form(`/unsubscribe/${token}`, 'Stop these emails'))
    }),
    visitorPage.anyPost('/unsubscribe/:token', async ({ reply, params: { token } }) => {
      const subscription = await notifications.findSubscription(token)
      if (subscription === undefined) return sendBadLink(reply)
      const former = await notifications.switchOff(subscription)
      return sendOff(reply, token, subscription, former === 'off' ? '' : former)
    }),
    visitorPage.post('/unsubscribe/:token/undo', async ({ reply, fields, params: { token } }) => {
      const subscription = await notifications.findSubscription(token)
      if (subscription === undefined) return sendBadLink(reply)
      await notifications.switchOn(subscription, fields.get('former'))
      return send(
        reply,
        'These emails are on again',
        html`We’ll email you about ${await nameOf(subscription)}.`,
      )
    }),
  ]
}

const topicNames: Record<Topic, string> = {
  receipts: 'receipts for your applications',
  progress: 'the progress of your applications',
  disclosures: 'new companies that get your data',
}
