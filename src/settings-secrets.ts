import { readFileSync } from 'node:fs'
import { reasonOf } from './platform/core/reason.ts'

/**
 * The secret in a file. An empty file is rejected: without its secret, the service would silently use another database,
 * for instance.
 */
export function secretIn(file: string, name: string, text: string | undefined): string {
  if (text !== undefined) throw new Error(`must not be set together with ${name}`)
  let content: string
  try {
    content = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`must be the path of a file that this user can read (${reasonOf(error)})`)
  }
  if (content === '') throw new Error('must be the path of a file that is not empty')
  return content
}
