import { type Html, html } from '../../../platform/web/html.ts'
import { heading } from '../markup.ts'
import type { Chapter, Section } from '../navigation-markup.ts'
import { methodBadge } from './call-markup.ts'
import { type Call, callsOf, type OpenApiDocument, type Operation } from './openapi.ts'
import { notesOn, propertiesOf, schemaPath, typeOf } from './schema-markup.ts'

const idOfTag = (name: string) => `tag-${name.toLowerCase().replaceAll(' ', '-')}`

export const callPath = ({ operationId }: Pick<Call, 'operationId'>): string =>
  `/docs/reference/${operationId}`

/** The calls by tag, and the schemas, as the navigation lists them. */
export function referenceChapters(document: OpenApiDocument): Chapter[] {
  const calls = callsOf(document)
  return [
    ...document.tags.map(({ name }) => ({
      title: name,
      pages: calls
        .filter(({ tags }) => tags.includes(name))
        .map(call => ({ path: callPath(call), label: titleOf(call) })),
    })),
    { title: 'Types', pages: [{ path: schemaPath, label: 'Schemas' }] },
  ]
}

/** Two paths lead to the same file; the title says which one a page describes. */
export const titleOf = ({ operationId, summary }: Call): string =>
  operationId.endsWith('ByHref') ? `${summary}, by its Href` : summary

export function overviewMarkup(document: OpenApiDocument): Html {
  const calls = callsOf(document)
  return html`<p>Every call of version ${document.info.version}, generated from <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1, for code generators). Each call has a page with its parameters, responses and errors, and a form to try it.</p><p>${document.info.description}</p>
${document.tags.map(
  ({ name, description }) => html`${heading(2, idOfTag(name), name)}<p>${description}</p>
<ul class="call-list">${calls
    .filter(({ tags }) => tags.includes(name))
    .map(
      call =>
        html`<li id="${call.operationId}" data-moved><a href="${callPath(call)}">${methodBadge(call.method)} <code>${call.path}</code> <span class="summary">${titleOf(call)}</span></a></li>`,
    )}</ul>
`,
)}${heading(2, 'events', 'Events')}<p>Sent to webhook endpoints, and all but the last two in the feed of an advertiser. The schema describes the data of each.</p>
<dl class="facts">${Object.entries(document.webhooks).map(([type, { post }]) => html`<div><dt><code>${type}</code></dt><dd>${post.summary}: ${dataOf(post)}</dd></div>`)}</dl>
${heading(2, 'schemas', 'Schemas')}<p>Types shared by several responses.</p>
<ul class="call-list">${Object.keys(document.components.schemas).map(name => html`<li id="schema-${name}" data-moved><a href="${schemaPath}#schema-${name}">${name}</a></li>`)}</ul>`
}

const dataOf = ({ requestBody }: Operation) =>
  typeOf(requestBody?.content['application/json']?.schema.properties?.['data'] ?? {})

export function overviewSections({ tags }: OpenApiDocument): Section[] {
  return [
    ...tags.map(({ name }) => ({ id: idOfTag(name), label: name })),
    { id: 'events', label: 'Events' },
    { id: 'schemas', label: 'Schemas' },
  ]
}

const schemasOf = ({ components }: OpenApiDocument) => Object.entries(components.schemas)

export const schemaSections = (document: OpenApiDocument): Section[] =>
  schemasOf(document).map(([name]) => ({ id: `schema-${name}`, label: name }))

export function schemasMarkup(document: OpenApiDocument): Html {
  return html`<p>Types shared by several responses.</p>
${schemasOf(document).map(
  ([
    name,
    schema,
  ]) => html`<section>${heading(2, `schema-${name}`, name)}<p>${typeOf(schema)}${notesOn(schema)}</p>
${propertiesOf(document, schema, [name])}</section>
`,
)}`
}
