import { type ApplicationDraft, type FileType, fileTypes } from '../../model/application.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import {
  closedObject,
  numericId,
  optional,
  readId,
  readJson,
  readTime,
  time,
} from '../../platform/core/input/json-body.ts'
import { Type } from '../../platform/core/input/json-schema.ts'
import { Problem } from '../../platform/core/problems.ts'
import { applicant, draftOf, ResultBody } from '../application-json.ts'

/** A file that a line refers to: its path and the name it will have. */
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

/** The values that determine a line's place in the order; the rest of the line may still be invalid. */
export interface LinePlace {
  advertiserId: number
  at: EpochMs
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Undefined if the line has no place. Must not depend on any setting, because a later run must find the same order. */
export function placeOfLine(content: Uint8Array): LinePlace | undefined {
  try {
    const value = JSON.parse(decoder.decode(content))
    const advertiserId = readId(value?.advertiserId)
    const at = readTime(value?.submitted)
    return advertiserId === undefined || at === undefined ? undefined : { advertiserId, at }
  } catch {
    // `readLine` reports the errors.
    return undefined
  }
}

const Line = closedObject({
  advertiserId: numericId('The advertiser.'),
  submitted: time(),
  files: optional(
    Type.Array(
      closedObject({
        type: Type.Enum([...fileTypes]),
        path: Type.String(),
        fileName: optional(Type.String()),
        uploaded: optional(time()),
      }),
    ),
  ),
  ...applicant,
  screen: optional(closedObject({ result: ResultBody })),
})

/** Parses a line; throws with all its errors. */
export function readLine(content: Uint8Array, now: EpochMs): ImportLine {
  const {
    advertiserId,
    submitted,
    files = [],
    screen,
    ...sent
  } = readJson(Line, parse(content), {
    rules({ submitted: at = 0, files: named = [] }, refuse) {
      if (at > now) refuse('submitted', 'in-the-future', 'must not be in the future')
      named.forEach(({ uploaded = 0 }, index) => {
        if (uploaded > now) refuse(`files[${index}].uploaded`, 'in-the-future', 'must not be in the future')
      })
      if (new Set(named.map(({ type }) => type)).size < named.length) {
        refuse('files', 'repeated', 'must contain each type at most once')
      }
    },
  })
  return {
    advertiserId,
    submittedAt: submitted,
    application: { ...draftOf(sent), ...(screen && { screen: screen.result }) },
    files: files.map(({ type, path, fileName = path, uploaded: uploadedAt = submitted }) => ({
      type,
      path,
      fileName,
      uploadedAt,
    })),
  }
}

function parse(content: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(content)
  } catch {
    throw new Problem('invalid-fields', 'The line is not UTF-8.')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('invalid-fields', 'The line is not JSON.')
  }
}

/** The first few errors of a line are enough to find the cause. */
const maxErrors = 5

/** Why a line was rejected, as one line of text. */
export function reasonOfProblem({ errors, detail }: Problem): string {
  if (errors.length === 0) return detail
  const shown = errors
    .slice(0, maxErrors)
    .map(({ field, message }) => (message.startsWith(field) ? message : `${field}: ${message}`))
  return [...shown, ...(errors.length > shown.length ? ['There are more errors.'] : [])].join(' ')
}
