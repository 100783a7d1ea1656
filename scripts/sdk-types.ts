interface Schema {
  $ref?: string
  $id?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}

interface Operation {
  operationId?: string
  security?: unknown[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
  webhooks?: Record<string, unknown>
}

/** The bodies that callers send have no name of their own in the document. */
const bodyNames: Record<string, string> = {
  'intake-application': 'NewApplication',
  createJobAd: 'NewJobAd',
  createScreen: 'NewScreen',
  prefill: 'PrefillRequest',
}

/** The SDK has an event for each type, with the data of that type. */
const byHand = ['Event', 'Events', 'ClientEvent', 'ClientEvents']

/** Types of the client package: one for each schema of the OpenAPI document, and for each body in `bodyNames`. */
export function sdkTypes({ paths, components }: ApiDocument): string {
  const operations = Object.values(paths).flatMap(path => Object.values(path))
  const bodies = operations.flatMap(({ operationId = '', requestBody }): [string, Schema][] => {
    const name = bodyNames[operationId]
    const [schema] = Object.values(requestBody?.content ?? {}).map(content => content.schema)
    if (name === undefined || schema === undefined) return []
    // The JSON part of a form is what the caller writes; its files are arguments of their own.
    return [[name, schema.properties?.['application'] ?? schema]]
  })
  const missing = Object.values(bodyNames).filter(name => !bodies.some(([found]) => found === name))
  if (missing.length > 0) throw new Error(`no operation has the body ${missing.join(', ')}`)
  const schemas = Object.entries(components.schemas).filter(([name]) => !byHand.includes(name))
  const declarations = [...schemas, ...bodies].map(
    ([name, schema]) => `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')}\n`,
  )
  return `// Generated from the OpenAPI document by \`npm run generate\`.\n\n${declarations.join('\n')}`
}

function typeOf(schema: Schema, indent: string): string {
  const { $ref, anyOf, oneOf, type } = schema
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map(value => JSON.stringify(value)))
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return union(choices.map(choice => typeOf(choice, indent)))
  if (Array.isArray(type)) return union(type.map(each => typeOf({ ...schema, type: each }, indent)))
  if (type === 'array') return arrayOf(typeOf(schema.items ?? {}, indent))
  if (type === 'object') return objectOf(schema, indent)
  if (type === 'string') return schema.format === 'binary' ? 'Blob' : 'string'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean' || type === 'null') return type
  if (type === undefined) return 'unknown'
  throw new Error(`no type for ${JSON.stringify(schema)}`)
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ')

const arrayOf = (type: string) => (/^\w+$/.test(type) ? `${type}[]` : `Array<${type}>`)

function objectOf({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (properties === undefined || Object.keys(properties).length === 0) {
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'
    return `Record<string, ${values}>`
  }
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
    const mark = required.includes(name) ? '' : '?'
    return `${comment(schema, inner)}${inner}${key}${mark}: ${typeOf(schema, inner)}\n`
  })
  return `{\n${members.join('')}${indent}}`
}

/** The description of a schema, or that of the value of a property that may be null. */
function comment({ description, anyOf }: Schema, indent: string): string {
  const text = description ?? anyOf?.find(choice => choice.description !== undefined)?.description
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`
}
