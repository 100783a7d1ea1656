import { type Html, html } from '../../../platform/web/html.ts'
import { withCode } from '../markup.ts'
import { type OpenApiDocument, refName, resolved, type Schema, variantsOf } from './openapi.ts'

export const schemaPath = '/docs/reference/schemas'

/** The type of a value in a few words. A named schema links to its description. */
export function typeOf(schema: Schema): Html | string {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref)
    return html`<a href="${schemaPath}#schema-${name}">${name}</a>`
  }
  if (schema.enum !== undefined) return joined(schema.enum.map(codeOf), ' or ')
  if (schema.const !== undefined) return codeOf(schema.const)
  const variants = variantsOf(schema)
  if (variants.length > 0) return joined(variants.map(typeOf), schema.allOf === undefined ? ' or ' : ' and ')
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}`
  if (typeof schema.additionalProperties === 'object')
    return html`object with values of type ${typeOf(schema.additionalProperties)}`
  const type = [schema.type ?? 'anything'].flat().join(' or ')
  return schema.format === undefined ? type : `${type} (${schema.format})`
}

const codeOf = (value: unknown) =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`

function joined(parts: readonly (Html | string)[], by: string): Html {
  return html`${parts.map((part, index) => html`${index > 0 && by}${part}`)}`
}

/** The notes on a value, including those of its variants. */
export function notesOn(schema: Schema): Html {
  const all = [schema, ...variantsOf(schema), ...(schema.items === undefined ? [] : [schema.items])]
  const notes = all.flatMap(each => [
    ...(each.description === undefined ? [] : [withCode(each.description)]),
    ...boundsOf(each),
  ])
  return html`${notes.map(each => html` ${each}`)}`
}

/** Omits patterns, which are for programs: descriptions and examples say the same to readers. */
function boundsOf(schema: Schema): (Html | string)[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, examples = [] } = schema
  const notes = [
    boundsInWords(minimum, maximum, ''),
    boundsInWords(minLength, maxLength, ' characters'),
    boundsInWords(minItems, maxItems, ' entries'),
    schema.default !== undefined && html`Default: ${codeOf(schema.default)}.`,
    examples.length > 0 && html`Example: ${joined(examples.map(codeOf), ' or ')}.`,
  ]
  return notes.filter(each => each !== false)
}

function boundsInWords(min: number | undefined, max: number | undefined, unit: string): string | false {
  if (min === undefined) return max !== undefined && `At most ${max}${unit}.`
  return max === undefined ? `At least ${min}${unit}.` : `${min} to ${max}${unit}.`
}

/** The properties of an object, of list items, or of each variant of a value. */
export function propertiesOf(
  document: OpenApiDocument,
  schema: Schema,
  trail: readonly string[] = [],
): Html | false {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref)
    // A recursive schema is shown as a link to itself.
    return !trail.includes(name) && propertiesOf(document, resolved(document, schema), [...trail, name])
  }
  const within = (inner: Schema) => propertiesOf(document, inner, trail)
  const forms = variantsOf(schema)
    .map(within)
    .filter(form => form !== false)
  if (forms.length === 1) return forms[0] ?? false
  if (forms.length > 1) {
    const label = (number: number) => (schema.allOf === undefined ? `Variant ${number}` : `Part ${number}`)
    return html`<ol class="forms">${forms.map((form, index) => html`<li><span class="quiet">${label(index + 1)}</span>${form}</li>`)}</ol>`
  }
  if (schema.items !== undefined) return within(schema.items)
  const extra = typeof schema.additionalProperties === 'object' && within(schema.additionalProperties)
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) return extra
  return html`<ul class="schema">${properties.map(
    ([name, property]) =>
      html`<li><code class="key">${name}</code> <span class="quiet">${typeOf(property)}${schema.required?.includes(name) === true && html`, required`}</span>${notesOn(property)}${within(property)}</li>`,
  )}</ul>${extra}`
}
