import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../core/problems.ts'
import type { FormFields } from '../requests/form.ts'

/** Somebody who is signed in. */
export interface Session {
  sessionId: string
  candidateId: string
  email: string
  firstName: string
  /** Whether they work for an advertiser. */
  isMember: boolean
}

/** The structure that the header of every page takes. */
interface Viewer {
  name: string
  isMember: boolean
  signOutToken: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes that declare `auth: 'session'`. */
    session: Session
  }
}

/** Not made for this browser, this session and this purpose: a page that stayed open too long, or a forgery. */
export class FormExpired extends Problem {
  constructor() {
    super('form-expired')
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

  /** Sessions that begin, or end (undefined), with the answer. */
  const changed = new WeakMap<FastifyRequest, string | undefined>()

  const sessionCookie = (request: FastifyRequest) => cookieOf(request, 'dossier-session')

  /** The key of this browser's form tokens; undefined when it has sent no cookie. */
  function keyOf(request: FastifyRequest): string | undefined {
    return sessionCookie(request) ?? cookieOf(request, 'dossier-form')
  }

  function tokenFor(key: string, parts: readonly string[]): string {
    return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
  }

  /** The same for every form of one answer. */
  const newKeys = new WeakMap<FastifyRequest, string>()

  function giveKey(request: FastifyRequest, reply: FastifyReply): string {
    const key = newKeys.get(request) ?? randomBytes(32).toString('base64url')
    if (!newKeys.has(request)) setCookie(reply, 'dossier-form', key, sessionSeconds)
    newKeys.set(request, key)
    return key
  }

  /** It outlives the sign-in, unlike the key of the tokens. */
  const browserKey = (request: FastifyRequest) => cookieOf(request, 'dossier-form')

  /** Parts that no form has: only a form that was held, for one address, gets this token. */
  const heldParts = (action: string) => ['held form', action]

  return {
    async of(request: FastifyRequest): Promise<Session | undefined> {
      const value = sessionCookie(request)
      return value === undefined ? undefined : find(value)
    },

    /** Whom the header names: asks nobody without a cookie, and is not worth an error. */
    viewerOf({ request }: FastifyReply): Viewer | undefined | Promise<Viewer | undefined> {
      const value = changed.has(request) ? changed.get(request) : sessionCookie(request)
      if (value === undefined) return undefined
      const viewer = ({ firstName, email, isMember }: Session) => ({
        name: firstName === '' ? email : firstName,
        isMember,
        signOutToken: tokenFor(value, ['/sign-out']),
      })
      if (request.session && !changed.has(request)) return viewer(request.session)
      return find(value).then(
        session => session && viewer(session),
        () => undefined,
      )
    },

    valueOf: sessionCookie,

    /** Says which browser it is, whoever is signed in: one that has been here before is treated as such. */
    browserOf: (request: FastifyRequest) => cookieOf(request, 'dossier-browser'),

    rememberBrowser(reply: FastifyReply, value: string, seconds: number): void {
      setCookie(reply, 'dossier-browser', value, seconds)
    },

    /** After a sign-in the id is always a new one. */
    start(reply: FastifyReply, value: string): void {
      changed.set(reply.request, value)
      setCookie(reply, 'dossier-session', value, sessionSeconds)
    },

    end(reply: FastifyReply): void {
      changed.set(reply.request, undefined)
      setCookie(reply, 'dossier-session', '', 0)
    },

    /** For the hidden field of a form. `parts` is what it is for and whatever must come back unchanged. */
    formToken(request: FastifyRequest, reply: FastifyReply, ...parts: string[]): string {
      return tokenFor(keyOf(request) ?? giveKey(request, reply), parts)
    },

    /** For a form that was held and is offered once more: good for whatever is sent to its address. */
    heldToken(request: FastifyRequest, reply: FastifyReply, action: string, newSession?: string): string {
      return tokenFor(newSession ?? keyOf(request) ?? giveKey(request, reply), heldParts(action))
    },

    /** Throws when the form was not made for this browser and this purpose, and was not held for it either. */
    checkFormToken(request: FastifyRequest, token: string | undefined, ...parts: string[]): void {
      const key = keyOf(request)
      if (key === undefined) throw new FormExpired()
      const isOurs =
        isSame(tokenFor(key, parts), token) || isSame(tokenFor(key, heldParts(request.url)), token)
      if (!isOurs) throw new FormExpired()
    },

    /** Takes nothing but the form as it was shown: for what nobody may agree to without having seen it. */
    checkShownForm(request: FastifyRequest, token: string | undefined, ...parts: string[]): void {
      const key = keyOf(request)
      if (key === undefined || !isSame(tokenFor(key, parts), token)) throw new FormExpired()
    },

    /** For a form that outlives sign-ins in other tabs: bound to the browser, whoever is signed in. */
    browserToken(request: FastifyRequest, reply: FastifyReply, ...parts: string[]): string {
      return tokenFor(browserKey(request) ?? giveKey(request, reply), parts)
    },

    isBrowserToken(request: FastifyRequest, token: string | undefined, ...parts: string[]): boolean {
      const key = browserKey(request)
      return key !== undefined && isSame(tokenFor(key, parts), token)
    },

    /** To be carried by this browser and taken back from no other. */
    seal(request: FastifyRequest, reply: FastifyReply, text: string): string {
      const key = browserKey(request) ?? giveKey(request, reply)
      return `${tokenFor(key, ['sealed', text])}.${text}`
    },

    /** What `seal` was given; undefined when it was not this browser's, or was changed. */
    unseal(request: FastifyRequest, sealed: string | undefined): string | undefined {
      const [mark = '', text] = sealed?.split('.', 2) ?? []
      const key = browserKey(request)
      if (key === undefined || text === undefined) return undefined
      return isSame(tokenFor(key, ['sealed', text]), mark) ? text : undefined
    },

    checkForm(request: FastifyRequest, ...parts: string[]): FormFields {
      const fields = request.body as FormFields
      this.checkFormToken(request, fields.get('form_token'), ...parts)
      return fields
    },
  }
}

function isSame(expected: string, sent: string | undefined): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(sent ?? '')]
  return one.length === other.length && timingSafeEqual(one, other)
}
