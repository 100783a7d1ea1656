import type { FieldError } from '../../core/problems.ts'
import { lineBreak, type TextRules, textFault } from '../../core/text.ts'
import type { Limits } from '../../limits.ts'
import type { Choice, Job, Profile, SalaryAndVisa } from '../../model/profile.ts'
import {
  countries,
  findChoice,
  industries,
  locations,
  qualifications,
  salaryTypes,
} from '../../model/reference-lists.ts'
import {
  type CountryForm,
  countryField,
  emptyCountry,
  emptyJob,
  encodedBytes,
  formOfProfile,
  isEmptyCountry,
  isEmptyJob,
  type JobForm,
  jobField,
  type ProfileForm,
} from './form.ts'

export type ProfileLimits = Pick<
  Limits,
  | 'nameLength'
  | 'phoneLength'
  | 'longTextLength'
  | 'skills'
  | 'workHistory'
  | 'countries'
  | 'salary'
  | 'formBytes'
>

/** Everything that one save writes. */
export interface NamedProfile {
  firstName: string
  lastName: string
  profile: Profile
}

export interface ProfileCheck {
  /** The stored profile: its choices stay valid after they leave the reference lists. */
  current: Profile
  /** YYYY-MM */
  thisMonth: string
  limits: ProfileLimits
}

/** Allowance for the hidden field and the pressed button, sent with the form's own fields. */
const extraBytes = 200

