import fc from 'fast-check'

/**
 * Any character, as the unit of a string. The unit `binary` of fast-check has the same ones, but lists a million of them
 * first: most of a second, and 85 MB that every later collection of garbage visits.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map(point => String.fromCodePoint(point))
