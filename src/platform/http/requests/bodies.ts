import { finished } from 'node:stream'
import type { FastifyInstance, FastifyRequest, onSendHookHandler, preParsingHookHandler } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { askForBody, isBodyHeld } from './expectations.ts'
import { decodeBody, FormFields, hasMoreFields, parseJson } from './form.ts'

/** Limit: Fields of a form: the longest profile has 600. Parsing a field costs more than its bytes suggest. */
const formFields = 1_000

/** The kind of body that a route accepts; none unless declared. */
export type BodyKind = 'json' | 'form' | 'upload'

const mediaTypes: Record<BodyKind, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  upload: 'multipart/form-data',
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum number of form fields, if it differs from the common one. */
    formFields?: number
  }
}

/** Registers one parser per kind, each with its own limit; a route accepts only the kind that it declares. */
export function readBodies(app: FastifyInstance, limits: { jsonBytes: number; formBytes: number }): void {
  app.removeAllContentTypeParsers()
  const parse = (type: string, bodyLimit: number, read: (body: Buffer, request: FastifyRequest) => unknown) =>
    app.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (request, body, done) => {
      try {
        done(null, read(body as Buffer, request))
      } catch (error) {
        done(error as Error)
      }
    })
  parse(mediaTypes.json, limits.jsonBytes, parseJson)
  parse(mediaTypes.form, limits.formBytes, (body, request) => {
    const { formFields: max = formFields } = request.routeOptions.config
    if (hasMoreFields(body, max)) {
      throw new Problem('payload-too-large', `The form has too many fields: send ${max} at most.`)
    }
    return new FormFields(decodeBody(body))
  })
  // Not parsed here: the handler reads it part by part.
  app.addContentTypeParser(mediaTypes.upload, (_request, payload, done) => done(null, payload))

  app.addHook('onRoute', route => {
    // The bodies of GET and HEAD are ignored.
    if ([route.method].flat().every(method => method === 'GET' || method === 'HEAD')) return
    route.preParsing = [route.preParsing ?? []].flat().concat(checkType(route.config?.body))
  })
}

/**
 * Responses on a connection that closes after them wait for the rest of the body. Closing a connection while bytes
 * still arrive resets it, and a reset may discard a response that the caller has not read yet.
 */
export const awaitBody: onSendHookHandler = ({ raw: request }, { raw: response }, payload, done) => {
  const isArriving = !request.complete && !request.readableEnded && !request.destroyed
  if (response.shouldKeepAlive || !isArriving || isBodyHeld(request)) return done(null, payload)
  finished(request, () => done(null, payload))
  request.resume()
}

function checkType(kind: BodyKind | undefined): preParsingHookHandler {
  return (request, _reply, _payload, done) => {
    // Many libraries send a content type without a body; Fastify would look for its parser.
    if (kind === undefined && hasNoBody(request)) delete request.headers['content-type']
    const refusal = kind === undefined ? undefined : refuse(request, kind)
    // The upload handler itself asks for the body, after further checks.
    if (refusal === undefined && kind !== 'upload') askForBody(request.raw)
    done(refusal ?? null)
  }
}

function hasNoBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/** Whether the declared content type matches the kind. */
export function isOfKind({ headers }: FastifyRequest, kind: BodyKind): boolean {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === mediaTypes[kind]
}

function refuse(request: FastifyRequest, kind: BodyKind): Problem | undefined {
  if (!isOfKind(request, kind)) {
    return new Problem('unsupported-media-type', `Send the body as ${mediaTypes[kind]}.`)
  }
  if (/^(identity)?$/i.test(request.headers['content-encoding'] ?? '')) return undefined
  return new Problem('unsupported-media-type', 'Send the body without a Content-Encoding.')
}
