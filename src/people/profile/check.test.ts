import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoCandidates } from '../../demo/world/world.ts'
import { builtInLists } from '../../model/own-lists.ts'
import { emptyProfile, type Profile } from '../../model/profile.ts'
import { countries } from '../../model/reference-lists.ts'
import { longTextLength, nameLength, phoneLength } from '../../model/text-lengths.ts'
import { FormFields } from '../../platform/http/requests/form.ts'
import { defaultLimits } from '../../settings-limits.ts'
import { applyChange, type ProfileChange } from './change.ts'
import { maxCountries, maxSalary, maxSkills, maxWorkHistory } from './check.ts'
import {
  type AboutForm,
  aboutForm,
  type CountryForm,
  emptyCountry,
  emptyJob,
  encodedBytes,
  formOfSection,
  type JobForm,
  type NamedProfile,
  readSectionForm,
  sections,
  versionOf,
} from './form.ts'

const mary = demoCandidates[0]?.profile as Profile
const name = { firstName: 'Mary', lastName: 'Nguyen' }
const blank: NamedProfile = { ...name, profile: emptyProfile }
const job: JobForm = { ...emptyJob, title: 'Barista', company: 'Dock', from: '2024-03', isCurrent: true }
const country: CountryForm = { ...emptyCountry, country: 'AU', salary: '68000' }

function change(wanted: ProfileChange, stored = blank) {
  const { errors, next, isStale } = applyChange(stored, wanted, {
    thisMonth: '2026-11',
    lists: builtInLists,
    limits: defaultLimits,
  })
  return {
    faults: errors.map(({ field, code }) => `${field} ${code}`),
    isStale,
    profile: next?.profile,
    next,
  }
}

const about = (form: Partial<AboutForm>, stored = blank) => {
  const now = aboutForm(stored)
  return change(
    { action: 'save', section: 'about', form: { ...now, ...form }, version: versionOf(now) },
    stored,
  )
}
const skills = (text: string, stored = blank) =>
  change(
    { action: 'save', section: 'skills', form: { skills: text }, version: versionOf(stored.profile.skills) },
    stored,
  )
const saveJob = (form: Partial<JobForm>, stored = blank, version = '') =>
  change({ action: 'save', section: 'job', form: { ...job, ...form }, version }, stored)
const saveCountry = (form: Partial<CountryForm>, stored = blank, version = '') =>
  change({ action: 'save', section: 'country', form: { ...country, ...form }, version }, stored)

test('every section survives the round trip through its form, and changes nothing', () => {
  const stored = { ...name, profile: mary }
  const versions = {
    about: [''],
    skills: [''],
    job: mary.workHistory.map(versionOf),
    country: Object.entries(mary.salaryAndVisaByCountry).map(versionOf),
  }
  for (const section of sections) {
    for (const version of versions[section]) {
      const found = formOfSection(section, stored, version) ?? assert.fail()
      const fields = Object.entries(found.filled.form).flatMap(([field, value]) =>
        typeof value === 'boolean'
          ? value
            ? [[field, 'yes'] as const]
            : []
          : [[field, String(value)] as const],
      )
      const sent = readSectionForm(
        section,
        new FormFields(new URLSearchParams(Object.fromEntries(fields)).toString()),
      )
      assert.deepEqual(sent, found.filled)
      const { faults, isStale, next } = change({ action: 'save', version: found.version, ...sent }, stored)
      assert.deepEqual([faults, isStale, next], [[], undefined, undefined])
    }
  }
})

test('names are required, and lines are trimmed', () => {
  assert.deepEqual(about({ firstName: ' ', lastName: '' }).faults, ['firstName empty', 'lastName empty'])
  const { next } = about({ firstName: '  Mary\t Ann ', phone: '  ' })
  assert.deepEqual([next?.firstName, next?.profile.phoneNumber], ['Mary Ann', null])
  assert.deepEqual(about({ firstName: 'Mary\nAnn', lastName: 'Nguyen\r\n', phone: '04\u202800' }).faults, [
    'firstName line-break',
    'phone line-break',
  ])
})

