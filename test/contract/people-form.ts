import assert from 'node:assert/strict'
import { type Form, formsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'

export const newcomer = { firstName: 'Ana', lastName: 'Silva', password: 'a few words that fit' }

let people = 0
export const newAddress = () => `person-${++people}@example.net`

/** The form of the people page that does this, to this person when it names one. */
export function formFor(page: Answer, action: string, ...values: string[]): Form {
  const form = formsOf(page.text).find(({ fields }) => {
    const sent = fields.map(([, value]) => value)
    return (
      fields.some(([name, value]) => name === 'action' && value === action) &&
      values.every(each => sent.includes(each))
    )
  })
  assert.ok(form !== undefined, `no form for ${action}: ${page.text}`)
  return form
}
