import { needed, selectField, textArea, textField } from '../../../platform/web/fields.ts'
import { type Html, html } from '../../../platform/web/html.ts'
import type { DocsAddresses } from '../addresses.ts'
import { demoAgent, type RequestExample, requestExamples } from './examples.ts'
import { type Call, callsOf, type OpenApiDocument, type Parameter, type Schema, schemeOf } from './openapi.ts'
import { type Credentials, originOf, pretty } from './request-markup.ts'

interface TryOptions {
  document: OpenApiDocument
  call: Call
  addresses: DocsAddresses
  credentials: Credentials
  /** Only the form fields that the example fills in. */
  isShort?: boolean
}

/** The form of a call. If the client itself can get the token, a second form gets it. */
export function tryForms(options: TryOptions): Html {
  const { document, call, addresses } = options
  const example = requestExamples[call.operationId] ?? {}
  const origin = originOf(call, addresses)
  if (call.operationId === 'authorize') {
    const query = new URLSearchParams(example.parameters).toString()
    return html`<p>This URL is for the candidate’s browser: open it, sign in, and see where you are redirected. <a href="${origin}${call.path}?${query}">Open URL</a></p>`
  }
  // The CSP allows requests only to the same origin.
  if (origin !== addresses.baseUrl)
    return html`<p>The authorization server is at another origin, <code>${origin}</code>, so this page can’t send requests to it. Use the code of the request.</p>`
  const scope = scopeOf(call)
  const token = callsOf(document).find(({ operationId }) => operationId === 'token')
  const isOffered = scope !== undefined && token !== undefined && originOf(token, addresses) === origin
  const credentials = {
    ...options.credentials,
    ...(addresses.isDemo && scope === 'm_webhooks' && { client: demoAgent }),
  }
  const tokenExample = { form: { grant_type: 'client_credentials', ...(scope && { scope }) } }
  return html`${
    isOffered &&
    html`<details class="token"><summary>Get a token</summary>${tryForm(token, tokenExample, { ...options, credentials, isShort: true })}</details>`
  }
${tryForm(call, example, options)}`
}

/** The scope of the client's own token for this call; undefined if only a candidate can give the token. */
function scopeOf({ operationId, tags }: Call): string | undefined {
  if (operationId === 'complete' || operationId === 'reportPrefillProgress') return ''
  if (tags.includes('Webhooks')) return 'm_webhooks'
  return tags.includes('Intake') ? 'w_applications' : undefined
}

/** Prefilled with the example; `data-` attributes map its fields. Hidden without `reference.js`, which sends it. */
function tryForm(call: Call, example: RequestExample, { addresses, credentials, isShort }: TryOptions): Html {
  const { method, path, operationId } = call
  return html`<form class="try" data-method="${method}" data-path="${path}" data-call="${operationId}" data-origin="${originOf(call, addresses)}" hidden>
<p class="hint">Sent from your browser to this service. What you enter stays on this page until you close it and isn’t stored.</p>
<div class="fields">${credentialFields(call, credentials)}${parameterFields(call, example)}${acceptField(call)}${formFields(call, example, isShort)}</div>
${bodyFields(call, example)}
<div class="actions"><button type="submit">Send request</button></div>
<p class="outcome" role="status"></p><div class="outcome-body"></div></form>
<p class="quiet without-script">The form needs JavaScript.</p>`
}

const plain = html`autocomplete="off" autocapitalize="off" spellcheck="false"`
const at = (attribute: Html) => html`${plain} ${attribute}`

function credentialFields(call: Call, credentials: Credentials): Html[] {
  const scheme = schemeOf(call)
  if (scheme === undefined) return []
  const labels: Record<string, Record<string, string>> = {
    sws: { credential: 'SWS credential' },
    bearer: { token: 'Bearer token' },
    client: { id: 'Client ID', secret: 'Client secret' },
  }
  return Object.entries(labels[scheme] ?? {}).map(([part, label]) =>
    textField({
      name: `${call.operationId}-${scheme}-${part}`,
      label,
      hint:
        part === 'token' ? 'Get one with the form above, or from the candidate: see the guides.' : undefined,
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
    name: 'Accept',
    isRequired: false,
    schema: { enum: types },
    place: 'header',
    value: '',
  })
}

function formFields({ operationId, requestBody }: Call, example: RequestExample, isShort = false): Html[] {
  const { schema } = requestBody?.content['application/x-www-form-urlencoded'] ?? {}
  const properties = Object.entries(schema?.properties ?? {})
  return properties
    .filter(([name]) => !isShort || example.form?.[name] !== undefined)
    .map(([name, property]) =>
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
  return selectField({ ...field, choices, ...(isRequired ? {} : { none: 'not sent' }) })
}

function bodyFields({ operationId, requestBody }: Call, { json, parts }: RequestExample): Html | false {
  const { schema } = requestBody?.content['multipart/form-data'] ?? {}
  if (parts !== undefined && schema !== undefined) {
    const files = Object.keys(schema.properties ?? {}).filter(name => name !== 'application')
    return html`${area(`${operationId}-application`, 'Part application, JSON', html`data-part="application"`, parts.application)}
<div class="fields">${files.map(
      name =>
        html`<div class="field"><label for="${operationId}-${name}">File ${name}</label><input id="${operationId}-${name}" type="file" data-file="${name}"></div>`,
    )}</div>`
  }
  return json !== undefined && area(`${operationId}-body`, 'JSON body', html`data-json`, json)
}

function area(id: string, label: string, attribute: Html, value: unknown): Html {
  return textArea({ name: id, label, value: pretty(value), errors: [], attributes: at(attribute) })
}