test('text that is too long or cannot be stored is rejected at its field', () => {
  const long = { title: 'x'.repeat(nameLength + 1), achievements: 'x'.repeat(longTextLength + 1) }
  assert.deepEqual(about({ firstName: 'x'.repeat(nameLength), phone: '1'.repeat(phoneLength) }).faults, [])
  assert.deepEqual(about({ phone: '1'.repeat(phoneLength + 1) }).faults, ['phone too-long'])
  assert.deepEqual(saveJob(long).faults, ['title too-long', 'achievements too-long'])
  assert.deepEqual(about({ lastName: 'N\u0000g' }).faults, ['lastName unwritable-character'])
  assert.deepEqual(skills('a\nb\u0007').faults, ['skills unwritable-character'])
})

test('skills are distinct and limited, typed together or one by one', () => {
  assert.deepEqual(skills(' Latte art \r\n\r\nlatte ART\nRostering\r\n').profile?.skills, [
    'Latte art',
    'Rostering',
  ])
  const many = Array.from({ length: maxSkills + 1 }, (_, index) => `skill ${index}`)
  const full = { ...blank, profile: { ...emptyProfile, skills: many.slice(1) } }
  assert.deepEqual(skills(many.slice(1).join('\n')).profile, full.profile)
  assert.deepEqual(skills(many.join('\n')).faults, ['skills too-many'])

  const two = { ...blank, profile: { ...emptyProfile, skills: ['a', 'b'] } }
  const add = (skill: string, stored = two, at?: number) => change({ action: 'add-skill', skill, at }, stored)
  assert.deepEqual(add(' c ').profile?.skills, ['a', 'b', 'c'])
  assert.deepEqual(add('c', two, 1).profile?.skills, ['a', 'c', 'b'])
  assert.deepEqual(add('c', two, 1e9).profile?.skills, ['a', 'b', 'c'])
  assert.deepEqual([add('A').faults, add('A').next], [[], undefined], 'it is there already')
  assert.deepEqual(add(' ').faults, ['skill empty'])
  assert.deepEqual(add('x'.repeat(201)).faults, ['skill too-long'])
  assert.deepEqual(add('new', full).faults, ['skill too-many'])
  assert.deepEqual(change({ action: 'remove-skill', skill: 'a' }, two).profile?.skills, ['b'])
  assert.equal(change({ action: 'remove-skill', skill: 'c' }, two).next, undefined)
})

test('choices come from the lists or from the stored profile', () => {
  assert.deepEqual(about({ location: '777', qualification: 'x' }).faults, [
    'location unknown',
    'qualification unknown',
  ])
  const gone = { id: '777', description: 'A place of old' }
  const old = { ...(mary.workHistory[0] as Profile['workHistory'][0]), industry: gone }
  const entry = { description: '', hasWorkingVisa: true, minimumSalaryValue: 1, salaryType: 'Weekly' }
  const profile = {
    ...emptyProfile,
    currentLocation: gone,
    workHistory: [old],
    salaryAndVisaByCountry: { YU: entry },
  }
  const stored = { ...name, profile }
  assert.deepEqual(about({ phone: '1' }, stored).profile?.currentLocation, gone)
  assert.deepEqual(saveJob({ industry: '777' }, stored).profile?.workHistory.length, 2)
  const changed = saveCountry(
    { country: 'YU', salary: '2', salaryType: 'Weekly' },
    stored,
    versionOf(['YU', entry]),
  )
  assert.equal(changed.profile?.salaryAndVisaByCountry['YU']?.minimumSalaryValue, 2)
})

test('a job needs a title, a company and its months', () => {
  assert.deepEqual(saveJob({ ...emptyJob, achievements: 'x' }).faults, [
    'title empty',
    'company empty',
    'from empty',
    'to empty',
  ])
  assert.deepEqual(saveJob({ from: '' }).faults, ['from empty'])
})