/** Checks every field and returns all errors at once. */
export function checkProfileForm(
  form: ProfileForm,
  { current, thisMonth, limits }: ProfileCheck,
): { errors: FieldError[]; checked: NamedProfile } {
  const errors: FieldError[] = []
  const fail = (field: string, code: string, message: string) => {
    errors.push({ field, code, message })
  }

  function text(field: string, value: string, label: string, rules: TextRules): string {
    const fault = textFault(value, rules)
    if (fault === 'empty') fail(field, fault, `Enter ${label}.`)
    if (fault === 'too-long') {
      fail(field, fault, `Use at most ${rules.maxLength} characters; you have ${value.length}.`)
    }
    if (fault === 'unwritable-character') {
      fail(field, fault, 'This contains a character we can’t save. Type it again instead of pasting it.')
    }
    return value
  }

  function line(field: string, value: string, label: string, maxLength: number, isRequired = false): string {
    if (!lineBreak.test(value.trim())) return text(field, oneLine(value), label, { maxLength, isRequired })
    fail(field, 'line-break', 'Write it on one line.')
    return oneLine(value)
  }

  function choice(
    field: string,
    id: string,
    list: readonly Choice[],
    kept: (Choice | null)[],
  ): Choice | null {
    if (id === '') return null
    const found = findChoice(
      list,
      id,
      kept.filter(entry => entry !== null),
    )
    if (found === undefined) fail(field, 'unknown', 'Choose one from the list.')
    return found ?? null
  }

  function month(field: string, value: string, label: string): string {
    const typed = value.trim()
    if (typed === '') fail(field, 'empty', `Enter the month in which you ${label}.`)
    else if (!/^(19|20)\d\d-(0[1-9]|1[0-2])$/.test(typed)) {
      fail(field, 'month', 'Write it as year and month, for example 2024-03.')
    } else return typed
    return ''
  }

  function skills(): string[] {
    const byWord = new Map<string, string>()
    for (const skill of form.skills.split('\n').map(oneLine)) {
      const word = skill.toLowerCase()
      if (word !== '' && !byWord.has(word)) byWord.set(word, skill)
    }
    const distinct = [...byWord.values()]
    if (distinct.length > limits.skills) {
      fail('skills', 'too-many', `List at most ${limits.skills} skills; you have ${distinct.length}.`)
      return distinct
    }
    const rules = { maxLength: limits.nameLength }
    const wrong = distinct.find(skill => textFault(skill, rules))
    if (wrong !== undefined) text('skills', wrong, 'a skill', rules)
    return distinct
  }

  function job(entry: JobForm, row: number): Job {
    const name = (part: keyof JobForm) => jobField(row, part)
    const kept = current.workHistory.map(({ industry }) => industry)
    const jobTitle = line(name('title'), entry.title, 'the job title', limits.nameLength, true)
    const companyName = line(name('company'), entry.company, 'the company', limits.nameLength, true)
    const industry = choice(name('industry'), entry.industry, industries, kept)
    const from = month(name('from'), entry.from, 'started')
    if (from > thisMonth) fail(name('from'), 'future', 'Enter a month that is not in the future.')
    const to = lastMonth(entry, name('to'), from)
    const achievements = text(name('achievements'), manyLines(entry.achievements), 'what you achieved', {
      maxLength: limits.longTextLength,
    })
    return { jobTitle, companyName, industry, achievements, from, to }
  }

  function lastMonth(entry: JobForm, field: string, from: string): string | null {
    if (entry.isCurrent) {
      if (entry.to.trim() === '') return null
      fail(field, 'contradiction', 'Clear this month, or untick "I still work there".')
      return null
    }
    if (entry.to.trim() === '') {
      fail(field, 'empty', 'Enter the month in which you left, or tick "I still work there".')
      return null
    }
    const to = month(field, entry.to, 'left')
    if (to > thisMonth) {
      fail(field, 'future', 'This month is in the future. Tick "I still work there" instead.')
    } else if (to !== '' && to < from) fail(field, 'order', 'This is before the month in which you started.')
    return to
  }

  function country(entry: CountryForm, row: number): [string, SalaryAndVisa] {
    const name = (part: keyof CountryForm) => countryField(row, part)
    const keptCountries = Object.keys(current.salaryAndVisaByCountry).map(sameWord)
    const keptTypes = Object.values(current.salaryAndVisaByCountry).map(({ salaryType }) =>
      sameWord(salaryType),
    )
    if (entry.country === '') fail(name('country'), 'empty', 'Choose a country.')
    const code = choice(name('country'), entry.country, countries, keptCountries)?.id ?? ''
    const description = line(name('description'), entry.description, 'a description', limits.nameLength)
    if (entry.salaryType === '') fail(name('salaryType'), 'empty', 'Choose a pay period.')
    const salaryType = choice(name('salaryType'), entry.salaryType, salaryTypes, keptTypes)?.id ?? ''
    const { hasWorkingVisa } = entry
    return [
      code,
      { description, hasWorkingVisa, minimumSalaryValue: salary(name('salary'), entry.salary), salaryType },
    ]
  }

  function salary(field: string, value: string): number {
    // As people write it: $68,000 or 68 000.
    const digits = value.replaceAll(/[\s,$]/g, '')
    const amount = Number(digits)
    if (digits === '') fail(field, 'empty', 'Enter your minimum salary, or 0 if you’d rather not say.')
    else if (!/^\d{1,12}(\.\d{1,2})?$/.test(digits))
      fail(field, 'number', 'Enter a number, for example 68000.')
    else if (amount > limits.salary) fail(field, 'too-large', `Enter at most ${limits.salary}.`)
    else return amount
    return 0
  }

  function workHistory(): Job[] {
    const filled = form.jobs.flatMap((entry, row) =>
      entry.isRemoved || isEmptyJob(entry) ? [] : [{ entry, row }],
    )
    const excess = filled[limits.workHistory]
    if (excess !== undefined) {
      fail(jobField(excess.row, 'title'), 'too-many', `List at most ${limits.workHistory} jobs.`)
      return []
    }
    return filled.map(({ entry, row }) => job(entry, row)).toSorted(newestFirst)
  }

  function salaries(): Record<string, SalaryAndVisa> {
    const filled = form.countries.flatMap((entry, row) =>
      entry.isRemoved || isEmptyCountry(entry) ? [] : [{ entry, row }],
    )
    const excess = filled[limits.countries]
    if (excess !== undefined) {
      fail(countryField(excess.row, 'country'), 'too-many', `List at most ${limits.countries} countries.`)
      return {}
    }
    const byCountry = new Map<string, SalaryAndVisa>()
    for (const { entry, row } of filled) {
      const [code, value] = country(entry, row)
      if (code !== '' && byCountry.has(code)) {
        fail(countryField(row, 'country'), 'repeated', 'This country is listed twice. Remove one of them.')
      }
      byCountry.set(code, value)
    }
    return Object.fromEntries(byCountry)
  }

  const checked: NamedProfile = {
    firstName: line('firstName', form.firstName, 'your first name', limits.nameLength, true),
    lastName: line('lastName', form.lastName, 'your last name', limits.nameLength, true),
    profile: {
      phoneNumber: line('phone', form.phone, 'your phone number', limits.phoneLength) || null,
      currentLocation: choice('location', form.location, locations, [current.currentLocation]),
      highestQualification: choice('qualification', form.qualification, qualifications, [
        current.highestQualification,
      ]),
      skills: skills(),
      workHistory: workHistory(),
      salaryAndVisaByCountry: salaries(),
    },
  }
  // A saved profile must fit into the form that edits it next time.
  const next = formOfProfile(checked, checked.profile)
  const bytes = encodedBytes({
    ...next,
    jobs: [...next.jobs, emptyJob],
    countries: [...next.countries, emptyCountry],
  })
  if (errors.length === 0 && bytes + extraBytes > limits.formBytes) {
    const longest = form.jobs.length > 0 ? jobField(0, 'achievements') : 'skills'
    fail(longest, 'too-long', 'Your profile is too long to save. Shorten some of its texts, or remove a job.')
  }
  return { errors, checked }
}

/** Collapses white space of any kind, line breaks included, into single spaces. */
function oneLine(value: string): string {
  return value.replaceAll(/\s+/g, ' ').trim()
}

function manyLines(value: string): string {
  return value.replaceAll(/\r\n?/g, '\n').trim()
}

function sameWord(word: string): Choice {
  return { id: word, description: word }
}

/** Orders jobs as resumes do: current ones first, then by latest end. */
function newestFirst(a: Job, b: Job): number {
  const [endA, endB] = [a.to ?? '9999-12', b.to ?? '9999-12']
  return endB.localeCompare(endA) || b.from.localeCompare(a.from)
}
