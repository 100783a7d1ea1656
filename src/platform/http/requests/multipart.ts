import { TextDecoder } from 'node:util'
import { Problem } from '../../core/problems.ts'

/** A part of a form, described by its headers; `content` must be read before the next part. */
export interface FormPart {
  field: string
  /** Undefined for a text field; empty if no file was chosen. */
  fileName: string | undefined
  /** In lower case and without parameters. */
  type: string
  charset: string | undefined
  content: AsyncIterable<Buffer>
}

/** Maximum size of a part's headers. */
const headerBytes = 16_384

/** RFC 2046 allows 70. */
const boundaryLength = 200

const blankLine = Buffer.from('\r\n\r\n')

/**
 * Reads multipart/form-data (RFC 7578) part by part, in constant memory. Malformed input throws: no part is skipped,
 * and a form ends only with its closing delimiter. Text before the first part and after the last is skipped, up to a
 * limit.
 */
export async function* readParts(
  source: AsyncIterable<Buffer>,
  contentType: string | undefined,
): AsyncGenerator<FormPart, void> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  const chunks = source[Symbol.asyncIterator]()
  // A virtual line end before the first byte, where the first delimiter may be.
  let unread: Buffer = Buffer.from('\r\n')
  let isInContent = true

  async function nextPiece(): Promise<Buffer> {
    const { done, value } = await chunks.next()
    if (done) throw brokenOff()
    return value
  }

  async function readMore(): Promise<void> {
    unread = Buffer.concat([unread, await nextPiece()])
  }

  /**
   * Yields everything before the next delimiter and consumes the delimiter. Copies only the few bytes where two pieces
   * meet: copies become garbage, whose collection took a fifth of the work for an upload.
   */
  async function* readContent(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const end = unread.indexOf(delimiter)
      // The last bytes may be the beginning of a delimiter.
      const certain = end === -1 ? Math.max(0, unread.length - delimiter.length + 1) : end
      const content = unread.subarray(0, certain)
      unread = unread.subarray(end === -1 ? certain : end + delimiter.length)
      isInContent = end === -1
      if (content.length > 0) yield content
      if (!isInContent) return
      const rest = unread
      const piece = await nextPiece()
      // Contains all of a delimiter that begins in the rest, unless the piece is too short.
      const seam = Buffer.concat([rest, piece.subarray(0, delimiter.length - 1)])
      const start = seam.indexOf(delimiter)
      if (start === -1 && piece.length < delimiter.length - 1) {
        unread = seam
        continue
      }
      isInContent = start === -1
      const before = isInContent ? rest : rest.subarray(0, start)
      unread = isInContent ? piece : piece.subarray(start + delimiter.length - rest.length)
      if (before.length > 0) yield before
      if (!isInContent) return
    }
  }

  async function readHead(): Promise<string> {
    for (;;) {
      const end = unread.indexOf(blankLine)
      const next = unread.indexOf(delimiter)
      if (next !== -1 && (end === -1 || next < end + blankLine.length)) throw unreadablePart()
      const length = end === -1 ? unread.length - blankLine.length : end
      if (length > headerBytes) throw unreadablePart()
      // Wait for the length of a delimiter: whether one follows immediately must not depend on how the bytes arrive.
      if (end !== -1 && unread.length >= end + blankLine.length + delimiter.length) {
        const head = unread.toString('utf8', 0, end)
        unread = unread.subarray(end + blankLine.length)
        return head
      }
      await readMore()
    }
  }

  /** No client sends more than a few words before the first part. */
  async function skipContent(): Promise<void> {
    let bytes = 0
    for await (const { length } of readContent()) {
      bytes += length
      if (bytes > headerBytes) throw unreadablePart()
    }
  }

  async function skipEpilogue(): Promise<void> {
    let bytes = unread.length
    for (;;) {
      if (bytes > headerBytes) throw unreadablePart()
      const { done, value } = await chunks.next()
      if (done) return
      bytes += value.length
    }
  }

  for (;;) {
    // Skips the preamble before the first delimiter, and the unread rest of a part.
    if (isInContent) await skipContent()
    while (unread.length < 2) await readMore()
    if (unread.toString('latin1', 0, 2) === '--') return skipEpilogue()
    const headers = readHeaders(await readHead())
    isInContent = true
    yield { ...describe(headers), content: decode(readContent(), headers.get('content-transfer-encoding')) }
  }
}

function boundaryOf(contentType = ''): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;,"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined || boundary.length > boundaryLength) {
    throw new Problem('bad-request', 'The form cannot be read, because its boundary is missing or too long.')
  }
  return boundary
}

/** The first line is the rest of the delimiter line, which may end in spaces. */
function readHeaders(head: string): Map<string, string> {
  const headers = new Map<string, string>()
  const [first = '', ...lines] = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  if (first.trim() !== '') throw unreadablePart()
  for (const line of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined || headers.has(name.toLowerCase())) throw unreadablePart()
    headers.set(name.toLowerCase(), value.trimEnd())
  }
  return headers
}