test('months are valid, in order and not in the future', () => {
  const at = (form: Partial<JobForm>) => saveJob({ isCurrent: false, to: '2025-01', ...form }).faults
  assert.deepEqual(at({}), [])
  assert.deepEqual(at({ from: '2025-01' }), [])
  for (const from of ['March 2024', '2024-13', '2024-3', '1899-12', '2024-03-01']) {
    assert.deepEqual(at({ from }), ['from month'], from)
  }
  assert.deepEqual(at({ from: '2025-02' }), ['to order'])
  assert.deepEqual(at({ to: '2026-11' }), [])
  assert.deepEqual(at({ to: '2026-12' }), ['to future'])
  assert.deepEqual(saveJob({ from: '2026-12' }).faults, ['from future'])
  assert.deepEqual(at({ isCurrent: true }), ['to contradiction'])
})

test('jobs are added, changed and removed one by one, and stored newest first', () => {
  let stored = blank
  const keep = ({ next, faults }: ReturnType<typeof change>) => {
    assert.deepEqual(faults, [])
    stored = next ?? stored
  }
  const titles = () => stored.profile.workHistory.map(({ jobTitle }) => jobTitle).join('')
  const add = (title: string, from: string, to: string) =>
    keep(saveJob({ title, from, to, isCurrent: to === '' }, stored))
  add('c', '2020-01', '2021-01')
  add('b', '2020-06', '2022-01')
  add('a', '2019-01', '')
  add('d', '2018-01', '2021-01')
  assert.equal(titles(), 'abcd')
  add('a', '2019-01', '')
  assert.equal(titles(), 'abcd', 'sent twice, added once')
  const versionAt = (index: number) => versionOf(stored.profile.workHistory[index] ?? assert.fail())
  const [ofB, ofC] = [versionAt(1), versionAt(2)]
  keep(saveJob({ title: 'B', from: '2020-06', to: '2022-01', isCurrent: false }, stored, ofB))
  assert.equal(titles(), 'aBcd')
  const again = saveJob({ title: 'B', from: '2020-06', to: '2022-01', isCurrent: false }, stored, ofB)
  assert.deepEqual([again.isStale, again.next], [undefined, undefined], 'the same change, sent twice')
  const other = saveJob({ title: 'X', from: '2020-06', to: '2022-01', isCurrent: false }, stored, ofB)
  assert.deepEqual([other.isStale, other.next], [true, undefined])
  const remove = (version: string) => change({ action: 'remove', section: 'job', version }, stored)
  keep(remove(ofC))
  assert.equal(titles(), 'aBd')
  assert.equal(remove(ofC).isStale, true)
})

test('a salary is understood in any common notation', () => {
  for (const [salary, value] of [
    ['68000', 68000],
    ['$68,000', 68000],
    ['68 000', 68000],
    ['32.50', 32.5],
    ['0', 0],
  ] as const) {
    const { faults, profile } = saveCountry({ salary })
    assert.deepEqual(faults, [], salary)
    assert.equal(profile?.salaryAndVisaByCountry['AU']?.minimumSalaryValue, value)
  }
  assert.deepEqual(saveCountry({ salary: '' }).faults, ['salary empty'])
  for (const salary of ['-1', '1e9', 'much', '1.234', '٣']) {
    assert.deepEqual(saveCountry({ salary }).faults, ['salary number'], salary)
  }
  assert.deepEqual(saveCountry({ salary: String(maxSalary) }).faults, [])
  assert.deepEqual(saveCountry({ salary: String(maxSalary + 1) }).faults, ['salary too-large'])
  assert.deepEqual(saveCountry({ ...emptyCountry }).faults, ['country empty', 'salary empty'])
  assert.deepEqual(saveCountry({ country: 'XX', salaryType: 'Weekly' }).faults, [
    'country unknown',
    'salaryType unknown',
  ])
})

test('a country is listed once, and stays where it is when it changes', () => {
  const au = saveCountry({}).next ?? assert.fail()
  const both = saveCountry({ country: 'NZ' }, au).next ?? assert.fail()
  assert.deepEqual(saveCountry({ salary: '1' }, both).faults, ['country repeated'])
  assert.equal(saveCountry({}, both).next, undefined, 'sent twice, added once')
  const version = versionOf(['AU', both.profile.salaryAndVisaByCountry['AU'] ?? assert.fail()])
  const raised = saveCountry({ salary: '70000' }, both, version).next ?? assert.fail()
  assert.deepEqual(Object.keys(raised.profile.salaryAndVisaByCountry), ['AU', 'NZ'])
  const stale = saveCountry({ salary: '71000' }, raised, version)
  assert.deepEqual([stale.isStale, stale.faults, stale.next], [true, [], undefined])
  const removed = change({ action: 'remove', section: 'country', version }, both)
  assert.deepEqual(Object.keys(removed.profile?.salaryAndVisaByCountry ?? {}), ['NZ'])
  assert.equal(change({ action: 'remove', section: 'country', version }, raised).isStale, true)
})

