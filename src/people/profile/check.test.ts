import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoCandidates } from '../../demo/world/world.ts'
import { FormFields } from '../../http/requests/form.ts'
import { defaultLimits } from '../../limits.ts'
import { emptyProfile, type Profile } from '../../model/profile.ts'
import { checkProfileForm } from './check.ts'
import {
  type CountryForm,
  emptyCountry,
  emptyJob,
  encodedBytes,
  fieldsOfForm,
  formOfProfile,
  type JobForm,
  type ProfileForm,
  readProfileForm,
  withRoom,
} from './form.ts'

const mary = demoCandidates[0]?.profile as Profile
const name = { firstName: 'Mary', lastName: 'Nguyen' }
const blank = formOfProfile(name, emptyProfile)
const job: JobForm = { ...emptyJob, title: 'Barista', company: 'Dock', from: '2024-03', isCurrent: true }
const country: CountryForm = { ...emptyCountry, country: 'AU', salary: '68000' }

function check(form: Partial<ProfileForm>, current = emptyProfile, limits = defaultLimits) {
  return checkProfileForm({ ...blank, ...form }, { current, thisMonth: '2026-11', limits })
}

function faults(form: Partial<ProfileForm>, current?: Profile) {
  return check(form, current).errors.map(({ field, code }) => `${field} ${code}`)
}

test('a stored profile survives the round trip through the form', () => {
  for (const profile of [mary, emptyProfile]) {
    const shown = withRoom(formOfProfile(name, profile), defaultLimits)
    const sent = new FormFields(new URLSearchParams(fieldsOfForm(shown)).toString())
    const { errors, checked } = check(readProfileForm(sent), profile)
    assert.deepEqual(errors, [])
    assert.deepEqual(checked, { ...name, profile })
  }
})

test('the form has room for one more job, up to the limit, and for a first country', () => {
  const shown = withRoom({ ...blank, jobs: [job], countries: [] }, { workHistory: 2 })
  assert.deepEqual(shown.jobs, [job, emptyJob])
  assert.deepEqual(shown.countries, [emptyCountry])
  assert.deepEqual(withRoom(shown, { workHistory: 2 }), shown)
  const full = { ...blank, jobs: [job, job], countries: [country] }
  assert.deepEqual(withRoom(full, { workHistory: 2 }), full)
})

test('rows are read by number, with gaps; malformed numbers are ignored', () => {
  const sent = new FormFields('job-7-title=B&job-2-title=A&job-100-title=C&job-x-title=D&job-2-isRemoved=yes')
  const { jobs } = readProfileForm(sent)
  assert.deepEqual(
    jobs.map(({ title, isRemoved }) => [title, isRemoved]),
    [
      ['A', true],
      ['B', false],
    ],
  )
})

test('names are required, and lines are trimmed', () => {
  assert.deepEqual(faults({ firstName: ' ', lastName: '' }), ['firstName empty', 'lastName empty'])
  const { checked } = check({ firstName: '  Mary\t Ann ', phone: '  ' })
  assert.equal(checked.firstName, 'Mary Ann')
  assert.equal(checked.profile.phoneNumber, null)
  assert.deepEqual(faults({ firstName: 'Mary\nAnn', lastName: 'Nguyen\r\n', phone: '04\u202800' }), [
    'firstName line-break',
    'phone line-break',
  ])
})

test('text that is too long or cannot be stored is rejected at its field', () => {
  const { nameLength, phoneLength, longTextLength } = defaultLimits
  const long = { ...job, title: 'x'.repeat(nameLength + 1), achievements: 'x'.repeat(longTextLength + 1) }
  assert.deepEqual(faults({ firstName: 'x'.repeat(nameLength), phone: '1'.repeat(phoneLength) }), [])
  assert.deepEqual(faults({ phone: '1'.repeat(phoneLength + 1) }), ['phone too-long'])
  assert.deepEqual(faults({ jobs: [long] }), ['job-0-title too-long', 'job-0-achievements too-long'])
  assert.deepEqual(faults({ lastName: 'N\u0000g', skills: 'a\nb\u0007' }), [
    'lastName unwritable-character',
    'skills unwritable-character',
  ])
})

