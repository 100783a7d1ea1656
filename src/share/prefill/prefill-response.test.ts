import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allCategories, includes } from '../../model/categories.ts'
import { emptyProfile, type Profile } from '../../model/profile.ts'
import { prefillResponse } from './prefill-response.ts'

const id = '11111111-1111-4111-8111-111111111111'
const releasedResumeId = '22222222-2222-4222-8222-222222222222'
const application = { id, createdAt: 0, updatedAt: 1_794_614_400_001, releasedResumeId, released: 0 }
const person = { email: 'mary@example.com', firstName: 'Mary', lastName: 'Nguyen', resume: null }
const baseUrl = 'https://jobs.example.com'

const choice = fc.record({ id: fc.string(), description: fc.string() })
const profiles: fc.Arbitrary<Profile> = fc.record({
  phoneNumber: fc.option(fc.string({ minLength: 1 })),
  currentLocation: fc.option(choice),
  highestQualification: fc.option(choice),
  skills: fc.array(fc.string()),
  salaryAndVisaByCountry: fc.dictionary(
    fc.constantFrom('AU', 'NZ', 'GB'),
    fc.record({
      description: fc.string(),
      hasWorkingVisa: fc.boolean(),
      minimumSalaryValue: fc.nat(),
      salaryType: fc.string(),
    }),
  ),
  workHistory: fc.array(
    fc.record({
      jobTitle: fc.string(),
      companyName: fc.string(),
      industry: fc.option(choice),
      achievements: fc.string(),
      from: fc.constant('2025-04'),
      to: fc.option(fc.constant('2026-01')),
    }),
  ),
})

/** An empty text of the candidate becomes null. */
const emptyAsNull = <T extends object>(entry: T, key: keyof T) => ({ ...entry, [key]: entry[key] || null })

test('released data is included unchanged; unreleased data looks empty', () => {
  fc.assert(
    fc.property(profiles, fc.integer({ min: 0, max: allCategories }), (profile, released) => {
      const info = prefillResponse(
        { ...application, released },
        { ...person, profile },
        baseUrl,
      ).applicantInfo
      const shown = (category: Parameters<typeof includes>[1]) =>
        includes(released, category) ? profile : emptyProfile
      assert.deepEqual(info, {
        firstName: 'Mary',
        lastName: 'Nguyen',
        emailAddress: 'mary@example.com',
        phoneNumber: shown('phone').phoneNumber,
        currentLocation: shown('location').currentLocation,
        highestQualification: shown('qualification').highestQualification,
        skills: shown('qualification').skills,
        salaryAndVisaByCountry: Object.fromEntries(
          Object.entries(shown('salary').salaryAndVisaByCountry).map(([country, rights]) => [
            country,
            emptyAsNull(rights, 'description'),
          ]),
        ),
        workHistory: shown('workHistory').workHistory.map(job => emptyAsNull(job, 'achievements')),
      })
    }),
  )
})

test('unreleased and empty data look the same', () => {
  fc.assert(
    fc.property(profiles, profile => {
      const held = prefillResponse(application, { ...person, profile }, baseUrl)
      const all = { ...application, released: allCategories }
      const empty = prefillResponse(all, { ...person, profile: emptyProfile }, baseUrl)
      assert.equal(JSON.stringify(held), JSON.stringify(empty))
    }),
  )
})

test('times are in UTC, links absolute', () => {
  const answer = prefillResponse(application, { ...person, profile: emptyProfile }, baseUrl)
  assert.equal(answer.created, '1970-01-01T00:00:00.000Z')
  assert.equal(answer.updated, '2026-11-14T00:00:00.001Z')
  assert.deepEqual(answer.resume, { link: `${baseUrl}/v2/resumes/${releasedResumeId}` })
  assert.equal(answer.complete, `${baseUrl}/v2/applications/${id}/complete`)
  const without = { ...application, releasedResumeId: null }
  assert.equal(prefillResponse(without, { ...person, profile: emptyProfile }, baseUrl).resume, null)
})
