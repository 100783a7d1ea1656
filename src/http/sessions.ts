import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../core/problems.ts'
import type { FormFields } from './form.ts'

/** Somebody who is signed in. */
export interface Session {
  sessionId: string
  candidateId: string
  email: string
  firstName: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes that declare `auth: 'session'`. */
    session: Session
  }
}

export interface SessionOptions {
  /** Is the origin of the pages one of https? Then cookies never leave it. */
  isSecure(): boolean
  find(value: string): Promise<Session | undefined>
  sessionSeconds: number
}

export type Sessions = ReturnType<typeof createSessions>

/**
 * Two cookies: one for whoever is signed in, and one, which means nothing, for forms that are sent before
 * that. A form token is a keyed hash of what the form is for, and the key is the cookie: no table, and a
 * token is worth nothing in another browser, in another session, or for another form.
 */
export function createSessions({ isSecure, find, sessionSeconds }: SessionOptions) {
  const name = (plain: string) => (isSecure() ? `__Host-${plain}` : plain)

  function cookieOf(request: FastifyRequest, plain: string): string | undefined {
    const { cookie = '' } = request.headers
    const value = Object.entries(parseCookie(cookie)).find(([key]) => key === name(plain))?.[1]
    // An empty one would be a key that everybody knows.
    return value === undefined || value.length < 32 || value.length > 200 ? undefined : value
  }

  function setCookie(reply: FastifyReply, plain: string, value: string, maxAge: number): void {
    const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(), maxAge } as const
    reply.header('set-cookie', stringifySetCookie({ name: name(plain), value, ...options }))
  }

  const sessionCookie = (request: FastifyRequest) => cookieOf(request, 'dossier-session')

  /** The key of this browser's form tokens; undefined when it has sent no cookie. */
  function keyOf(request: FastifyRequest): string | undefined {
    return sessionCookie(request) ?? cookieOf(request, 'dossier-form')
  }

  function tokenFor(key: string, parts: readonly string[]): string {
    return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
  }

  return {
    async of(request: FastifyRequest): Promise<Session | undefined> {
      const value = sessionCookie(request)
      return value === undefined ? undefined : find(value)
    },

    valueOf: sessionCookie,

    /** Says which browser it is, whoever is signed in: one that has been here before is treated as such. */
    browserOf: (request: FastifyRequest) => cookieOf(request, 'dossier-browser'),

    rememberBrowser(reply: FastifyReply, value: string, seconds: number): void {
      setCookie(reply, 'dossier-browser', value, seconds)
    },

    /** After a sign-in the id is always a new one. */
    start(reply: FastifyReply, value: string): void {
      setCookie(reply, 'dossier-session', value, sessionSeconds)
    },

    end(reply: FastifyReply): void {
      setCookie(reply, 'dossier-session', '', 0)
    },

    /** For the hidden field of a form. `parts` is what it is for and whatever must come back unchanged. */
    formToken(request: FastifyRequest, reply: FastifyReply, ...parts: string[]): string {
      let key = keyOf(request)
      if (key === undefined) {
        key = randomBytes(32).toString('base64url')
        setCookie(reply, 'dossier-form', key, sessionSeconds)
      }
      return tokenFor(key, parts)
    },

    /** Throws when the form was not made for this browser and this purpose. */
    checkFormToken(request: FastifyRequest, token: string | undefined, ...parts: string[]): void {
      const key = keyOf(request)
      const expected = Buffer.from(key === undefined ? '' : tokenFor(key, parts))
      const sent = Buffer.from(token ?? '')
      const isOurs = key !== undefined && expected.length === sent.length && timingSafeEqual(expected, sent)
      if (!isOurs) throw new Problem('form-expired')
    },

    checkForm(request: FastifyRequest, ...parts: string[]): FormFields {
      const fields = request.body as FormFields
      this.checkFormToken(request, fields.get('form_token'), ...parts)
      return fields
    },
  }
}
