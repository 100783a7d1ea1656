import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../core/problems.ts'
import { sizeInWords } from '../core/size-in-words.ts'

export interface SentFile {
  /** As the browser sent it. */
  name: string
  /** Rejects when the file is too large or the request breaks off; ends only when the whole request is there. */
  content: AsyncIterable<Uint8Array>
}

export interface UploadOptions<Result> {
  fileBytes: number
  /** Sees the fields that came before the file, and throws when the form is not to be read any further. */
  checkFields(fields: ReadonlyMap<string, string>): void
  take(file: SentFile): Promise<Result>
}

/** The fields beside the file are few and short: a form token. */
const limits = { files: 1, fields: 10, parts: 12, fieldSize: 4096, headerPairs: 20, headerSize: 8192 }

/**
 * A form with one file in it, handed on piece by piece while it arrives. Undefined when no file was chosen.
 * Whatever goes wrong ends `take` first, so that it has cleaned up when the answer is written; what is still to
 * come is read and thrown away, because a browser shows no answer before it has sent everything.
 */
export async function receiveFile<Result>(
  request: FastifyRequest,
  { fileBytes, checkFields, take }: UploadOptions<Result>,
): Promise<Result | undefined> {
  const source = request.raw
  const fields = new Map<string, string>()
  const whole = Promise.withResolvers<void>()
  const parser = createParser(request)
  let stream: Readable | undefined
  let taken: Promise<Result> | undefined

  function fail(error: unknown): void {
    source.unpipe(parser)
    source.resume()
    whole.reject(error)
    stream?.destroy(error as Error)
  }

  const onClose = () => {
    if (!source.complete) fail(new Problem('bad-request', 'The upload broke off before its end.'))
  }

  parser.on('field', (name, value) => fields.set(name, value))
  parser.on('file', (_field, file, name: string | undefined) => {
    // Whoever reads the content is told; without a listener the process would be, too.
    file.on('error', () => {})
    try {
      checkFields(fields)
    } catch (error) {
      fail(error)
      return
    }
    // What a browser sends when nothing was chosen.
    if (name === undefined || name === '') {
      file.resume()
      return
    }
    stream = file
    taken = take({ name, content: contentOf(file, fileBytes, whole.promise) })
    taken.catch(fail)
  })
  parser.on('filesLimit', () => fail(new Problem('invalid-fields', 'Send one file at a time.')))
  parser.on('finish', () => whole.resolve())
  parser.on('error', error => fail(new Problem('bad-request', 'The form cannot be read.', { cause: error })))
  source.on('close', onClose)
  source.pipe(parser)

  try {
    await whole.promise
    if (taken === undefined) checkFields(fields)
    return await taken
  } catch (error) {
    await taken?.catch(() => {})
    throw error
  } finally {
    source.off('close', onClose)
  }
}

function createParser(request: FastifyRequest): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      limits,
    })
  } catch (error) {
    throw new Problem('bad-request', 'The form cannot be read: its boundary is missing.', { cause: error })
  }
}

async function* contentOf(
  file: Readable,
  most: number,
  whole: Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0
  for await (const chunk of file) {
    bytes += chunk.length
    if (bytes > most)
      throw new Problem('payload-too-large', `The file may have ${sizeInWords(most)} at most.`)
    yield chunk
  }
  await whole
}
