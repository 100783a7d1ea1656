import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyProfile, type Profile } from '../../model/profile.ts'
import { missingParts, profileParts } from './markup.ts'

const clean = { scan: 'clean' } as const
const full: Profile = {
  phoneNumber: '0491 570 006',
  currentLocation: { id: '1017', description: 'Newcastle' },
  highestQualification: { id: '3', description: 'Certificate III' },
  skills: ['Espresso'],
  salaryAndVisaByCountry: {
    AU: { description: '', hasWorkingVisa: true, minimumSalaryValue: 0, salaryType: 'Annual' },
  },
  workHistory: [
    { jobTitle: 'Barista', companyName: 'Dock', industry: null, achievements: '', from: '2024-01', to: null },
  ],
}

test('a new profile lacks every part, in the order of the form', () => {
  assert.deepEqual(missingParts(emptyProfile, null), [...profileParts])
})

test('a full profile lacks nothing', () => {
  assert.deepEqual(missingParts(full, clean), [])
})

test('each part counts by itself', () => {
  const without: [string, Partial<Profile>][] = [
    ['phone', { phoneNumber: null }],
    ['location', { currentLocation: null }],
    ['qualification', { highestQualification: null }],
    ['skills', { skills: [] }],
    ['workHistory', { workHistory: [] }],
    ['salary', { salaryAndVisaByCountry: {} }],
  ]
  for (const [part, change] of without) {
    assert.deepEqual(missingParts({ ...full, ...change }, clean), [part])
  }
})

test('a resume counts unless a virus was found in it', () => {
  assert.deepEqual(missingParts(full, null), ['resume'])
  assert.deepEqual(missingParts(full, { scan: 'infected' }), ['resume'])
  assert.deepEqual(missingParts(full, { scan: 'unscanned' }), [])
})
