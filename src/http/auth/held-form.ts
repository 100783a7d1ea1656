import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { isOfKind } from '../requests/bodies.ts'
import { askForBody } from '../requests/expectations.ts'
import { decodeBody, FormFields, hasMoreFields } from '../requests/form.ts'
import { receiveForm } from '../requests/upload.ts'
import type { Sessions } from './sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The text fields of an upload, as far as they stood before its first file. */
    sentFields: FormFields | undefined
  }
}

/**
 * A form that could not be taken as it was sent, and can be sent again: to the same address, with the same fields.
 * Files are not among them, because no page can choose them for somebody.
 */
export interface HeldForm {
  action: string
  isUpload: boolean
  fields: readonly (readonly [name: string, value: string])[]
  /** The names of its passwords, which are never repeated. */
  secrets: readonly string[]
}

/** A page is made of it, larger than what was sent: beyond this the form is not shown again. */
export interface HeldFormLimits {
  heldFormBytes: number
  heldFormFields: number
}

/** By the name alone: whatever may hold a password is called so, but for the current one of the account. */
const isSecret = (name: string) => /password/i.test(name) || name === 'current'

/**
 * A form of our own page, sent by this browser. A page of somebody else may prepare a form, too, and must not get it
 * shown here with a button that sends it: only the browser can say which it was, and one that does not gets nothing.
 */
export function isFromOwnPage({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] === 'same-origin'
}

/** What was sent, when its token was refused; undefined when it is not to be shown again. */
export function heldFormOf(request: FastifyRequest, limits: HeldFormLimits): HeldForm | undefined {
  if (!isFromOwnPage(request)) return undefined
  const { body } = request.routeOptions.config
  const fields = body === 'upload' ? request.sentFields : (request.body as FormFields | undefined)
  const held = fields === undefined ? undefined : hold(request, fields, limits)
  return held === 'too-large' ? undefined : held
}

/**
 * Reads a form whose sender is not signed in, as far as it can be kept. For whoever is not let in: nothing but this
 * sees what is read. `too-large` when there is more than is carried, undefined when there is nothing to keep.
 */
export async function readHeldForm(
  request: FastifyRequest,
  limits: HeldFormLimits,
): Promise<HeldForm | 'too-large' | undefined> {
  if (request.method !== 'POST' || !isFromOwnPage(request)) return undefined
  const { body } = request.routeOptions.config
  if ((body !== 'form' && body !== 'upload') || !isOfKind(request, body)) return undefined
  const fields = await (body === 'form' ? readFields(request, limits) : readUploadFields(request, limits))
  return typeof fields === 'object' ? hold(request, fields, limits) : fields
}

/** As a field of another form carries it. */
export function sealHeldForm(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
  held: HeldForm,
): string {
  return sessions.seal(request, reply, Buffer.from(JSON.stringify(held)).toString('base64url'))
}

/** Only what this browser has sent before, and we have sealed, comes back. */
export function unsealHeldForm(
  sessions: Sessions,
  request: FastifyRequest,
  sealed: string | undefined,
): HeldForm | undefined {
  const text = sessions.unseal(request, sealed)
  return text === undefined ? undefined : JSON.parse(Buffer.from(text, 'base64url').toString())
}

function hold(
  request: FastifyRequest,
  fields: FormFields,
  { heldFormBytes, heldFormFields }: HeldFormLimits,
): HeldForm | 'too-large' | undefined {
  // A whole address, as it is sent to proxies, or one that a browser would take for another host.
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

async function readFields(
  request: FastifyRequest,
  { heldFormBytes: most, heldFormFields }: HeldFormLimits,
): Promise<FormFields | 'too-large'> {
  const chunks: Buffer[] = []
  let bytes = 0
  askForBody(request.raw)
  try {
    for await (const chunk of request.raw) {
      bytes += chunk.length
      // What is still to come is read and thrown away: a browser shows no answer before it has sent everything.
      if (bytes <= most) chunks.push(chunk)
    }
  } catch (error) {
    throw new Problem('bad-request', 'The form broke off before its end.', { cause: error })
  }
  const body = Buffer.concat(chunks)
  return bytes > most || hasMoreFields(body, heldFormFields) ? 'too-large' : new FormFields(decodeBody(body))
}

/** Ends the reading as soon as the fields are there. */
class FieldsRead extends Error {}

async function readUploadFields(
  request: FastifyRequest,
  { heldFormBytes: most, heldFormFields }: HeldFormLimits,
): Promise<FormFields | 'too-large' | undefined> {
  try {
    await receiveForm(request, {
      fileFields: [],
      mostFiles: 100,
      fileBytes: 0,
      fieldBytes: most,
      textBytes: most,
      mostFields: heldFormFields,
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
