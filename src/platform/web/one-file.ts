import { Problem } from '../core/problems.ts'
import type { FormFields } from '../http/requests/form.ts'
import { receiveForm, type SentFile } from '../http/requests/upload.ts'
import type { PageAuth } from './page-routes.ts'
import { type Outcome, type UploadCall, valuesOf } from './tab.ts'

/** An act that stores a form's file. If the file is rejected, the page shows the reason at its field. */
export async function storeOneFile<Auth extends PageAuth>(
  { request, checkToken }: Pick<UploadCall<Auth>, 'request' | 'checkToken'>,
  fileBytes: number,
  store: (file: SentFile, fields: FormFields) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const { files } = await receiveForm(request, {
      fileFields: ['file'],
      fileBytes,
      fieldBytes: 4096,
      textBytes: 16_384,
      maxFields: 10,
      checkFields(fields) {
        checkToken(fields.get('form_token'))
        return fields
      },
      take: (_field, file, fields) => store(file, fields),
      // Storing is the last step of the form, so there is never anything to discard.
      discard: async () => {},
    })
    const stored = files.get('file')
    if (stored === undefined) throw new Problem('invalid-fields', 'Choose a file first.')
    return stored
  } catch (error) {
    const isAboutFile =
      error instanceof Problem && ['invalid-fields', 'payload-too-large'].includes(error.code)
    if (!isAboutFile) throw error
    const message = error.errors[0]?.message ?? error.detail
    return {
      status: error.status,
      errors: [{ field: 'file', code: 'rejected', message }],
      values: request.sentFields === undefined ? {} : valuesOf(request.sentFields),
    }
  }
}
