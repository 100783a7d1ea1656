import type { JsonFields } from '../core/input/json-fields.ts'
import { type TextRules, textFault, textFaultInWords } from '../core/text.ts'

export const lineBreakOrTab = /[\n\t]/

/** Reads a text of a JSON body, trimmed; '' if it was not sent. */
export function readText(fields: JsonFields, key: string, rules: TextRules): string {
  const sent = fields.optionalText(key)
  // A value of another type has already been rejected.
  return sent === undefined && fields.isSent(key) ? '' : checkText(fields, key, sent ?? '', rules)
}

export function checkText(fields: JsonFields, key: string, sent: string, rules: TextRules): string {
  const text = sent.replaceAll(/\r\n?/g, '\n').trim()
  const fault = textFault(text, rules)
  if (fault !== undefined) fields.refuse(key, fault, textFaultInWords(fault, text, rules))
  return text
}
