import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { isOfKind } from '../requests/bodies.ts'
import { askForBody } from '../requests/expectations.ts'
import { decodeBody, FormFields, hasMoreFields } from '../requests/form.ts'
import { receiveForm } from '../requests/upload.ts'
import type { Sessions } from './sessions.ts'

/** Limit: Fields of a form that is shown again after its session ended: a page of at most half a megabyte. */
const heldFormFields = 2_000
/** Limit: Size of a form that the sign-in page carries for a signed-out person: a long apply form fits. */
export const heldFormBytes = 256 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** The text fields of an upload, up to its first file. */
    sentFields: FormFields | undefined
  }
}

/**
 * A form that could not be accepted and can be sent again, to the same address with the same fields. It has no files,
 * which a page cannot choose for a person.
 */
export interface HeldForm {
  action: string
  isUpload: boolean
  fields: readonly (readonly [name: string, value: string])[]
  /** The names of its password fields, whose values are never repeated. */
  secrets: readonly string[]
}

/** Recognised by name: every password field is named so, except `current`, the account's current password. */
const isSecret = (name: string) => /password/i.test(name) || name === 'current'

/**
 * Whether the form was sent from one of our own pages. Another site could prepare a form and must not get it shown here
 * with a submit button. Only the browser can know, so browsers that do not send this header get nothing.
 */
export function isFromOwnPage({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] === 'same-origin'
}

/** The submitted form after its token was rejected; undefined if it must not be shown again. */
export function heldFormOf(request: FastifyRequest): HeldForm | undefined {
  if (!isFromOwnPage(request)) return undefined
  const { body } = request.routeOptions.config
  const sent = body === 'upload' ? request.sentFields : request.body
  const held = sent instanceof FormFields ? hold(request, sent) : undefined
  return held === 'too-large' ? undefined : held
}

/**
 * Reads a form whose sender is not signed in, to offer it again after the sign-in; no other code sees its content.
 * `too-large` if it exceeds the limits, undefined if there is nothing to keep.
 */
export async function readHeldForm(request: FastifyRequest): Promise<HeldForm | 'too-large' | undefined> {
  if (request.method !== 'POST' || !isFromOwnPage(request)) return undefined
  const { body } = request.routeOptions.config
  if ((body !== 'form' && body !== 'upload') || !isOfKind(request, body)) return undefined
  const fields = await (body === 'form' ? readFields(request) : readUploadFields(request))
  return typeof fields === 'object' ? hold(request, fields) : fields
}

/** Seals the form for a hidden field of another form. */
export function sealHeldForm(sessions: Sessions, reply: FastifyReply, held: HeldForm): string {
  return sessions.seal(reply, Buffer.from(JSON.stringify(held)).toString('base64url'))
}

/** Accepts only forms that this browser sent and that we sealed. */
export function unsealHeldForm(
  sessions: Sessions,
  request: FastifyRequest,
  sealed: string | undefined,
): HeldForm | undefined {
  const text = sessions.unseal(request, sealed)
  return text === undefined ? undefined : JSON.parse(Buffer.from(text, 'base64url').toString())
}

function hold(request: FastifyRequest, fields: FormFields): HeldForm | 'too-large' | undefined {
  // Rejects absolute URLs, as sent to proxies, and paths that a browser would take for another host.
  if (!/^\/(?![/\\])/.test(request.url)) return undefined
  const pairs = fields.pairs().filter(([name]) => name !== 'form_token')
  const length = pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (pairs.length > heldFormFields || length > heldFormBytes) return 'too-large'
  return {
    action: request.url,
    isUpload: request.routeOptions.config.body === 'upload',
    fields: pairs.filter(([name]) => !isSecret(name)),
    secrets: fields.names().filter(isSecret),
  }
}

async function readFields(request: FastifyRequest): Promise<FormFields | 'too-large'> {
  const chunks: Buffer[] = []
  let bytes = 0
  askForBody(request.raw)
  try {
    for await (const chunk of request.raw) {
      bytes += chunk.length
      // Reads and discards the rest: browsers show no response before they have sent everything.
      if (bytes <= heldFormBytes) chunks.push(chunk)
    }
  } catch (error) {
    throw new Problem('bad-request', 'The form was not sent completely. Send it again.', { cause: error })
  }
  const body = Buffer.concat(chunks)
  return bytes > heldFormBytes || hasMoreFields(body, heldFormFields)
    ? 'too-large'
    : new FormFields(decodeBody(body))
}

/** Thrown to stop reading once the fields are complete. */
class FieldsRead extends Error {}

async function readUploadFields(request: FastifyRequest): Promise<FormFields | 'too-large' | undefined> {
  try {
    await receiveForm(request, {
      fileFields: [],
      maxFiles: 100,
      fileBytes: 0,
      fieldBytes: heldFormBytes,
      textBytes: heldFormBytes,
      maxFields: heldFormFields,
      checkFields() {
        throw new FieldsRead()
      },
      take: async () => undefined,
      discard: async () => {},
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'payload-too-large') return 'too-large'
    if (!(error instanceof FieldsRead)) throw error
  }
  return request.sentFields
}
