import type { Type as TypeBox } from 'typebox'

export type { Static, TObject, TProperties, TSchema } from 'typebox'

const optionals = new WeakSet<object>()
const isRequired = (schema: object) => !optionals.has(schema)

/**
 * The schemas that TypeBox creates from these calls, with its types: TypeBox itself is never loaded, because its 373
 * modules are a quarter of what a start would load (decision 076).
 */
export const Type = {
  String: (options?: object) => ({ type: 'string', ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Null: (options?: object) => ({ type: 'null', ...options }),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Enum: (values: unknown, options?: object) => ({ enum: values, ...options }),
  Array: (items: object, options?: object) => ({ type: 'array', items, ...options }),
  Union: (anyOf: unknown, options?: object) => ({ anyOf, ...options }),
  Ref: (name: string, options?: object) => ({ $ref: name, ...options }),
  /** An object whose keys match a pattern. */
  Record: ({ pattern }: { pattern: string }, values: object) => ({
    type: 'object',
    patternProperties: { [pattern]: values },
  }),
  Object: (properties: Record<string, object>, options?: object) => {
    const required = Object.keys(properties).filter(key => isRequired(properties[key] ?? {}))
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options }
  },
  Unsafe: (schema: object) => ({ ...schema }),
  Optional: (schema: object) => {
    const copy = { ...schema }
    optionals.add(copy)
    return copy
  },
} as unknown as Pick<
  typeof TypeBox,
  | ('String' | 'Integer' | 'Number' | 'Boolean' | 'Null' | 'Literal' | 'Enum' | 'Array' | 'Union' | 'Ref')
  | ('Record' | 'Object' | 'Unsafe' | 'Optional')
>
