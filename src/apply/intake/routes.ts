import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { answerFileType, fileTypes, isDocument, readFileType } from '../../model/application.ts'
import { screenFiles, screenQuestions } from '../../model/questionnaire.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { FormFields } from '../../platform/http/requests/form.ts'
import { readIdempotencyKey } from '../../platform/http/requests/idempotency-key.ts'
import { receiveForm } from '../../platform/http/requests/upload.ts'
import { pathId, route } from '../../platform/http/routes.ts'
import { intakeReadSchema, intakeSchema } from './schemas.ts'
import type { Intake, Sent, Submission } from './service.ts'

interface RouteDeps {
  intake: Intake
  limits: { fileBytes: number; jsonBytes: number }
}

/** The name of the part that contains everything but the files. */
const part = 'application'

/** More than the known parts, so that the error can name the first unknown one. */
const maxFields = 5

const answerParts = Array.from({ length: screenQuestions }, (_, index) => answerFileType(index))

/** Accepts applications from job boards that have their own pages. */
export function intakeRoutes({ intake, limits }: RouteDeps): RouteOptions[] {
  return [
    route({
      method: 'POST',
      url: '/v1/intake/applications',
      auth: 'intake-token',
      body: 'upload',
      schema: intakeSchema,
      handle: async ({ request, reply, caller }) => {
        const key = readIdempotencyKey(request)
        // Claim the key first, so that a request whose key is in use is rejected before its files are read.
        const submission = await intake.begin(caller.clientId, key)
        const { sent, isReplay } = await receive(request, submission)
        if (isReplay) reply.header('idempotent-replayed', 'true')
        return sendReceipt(reply.status(201), sent)
      },
    }),
    route({
      method: 'GET',
      url: '/v1/intake/applications/:id',
      auth: 'intake-token',
      schema: intakeReadSchema,
      handle: async ({ reply, caller, params }) =>
        sendReceipt(reply, await intake.find(caller.clientId, pathId(params.id))),
    }),
  ]

  async function receive(request: FastifyRequest, submission: Submission) {
    try {
      const { fields } = await receiveForm(request, {
        fileFields: [...fileTypes, ...answerParts],
        maxFiles: fileTypes.length + screenFiles,
        fileBytes: limits.fileBytes,
        textFields: [part],
        fieldBytes: limits.jsonBytes,
        textBytes: 2 * limits.jsonBytes,
        maxFields,
        checkFields: sent => submission.open(readApplicationPart(sent)),
        take: submission.take,
        // The submission discards its own files.
        discard: async () => {},
      })
      refuseOthers(fields)
      return await submission.finish()
    } catch (error) {
      await submission.abandon()
      throw error
    }
  }
}

function readApplicationPart(fields: FormFields): unknown {
  refuseOthers(fields)
  const text = fields.get(part)
  if (text === undefined) {
    const why = `Send the part ${part} (JSON), before the files.`
    throw invalidField(part, 'required', why)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('bad-request', `The part ${part} is not valid JSON.`, { cause: error })
  }
}

function refuseOthers(fields: FormFields): void {
  const other = fields.names().find(name => name !== part)
  if (other !== undefined && readFileType(other) !== undefined) {
    const why = `Send the part ${other} as a file, with a file name. With curl: -F ${other}=@file.`
    throw invalidField(String(other), 'not-a-file', why)
  }
  if (other !== undefined) {
    const parts = [part, ...fileTypes, 'answer-1 and so on'].join(', ')
    throw invalidField(shown(other), 'unknown', `Unknown part. The parts are: ${parts}.`)
  }
  if (fields.repeated() !== undefined) {
    throw invalidField(part, 'repeated', `Send the part ${part} only once.`)
  }
}

/** Makes a name chosen by the caller safe for a response that may be XML. */
function shown(name: string): string {
  return name.slice(0, 50).replaceAll(/[^\w.-]/g, '?')
}

function sendReceipt(reply: FastifyReply, { id, submittedAt, files }: Sent): FastifyReply {
  const shown = files.map(({ type, fileName, size, sha256, scan }) => ({
    type,
    fileName,
    size,
    sha256,
    scan,
  }))
  const answers = shown.filter(({ type }) => !isDocument(type))
  return reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(
      JSON.stringify({
        id,
        submitted: new Date(submittedAt).toISOString(),
        attachments: shown.filter(({ type }) => isDocument(type)),
        ...(answers.length > 0 && { answerFiles: answers }),
      }),
    )
}
