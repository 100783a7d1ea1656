import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { invalidField } from '../../core/fields.ts'
import { Problem } from '../../core/problems.ts'
import { sizeInWords } from '../../core/size-in-words.ts'
import { askForBody } from './expectations.ts'
import { FormFields } from './form.ts'
import { brokenOff, decoderOf, type FormPart, readParts, textIn } from './multipart.ts'

export interface SentFile {
  /** Name as sent by the client. */
  name: string
  /** Rejects if the file is too large or the request is aborted; ends only when the whole request has arrived. */
  content: AsyncIterable<Uint8Array>
}

export interface SentForm<Field extends string, File, Checked> {
  fields: FormFields
  /** The result of `checkFields`. */
  checked: Checked
  /** Files by field name; omits fields without a chosen file. */
  files: ReadonlyMap<Field, File>
}

export interface FormOptions<Field extends string, File, Checked> {
  /** Fields that may contain a file, each once. */
  fileFields: readonly Field[]
  /** Defaults to the number of `fileFields`; given if those are unknown. */
  maxFiles?: number
  fileBytes: number
  /** Maximum size of one text field. */
  fieldBytes: number
  /** Maximum size of all text fields together, which are held in memory until the form is complete. */
  textBytes: number
  maxFields: number
  /** Fields whose text may be sent as a file, as curl does. */
  textFields?: readonly string[]
  /** Gets the fields that came before the first file; throws to stop reading the form. */
  checkFields(fields: FormFields): Checked
  take(field: Field, file: SentFile, checked: Checked): Promise<File>
  /** Undoes a successful `take` when another part of the form is invalid. */
  discard(file: NoInfer<File>): Promise<void>
}

/**
 * Receives a form with files, passing each on while it arrives. An error first ends every `take`, so that all files are
 * cleaned up when the response is written. The rest of the request is read and discarded, because browsers show no
 * response before they have sent everything.
 */
export async function receiveForm<Field extends string, File, Checked>(
  request: FastifyRequest,
  options: FormOptions<Field, File, Checked>,
): Promise<SentForm<Field, File, Checked>> {
  const source = request.raw
  const body = new PassThrough()
  const whole = Promise.withResolvers<void>()
  const pairs: [string, string][] = []
  const taken = new Map<Field, Promise<File>>()
  let before: { checked: Checked } | undefined
  // Both are awaited below; until then, do not report them as unhandled.
  whole.promise.catch(() => {})
  body.on('error', () => {})

  function stopReading(error?: unknown): void {
    source.unpipe(body)
    source.resume()
    body.destroy(error as Error | undefined)
  }

  function fail(error: unknown): void {
    whole.reject(error)
    stopReading(error)
  }

  const onClose = () => {
    if (!source.complete) fail(brokenOff())
  }

  function checkFields(): Checked {
    if (before === undefined) {
      request.sentFields = FormFields.of(pairs)
      before = { checked: options.checkFields(request.sentFields) }
    }
    return before.checked
  }

  async function readForm(): Promise<void> {
    const { maxFiles = options.fileFields.length, textFields = [] } = options
    let [files, textBytes] = [0, 0]
    for await (const part of readParts(body, request.headers['content-type'])) {
      const isFile =
        !textFields.includes(part.field) &&
        (part.type === 'application/octet-stream' || part.fileName !== undefined)
      if (isFile) files += 1
      // Reads one file beyond the maximum, so that the error can name it.
      if (files > maxFiles + 1 || (!isFile && pairs.length === options.maxFields)) {
        throw new Problem('invalid-fields', 'The form has too many parts.')
      }
      if (isFile) await readFile(part)
      else textBytes += await readText(part, options.textBytes - textBytes)
    }
  }

  /** Returns the size of the text in bytes. */
  async function readText({ field, charset = 'utf-8', content }: FormPart, left: number): Promise<number> {
    const chunks: Uint8Array[] = []
    for await (const chunk of within(content, field, options.fieldBytes, 'field')) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (bytes.length > left) throw tooLarge(field, 'form', options.textBytes)
    pairs.push([field, textIn(bytes, charset)])
    return bytes.length
  }

  /** Resolves when the next part may be read, which is before `take` has ended. */
  async function readFile(part: FormPart): Promise<void> {
    const { fileName: name = '' } = part
    if (name === '') return readNothing(part)
    const checked = checkFields()
    const field = options.fileFields.find(each => each === part.field)
    if (field === undefined) {
      throw invalidField(part.field, 'unknown', `This form has no file field ${part.field}.`)
    }
    if (taken.has(field)) throw invalidField(field, 'repeated', 'Send only one file in this field.')
    refuseOtherCharset(part)
    const read = Promise.withResolvers<void>()
    const content = contentOf(part, options.fileBytes, read.resolve, whole.promise)
    const file = options.take(field, { name, content }, checked)
    taken.set(field, file)
    file.catch(fail)
    await Promise.race([read.promise, file])
  }

  askForBody(source)
  source.on('close', onClose)
  source.pipe(body)
  // The close event has already fired if the caller disconnected earlier.
  if (source.destroyed) onClose()

  try {
    readForm().then(whole.resolve, fail)
    await whole.promise
    stopReading()
    const checked = checkFields()
    const fields = FormFields.of(pairs)
    const files = await Promise.all([...taken].map(async ([field, file]) => [field, await file] as const))
    return { fields, checked, files: new Map(files) }
  } catch (error) {
    for (const { status, value } of await settled(taken))
      if (status === 'fulfilled') await options.discard(value)
    throw error
  } finally {
    source.off('close', onClose)
  }
}

async function settled<File>(taken: ReadonlyMap<unknown, Promise<File>>) {
  const results = await Promise.allSettled(taken.values())
  return results.map(result => ({
    status: result.status,
    value: (result as PromiseFulfilledResult<File>).value,
  }))
}

/** Charsets that readers of text files recognise; text in others would be shown incorrectly. */
const readCharsets = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']

function refuseOtherCharset({ field, type, charset }: FormPart): void {
  if (charset === undefined || !type.startsWith('text/')) return
  if (readCharsets.includes(decoderOf(charset).encoding)) return
  const message = 'Send text files in UTF-8.'
  throw new Problem('unsupported-media-type', message, { errors: [{ field, code: 'charset', message }] })
}

/** Reads a field without a chosen file, as browsers send it. */
async function readNothing({ field, content }: FormPart): Promise<void> {
  for await (const chunk of content) {
    if (chunk.length > 0) throw invalidField(field, 'name-missing', 'The file has no name.')
  }
}

async function* contentOf(
  { field, content }: FormPart,
  max: number,
  onRead: () => void,
  whole: Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  yield* within(content, field, max, 'file')
  onRead()
  await whole
}

async function* within(
  content: AsyncIterable<Uint8Array>,
  field: string,
  max: number,
  what: 'file' | 'field',
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > max) throw tooLarge(field, what, max)
    yield chunk
  }
}

function tooLarge(field: string, what: 'file' | 'field' | 'form', max: number): Problem {
  const message = `The ${what} must be ${sizeInWords(max)} or smaller.`
  return new Problem('payload-too-large', message, { errors: [{ field, code: 'too-large', message }] })
}
