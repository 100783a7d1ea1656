import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { invalidField } from '../../core/fields.ts'
import { Problem } from '../../core/problems.ts'
import { sizeInWords } from '../../core/size-in-words.ts'
import { askForBody } from './expectations.ts'
import { FormFields } from './form.ts'
import { brokenOff, decoderOf, type FormPart, readParts, textIn } from './multipart.ts'

export interface SentFile {
  /** As the sender calls it. */
  name: string
  /** Rejects when the file is too large or the request breaks off; ends only when the whole request is there. */
  content: AsyncIterable<Uint8Array>
}

export interface SentForm<File> {
  fields: FormFields
  /** By the name of their field; fields in which nothing was chosen are left out. */
  files: ReadonlyMap<string, File>
}

export interface FormOptions<File> {
  /** Fields that may hold a file, each once. */
  fileFields: readonly string[]
  /** As many as there are fields for them, unless it is not known which those are. */
  mostFiles?: number
  fileBytes: number
  /** Of one text field. */
  fieldBytes: number
  /** Of all text fields together, which are held in memory until the form is whole. */
  textBytes: number
  mostFields: number
  /** Fields whose text may come as a file, as curl sends it from a file. */
  textFields?: readonly string[]
  /** Sees the fields that came before the first file, and throws when the form is not to be read any further. */
  checkFields(fields: FormFields): void
  take(field: string, file: SentFile): Promise<File>
  /** Undoes a `take` that has ended well, when something else of the form is wrong. */
  discard(file: File): Promise<void>
}

/**
 * A form with files in it, each handed on piece by piece while it arrives. Whatever goes wrong ends every `take`
 * first, so that all is cleaned up when the answer is written; what is still to come is read and thrown away,
 * because a browser shows no answer before it has sent everything.
 */
export async function receiveForm<File>(
  request: FastifyRequest,
  options: FormOptions<File>,
): Promise<SentForm<File>> {
  const source = request.raw
  const body = new PassThrough()
  const whole = Promise.withResolvers<void>()
  const pairs: [string, string][] = []
  const taken = new Map<string, Promise<File>>()
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

  function checkFields(): void {
    request.sentFields = FormFields.of(pairs)
    options.checkFields(request.sentFields)
  }

  async function readForm(): Promise<void> {
    const { mostFiles = options.fileFields.length, textFields = [] } = options
    let [files, textBytes] = [0, 0]
    for await (const part of readParts(body, request.headers['content-type'])) {
      const isFile =
        !textFields.includes(part.field) &&
        (part.type === 'application/octet-stream' || part.fileName !== undefined)
      if (isFile) files += 1
      // One file more than is taken, so that one too many is named.
      if (files > mostFiles + 1 || (!isFile && pairs.length === options.mostFields)) {
        throw new Problem('invalid-fields', 'The form has more parts than can be taken.')
      }
      if (isFile) await readFile(part)
      else textBytes += await readText(part, options.textBytes - textBytes)
    }
  }

  /** Returns how many bytes it has. */
  async function readText({ field, charset = 'utf-8', content }: FormPart, left: number): Promise<number> {
    const chunks: Uint8Array[] = []
    for await (const chunk of within(content, field, options.fieldBytes, 'field')) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (bytes.length > left) throw tooLarge(field, 'form', options.textBytes)
    pairs.push([field, textIn(bytes, charset)])
    return bytes.length
  }

  /** Resolves when the next part may be read, which is before the file is taken. */
  async function readFile(part: FormPart): Promise<void> {
    const { field, fileName: name = '' } = part
    if (name === '') return readNothing(part)
    if (taken.size === 0) checkFields()
    if (!options.fileFields.includes(field)) {
      throw invalidField(field, 'unknown', `There is no file called ${field} here.`)
    }
    if (taken.has(field)) throw invalidField(field, 'repeated', 'Send one file at a time.')
    refuseOtherCharset(part)
    const read = Promise.withResolvers<void>()
    const content = contentOf(part, options.fileBytes, read.resolve, whole.promise)
    const file = options.take(field, { name, content })
    taken.set(field, file)
    file.catch(fail)
    await Promise.race([read.promise, file])
  }

  askForBody(source)
  source.on('close', onClose)
  source.pipe(body)
  // A caller who hung up before we listened does not do it again.
  if (source.destroyed) onClose()

  try {
    readForm().then(whole.resolve, fail)
    await whole.promise
    stopReading()
    if (taken.size === 0) checkFields()
    const fields = FormFields.of(pairs)
    const files = await Promise.all([...taken].map(async ([field, file]) => [field, await file] as const))
    return { fields, files: new Map(files) }
  } catch (error) {
    for (const { status, value } of await settled(taken))
      if (status === 'fulfilled') await options.discard(value)
    throw error
  } finally {
    source.off('close', onClose)
  }
}

async function settled<File>(taken: ReadonlyMap<string, Promise<File>>) {
  const results = await Promise.allSettled(taken.values())
  return results.map(result => ({
    status: result.status,
    value: (result as PromiseFulfilledResult<File>).value,
  }))
}

/** What reads text files takes these for what they are; in another charset they would be shown wrong. */
const readCharsets = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']

function refuseOtherCharset({ field, type, charset }: FormPart): void {
  if (charset === undefined || !type.startsWith('text/')) return
  if (readCharsets.includes(decoderOf(charset).encoding)) return
  const message = 'Send text files in UTF-8.'
  throw new Problem('unsupported-media-type', message, { errors: [{ field, code: 'charset', message }] })
}

/** A field in which nothing was chosen, as browsers send it. */
async function readNothing({ field, content }: FormPart): Promise<void> {
  for await (const chunk of content) {
    if (chunk.length > 0) throw invalidField(field, 'name-missing', 'The file has no name.')
  }
}

async function* contentOf(
  { field, content }: FormPart,
  most: number,
  onRead: () => void,
  whole: Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  yield* within(content, field, most, 'file')
  onRead()
  await whole
}

async function* within(
  content: AsyncIterable<Uint8Array>,
  field: string,
  most: number,
  what: 'file' | 'field',
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > most) throw tooLarge(field, what, most)
    yield chunk
  }
}

function tooLarge(field: string, what: 'file' | 'field' | 'form', most: number): Problem {
  const message = `The ${what} may have ${sizeInWords(most)} at most.`
  return new Problem('payload-too-large', message, { errors: [{ field, code: 'too-large', message }] })
}
