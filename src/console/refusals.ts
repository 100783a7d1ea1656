import { type FieldError, Problem } from '../core/problems.ts'

/** Refusals that a page has a place for, as values; whatever else is thrown goes on its way. */

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

/** Undefined for what is not there, or not theirs. */
export async function ifFound<Entry>(find: () => Promise<Entry>): Promise<Entry | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof Problem && error.code === 'not-found') return undefined
    throw error
  }
}