test('skills are one per line, distinct and limited', () => {
  const { checked } = check({ skills: ' Latte art \r\n\r\nlatte ART\nRostering\r\n' })
  assert.deepEqual(checked.profile.skills, ['Latte art', 'Rostering'])
  const many = Array.from({ length: defaultLimits.skills + 1 }, (_, index) => `skill ${index}`)
  assert.deepEqual(faults({ skills: many.slice(1).join('\n') }), [])
  assert.deepEqual(faults({ skills: many.join('\n') }), ['skills too-many'])
})

test('choices come from the lists or from the stored profile', () => {
  assert.deepEqual(faults({ location: '777', qualification: 'x' }), [
    'location unknown',
    'qualification unknown',
  ])
  const gone = { id: '777', description: 'A place of old' }
  const current: Profile = {
    ...emptyProfile,
    currentLocation: gone,
    workHistory: [{ ...(mary.workHistory[0] as Profile['workHistory'][0]), industry: gone }],
    salaryAndVisaByCountry: {
      YU: { description: '', hasWorkingVisa: true, minimumSalaryValue: 1, salaryType: 'Weekly' },
    },
  }
  const { errors, checked } = check(formOfProfile(name, current), current)
  assert.deepEqual(errors, [])
  assert.deepEqual(checked.profile, current)
})

test('empty and removed fieldsets are ignored', () => {
  const { errors, checked } = check({
    jobs: [emptyJob, { ...job, from: 'nonsense', isRemoved: true }],
    countries: [emptyCountry, { ...country, salary: 'nonsense', isRemoved: true }],
  })
  assert.deepEqual(errors, [])
  assert.deepEqual(checked.profile, emptyProfile)
})

test('a job needs a title, a company and its months', () => {
  assert.deepEqual(faults({ jobs: [{ ...emptyJob, achievements: 'x' }] }), [
    'job-0-title empty',
    'job-0-company empty',
    'job-0-from empty',
    'job-0-to empty',
  ])
  assert.deepEqual(faults({ jobs: [{ ...job, from: '', isCurrent: true }] }), ['job-0-from empty'])
})

test('months are valid, in order and not in the future', () => {
  const ended = { ...job, isCurrent: false, to: '2025-01' }
  const at = (change: Partial<JobForm>) => faults({ jobs: [{ ...ended, ...change }] })
  assert.deepEqual(at({}), [])
  assert.deepEqual(at({ from: '2025-01' }), [])
  for (const from of ['March 2024', '2024-13', '2024-3', '1899-12', '2024-03-01']) {
    assert.deepEqual(at({ from }), ['job-0-from month'], from)
  }
  assert.deepEqual(at({ from: '2025-02' }), ['job-0-to order'])
  assert.deepEqual(at({ to: '2026-11' }), [])
  assert.deepEqual(at({ to: '2026-12' }), ['job-0-to future'])
  assert.deepEqual(faults({ jobs: [{ ...job, from: '2026-12' }] }), ['job-0-from future'])
  assert.deepEqual(at({ isCurrent: true }), ['job-0-to contradiction'])
})

test('jobs are stored newest first', () => {
  const of = (title: string, from: string, to: string) => ({ ...job, title, from, to, isCurrent: to === '' })
  const { errors, checked } = check({
    jobs: [
      of('c', '2020-01', '2021-01'),
      of('b', '2020-06', '2022-01'),
      of('a', '2019-01', ''),
      of('d', '2018-01', '2021-01'),
    ],
  })
  assert.deepEqual(errors, [])
  assert.deepEqual(
    checked.profile.workHistory.map(({ jobTitle }) => jobTitle),
    ['a', 'b', 'c', 'd'],
  )
})

