import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionOwner } from '../../core/session-owner.ts'
import { setCaller } from './callers.ts'
import { heldFormBytes, readHeldForm, sealHeldForm } from './held-form.ts'
import type { Sessions } from './sessions.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Text for the sign-in page about this form, where the common text would be wrong. */
    signedOutText?: string
  }
}

/** A form that was sent without a session, for the sign-in page. */
export interface InterruptedForm {
  /** URL of the page with the form. */
  continueTo: string
  /** The form, sealed for this browser; undefined if it is too large to carry. */
  held: string | undefined
  /** Text about the form, where the common text would be wrong. */
  text: string | undefined
}

export interface SessionAuthDeps {
  sessions: Sessions
  /** Shows the sign-in form instead of the response. */
  askToSignIn(reply: FastifyReply, form: InterruptedForm): FastifyReply
}

/**
 * Protects pages for signed-in people; others sign in first and then return with their submitted form. Resolves with
 * the person, or with undefined once it has answered the request.
 */
export function createSessionAuth({ sessions, askToSignIn }: SessionAuthDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<SessionOwner | undefined> => {
    const session = await sessions.of(request)
    if (session !== undefined) {
      setCaller(request, session)
      return session
    }
    const { formPage = request.url.replace(/\?.*$/s, ''), signedOutText: text } = request.routeOptions.config
    const form = await readHeldForm(request)
    if (form !== undefined) {
      const sealed = form === 'too-large' ? undefined : sealHeldForm(sessions, reply, form)
      const held = sealed !== undefined && sealed.length <= heldFormBytes ? sealed : undefined
      await askToSignIn(reply, { continueTo: formPage, held, text })
      return undefined
    }
    const page = request.method === 'GET' ? request.url : formPage
    await reply
      .status(303)
      .headers({ location: `/sign-in?continue=${encodeURIComponent(page)}`, 'cache-control': 'no-store' })
      .send()
    return undefined
  }
}
