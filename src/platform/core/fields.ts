import { type FieldError, Problem } from './problems.ts'
import { lineBreakOrTab, textFault } from './text.ts'

/** A problem with one invalid field. */
export function invalidField(field: string, code: string, message: string): Problem {
  const errors: FieldError[] = [{ field, code, message }]
  return new Problem('invalid-fields', message, { errors })
}

/** For names and labels, which are shown on one line of a page or table. */
export function assertSingleLine(field: string, value: string, maxLength: number): void {
  const fault = textFault(value, { maxLength, isRequired: true, notOnOneLine: lineBreakOrTab })
  if (fault !== undefined) {
    throw invalidField(field, fault, `The ${field} must be one line of 1 to ${maxLength} characters.`)
  }
}
