import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allCategories, bitsOf, categories, categoriesOf } from '../../model/categories.ts'
import { initialTicks, isConsentRemembered, releasedBy } from './consent-service.ts'

const day = 86_400_000
const now = Date.parse('2026-11-14T00:00:00Z')
const phone = bitsOf(['phone'])
const grant = {
  id: 'g',
  released: allCategories,
  filled: phone,
  scope: 'r_profile_apply',
  decidedAt: now,
  resumeId: 'r',
}
const asked = {
  scope: 'r_profile_apply',
  filled: phone,
  resumeId: 'r',
  promptsConsent: false,
  now,
  consentDays: 90,
}

const isAskedFor = (...question: Parameters<typeof isConsentRemembered>) => !isConsentRemembered(...question)

test('a complete and recent consent is remembered', () => {
  assert.ok(isConsentRemembered(grant, asked))
  assert.ok(isConsentRemembered(grant, { ...asked, filled: 0, resumeId: null }), 'when something is emptied')
  assert.ok(isConsentRemembered({ ...grant, decidedAt: now - 90 * day + 1 }, asked))
})

test('consent is asked for again', () => {
  assert.ok(isAskedFor(undefined, asked), 'when there is none')
  assert.ok(isAskedFor({ ...grant, decidedAt: now - 90 * day }, asked), 'after 90 days')
  assert.ok(isAskedFor(grant, { ...asked, scope: 'other' }), 'for another scope')
  assert.ok(isAskedFor(grant, { ...asked, promptsConsent: true }), 'when the client wants it')
  assert.ok(isAskedFor(grant, { ...asked, resumeId: 's' }), 'for another default resume')
  assert.ok(isAskedFor({ ...grant, resumeId: null }, asked), 'when it has no resume')
  for (const category of categories) {
    const bit = bitsOf([category])
    assert.ok(isAskedFor({ ...grant, released: allCategories & ~bit }, asked), `${category} cleared`)
    if (category !== 'phone') {
      assert.ok(isAskedFor(grant, { ...asked, filled: phone | bit }), `${category} newly filled`)
    }
  }
})

test('ticks start as remembered, otherwise as the operator set', () => {
  assert.equal(initialTicks({ ...grant, released: phone }, true), phone)
  assert.equal(initialTicks(undefined, true), allCategories)
  assert.equal(initialTicks(undefined, false), 0)
  assert.equal(initialTicks(grant, false), phone, 'a box that has not been seen yet starts clear')
})

test('a decision covers only the categories shown', () => {
  const [location, resume] = [bitsOf(['location']), bitsOf(['resume'])]
  const shown = phone | location
  assert.equal(releasedBy(undefined, { ticked: phone, shown }), allCategories & ~location)
  assert.equal(releasedBy(undefined, { ticked: phone | resume, shown: 0 }), allCategories)
  const narrow = { ...grant, released: allCategories & ~resume }
  assert.equal(releasedBy(narrow, { ticked: shown | resume, shown }), allCategories & ~resume)
})

test('categories and bits convert to each other', () => {
  fc.assert(
    fc.property(fc.subarray([...categories]), chosen => {
      assert.deepEqual(categoriesOf(bitsOf(chosen)), chosen)
    }),
  )
  assert.deepEqual(categoriesOf(allCategories), [...categories])
})
