import { Fault, readBy, wrongType } from '../platform/core/input/json-body.ts'
import { Type } from '../platform/core/input/json-schema.ts'
import { type TextRules, textFault, textFaultInWords } from '../platform/core/text.ts'

/** A text in a JSON body, which is trimmed when it is parsed. */
export const text = (rules: TextRules, description?: string) =>
  readBy(shownText(rules, description), sent =>
    sent === undefined || typeof sent === 'string' ? readText(sent ?? '', rules) : wrongType('a string'),
  )

/** A text on one line, without tabs. */
export const line = (maxLength: number, isRequired: boolean, description: string) =>
  text({ maxLength, isRequired, notOnOneLine: /[\n\t]/ }, description)

export function shownText({ maxLength, isRequired = false }: TextRules, description?: string) {
  return Type.String({
    ...(isRequired && { minLength: 1 }),
    maxLength,
    ...(description !== undefined && { description }),
  })
}

export function readText(sent: string, rules: TextRules): string | Fault {
  const text = sent.replaceAll(/\r\n?/g, '\n').trim()
  const fault = textFault(text, rules)
  return fault === undefined ? text : new Fault(fault, textFaultInWords(fault, text, rules))
}
