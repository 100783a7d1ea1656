import type { FastifyRequest } from 'fastify'
import { maxLogoBytes } from '../../core/brand/logo.ts'
import { invalidField } from '../../core/fields.ts'
import { Problem } from '../../core/problems.ts'
import { receiveForm, type SentFile } from './upload.ts'

/** The image of a form that sets a logo; undefined if the button to remove the logo was pressed. */
export async function receiveLogo(
  request: FastifyRequest,
  checkToken: (token: string | undefined) => void,
): Promise<Buffer | undefined> {
  const { files, fields } = await receiveForm(request, {
    fileFields: ['logo'],
    fileBytes: maxLogoBytes,
    fieldBytes: 4096,
    textBytes: 16_384,
    maxFields: 10,
    checkFields: fields => checkToken(fields.get('form_token')),
    take: (_field, file) => bytesOf(file),
    discard: async () => {},
  }).catch(error => {
    if (!(error instanceof Problem) || error.code !== 'payload-too-large') throw error
    throw invalidField('logo', 'too-large', error.detail)
  })
  if (fields.get('action') === 'remove') return undefined
  const logo = files.get('logo')
  if (logo === undefined) throw invalidField('logo', 'required', 'Choose an image file.')
  return logo
}

async function bytesOf({ content }: SentFile): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}
