import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { invalidField } from '../core/fields.ts'
import { Problem } from '../core/problems.ts'
import { sizeInWords } from '../core/size-in-words.ts'
import { FormFields } from './form.ts'

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
  const whole = Promise.withResolvers<void>()
  // Told to whoever awaits it below; until then it is nobody's.
  whole.promise.catch(() => {})
  const parser = createParser(request, options)
  const pairs: [string, string][] = []
  const taken = new Map<string, Promise<File>>()
  const underWay = new Set<Readable>()
  let seen = 0
  let textBytes = 0

  function fail(error: unknown): void {
    source.unpipe(parser)
    source.resume()
    whole.reject(error)
    for (const file of underWay) file.destroy(error as Error)
  }

  const onClose = () => {
    if (!source.complete) fail(new Problem('bad-request', 'The upload broke off before its end.'))
  }

  function onField(name: string | undefined, value: string, _isNameCut: boolean, isCut: boolean): void {
    seen += 1
    textBytes += Buffer.byteLength(value)
    if (name === undefined) fail(unreadablePart())
    else if (textBytes > options.textBytes) fail(tooLarge(name, 'form', options.textBytes))
    else if (isCut) fail(tooLarge(name, 'field', options.fieldBytes))
    else pairs.push([name, value])
  }

  function onFile(field: string | undefined, file: Readable, name: string | undefined): void {
    seen += 1
    underWay.add(file)
    file.once('close', () => underWay.delete(file))
    // Whoever reads the content is told; without a listener the process would be, too.
    file.on('error', () => {})
    if (field === undefined) {
      fail(unreadablePart())
      return
    }
    const isNamed = name !== undefined && name !== ''
    const work = isNamed ? take(field, file, name) : readNothing(field, file)
    work.catch(fail)
  }

  function checkFields(): void {
    request.sentFields = FormFields.of(pairs)
    options.checkFields(request.sentFields)
  }

  async function take(field: string, file: Readable, name: string): Promise<void> {
    if (taken.size === 0) checkFields()
    if (!options.fileFields.includes(field)) {
      throw invalidField(field, 'unknown', `There is no file called ${field} here.`)
    }
    if (taken.has(field)) throw invalidField(field, 'repeated', 'Send one file at a time.')
    const ended = options.take(field, {
      name,
      content: contentOf(file, field, options.fileBytes, whole.promise),
    })
    taken.set(field, ended)
    await ended
  }

  parser.on('field', onField)
  parser.on('file', onFile)
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    parser.on(limit, () => fail(new Problem('invalid-fields', 'The form has more parts than can be taken.')))
  }
  parser.on('finish', () => {
    // What it cannot read the parser leaves out without a word; nobody may be told that it was taken.
    if (seen === partsIn(parser)) whole.resolve()
    else fail(unreadablePart())
  })
  parser.on('error', error => fail(new Problem('bad-request', 'The form cannot be read.', { cause: error })))
  source.on('close', onClose)
  source.pipe(parser)
  // Whoever hung up before we listened will not do it again.
  if (source.destroyed) onClose()

  try {
    await whole.promise
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

function createParser<File>(
  request: FastifyRequest,
  {
    fileFields,
    mostFiles: files = fileFields.length,
    textFields = [],
    fieldBytes,
    mostFields,
  }: FormOptions<File>,
): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      limits: {
        // One more of each than is taken, so that one too many is seen.
        files: files + 1,
        fields: mostFields,
        parts: files + mostFields + 1,
        fieldSize: fieldBytes,
        headerPairs: 100,
        headerSize: 16_384,
      },
      // What is to be read as text is there before the next part begins, however it was sent.
      isPartAFile: (field, type, name) =>
        !textFields.includes(field ?? '') && (type === 'application/octet-stream' || name !== undefined),
    })
  } catch (error) {
    throw new Problem('bad-request', 'The form cannot be read: its boundary is missing.', { cause: error })
  }
}

/** Private to it, and known nowhere else; a test sees whether it is still there. */
function partsIn(parser: InstanceType<typeof Busboy>): number | undefined {
  return (parser as unknown as { _parser?: { _nparts?: number } })._parser?._nparts
}

function unreadablePart(): Problem {
  const help = 'Each needs a Content-Disposition with a name, without line breaks in it.'
  return new Problem('bad-request', `A part of the form cannot be read. ${help}`)
}

/** A field in which nothing was chosen, as browsers send it. */
async function readNothing(field: string, file: Readable): Promise<void> {
  for await (const chunk of file) {
    if (chunk.length > 0) throw invalidField(field, 'name-missing', 'The file has no name.')
  }
}

async function* contentOf(
  file: Readable,
  field: string,
  most: number,
  whole: Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  yield* within(file, field, most)
  await whole
}

async function* within(file: Readable, field: string, most: number): AsyncGenerator<Uint8Array, void> {
  let bytes = 0
  for await (const chunk of file) {
    bytes += chunk.length
    if (bytes > most) throw tooLarge(field, 'file', most)
    yield chunk
  }
}

function tooLarge(field: string, what: 'file' | 'field' | 'form', most: number): Problem {
  const message = `The ${what} may have ${sizeInWords(most)} at most.`
  return new Problem('payload-too-large', message, { errors: [{ field, code: 'too-large', message }] })
}
