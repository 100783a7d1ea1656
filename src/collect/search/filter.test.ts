import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import {
  afterPrefix,
  filterSearch,
  readFilter,
  readPosition,
  searchTextLength,
  usedSearch,
} from './filter.ts'

const read = (search: string) => {
  const fields = new URLSearchParams(search)
  return readFilter(name => fields.get(name) ?? undefined, {
    timeZone: 'Australia/Brisbane',
    answerDueBefore: Date.parse('2026-11-01T00:00:00Z'),
  })
}

test('days are those of AEST, both included', () => {
  const { filter, faults } = read('from=2026-11-14&to=2026-11-15')
  assert.deepEqual(faults, {})
  assert.equal(new Date(filter.from ?? 0).toISOString(), '2026-11-13T14:00:00.000Z')
  assert.equal(new Date(filter.until ?? 0).toISOString(), '2026-11-15T14:00:00.000Z')
})

test('a filter is read in full, and the text to search for is folded', () => {
  assert.deepEqual(
    read('q=%20%20Zo%C3%AB%20%20B&ad=7&screen=failed&virus=yes&status=hired&order=unread').filter,
    {
      prefix: 'zoe b',
      jobAdId: 7,
      isQuestionnairePassed: false,
      hasVirus: true,
      statuses: ['hired'],
      unreadFirst: true,
    },
  )
})

test('an invalid condition is reported at its field, kept as typed, and ignored', () => {
  const typed = {
    q: 'x'.repeat(searchTextLength + 1),
    ad: 'none',
    status: 'lost',
    from: '2026-02-30',
    to: 'soon',
    screen: 'maybe',
    virus: '1',
    unanswered: 'no',
    order: 'odd',
  }
  const { filter, faults, typed: kept } = read(new URLSearchParams(typed).toString())
  assert.deepEqual(filter, { prefix: '', hasVirus: false })
  assert.deepEqual(faults, {
    q: 'too-long',
    ad: 'no-ad',
    status: 'no-choice',
    order: 'no-choice',
    from: 'no-day',
    to: 'no-day',
    screen: 'no-choice',
    virus: 'no-choice',
    unanswered: 'no-choice',
  })
  assert.deepEqual(kept, typed)
})

test('an unanswered application was sent long enough ago, and on the last day if there is one', () => {
  const until = (search: string) => {
    const { filter } = read(`unanswered=yes${search}`)
    assert.equal(filter.isUnanswered, true)
    return new Date(filter.until ?? 0).toISOString()
  }
  assert.equal(until(''), '2026-11-01T00:00:00.000Z')
  assert.equal(until('&to=2026-11-15'), '2026-11-01T00:00:00.000Z')
  assert.equal(until('&to=2026-10-15'), '2026-10-15T14:00:00.000Z')
})

test('if the dates cross, the first one applies', () => {
  const { filter, faults } = read('from=2026-11-15&to=2026-11-14')
  assert.deepEqual(faults, { to: 'crossed' })
  assert.equal(filter.until, undefined)
  assert.equal(filter.from, Date.parse('2026-11-15T00:00:00+10:00'))
})

test('a number may be an ID or a beginning; apostrophes of any kind make no difference', () => {
  assert.deepEqual(read('q=17').filter, { prefix: '17', applicationId: 17, hasVirus: false })
  for (const typed of ["O'Connor", 'o’connor', 'Oʼconnor', 'oconnor']) {
    assert.equal(read(`q=${encodeURIComponent(typed)}`).filter.prefix, 'oconnor')
  }
})

test('a link keeps the filter and changes only the given parts', () => {
  const { typed } = read('q=a%26b&ad=7')
  assert.equal(filterSearch(typed, { before: '9' }), '?q=a%26b&ad=7&before=9')
  assert.equal(filterSearch(typed, { q: '', ad: '' }), '')
  assert.equal(usedSearch(read('q=a&ad=none')), '?q=a')
})

test('an unreadable position means the newest', () => {
  const at = (search: Record<string, string>) => readPosition(name => search[name])
  assert.deepEqual(at({ before: '9' }), { before: 9 })
  assert.deepEqual(at({ after: '9' }), { after: 9 })
  assert.deepEqual(at({ read: '9' }), { read: 9 })
  assert.equal(at({ before: 'x' }), undefined)
})

test('an email address is found in every spelling that was stored', () => {
  const prefixesOf = (typed: string) => {
    const { prefix, otherPrefixes = [] } = read(`q=${encodeURIComponent(typed)}`).filter
    return [prefix, ...otherPrefixes]
  }
  assert.deepEqual(prefixesOf('vik@example.org'), ['vik@example.org', 'vik@example\u3002org'])
  assert.deepEqual(prefixesOf('Vik@example\u3002org'), ['vik@example\u3002org', 'vik@example.org'])
  assert.deepEqual(prefixesOf('vik@example'), ['vik@example'])
  const international = ['vik@muller.example', 'vik@xn--mller-kva.example']
  for (const spelling of international) assert.ok(prefixesOf('vik@m\u00fcller.example').includes(spelling))
  // The spelling with a dot at its end begins with another one.
  assert.ok(prefixesOf('vik@example.org.').includes('vik@example.org'))
  assert.ok(prefixesOf(`@${'a.'.repeat(40)}`).length <= 200)
})

test('the end of a prefix sorts after all words with the prefix, and before the next word', () => {
  const text = fc.string({ unit: anyCharacter }).filter(value => value !== '' && value.isWellFormed())
  const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  fc.assert(
    fc.property(text, fc.string({ unit: anyCharacter }), text, (prefix, rest, other) => {
      const end = afterPrefix(prefix)
      if (end === undefined) return
      if (rest.isWellFormed()) assert.ok(compare(prefix + rest, end) < 0)
      const isWithin = compare(other, prefix) >= 0 && compare(other, end) < 0
      assert.equal(isWithin, other.startsWith(prefix))
    }),
  )
  assert.equal(afterPrefix('\u{10ffff}'), undefined)
  assert.equal(afterPrefix('a\u{10ffff}'), 'b')
  assert.equal(afterPrefix('\ud7ff'), '\ue000')
})
