import { problems } from '../../../model/problems.ts'
import { type Html, html } from '../../../platform/web/html.ts'
import type { DocsAddresses } from '../addresses.ts'
import { docsAssets } from '../assets-markup.ts'
import { type CodeStyle, codeBlock, codePair, requestBlock, responseTitle } from '../code/code-markup.ts'
import { heading, withCode } from '../markup.ts'
import type { Section } from '../navigation-markup.ts'
import { requestExamples } from './examples.ts'
import {
  type Call,
  type Content,
  type OpenApiDocument,
  type Parameter,
  type Response,
  schemeOf,
} from './openapi.ts'
import { credentialsOf, exampleRequest, originOf } from './request-markup.ts'
import { notesOn, propertiesOf, typeOf } from './schema-markup.ts'
import { tryForms } from './try-markup.ts'

/** The demo's response to the example, recorded by a test. A file has only its headers. */
export interface ResponseExample {
  status: number
  headers: Record<string, string>
  body?: string
}

export interface CallPage {
  document: OpenApiDocument
  call: Call
  addresses: DocsAddresses
  style: CodeStyle
  response: ResponseExample | undefined
}

export const callSections = ({ parameters = [], requestBody }: Call): Section[] => [
  ...(parameters.length > 0 ? [{ id: 'parameters', label: 'Parameters' }] : []),
  ...(requestBody === undefined ? [] : [{ id: 'body', label: 'Body' }]),
  { id: 'try', label: 'Try it' },
  { id: 'responses', label: 'Responses' },
]

/** A page of the reference. It works without scripts; `reference.js` adds the form that sends the request. */
export function callMarkup({ document, call, addresses, style, response }: CallPage): Html {
  const { method, path, operationId, description, parameters = [], requestBody } = call
  const example = requestExamples[operationId] ?? {}
  const credentials = credentialsOf(addresses)
  const request = exampleRequest(call, originOf(call, addresses), example, credentials)
  return html`<div id="reference" data-texts="${JSON.stringify(scriptTexts)}" data-code="${docsAssets.url('request-code.mjs')}">${codePair(
    {
      text: html`<p class="endpoint">${methodBadge(method)} <code>${path}</code></p>
${description !== undefined && html`<p>${withCode(description)}</p>`}
<p><strong>Authentication</strong> ${whoMayCall(document, call)}</p>`,
      code: html`${requestBlock(style, `request-${operationId}`, request)}${response && responseBlock(style, response)}`,
      rest: html`${parameters.length > 0 && html`${heading(2, 'parameters', 'Parameters')}${parameterList(parameters)}`}
${requestBody !== undefined && html`${heading(2, 'body', 'Body')}${contentMarkup(document, requestBody.content)}`}
${heading(2, 'try', 'Try it')}${tryForms({ document, call, addresses, credentials })}
${heading(2, 'responses', 'Responses')}<dl class="answers">${Object.entries(call.responses).map(
        ([status, answer]) =>
          html`<dt><code class="key">${status}</code></dt><dd>${isError(status) ? errorMarkup(answer) : responseMarkup(document, answer)}</dd>`,
      )}</dl>`,
    },
  )}</div>`
}

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

function responseBlock(style: CodeStyle, { status, headers, body }: ResponseExample): Html {
  const type = headers['content-type'] ?? ''
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return codeBlock(style, {
    id: 'response',
    title: responseTitle(status),
    code: body ?? lines.join('\n'),
    grammar: body === undefined ? 'headers' : /json/.test(type) ? 'json' : 'text',
  })
}

function whoMayCall({ components }: OpenApiDocument, call: Call): Html | string {
  const scheme = schemeOf(call)
  return scheme === undefined ? 'None.' : withCode(components.securitySchemes[scheme]?.description ?? scheme)
}

/** Name, place and type on one line, and the description below at full width, however long the type is. */
function parameterList(parameters: readonly Parameter[]): Html {
  return html`<dl class="parameters">${parameters.map(
    ({ name, in: place, required = false, description, schema }) =>
      html`<div><dt><code>${name}</code> <span class="quiet">${places[place]}, ${typeOf(schema)}</span>${required && html` <span class="badge neutral">required</span>`}</dt>
<dd>${description !== undefined && withCode(description)}${notesOn(schema)}</dd></div>`,
  )}</dl>`
}

const isError = (status: string) => Number(status) >= 400

function responseMarkup(document: OpenApiDocument, { description, headers = {}, content }: Response): Html {
  const names = Object.entries(headers)
  return html`<p>${withCode(description)}</p>
${
  names.length > 0 &&
  html`<p class="quiet">Headers</p><ul class="schema">${names.map(([name, header]) => html`<li><code class="key">${name}</code>${header.description !== undefined && html` ${withCode(header.description)}`}</li>`)}</ul>`
}${content === undefined ? html`<p class="quiet">No body.</p>` : contentMarkup(document, content)}`
}

/** All errors share one schema, described once, so each response only links to its codes. */
function errorMarkup({ description, content = {} }: Response): Html {
  const words = description.split('`').map((part, index) => {
    if (index % 2 === 0) return part
    return Object.hasOwn(problems, part)
      ? html`<a href="/docs/errors#${part}"><code>${part}</code></a>`
      : html`<code>${part}</code>`
  })
  const types = Object.entries(content).map(
    ([type, { schema }]) => html`<span>${type} ${typeOf(schema)}</span> `,
  )
  return html`<p>${words}</p><p class="quiet types">${types}</p>`
}

function contentMarkup(document: OpenApiDocument, content: Content): Html {
  return html`<ul class="schema">${Object.entries(content).map(
    ([type, { schema }]) =>
      html`<li><code class="key">${type}</code> <span class="quiet">${typeOf(schema)}</span>${notesOn(schema)}${propertiesOf(document, schema)}</li>`,
  )}</ul>`
}

/** Messages of `reference.js`, which fills in the placeholders. */
const scriptTexts = {
  sending: 'Sending.',
  failed: 'No response: the service is unreachable or the connection was lost. {}',
  answered: '{status} in {time} ms, {size}.',
  headers: 'Response headers',
  body: 'Response body',
  cut: 'Showing the first {} characters of the body.',
  empty: 'The body is empty.',
  save: 'Save file ({})',
  token: 'The token has been filled in as the bearer token.',
}

const places: Record<Parameter['in'], string> = { query: 'query', path: 'path', header: 'header' }
