/** The parts of our OpenAPI document that the reference reads. */

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  format?: string
  pattern?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  required?: readonly string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
}

export interface Parameter {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

export type Content = Record<string, { schema: Schema }>

export interface Response {
  description: string
  headers?: Record<string, { description?: string; schema: Schema }>
  content?: Content
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: readonly string[]
  parameters?: readonly Parameter[]
  requestBody?: { required?: boolean; content: Content }
  security?: readonly Record<string, unknown>[]
  responses: Record<string, Response>
}

export interface OpenApiDocument {
  info: { title: string; version: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  /** Requests to webhook endpoints, by event type. */
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, Schema>
    securitySchemes: Record<string, { description: string }>
  }
}

/** An operation with its method and path. */
export interface Call extends Operation {
  method: string
  path: string
}

export function callsOf(document: OpenApiDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

/** The security scheme that an operation's examples use: the first. */
export function schemeOf({ security = [] }: Operation): string | undefined {
  return security.flatMap(each => Object.keys(each))[0]
}

export const refName = (ref: string): string => ref.replace('#/components/schemas/', '')

export function resolved({ components }: OpenApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const found = components.schemas[refName(schema.$ref)]
  if (found === undefined) throw new Error(`the document has no ${schema.$ref}`)
  return found
}

/** The alternatives of a `oneOf` or `anyOf`. */
export const variantsOf = ({ anyOf, oneOf, allOf }: Schema): readonly Schema[] =>
  anyOf ?? oneOf ?? allOf ?? []