test('the numbers of jobs and countries are limited', () => {
  const of = (form: Partial<JobForm>, version = '') =>
    change({ action: 'save', section: 'job', form: { ...job, ...form }, version }, full)
  const { profile } = saveCountry({}, saveJob({}).next).next ?? assert.fail()
  const [held] = profile.workHistory
  const { AU: entry } = profile.salaryAndVisaByCountry
  assert.ok(held !== undefined && entry !== undefined)
  const codes = countries()
    .map(({ id }) => id)
    .filter(id => id !== 'NZ')
  const workHistory = Array.from({ length: maxWorkHistory }, (_, index) => ({
    ...held,
    jobTitle: `Job ${index}`,
  }))
  const salaryAndVisaByCountry = Object.fromEntries(codes.slice(0, maxCountries).map(code => [code, entry]))
  const full = { ...name, profile: { ...profile, workHistory, salaryAndVisaByCountry } }
  assert.deepEqual(of({ title: 'Another' }).faults, ['title too-many'])
  assert.deepEqual(
    of({ title: 'Changed' }, versionOf(full.profile.workHistory[0] ?? assert.fail())).faults,
    [],
  )
  const second = change(
    { action: 'save', section: 'country', form: { ...country, country: 'NZ' }, version: '' },
    full,
  )
  assert.deepEqual(second.faults, ['country too-many'])
})

test('a section does not overwrite what another window has saved in it, and leaves the others alone', () => {
  const before = aboutForm(blank)
  const stored = skills('Tea').next ?? assert.fail()
  const form = { ...before, phone: '1' }
  const { next } = change({ action: 'save', section: 'about', form, version: versionOf(before) }, stored)
  assert.deepEqual([next?.profile.skills, next?.profile.phoneNumber], [['Tea'], '1'])
  const moved = about({ phone: '2' }).next ?? assert.fail()
  const late = change({ action: 'save', section: 'about', form, version: versionOf(before) }, moved)
  assert.deepEqual([late.isStale, late.next], [true, undefined])
  const late2 = change(
    { action: 'save', section: 'skills', form: { skills: 'x' }, version: versionOf([]) },
    stored,
  )
  assert.equal(late2.isStale, true)
})

test('every accepted section fits into its form again, in the longest encoding', () => {
  const { formBytes } = defaultLimits
  // A character of three bytes is sent as nine, and a line end as six.
  const long = (length: number) => saveJob({ achievements: `${'茶\n'.repeat(length / 2)}.` })
  const lengths = Array.from({ length: 100 }, (_, step) => (longTextLength * step) / 100)
  const accepted = lengths.filter(length => long(length).faults.length === 0)
  assert.ok(accepted.length > 50 && accepted.length < 100, String(accepted.length))
  const longest = long(accepted.at(-1) ?? 0).next ?? assert.fail()
  assert.ok(encodedBytes(longest) <= formBytes)
  const form = {
    ...job,
    achievements: longest.profile.workHistory[0]?.achievements.replaceAll('\n', '\r\n') ?? '',
  }
  const body = new URLSearchParams({ ...form, isCurrent: 'yes' })
  assert.ok(body.toString().length < encodedBytes(longest))
  assert.deepEqual(long(longTextLength - 2).faults, ['achievements too-long'])
  // A profile that is too long already can get shorter.
  const stored = { ...name, profile: { ...emptyProfile, skills: ['茶'.repeat(20_000)] } }
  assert.deepEqual(about({ phone: '12345' }, stored).faults, ['phone too-long'])
  assert.deepEqual(about({ firstName: 'M' }, stored).faults, [])
})