function describe(headers: ReadonlyMap<string, string>): Omit<FormPart, 'content'> {
  const parameters = dispositionOf(headers.get('content-disposition'))
  const field = parameters.get('name')
  if (field === undefined) throw unreadablePart()
  const [type = '', ...rest] = (headers.get('content-type') ?? 'text/plain').split(';')
  const charset = /^\s*charset\s*=\s*"?([^\s"]+)/i
  return {
    field,
    fileName: fileNameOf(parameters),
    type: type.trim().toLowerCase(),
    charset: rest.map(parameter => charset.exec(parameter)?.[1]).find(value => value !== undefined),
  }
}

const parameter = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/gs

/** Old browsers send paths with single backslashes, so a backslash escapes only quotes and backslashes. */
function dispositionOf(value: string | undefined): Map<string, string> {
  const parameters = new Map<string, string>()
  const [, list] = /^form-data\s*(;.*)?$/is.exec(value ?? '') ?? []
  const rest = list?.replaceAll(parameter, (_, name: string, quoted?: string, plain = '') => {
    parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain.trim())
    return ''
  })
  if (rest === undefined || !/^[;\s]*$/.test(rest)) throw unreadablePart()
  return parameters
}

/** `filename*` is not for forms (RFC 7578), but widely used libraries send it. */
function fileNameOf(parameters: ReadonlyMap<string, string>): string | undefined {
  const extended = parameters.get('filename*')
  // Browsers percent-encode exactly these three characters.
  if (extended === undefined) return parameters.get('filename')?.replaceAll(/%(?:0A|0D|22)/gi, decodeURI)
  const [, charset, text] = /^([\w-]+)'[^']*'(.*)$/.exec(extended) ?? []
  const bytes = text?.replaceAll(/%([\dA-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (charset === undefined || bytes === undefined) throw unreadablePart()
  return textIn(Buffer.from(bytes, 'latin1'), charset)
}

/** Decodes bytes in a declared charset. */
export function textIn(bytes: Uint8Array, charset: string): string {
  const decoder = decoderOf(charset)
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new Problem('bad-request', `A part of the form is not in ${decoder.encoding}.`, { cause: error })
  }
}

export function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch (error) {
    const detail = 'A part of the form has an unsupported charset. Send it in UTF-8.'
    throw new Problem('unsupported-media-type', detail, { cause: error })
  }
}

function decode(content: AsyncIterable<Buffer>, encoding = 'binary'): AsyncIterable<Buffer> {
  switch (encoding.toLowerCase()) {
    case '7bit':
    case '8bit':
    case 'binary':
      return content
    case 'base64':
      return decodeBase64(content)
    case 'quoted-printable':
      return decodeQuotedPrintable(content)
    default:
      throw new Problem(
        'unsupported-media-type',
        'The Content-Transfer-Encoding of a part must be base64, quoted-printable, 7bit, 8bit or binary.',
      )
  }
}

async function* decodeBase64(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let kept = ''
  for await (const chunk of content) {
    const text = kept + chunk.toString('latin1').replaceAll(/[\r\n\t ]/g, '')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw badEncoding('base64')
    // Keeps padding, so that data after it is detected.
    const whole = text.endsWith('=') ? 0 : text.length - (text.length % 4)
    kept = text.slice(whole)
    yield Buffer.from(text.slice(0, whole), 'base64')
  }
  if (kept.length % 4 !== 0) throw badEncoding('base64')
  yield Buffer.from(kept, 'base64')
}

async function* decodeQuotedPrintable(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let kept = ''
  for await (const chunk of content) {
    const text = kept + chunk.toString('latin1')
    const last = text.lastIndexOf('=')
    // An escape has three characters, and a chunk may end within it.
    const whole = last === -1 || last < text.length - 2 ? text.length : last
    kept = text.slice(whole)
    yield unescapeQuotedPrintable(text.slice(0, whole))
  }
  // A final soft line break continues into the delimiter line.
  if (kept !== '' && kept !== '=') throw badEncoding('quoted-printable')
}

function unescapeQuotedPrintable(text: string): Buffer {
  const bytes = text.replaceAll(/=(?:([\dA-F]{2})|\r?\n)?/gi, (sent, hex?: string) => {
    if (sent === '=') throw badEncoding('quoted-printable')
    return hex === undefined ? '' : String.fromCharCode(Number.parseInt(hex, 16))
  })
  return Buffer.from(bytes, 'latin1')
}

function badEncoding(encoding: string): Problem {
  return new Problem('bad-request', `A part of the form is not in ${encoding}, as its headers say.`)
}

export function brokenOff(): Problem {
  return new Problem('bad-request', 'The upload was not sent completely. Send it again.')
}

function unreadablePart(): Problem {
  const help =
    'Each part needs a Content-Disposition with a name, without line breaks in it, and an empty line after its headers.'
  return new Problem('bad-request', `A part of the form cannot be read. ${help}`)
}
