import type { EpochMs } from '../../core/clock.ts'
import { readId, readJsonObject, readTime } from '../../core/json-fields.ts'
import { Problem } from '../../core/problems.ts'
import { type ApplicationDraft, type FileType, fileTypes } from '../../model/application.ts'
import { readApplication } from '../application-json.ts'

/** A file that a line names: where it lies, and what it is called from now on. */
export interface LineFile {
  type: FileType
  path: string
  fileName: string
  uploadedAt: EpochMs
}

export interface ImportLine {
  advertiserId: number
  submittedAt: EpochMs
  application: Omit<ApplicationDraft, 'files'>
  files: LineFile[]
}

/** What decides a line's place in the order; the rest of the line may still be wrong. */
export interface LinePlace {
  advertiserId: number
  at: EpochMs
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Undefined when the line has no place. That must never hang on a setting: a later run must find the same order. */
export function placeOfLine(content: Uint8Array): LinePlace | undefined {
  try {
    const value = JSON.parse(decoder.decode(content))
    const advertiserId = readId(value?.advertiserId)
    const at = readTime(value?.submitted)
    return advertiserId === undefined || at === undefined ? undefined : { advertiserId, at }
  } catch {
    return undefined
  }
}

/** Throws with everything that is wrong in the line. */
export function readLine(content: Uint8Array, now: EpochMs): ImportLine {
  return readJsonObject(parse(content), fields => {
    const advertiserId = fields.id('advertiserId')
    const submittedAt = fields.time('submitted')
    if (submittedAt > now) fields.refuse('submitted', 'in-the-future', 'must not lie in the future')
    const files = fields.list('files', file => {
      const path = file.text('path')
      const uploadedAt = file.optionalTime('uploaded') ?? submittedAt
      if (uploadedAt > now) file.refuse('uploaded', 'in-the-future', 'must not lie in the future')
      return {
        type: file.oneOf('type', fileTypes),
        path,
        fileName: file.optionalText('fileName') ?? path,
        uploadedAt,
      }
    })
    if (new Set(files.map(({ type }) => type)).size < files.length) {
      fields.refuse('files', 'repeated', 'may hold each type once')
    }
    return { advertiserId, submittedAt, application: readApplication(fields), files }
  })
}

function parse(content: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(content)
  } catch {
    throw new Problem('invalid-fields', 'It is not UTF-8.')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('invalid-fields', 'It is not JSON.')
  }
}

/** Of a line that is wrong in a hundred places, the first few are enough to see what is the matter. */
const errorsTold = 5

/** Why a line was refused, on one line. */
export function reasonOfProblem({ errors, detail }: Problem): string {
  if (errors.length === 0) return detail
  const told = errors
    .slice(0, errorsTold)
    .map(({ field, message }) => (message.startsWith(field) ? message : `${field}: ${message}`))
  return [...told, ...(errors.length > told.length ? ['And more.'] : [])].join(' ')
}
