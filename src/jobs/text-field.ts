import type { JsonFields } from '../core/json-fields.ts'
import { isVisible, textFault } from '../core/text.ts'

export interface TextRules {
  maxLength: number
  /** Must contain something visible. */
  isRequired?: boolean
  /** Must be a single line. */
  isLine?: boolean
}

/** Reads a text of a JSON body, trimmed; '' if it was not sent. */
export function readText(fields: JsonFields, key: string, rules: TextRules): string {
  const sent = fields.optionalText(key)
  // A value of another type has already been rejected.
  return sent === undefined && fields.isSent(key) ? '' : checkText(fields, key, sent ?? '', rules)
}

export function checkText(fields: JsonFields, key: string, sent: string, rules: TextRules): string {
  const { maxLength, isRequired = false, isLine = false } = rules
  const text = sent.replaceAll(/\r\n?/g, '\n').trim()
  const fault = textFault(text, { maxLength, required: false })
  if (fault === 'too-long') {
    fields.refuse(key, fault, `must have ${maxLength} characters or fewer; it has ${text.length}`)
  } else if (fault !== undefined) {
    fields.refuse(key, fault, 'contains a character that JSON or XML cannot represent')
  } else if (isRequired && !isVisible(text)) {
    fields.refuse(key, 'empty', 'must not be empty')
  } else if (isLine && /[\n\t]/.test(text)) {
    fields.refuse(key, 'line-break', 'must be on one line, without tabs')
  }
  return text
}
