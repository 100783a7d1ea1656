import { type Html, type HtmlValue, html } from './html.ts'

/**
 * A sentence or label of a page. Every word that a reader sees is in such a template, so that a catalogue for another
 * language can be extracted. Today it returns its text: HTML unless all its values are strings and numbers.
 */
export function t(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string
export function t(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html
export function t(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html | string {
  if (values.every(isPlain)) return String.raw({ raw: strings }, ...values)
  return html`${strings.map((text, index) => [text, values[index]])}`
}

const isPlain = (value: HtmlValue) => typeof value === 'string' || typeof value === 'number'
