import { needed, selectField, textArea, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { pretty } from './curl-command.ts'
import { type Call, type Parameter, type Schema, schemeOf } from './openapi.ts'
import type { RequestExample } from './reference-examples.ts'
import { referenceTexts as texts } from './reference-texts.ts'

/**
 * The form that sends a call from the page. It is prefilled with the example, maps its fields with `data-` attributes,
 * and stays hidden without `reference.js`, which sends the request.
 */
interface TryOptions {
  origin: string
  /** A page can send requests only to its own origin. */
  isElsewhere: boolean
  example: RequestExample
  credentials: Record<string, Record<string, string>>
}

export function tryForm(call: Call, options: TryOptions): Html {
  const { method, path, operationId, summary } = call
  const { origin, isElsewhere, example } = options
  if (operationId === 'authorize') {
    const query = new URLSearchParams(example.parameters).toString()
    return html`<h4>${texts.tryIt}</h4><p>${texts.inBrowser} <a href="${origin}${path}?${query}">${texts.open}</a></p>`
  }
  if (isElsewhere) return html`<h4>${texts.tryIt}</h4><p>${texts.elsewhere(origin)}</p>`
  return html`<form class="try card" data-method="${method}" data-path="${path}" data-call="${operationId}" data-origin="${origin}" hidden>
<h4>${texts.tryItFor(summary)}</h4><p class="hint">${texts.tryHint}</p>
<div class="fields">${credentialFields(call, options.credentials)}${parameterFields(call, example)}${acceptField(call)}${formFields(call, example)}</div>
${bodyFields(call, example)}
<div class="actions"><button type="submit">${texts.send}</button></div>
<p class="outcome" role="status"></p><div class="outcome-body"></div></form>`
}

const plain = html`autocomplete="off" autocapitalize="off" spellcheck="false"`
const at = (attribute: Html) => html`${plain} ${attribute}`

function credentialFields(call: Call, credentials: Record<string, Record<string, string>>): Html[] {
  const scheme = schemeOf(call)
  if (scheme === undefined) return []
  const labels: Record<string, Record<string, string>> = {
    sws: { credential: texts.credential },
    bearer: { token: texts.token },
    client: { id: texts.clientId, secret: texts.clientSecret },
  }
  return Object.entries(labels[scheme] ?? {}).map(([part, label]) =>
    textField({
      name: `${call.operationId}-${scheme}-${part}`,
      label,
      hint: part === 'token' ? texts.tokenHint : undefined,
      value: credentials[scheme]?.[part] ?? '',
      errors: [],
      attributes: at(html`data-credential="${scheme}-${part}"`),
    }),
  )
}

function parameterFields({ operationId, parameters = [] }: Call, example: RequestExample): Html[] {
  return parameters.map(parameter => {
    const { name, required = false, schema } = parameter
    return valueField({
      id: `${operationId}-${name}`,
      name,
      isRequired: required,
      schema,
      place: parameter.in,
      value: example.parameters?.[name] ?? '',
    })
  })
}

/** Lets the reader choose among the media types of the response. */
function acceptField({ operationId, responses }: Call): Html | false {
  const types = Object.keys(responses['200']?.content ?? {})
  if (types.length < 2) return false
  return valueField({
    id: `${operationId}-accept`,
    name: texts.accept,
    isRequired: false,
    schema: { enum: types },
    place: 'header',
    value: '',
  })
}

function formFields({ operationId, requestBody }: Call, example: RequestExample): Html[] {
  const { schema } = requestBody?.content['application/x-www-form-urlencoded'] ?? {}
  return Object.entries(schema?.properties ?? {}).map(([name, property]) =>
    valueField({
      id: `${operationId}-${name}`,
      name,
      isRequired: schema?.required?.includes(name) === true,
      schema: property,
      place: 'form',
      value: example.form?.[name] ?? '',
    }),
  )
}

function valueField({
  id,
  name,
  isRequired,
  schema,
  place,
  value,
}: {
  id: string
  name: string
  isRequired: boolean
  schema: Schema
  place: Parameter['in'] | 'form'
  value: string
}): Html {
  const label = isRequired ? needed(html`<code>${name}</code>`) : html`<code>${name}</code>`
  const attributes = at(html`data-${place}="${name}"${isRequired && html` required`}`)
  const field = { id, name, label, value, errors: [], attributes }
  if (schema.enum === undefined) return textField(field)
  const choices = schema.enum.map(each => ({ id: String(each), description: String(each) }))
  return selectField({ ...field, choices, ...(isRequired ? {} : { none: texts.none }) })
}

function bodyFields({ operationId, requestBody }: Call, { json, parts }: RequestExample): Html | false {
  const { schema } = requestBody?.content['multipart/form-data'] ?? {}
  if (parts !== undefined && schema !== undefined) {
    const files = Object.keys(schema.properties ?? {}).filter(name => name !== 'application')
    return html`${area(`${operationId}-application`, texts.part('application'), html`data-part="application"`, parts.application)}
<div class="fields">${files.map(
      name =>
        html`<div class="field"><label for="${operationId}-${name}">${texts.file(name)}</label><input id="${operationId}-${name}" type="file" data-file="${name}"></div>`,
    )}</div>`
  }
  return json !== undefined && area(`${operationId}-body`, texts.jsonBody, html`data-json`, json)
}

function area(id: string, label: string, attribute: Html, value: unknown): Html {
  return textArea({ name: id, label, value: pretty(value), errors: [], attributes: at(attribute) })
}
