import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { times } from '../../../../test/harness/effort.ts'
import { negotiate, negotiateProblemFormat, prefersHtml } from './negotiation.ts'

interface Member {
  range: string
  q: number
}

const named = (accept: string | undefined) => negotiate(accept)?.contentType.replace(/; charset=utf-8$/, '')
const types = ['application/json', 'application/xml', 'text/xml']

/** How closely a range names a type: -1 not at all, then any type, then any of its family, then the type itself. */
function closeness(range: string, type: string): number {
  const wanted = range === '*' ? '*/*' : range.toLowerCase()
  return ['*/*', type.replace(/[^/]+$/, '*'), type].indexOf(wanted)
}

/**
 * RFC 9110: the closest range decides how much a type is wanted. Between types wanted equally, the one named more
 * closely comes first, then the one named earlier, then JSON.
 */
function preferred(members: readonly Member[]): string | undefined {
  const wishes = types.map(type => {
    const matching = members
      .map(({ range, q }, position) => ({ close: closeness(range, type), q, position }))
      .filter(({ close }) => close >= 0)
      .sort((a, b) => b.close - a.close || b.q - a.q || b.position - a.position)
    return { type, wish: matching[0] }
  })
  const [best] = wishes
    .flatMap(({ type, wish }) => (wish !== undefined && wish.q > 0 ? [{ type, ...wish }] : []))
    .sort((a, b) => b.q - a.q || b.close - a.close || a.position - b.position)
  return best?.type
}

const range = fc.constantFrom(
  ...['application/json', 'application/xml', 'application/*', '*/*', '*', 'text/xml', 'text/html', 'text/*'],
  ...['APPLICATION/JSON', 'Application/Xml', 'application/problem+json', 'application/jsonp'],
)
const quality = fc.constantFrom(
  '',
  ';q=1',
  ';q=0',
  '; q=0.5',
  ' ; Q=0.9',
  ';q=0.001',
  ';q=1.000',
  ';q=0.',
  '; q=.2',
)
const parameter = fc.constantFrom('', '; charset=utf-8', ';version="1; 2"', ';v=1')
const readable = fc.record({ range, parameter, quality })
const unreadable = fc.constantFrom(
  ...[
    'json',
    '**',
    '*;',
    '/',
    'application/',
    '/xml',
    '*/json',
    'application/xml;q=2',
    'application/xml;q=-1',
  ],
  ...[
    'application/xml;q=abc',
    'application/xml;q=0.1234',
    'application/json;q',
    'application/xml;;',
    'application/xml;q=.',
    'application/xml;q=.1234',
    '',
    ' ',
    ';q=1',
  ],
)

const members = fc.array(fc.oneof({ weight: 4, arbitrary: readable }, { weight: 1, arbitrary: unreadable }), {
  minLength: 1,
  maxLength: 6,
})

test('the format follows a literal reading of RFC 9110, which ignores unreadable members', () => {
  fc.assert(
    fc.property(members, fc.constantFrom(',', ', ', ' , '), (sent, separator) => {
      const header = sent
        .map(member =>
          typeof member === 'string' ? member : member.range + member.parameter + member.quality,
        )
        .join(separator)
      const understood = sent.flatMap(member =>
        typeof member === 'string'
          ? []
          : [{ range: member.range, q: Number(member.quality.replace(/[^\d.]/g, '') || 1) }],
      )
      const expected = understood.length === 0 ? 'application/json' : preferred(understood)
      assert.equal(named(header), expected, JSON.stringify(header))
    }),
    { numRuns: times(100, 5_000) },
  )
})

test('any header gets a response, and problems always have a format', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), header => {
      assert.ok([...types, undefined].includes(named(header)))
      assert.ok(['json', 'xml'].includes(negotiateProblemFormat(header)))
    }),
    { numRuns: times(100, 2_000) },
  )
})

test('a long header designed to be slow gets a response', () => {
  // With backtracking it would never come.
  for (const part of [';a', ';a=b', ' ; ', 'a/', '"', '*/*;q=0.1,', 'application/xml;a="', '\t']) {
    negotiate(`application/json${part.repeat(16_000 / part.length)}`)
  }
})

const examples: [accept: string | undefined, format: 'json' | 'xml' | undefined][] = [
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/*', 'json'],
  ['application/json', 'json'],
  ['application/xml', 'xml'],
  ['application/xml, application/json', 'xml'],
  ['application/json;q=0.5, application/xml;q=0.9', 'xml'],
  ['application/xml;q=0.5, */*;q=0.1', 'xml'],
  ['application/json;q=0, */*', 'xml'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'xml'],
  ['text/html', undefined],
  ['*/*;q=0', undefined],
  ['application/json;q=0', undefined],
  ['nonsense', 'json'],
  ['text/xml', 'xml'],
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'json'],
  ['application/json;q=.8, application/xml;q=.9', 'xml'],
]
for (const [accept, format] of examples) {
  test(`Accept ${JSON.stringify(accept)} gives ${format}`, () =>
    assert.equal(negotiate(accept)?.format, format))
}

const problemExamples: [accept: string | undefined, format: 'json' | 'xml'][] = [
  [undefined, 'json'],
  ['application/xml', 'xml'],
  ['application/problem+xml', 'xml'],
  ['text/xml', 'xml'],
  ['application/problem+json, application/xml;q=0.5', 'json'],
  ['text/html', 'json'],
  ['text/html, application/xml;q=0.1', 'xml'],
]
for (const [accept, format] of problemExamples) {
  test(`a problem for Accept ${JSON.stringify(accept)} is in ${format}`, () => {
    assert.equal(negotiateProblemFormat(accept), format)
  })
}

test('a page is for callers who ask for HTML, not for those who accept anything', () => {
  for (const accept of [
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'TEXT/HTML; charset=utf-8',
    'text/plain;q=0.5, text/html',
  ])
    assert.equal(prefersHtml(accept), true, accept)
  for (const accept of [
    undefined,
    '',
    '*/*',
    'text/*',
    'text/plain',
    'application/json',
    'text/html;q=0',
    'text/html;q=0.5, text/plain',
    'html',
  ])
    assert.equal(prefersHtml(accept), false, accept)
})
