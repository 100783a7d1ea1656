/**
 * What clients of the last release would miss in this one. Within versions 1 and 2 there are only additions: optional
 * parameters, headers, and new keys in version 2. The keys of version 1 are frozen, but for those that callers ask for.
 */

interface Schema {
  $ref?: string
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
  items?: Schema
  anyOf?: Schema[]
}

type Content = Record<string, { schema?: Schema }>

interface Operation {
  parameters?: { in: string; name: string; required?: boolean; schema?: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { headers?: Record<string, unknown>; content?: Content }>
}

export interface ApiDocument {
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Which keys an object may get: none, those that callers ask for, any, or optional ones, as in a request. */
type Growth = 'none' | 'asked' | 'any' | 'optional'

/**
 * Keys that responses of intake and events have only for callers who use what came with them, or on boards that do. Applications, attachments
 * and screens of version 1 never get a key.
 */
const asked = [
  ...['answers', 'question', 'kind', 'reference', 'answerFiles', 'hold'],
  ...['country', 'region', 'locality', 'workplace', 'remoteCountries', 'employmentTypes', 'pay'],
  ...['language', 'openings', 'vacancy', 'aiScreening', 'warnings'],
]
const growthOf = (path: string): Growth => {
  if (path.startsWith('/v2/')) return 'any'
  return /^\/v1\/(intake\/|advertiser\/events$)/.test(path) ? 'asked' : 'none'
}

export function breakingChanges(released: ApiDocument, current: ApiDocument): string[] {
  const found: string[] = []
  const schemaIn = ({ components }: ApiDocument, schema: Schema = {}): Schema =>
    schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})

  function missing(where: string, before: object = {}, now: object = {}): void {
    for (const name of Object.keys(before)) {
      if (!Object.hasOwn(now, name)) found.push(`${where} ${name} is gone`)
    }
  }

  function compareSchemas(where: string, growth: Growth, former?: Schema, latter?: Schema): void {
    const before = schemaIn(released, former)
    const now = schemaIn(current, latter)
    if (before.type !== now.type) found.push(`${where} is ${now.type} instead of ${before.type}`)
    const [keys, nowKeys] = [before.properties ?? {}, now.properties ?? {}]
    const [required, nowRequired] = [before.required ?? [], now.required ?? []]
    missing(where, keys, nowKeys)
    for (const name of Object.keys(nowKeys)) {
      const isNew = !Object.hasOwn(keys, name)
      const mayBeNew = growth === 'asked' && asked.includes(name) && !nowRequired.includes(name)
      if (isNew && ['none', 'asked'].includes(growth) && !mayBeNew) found.push(`${where} ${name} is new`)
      if (growth === 'optional' && nowRequired.includes(name) && !required.includes(name)) {
        found.push(`${where} ${name} is required`)
      }
      if (!isNew) compareSchemas(`${where} ${name}`, growth, keys[name], nowKeys[name])
    }
    if (growth !== 'optional') {
      for (const name of required.filter(each => !nowRequired.includes(each))) {
        found.push(`${where} ${name} may be left out`)
      }
    }
    if (growth === 'optional' && now.enum !== undefined) {
      const values = before.enum ?? ['any value']
      for (const value of values) if (!now.enum.includes(value)) found.push(`${where} refuses ${value}`)
    }
    if (before.items !== undefined) compareSchemas(`${where}[]`, growth, before.items, now.items)
    for (const [index, each] of (before.anyOf ?? []).entries()) {
      compareSchemas(`${where} (${index})`, growth, each, now.anyOf?.[index])
    }
  }

  function compareContents(where: string, growth: Growth, before: Content = {}, now: Content = {}): void {
    missing(where, before, now)
    for (const [type, { schema }] of Object.entries(before)) {
      if (now[type] !== undefined) compareSchemas(`${where} ${type}`, growth, schema, now[type].schema)
    }
  }

  function compareOperations(where: string, before: Operation, now: Operation, growth: Growth): void {
    const named = ({ parameters = [] }: Operation) =>
      Object.fromEntries(parameters.map(each => [`${each.in} ${each.name}`, each]))
    const [parameters, nowParameters] = [named(before), named(now)]
    missing(where, parameters, nowParameters)
    for (const [name, { required, schema }] of Object.entries(nowParameters)) {
      if (required && !parameters[name]?.required) found.push(`${where} ${name} is required`)
      const former = parameters[name]
      if (former !== undefined) compareSchemas(`${where} ${name}`, 'optional', former.schema, schema)
    }
    if (now.requestBody !== undefined && before.requestBody === undefined) found.push(`${where} wants a body`)
    compareContents(`${where} body`, 'optional', before.requestBody?.content, now.requestBody?.content)
    missing(where, before.responses, now.responses)
    for (const [status, { headers, content }] of Object.entries(before.responses)) {
      missing(`${where} ${status}`, headers, now.responses[status]?.headers)
      // A problem is described once for all paths, and may get keys as version 2 may.
      const mayGrow = Number(status) >= 400 ? 'any' : growth
      compareContents(`${where} ${status}`, mayGrow, content, now.responses[status]?.content)
    }
  }

  for (const [path, operations] of Object.entries(released.paths)) {
    if (!/^\/(v1|v2|advertiser)\//.test(path)) continue
    missing(path, operations, current.paths[path])
    for (const [method, before] of Object.entries(operations)) {
      const now = current.paths[path]?.[method]
      if (now !== undefined) compareOperations(`${method.toUpperCase()} ${path}`, before, now, growthOf(path))
    }
  }
  return found
}
