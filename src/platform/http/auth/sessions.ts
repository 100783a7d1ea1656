import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../core/problems.ts'
import type { SessionOwner } from '../../core/session-owner.ts'
import type { FormFields } from '../requests/form.ts'
import { sessionOf } from './callers.ts'

/** The signed-in person, as every page header shows them. */
interface Viewer {
  name: string
  isMember: boolean
  isOperator: boolean
  isMailRefused: boolean
  signOutToken: string
}

interface SentForm {
  request: FastifyRequest
  fields: FormFields
}

/** The token is not for this browser, session and purpose: the page stayed open too long, or it is a forgery. */
export class FormExpired extends Problem {
  constructor() {
    super('form-expired')
  }
}

export interface SessionOptions {
  /** Whether the pages are served over https: cookies are then bound to their origin. */
  isSecure(): boolean
  find(value: string): Promise<SessionOwner | undefined>
  sessionSeconds: number
}

export type Sessions = ReturnType<typeof createSessions>

/**
 * Manages two cookies: the session, and a random value for forms that are sent before signing in. A form token is an HMAC
 * of the form's purpose, keyed by the cookie: it needs no table, and is worthless in another browser, in another session
 * or for another form.
 */
export function createSessions({ isSecure, find, sessionSeconds }: SessionOptions) {
  const name = (plain: string) => (isSecure() ? `__Host-${plain}` : plain)

  function cookieOf(request: FastifyRequest, plain: string): string | undefined {
    const { cookie = '' } = request.headers
    const value = Object.entries(parseCookie(cookie)).find(([key]) => key === name(plain))?.[1]
    // An empty cookie would be a key known to everyone.
    return value === undefined || value.length < 32 || value.length > 200 ? undefined : value
  }

  function setCookie(reply: FastifyReply, plain: string, value: string, maxAge: number): void {
    const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(), maxAge } as const
    reply.header('set-cookie', stringifySetCookie({ name: name(plain), value, ...options }))
  }

  /** The session that the response starts; undefined if it ends the session. */
  const changed = new WeakMap<FastifyRequest, string | undefined>()

  const sessionCookie = (request: FastifyRequest) => cookieOf(request, 'dossier-session')

  /** The key of this browser's form tokens; undefined if it sent no cookie. */
  function keyOf(request: FastifyRequest): string | undefined {
    return sessionCookie(request) ?? cookieOf(request, 'dossier-form')
  }

  function tokenFor(key: string, parts: readonly string[]): string {
    return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
  }

  /** New keys by request: all forms of one response share one. */
  const newKeys = new WeakMap<FastifyRequest, string>()

  function giveKey(reply: FastifyReply): string {
    const { request } = reply
    const key = newKeys.get(request) ?? randomBytes(32).toString('base64url')
    if (!newKeys.has(request)) setCookie(reply, 'dossier-form', key, sessionSeconds)
    newKeys.set(request, key)
    return key
  }

  /** Survives signing in and out, unlike the key of the form tokens. */
  const browserKey = (request: FastifyRequest) => cookieOf(request, 'dossier-form')

  /** Parts that no other form uses: this token is valid only for a held form and one address. */
  const heldParts = (action: string) => ['held form', action]

  return {
    async of(request: FastifyRequest): Promise<SessionOwner | undefined> {
      const value = sessionCookie(request)
      return value === undefined ? undefined : find(value)
    },

    /** The person for the page header: no look-up without a cookie, and a failed look-up shows no one. */
    viewerOf({ request }: FastifyReply): Viewer | undefined | Promise<Viewer | undefined> {
      const value = changed.has(request) ? changed.get(request) : sessionCookie(request)
      if (value === undefined) return undefined
      const viewer = ({
        firstName,
        email,
        isMember,
        isOperator = false,
        isMailRefused = false,
      }: SessionOwner) => ({
        name: firstName === '' ? email : firstName,
        isMember,
        isOperator,
        isMailRefused,
        signOutToken: tokenFor(value, ['/sign-out']),
      })
      const known = sessionOf(request)
      if (known !== undefined && !changed.has(request)) return viewer(known)
      return find(value).then(
        session => session && viewer(session),
        // The page is shown without a name; if it needs the database, it fails with that reason itself.
        () => undefined,
      )
    },

    valueOf: sessionCookie,

    /**
     * Identifies a browser, regardless of who is signed in. Before its first sign-in, a browser has only the key of its
     * form tokens: a value derived from it is the same in concurrent sign-ins, and the first one keeps it.
     */
    browserOf(request: FastifyRequest): string | undefined {
      const key = browserKey(request)
      return cookieOf(request, 'dossier-browser') ?? (key && tokenFor(key, ['known browser']))
    },

    rememberBrowser(reply: FastifyReply, value: string, seconds: number): void {
      setCookie(reply, 'dossier-browser', value, seconds)
    },

    /** Every sign-in gets a new session ID. */
    start(reply: FastifyReply, value: string): void {
      changed.set(reply.request, value)
      setCookie(reply, 'dossier-session', value, sessionSeconds)
    },

    end(reply: FastifyReply): void {
      changed.set(reply.request, undefined)
      setCookie(reply, 'dossier-session', '', 0)
    },

    /** For the hidden field of a form. `parts`: the form's purpose and all values that must be returned unchanged. */
    formToken(reply: FastifyReply, ...parts: string[]): string {
      return tokenFor(keyOf(reply.request) ?? giveKey(reply), parts)
    },

    /** Issues the token of a held form that is shown again: valid for any content sent to the form's path. */
    heldToken(reply: FastifyReply, action: string, newSession?: string): string {
      return tokenFor(newSession ?? keyOf(reply.request) ?? giveKey(reply), heldParts(action))
    },

    /** Throws unless the form was made, or held, for this browser and purpose. */
    checkFormToken(request: FastifyRequest, token: string | undefined, ...parts: string[]): void {
      const key = keyOf(request)
      if (key === undefined) throw new FormExpired()
      const isOurs =
        isSame(tokenFor(key, parts), token) || isSame(tokenFor(key, heldParts(request.url)), token)
      if (!isOurs) throw new FormExpired()
    },

    /** Accepts only a form that was shown, not a held one: for decisions that a person must have seen. */
    checkShownForm(request: FastifyRequest, token: string | undefined, ...parts: string[]): void {
      const key = keyOf(request)
      if (key === undefined || !isSame(tokenFor(key, parts), token)) throw new FormExpired()
    },

    /** Issues a token that stays valid after sign-ins in other tabs: it is bound to the browser, not the session. */
    browserToken(reply: FastifyReply, ...parts: string[]): string {
      return tokenFor(browserKey(reply.request) ?? giveKey(reply), parts)
    },

    isBrowserToken(request: FastifyRequest, token: string | undefined, ...parts: string[]): boolean {
      const key = browserKey(request)
      return key !== undefined && isSame(tokenFor(key, parts), token)
    },

    /** Signs a text that this browser carries; no other browser can return it. */
    seal(reply: FastifyReply, text: string): string {
      const key = browserKey(reply.request) ?? giveKey(reply)
      return `${tokenFor(key, ['sealed', text])}.${text}`
    },

    /** The sealed text; undefined if it was changed or belongs to another browser. */
    unseal(request: FastifyRequest, sealed: string | undefined): string | undefined {
      const [mark = '', text] = sealed?.split('.', 2) ?? []
      const key = browserKey(request)
      if (key === undefined || text === undefined) return undefined
      return isSame(tokenFor(key, ['sealed', text]), mark) ? text : undefined
    },

    /** The fields of a form, after its token has been checked. */
    checkForm({ request, fields }: SentForm, ...parts: string[]): FormFields {
      this.checkFormToken(request, fields.get('form_token'), ...parts)
      return fields
    },
  }
}

function isSame(expected: string, sent: string | undefined): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(sent ?? '')]
  return one.length === other.length && timingSafeEqual(one, other)
}
