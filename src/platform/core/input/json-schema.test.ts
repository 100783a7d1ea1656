import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './json-schema.ts'

const described = (type: typeof Type) =>
  type.Object(
    {
      id: type.Integer({ minimum: 1 }),
      name: type.Optional(type.String({ description: 'As shown.' })),
      kind: type.Optional(type.Union([type.Literal('one'), type.Null()])),
      tags: type.Array(type.Enum(['a', 'b'], { description: 'One of two.' }), { maxItems: 3 }),
      // What is made of an optional field is required, unless it says otherwise.
      salary: type.Unsafe<number>({ ...type.Optional(type.Number()), title: 'Salary' }),
      byCountry: type.Record(
        type.String({ pattern: '^[A-Z]{2}$' }),
        type.Object({ isOpen: type.Optional(type.Boolean()) }),
      ),
      other: type.Ref('Other'),
    },
    { additionalProperties: false },
  )

test('describes as TypeBox does, in the same order', () => {
  assert.equal(JSON.stringify(described(Type)), JSON.stringify(described(TypeBox)))
})
