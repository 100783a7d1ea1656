import type { FastifyReply, FastifyRequest } from 'fastify'
import { type HeldFormLimits, readHeldForm, sealHeldForm } from './held-form.ts'
import type { Sessions } from './sessions.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What whoever sends this form without a session is told, where the common text may be wrong. */
    signedOutText?: string
  }
}

/** What the sign-in page has to know about a form that was sent without a session. */
export interface InterruptedForm {
  /** The page that the form stood on. */
  continueTo: string
  /** The form, sealed for this browser; undefined when it is too large to be carried along. */
  held: string | undefined
  /** What to say about it, where the common text may be wrong. */
  text: string | undefined
}

export interface SessionAuthDeps {
  sessions: Sessions
  /** Shows the sign-in form in the place of the answer. */
  askToSignIn(request: FastifyRequest, reply: FastifyReply, form: InterruptedForm): FastifyReply
  limits: HeldFormLimits
}

/** Pages of somebody who is signed in; anybody else is asked to sign in first, and comes back with what was sent. */
export function createSessionAuth({ sessions, askToSignIn, limits }: SessionAuthDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const session = await sessions.of(request)
    if (session !== undefined) {
      request.session = session
      return
    }
    const { formPage = request.url.replace(/\?.*$/s, ''), signedOutText: text } = request.routeOptions.config
    const form = await readHeldForm(request, limits)
    if (form !== undefined) {
      const sealed = form === 'too-large' ? undefined : sealHeldForm(sessions, request, reply, form)
      const held = sealed !== undefined && sealed.length <= limits.heldFormBytes ? sealed : undefined
      return askToSignIn(request, reply, { continueTo: formPage, held, text })
    }
    const page = request.method === 'GET' ? request.url : formPage
    return reply
      .status(303)
      .headers({ location: `/sign-in?continue=${encodeURIComponent(page)}`, 'cache-control': 'no-store' })
      .send()
  }
}
