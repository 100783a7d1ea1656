import type { RouteOptions } from 'fastify'
import {
  type Call,
  type FormCall,
  type PathParameter,
  type Route,
  type RouteConfig,
  route,
} from '../http/routes.ts'

export type PageAuth = 'public' | 'session' | 'console' | 'agent' | 'operator'

/** Options that a page may declare beyond its kind. */
type PageOptions = RouteConfig & Pick<RouteOptions, 'bodyLimit' | 'errorHandler'>

/** Builders for one kind of page; `fresh` and `signIn` pages require a proof of identity: see fresh-proof.ts. */
function pagesOf<Auth extends PageAuth>(auth: Auth, common: RouteConfig) {
  return {
    ...buildersOf(auth, common),
    fresh: buildersOf(auth, { ...common, proof: 'fresh' }),
    signIn: buildersOf(auth, { ...common, proof: 'sign-in' }),
  }
}

/** Errors are also pages, and the API document omits them. */
function buildersOf<Auth extends PageAuth>(auth: Auth, common: RouteConfig) {
  const page = <Url extends string, Body extends 'form' | 'upload' | undefined>(
    declared: Pick<Route<Auth, Url, Body>, 'method' | 'url' | 'body' | 'handle'>,
    { bodyLimit, errorHandler, ...config }: PageOptions = {},
  ) =>
    route<Auth, Url, Body>({
      ...declared,
      auth,
      config: { errors: 'page', ...common, ...config },
      schema: { hide: true },
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      ...(errorHandler === undefined ? {} : { errorHandler }),
    })

  return {
    get: <const Url extends string>(
      url: Url,
      handle: (call: Call<Auth, PathParameter<Url>>) => unknown,
      options?: PageOptions,
    ) => page<Url, undefined>({ method: 'GET', url, handle }, options),

    /** Receives a form. */
    post: <const Url extends string>(
      url: Url,
      handle: (call: FormCall<Auth, PathParameter<Url>>) => unknown,
      options?: PageOptions,
    ) => page<Url, 'form'>({ method: 'POST', url, body: 'form', handle }, options),

    /** Receives a POST whose body, if any, is ignored. */
    anyPost: <const Url extends string>(
      url: Url,
      handle: (call: Call<Auth, PathParameter<Url>>) => unknown,
    ) => page<Url, undefined>({ method: 'POST', url, handle }),

    /** Receives a form with files, which the handler reads. */
    upload: <const Url extends string>(
      url: Url,
      handle: (call: Call<Auth, PathParameter<Url>>) => unknown,
      options?: PageOptions,
    ) => page<Url, 'upload'>({ method: 'POST', url, body: 'upload', handle }, options),
  }
}

export type PageBuilders<Auth extends PageAuth> = ReturnType<typeof pagesOf<Auth>>

/** Public pages, on both origins. */
export const publicPage = pagesOf('public', {})
/** Public pages on AUTH_URL, because they need the visitor's cookie. */
export const visitorPage = pagesOf('public', { isOnAuthUrl: true })
/** Pages for signed-in people. */
export const accountPage = pagesOf('session', { isOnAuthUrl: true })
/** Pages for members of the company in the path. */
export const memberPage = pagesOf('console', { isOnAuthUrl: true, role: 'recruiter' })
/** Pages for admins of the company in the path. */
export const adminPage = pagesOf('console', { isOnAuthUrl: true, role: 'admin' })
/** Pages for people who run the board, including viewers. */
export const viewerPage = pagesOf('operator', { isOnAuthUrl: true, operatorRole: 'viewer' })
/** Pages for people who may change the board. */
export const operatorPage = pagesOf('operator', { isOnAuthUrl: true, operatorRole: 'operator' })
/** Pages for members of the agent in the path. */
export const agentPage = pagesOf('agent', { isOnAuthUrl: true, agentRole: 'reader' })
/** Pages for admins of the agent in the path. */
export const agentAdminPage = pagesOf('agent', { isOnAuthUrl: true, agentRole: 'admin' })
