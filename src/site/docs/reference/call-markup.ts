import { isProblemCode } from '../../../core/problems.ts'
import { assetUrl } from '../../../web/assets.ts'
import { type Html, html } from '../../../web/html.ts'
import type { DocsAddresses } from '../addresses.ts'
import { type CodeStyle, codeBlock, codePair, requestBlock } from '../code/code-markup.ts'
import { heading, withCode } from '../markup.ts'
import type { Section } from '../navigation-markup.ts'
import { docsTexts } from '../texts.ts'
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
import { referenceTexts as texts } from './texts.ts'
import { tryForms } from './try-markup.ts'

/** What the demo returns to the example, recorded by a test. A file has only its headers. */
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
  ...(parameters.length > 0 ? [{ id: 'parameters', label: texts.parameters }] : []),
  ...(requestBody === undefined ? [] : [{ id: 'body', label: texts.body }]),
  { id: 'try', label: texts.tryIt },
  { id: 'responses', label: texts.answers },
]

/** A page of the reference. It works without scripts; `reference.js` adds the form that sends the request. */
export function callMarkup({ document, call, addresses, style, response }: CallPage): Html {
  const { method, path, operationId, description, parameters = [], requestBody } = call
  const example = requestExamples[operationId] ?? {}
  const credentials = credentialsOf(addresses)
  const request = exampleRequest(call, originOf(call, addresses), example, credentials)
  return html`<div id="reference" data-texts="${JSON.stringify(texts.script)}" data-code="${assetUrl('request-code.mjs')}">${codePair(
    {
      text: html`<p class="endpoint">${methodBadge(method)} <code>${path}</code></p>
${description !== undefined && html`<p>${withCode(description)}</p>`}
<p><strong>${texts.authentication}</strong> ${whoMayCall(document, call)}</p>`,
      code: html`${requestBlock(style, `request-${operationId}`, request)}${response && responseBlock(style, response)}`,
      rest: html`${parameters.length > 0 && html`${heading(2, 'parameters', texts.parameters)}${parameterTable(parameters)}`}
${requestBody !== undefined && html`${heading(2, 'body', texts.body)}${contentMarkup(document, requestBody.content)}`}
${heading(2, 'try', texts.tryIt)}${tryForms({ document, call, addresses, credentials })}
${heading(2, 'responses', texts.answers)}<dl class="answers">${Object.entries(call.responses).map(
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
    title: docsTexts.code.response(status),
    code: body ?? lines.join('\n'),
    grammar: body === undefined ? 'headers' : /json/.test(type) ? 'json' : 'text',
  })
}

function whoMayCall({ components }: OpenApiDocument, call: Call): Html | string {
  const scheme = schemeOf(call)
  return scheme === undefined
    ? texts.noAuthentication
    : withCode(components.securitySchemes[scheme]?.description ?? scheme)
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const columns = [texts.parameter, texts.place, texts.type, texts.about]
  return html`<table class="guide parameters"><thead><tr>${columns.map(label => html`<th scope="col">${label}</th>`)}</tr></thead>
<tbody>${parameters.map(
    ({ name, in: place, required = false, description, schema }) =>
      html`<tr><td><code>${name}</code>${required && html` <span class="hint">${texts.required}</span>`}</td><td>${texts.places[place]}</td><td>${typeOf(schema)}</td><td>${description !== undefined && withCode(description)}${notesOn(schema)}</td></tr>`,
  )}</tbody></table>`
}

const isError = (status: string) => Number(status) >= 400

function responseMarkup(document: OpenApiDocument, { description, headers = {}, content }: Response): Html {
  const names = Object.entries(headers)
  return html`<p>${withCode(description)}</p>
${
  names.length > 0 &&
  html`<p class="quiet">${texts.headers}</p><ul class="schema">${names.map(([name, header]) => html`<li><code class="key">${name}</code>${header.description !== undefined && html` ${withCode(header.description)}`}</li>`)}</ul>`
}${content === undefined ? html`<p class="quiet">${texts.noBody}</p>` : contentMarkup(document, content)}`
}

/** All errors share one schema, described once, so each response only links to its codes. */
function errorMarkup({ description, content = {} }: Response): Html {
  const words = description.split('`').map((part, index) => {
    if (index % 2 === 0) return part
    return isProblemCode(part)
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
