import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  choicesWith,
  countries,
  findChoice,
  industries,
  locations,
  qualifications,
  salaryTypes,
} from './reference-lists.ts'

test('the IDs that clients store keep their meaning', () => {
  assert.equal(findChoice(qualifications, '3')?.description, 'Certificate III')
  assert.equal(findChoice(industries, '12')?.description, 'Hospitality and Tourism')
  assert.equal(findChoice(locations, '1017')?.description, 'Newcastle, Maitland and Hunter NSW')
  assert.equal(findChoice(countries(), 'NZ')?.description, 'New Zealand')
  assert.deepEqual(
    salaryTypes.map(({ id }) => id),
    ['Annual', 'Monthly', 'Daily', 'Hourly'],
  )
})

test('no list has a repeated or empty ID or description', () => {
  for (const list of [qualifications, industries, locations, countries(), salaryTypes]) {
    for (const key of ['id', 'description'] as const) {
      const values = list.map(choice => choice[key])
      assert.equal(new Set(values).size, values.length, `repeated ${key}`)
      assert.ok(values.every(value => value.trim() !== ''))
    }
  }
})

test('every country has two capital letters and a name in English', () => {
  assert.equal(countries().length, 249)
  for (const { id, description } of countries()) {
    assert.match(id, /^[A-Z]{2}$/)
    assert.notEqual(description, id)
  }
})

test('a choice removed from a list can still be shown and found, once', () => {
  const gone = { id: '777', description: 'Lamplighting' }
  assert.deepEqual(findChoice(industries, '777'), undefined)
  assert.deepEqual(findChoice(industries, '777', [gone]), gone)
  assert.deepEqual(choicesWith(industries, [gone, gone, { id: '12', description: 'Old name' }]), [
    ...industries,
    gone,
  ])
})
