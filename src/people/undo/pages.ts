import type { FastifyReply, RouteOptions } from 'fastify'
import type { FieldError } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { notice } from '../../platform/web/components.ts'
import { usernameOf } from '../../platform/web/forms.ts'
import { html } from '../../platform/web/html.ts'
import { linkTokenIn, sendLinkForm } from '../../platform/web/link-form.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { visitorPage } from '../../platform/web/page-routes.ts'
import { timeElement } from '../../platform/web/time.ts'
import { boldEmail, factorsAtReset, newPasswordInput, sendFormPage } from '../account/form-markup.ts'
import { knownBrowserSeconds } from '../account/sign-in-delay.ts'
import type { OpenUndo, UndoableChange } from '../account/undo-store.ts'
import type { Undo } from './service.ts'

export interface UndoPageDeps {
  undo: Undo
  sessions: Sessions
}

const path = '/undo'

const happened: Record<UndoableChange['kind'], string> = {
  factor: 'A passkey, an authenticator app or a sign-in with another service was added',
  email: 'The email address was changed',
  password: 'The password was changed',
}

/** The target of links in emails about a new factor, address or password. */
export function undoRoutes({ undo, sessions }: UndoPageDeps): RouteOptions[] {
  function sendChange(
    reply: FastifyReply,
    token: string,
    { kind, email, changedAt, isAddressChanged, factors }: OpenUndo,
    errors: readonly FieldError[] = [],
  ) {
    const areKept = factors.some(({ createdAt, isRemoved }) => createdAt >= changedAt && !isRemoved)
    return sendFormPage(sessions, reply, {
      title: 'Undo the change',
      errors,
      draw: form => html`${form({
        action: path,
        hidden: { token },
        text: html`${happened[kind]} for the account of ${boldEmail(email)} on ${timeElement(changedAt)}. If this wasn’t you, choose a new password: this signs out every browser and undoes what has changed since.`,
        fields: [
          isAddressChanged && html`<p>The account gets ${boldEmail(email)} back as its email address.</p>`,
          usernameOf(email),
          newPasswordInput(),
          factorsAtReset(
            factors,
            'What was added since the change is removed. You can add it again afterwards.',
          ),
          areKept &&
            html`<p class="hint">Passkeys and apps of people who run this service are not removed by email if there is no older one. Ask another of them to remove what you don’t recognise.</p>`,
        ],
        label: 'Undo and set password',
      })}
<p class="quiet">Was it you? Just close this page: nothing has changed.</p>`,
    })
  }

  return [
    // Opening a link does not use it up, because mail scanners open links too.
    visitorPage.get(path, async ({ reply }) => sendLinkForm(sessions, reply, path)),
    visitorPage.post(path, async call => {
      const { request, reply, fields } = call
      sessions.checkForm(call, path)
      const token = linkTokenIn(fields.get('token'))
      const change = await undo.find(token)
      if (change === undefined) return sendGone(reply)
      if (change.isTaken) return sendTaken(reply, change.email)
      const password = fields.get('password')
      if (password === undefined) return sendChange(reply, token, change)
      const result = await undo.undo(token, password, sessions.browserOf(request))
      if (result.outcome === 'gone') return sendGone(reply)
      if (result.outcome === 'invalid') return sendChange(reply, token, change, result.errors)
      sessions.end(reply)
      sessions.rememberBrowser(reply, result.browser, knownBrowserSeconds)
      return redirect(reply, '/sign-in?password-set')
    }),
  ]
}

const sendGone = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, {
    isFocused: true,
    status: 404,
    title: 'There’s nothing to undo',
    body: html`${notice('problem', 'This link was used already, is more than seven days old, or the change it is about is gone. If you copied the link, check that you have all of it.')}
<p>Still don’t trust your password? <a href="/forgotten">Reset your password</a>.</p>`,
  })

const sendTaken = (reply: FastifyReply, email: string): FastifyReply =>
  sendPage(reply, {
    isFocused: true,
    status: 409,
    title: 'This change can’t be undone here',
    body: html`<p>Another account uses ${boldEmail(email)} by now. Contact the people who run this service.</p>`,
  })
