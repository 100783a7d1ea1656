import { type FieldError, Problem } from '../platform/core/problems.ts'

/** Turns the problems that a page can show into return values; everything else is rethrown. */

export async function checked<Result>(
  act: () => Result | Promise<Result>,
): Promise<{ result: Result } | { errors: readonly FieldError[] }> {
  try {
    return { result: await act() }
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid-fields') return { errors: error.errors }
    throw error
  }
}

/** Undefined if the entry does not exist or belongs to another advertiser. */
export async function ifFound<Entry>(find: () => Promise<Entry>): Promise<Entry | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof Problem && error.code === 'not-found') return undefined
    throw error
  }
}
