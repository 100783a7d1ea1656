import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { parseNumericId } from '../core/ids.ts'
import { Problem } from '../core/problems.ts'
import { type AuthKind, type Callers, callerOf } from './auth/callers.ts'
import type { BodyKind } from './requests/bodies.ts'
import type { FormFields } from './requests/form.ts'

/** A request to a route, with its authenticated caller and the parameters of its path. */
export interface Call<Auth extends AuthKind, Name extends string = never> {
  request: FastifyRequest
  reply: FastifyReply
  caller: Callers[Auth]
  params: Readonly<Record<Name, string>>
}

/** A call whose body is a form. */
export interface FormCall<Auth extends AuthKind, Name extends string = never> extends Call<Auth, Name> {
  fields: FormFields
}

/** The parameter names in a path: `'id'` for `/things/:id/rename`. */
export type PathParameter<Url extends string> = Url extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Url extends `${string}:${infer Name}`
    ? Name
    : never

/** Declarations of a route to the server besides its caller and its body. */
export type RouteConfig = Omit<FastifyContextConfig, 'auth' | 'body'>

/** Declares a route's caller and accepted body once. The other properties are Fastify's. */
export interface Route<Auth extends AuthKind, Url extends string, Body extends BodyKind | undefined>
  extends Omit<RouteOptions, 'url' | 'config' | 'handler'> {
  url: Url
  auth: Auth
  body?: Body
  config?: RouteConfig
  handle(
    call: Body extends 'form' ? FormCall<Auth, PathParameter<Url>> : Call<Auth, PathParameter<Url>>,
  ): unknown
}

/** Builds a route whose handler gets its caller, its path parameters and its form with their types. */
export function route<
  Auth extends AuthKind,
  const Url extends string,
  Body extends BodyKind | undefined = undefined,
>({ method, auth, body, config, handle, ...options }: Route<Auth, Url, Body>): RouteOptions {
  type Handled = Parameters<typeof handle>[0]
  return {
    ...options,
    // Serves HEAD for every GET: link checkers and email scanners use it. One route for both: Fastify would build a
    // second one for each.
    method: method === 'GET' ? ['GET', 'HEAD'] : method,
    config: { ...config, auth, ...(body === undefined ? {} : { body }) },
    // The hook of `auth`, the router and the parser of `body` have set these before the handler runs.
    handler: (request, reply) => {
      const { params, body: fields } = request
      return handle({ request, reply, caller: callerOf(request), params, fields } as unknown as Handled)
    },
  }
}

/** A numeric ID in a path. Throws not-found for other text, which cannot be an ID. */
export function pathId(text: string): number {
  const id = parseNumericId(text)
  if (id === undefined) throw new Problem('not-found')
  return id
}
