import assert from 'node:assert/strict'
import { readText } from './repository.ts'

/** An excerpt of the vocabulary that schema.org publishes; `source` says of what. */
const vocabulary: {
  parents: Record<string, string[]>
  properties: Record<string, { of: string[]; is: string[] }>
} = JSON.parse(readText('test/harness/schema-org.json'))

const kinds = (type: string): string[] => [
  type,
  ...(vocabulary.parents[type] ?? assert.fail(`the type ${type} is not in the excerpt`)).flatMap(kinds),
]

/** What a plain value can be. */
function typesOf(value: unknown): string[] {
  if (typeof value === 'boolean') return ['Boolean']
  if (typeof value === 'number') return Number.isInteger(value) ? ['Integer', 'Number'] : ['Number']
  assert.ok(typeof value === 'string' && value !== '', `${value} is not a value`)
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  return ['Text', ...(time ? ['DateTime'] : []), ...(URL.canParse(value) ? ['URL'] : [])]
}

/** Asserts that each property belongs to its type, and each value to its property. */
export function assertSchemaOrg(node: Record<string, unknown>): void {
  const { '@context': _, '@type': type, ...properties } = node
  const own = kinds(String(type))
  for (const [name, sent] of Object.entries(properties)) {
    const property = vocabulary.properties[name] ?? assert.fail(`${name} is not in the excerpt`)
    assert.ok(
      property.of.some(each => own.includes(each)),
      `${type} has no ${name}`,
    )
    for (const value of [sent].flat()) {
      const isNode = typeof value === 'object' && value !== null
      if (isNode) assertSchemaOrg(value as Record<string, unknown>)
      const types = isNode ? kinds((value as { '@type': string })['@type']) : typesOf(value)
      assert.ok(
        types.some(each => property.is.includes(each)),
        `${name} is no ${property.is.join(' or ')}: ${value}`,
      )
    }
  }
}