test('a country is listed once, with its salary in any common notation', () => {
  for (const [salary, value] of [
    ['68000', 68000],
    ['$68,000', 68000],
    ['68 000', 68000],
    ['32.50', 32.5],
    ['0', 0],
  ] as const) {
    const { errors, checked } = check({ countries: [{ ...country, salary }] })
    assert.deepEqual(errors, [], salary)
    assert.equal(checked.profile.salaryAndVisaByCountry['AU']?.minimumSalaryValue, value)
  }
  assert.deepEqual(faults({ countries: [{ ...country, salary: '' }] }), ['country-0-salary empty'])
  for (const salary of ['-1', '1e9', 'much', '1.234', '٣']) {
    assert.deepEqual(faults({ countries: [{ ...country, salary }] }), ['country-0-salary number'], salary)
  }
  const { salary: most } = defaultLimits
  assert.deepEqual(faults({ countries: [{ ...country, salary: String(most) }] }), [])
  assert.deepEqual(faults({ countries: [{ ...country, salary: String(most + 1) }] }), [
    'country-0-salary too-large',
  ])
  assert.deepEqual(faults({ countries: [country, country] }), ['country-1-country repeated'])
  assert.deepEqual(faults({ countries: [{ ...emptyCountry, hasWorkingVisa: true }] }), [
    'country-0-country empty',
    'country-0-salary empty',
  ])
  assert.deepEqual(faults({ countries: [{ ...country, country: 'XX', salaryType: 'Weekly' }] }), [
    'country-0-country unknown',
    'country-0-salaryType unknown',
  ])
})

test('the numbers of jobs and countries are limited', () => {
  const jobs = Array.from({ length: defaultLimits.workHistory + 1 }, () => job)
  assert.deepEqual(faults({ jobs: jobs.slice(1) }), [])
  assert.deepEqual(faults({ jobs }), [`job-${defaultLimits.workHistory}-title too-many`])
  const codes = 'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR'
  const countries = codes.split(' ').map(code => ({ ...country, country: code }))
  assert.equal(countries.length, defaultLimits.countries + 1)
  assert.deepEqual(faults({ countries: countries.slice(1) }), [])
  assert.deepEqual(faults({ countries }), [`country-${defaultLimits.countries}-country too-many`])
})

test('every accepted profile fits into the form again, in the longest encoding', () => {
  const { formBytes, longTextLength } = defaultLimits
  // A character of three bytes is sent as nine, and a line end as six.
  const jobsOf = (length: number) => [{ ...job, achievements: `${'茶\n'.repeat(length / 2)}.` }]
  const lengths = Array.from({ length: 100 }, (_, step) => (longTextLength * step) / 100)
  const accepted = lengths.filter(length => check({ jobs: jobsOf(length) }).errors.length === 0)
  const longest = accepted.at(-1) ?? 0
  assert.ok(accepted.length > 50 && accepted.length < 100, String(accepted.length))
  const { checked } = check({ jobs: jobsOf(longest) })
  const again = withRoom(formOfProfile(checked, checked.profile), defaultLimits)
  assert.ok(encodedBytes(again) <= formBytes)
  const many = Array.from({ length: 8 }, (_, index) => ({
    ...job,
    title: `${index}`,
    achievements: '茶'.repeat(900),
  }))
  assert.deepEqual(faults({ jobs: many }), ['job-0-achievements too-long'])
  assert.deepEqual(faults({ jobs: many.slice(1) }), [])
})

test('the size of a form is what a browser would send', () => {
  assert.equal(
    encodedBytes({ ...blank, jobs: [], countries: [], skills: 'a\nb' }),
    encodedBytes({ ...blank, skills: '' }) + 8,
  )
  const limits = { ...defaultLimits, formBytes: 400 }
  assert.equal(check({}, emptyProfile, limits).errors[0]?.code, 'too-long')
})
