import type { JsonFields } from '../core/json-fields.ts'
import { isVisible, textFault } from '../core/text.ts'

export interface TextRules {
  maxLength: number
  /** Must be there, and show something. */
  isRequired?: boolean
  /** One line; otherwise as many as it takes. */
  isLine?: boolean
}

/** A text of a body, without the blanks around it; empty when it was not sent. */
export function readText(fields: JsonFields, key: string, rules: TextRules): string {
  const sent = fields.optionalText(key)
  // One of another type has been refused already.
  return sent === undefined && fields.isSent(key) ? '' : checkText(fields, key, sent ?? '', rules)
}

export function checkText(fields: JsonFields, key: string, sent: string, rules: TextRules): string {
  const { maxLength, isRequired = false, isLine = false } = rules
  const text = sent.replaceAll(/\r\n?/g, '\n').trim()
  const fault = textFault(text, { maxLength, required: false })
  if (fault === 'too-long') {
    fields.refuse(key, fault, `may have ${maxLength} characters at most; there are ${text.length}`)
  } else if (fault !== undefined) {
    fields.refuse(key, fault, 'holds a character that cannot be written in JSON and XML')
  } else if (isRequired && !isVisible(text)) {
    fields.refuse(key, 'empty', 'must be sent, and must not be empty')
  } else if (isLine && /[\n\t]/.test(text)) {
    fields.refuse(key, 'line-break', 'must be one line, without tabs')
  }
  return text
}
