import { isProblemCode } from '../../core/problems.ts'
import { type Html, html } from '../../web/html.ts'
import type { DocsAddresses } from './addresses.ts'
import { curlCommand } from './curl-command.ts'
import { codeBlock, heading, withCode } from './markup.ts'
import type { Section } from './navigation-markup.ts'
import {
  type Call,
  type Content,
  callsOf,
  type OpenApiDocument,
  type Parameter,
  type Response,
  schemeOf,
} from './openapi.ts'
import { demoCredentials, requestExamples } from './reference-examples.ts'
import { referenceTexts as texts } from './reference-texts.ts'
import { notesOn, propertiesOf, typeOf } from './schema-markup.ts'
import { tryForm } from './try-markup.ts'

/** The API reference. It works without scripts; `reference.js` adds the filter and the forms that send requests. */

const idOfTag = (name: string) => `tag-${name.toLowerCase().replaceAll(' ', '-')}`

export function referenceSections({ tags }: OpenApiDocument): Section[] {
  return [
    ...tags.map(({ name }) => ({ id: idOfTag(name), label: name })),
    { id: 'schemas', label: texts.schemas },
  ]
}

export function referenceMarkup(document: OpenApiDocument, addresses: DocsAddresses): Html {
  const calls = callsOf(document)
  const schemas = Object.entries(document.components.schemas)
  return html`<div id="reference" data-texts="${JSON.stringify(texts.script)}">
${texts.intro(document.info.version)}<p>${document.info.description}</p>
<div class="reference-filter" hidden><label for="filter">${texts.filter}</label><span class="hint" id="filter-hint">${texts.filterHint}</span>
<input id="filter" type="search" aria-describedby="filter-hint" autocomplete="off"><p class="quiet" role="status" data-words="${texts.found}"></p></div>
${document.tags.map(
  ({
    name,
    description,
  }) => html`<section class="calls">${heading(2, idOfTag(name), name)}<p>${description}</p>
${calls.filter(({ tags }) => tags.includes(name)).map(call => callMarkup(document, call, addresses))}</section>
`,
)}${heading(2, 'schemas', texts.schemas)}<p>${texts.schemasText}</p>
${schemas.map(
  ([
    name,
    schema,
  ]) => html`<section class="card">${heading(3, `schema-${name}`, name)}<p>${typeOf(schema)}${notesOn(schema)}</p>
${propertiesOf(document, schema, [name])}</section>
`,
)}</div>`
}

function callMarkup(document: OpenApiDocument, call: Call, addresses: DocsAddresses): Html {
  const { method, path, operationId, summary, description, parameters = [], requestBody } = call
  const origin = originOf(call, addresses)
  const example = requestExamples[operationId] ?? {}
  const credentials = addresses.isDemo ? demoCredentials : {}
  const command = curlCommand(call, origin, example, credentials)
  return html`<details class="call" id="${operationId}">
<summary><h3><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> <span class="summary">${summary}</span></h3></summary>
${description !== undefined && html`<p>${withCode(description)}</p>`}
<h4>${texts.authentication}</h4><p>${whoMayCall(document, call)}</p>
${parameters.length > 0 && html`<h4>${texts.parameters}</h4>${parameterTable(parameters)}`}
${requestBody !== undefined && html`<h4>${texts.body}</h4>${contentMarkup(document, requestBody.content)}`}
${tryForm(call, { origin, isElsewhere: origin !== addresses.baseUrl, example, credentials })}
<h4>${texts.asCurl}</h4>${codeBlock(`curl-${operationId}`, command)}<h4>${texts.answers}</h4>
<dl class="answers">${Object.entries(call.responses).map(([status, response]) => {
    const answer = isError(status) ? errorMarkup(response) : responseMarkup(document, response)
    return html`<dt><code class="key">${status}</code></dt><dd>${answer}</dd>`
  })}</dl></details>
`
}

/** OAuth endpoints belong to the authorization server, which may have its own origin. */
function originOf({ path }: Call, { baseUrl, authUrl }: DocsAddresses): string {
  return /^\/(api\/iam|\.well-known)\//.test(path) ? authUrl : baseUrl
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
