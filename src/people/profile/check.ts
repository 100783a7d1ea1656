import type { ListName, Lists } from '../../model/own-lists.ts'
import type { Choice, Job, Profile } from '../../model/profile.ts'
import { countries, findChoice, salaryTypes } from '../../model/reference-lists.ts'
import { longTextLength, nameLength, phoneLength } from '../../model/text-lengths.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { lineBreak, type TextRules, textFault } from '../../platform/core/text.ts'
import type { AboutForm, CountryEntry, CountryForm, JobForm } from './form.ts'

/** Limit: Skills in one profile. */
export const maxSkills = 100
/** Limit: Jobs in one profile. */
export const maxWorkHistory = 50
/** Limit: Countries with salary and work rights in one profile. */
export const maxCountries = 30
/** Limit: The largest minimum salary, in any currency. */
export const maxSalary = 100_000_000

export type ProfileLimits = { formBytes: number }

/** Context of a check, besides the form. */
export interface ProfileCheck {
  /** The stored profile: its choices stay valid after they leave the reference lists. */
  current: Profile
  /** YYYY-MM */
  thisMonth: string
  lists: Pick<Lists, ListName>
  limits: ProfileLimits
}

/** Checks of the sections' forms. Each reports all errors together and returns the values to store. */
export function checksOf({ current, thisMonth, lists }: ProfileCheck) {
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
    return found === undefined ? null : { id: found.id, description: found.description }
  }

  function month(field: string, value: string, label: string): string {
    const typed = value.trim()
    if (typed === '') fail(field, 'empty', `Enter the month in which you ${label}.`)
    else if (!/^(19|20)\d\d-(0[1-9]|1[0-2])$/.test(typed)) {
      fail(field, 'month', 'Write it as year and month, for example 2024-03.')
    } else return typed
    return ''
  }

  function about(form: AboutForm) {
    return {
      firstName: line('firstName', form.firstName, 'your first name', nameLength, true),
      lastName: line('lastName', form.lastName, 'your last name', nameLength, true),
      phoneNumber: line('phone', form.phone, 'your phone number', phoneLength) || null,
      currentLocation: choice('location', form.location, lists.locations, [current.currentLocation]),
      highestQualification: choice('qualification', form.qualification, lists.qualifications, [
        current.highestQualification,
      ]),
    }
  }

  /** Errors are reported at `field`, because the same skills are typed one by one or all together. */
  function skills(lines: readonly string[], field = 'skills'): string[] {
    const byWord = new Map<string, string>()
    for (const skill of lines.map(oneLine)) {
      const word = skill.toLowerCase()
      if (word !== '' && !byWord.has(word)) byWord.set(word, skill)
    }
    const distinct = [...byWord.values()]
    if (distinct.length > maxSkills) {
      fail(field, 'too-many', `List at most ${maxSkills} skills; you have ${distinct.length}.`)
      return distinct
    }
    const rules = { maxLength: nameLength }
    const wrong = distinct.find(skill => textFault(skill, rules))
    if (wrong !== undefined) text(field, wrong, 'a skill', rules)
    return distinct
  }

  function job(form: JobForm): Job {
    const kept = current.workHistory.map(({ industry }) => industry)
    const jobTitle = line('title', form.title, 'the job title', nameLength, true)
    const companyName = line('company', form.company, 'the company', nameLength, true)
    const from = month('from', form.from, 'started')
    if (from > thisMonth) fail('from', 'future', 'Enter a month that is not in the future.')
    const to = lastMonth(form, from)
    const industry = choice('industry', form.industry, lists.industries, kept)
    const achievements = text('achievements', manyLines(form.achievements), 'what you achieved', {
      maxLength: longTextLength,
    })
    return { jobTitle, companyName, industry, achievements, from, to }
  }

  function lastMonth(form: JobForm, from: string): string | null {
    if (form.isCurrent) {
      if (form.to.trim() === '') return null
      fail('to', 'contradiction', 'Clear this month, or untick "I still work there".')
      return null
    }
    if (form.to.trim() === '') {
      fail('to', 'empty', 'Enter the month in which you left, or tick "I still work there".')
      return null
    }
    const to = month('to', form.to, 'left')
    if (to > thisMonth) {
      fail('to', 'future', 'This month is in the future. Tick "I still work there" instead.')
    } else if (to !== '' && to < from) fail('to', 'order', 'This is before the month in which you started.')
    return to
  }

  function country(form: CountryForm): CountryEntry {
    const keptCountries = Object.keys(current.salaryAndVisaByCountry).map(sameWord)
    const keptTypes = Object.values(current.salaryAndVisaByCountry).map(({ salaryType }) =>
      sameWord(salaryType),
    )
    if (form.country === '') fail('country', 'empty', 'Choose a country.')
    const code = choice('country', form.country, countries(), keptCountries)?.id ?? ''
    const description = line('description', form.description, 'a description', nameLength)
    const { hasWorkingVisa } = form
    const minimumSalaryValue = salary('salary', form.salary)
    if (form.salaryType === '') fail('salaryType', 'empty', 'Choose a pay period.')
    const salaryType = choice('salaryType', form.salaryType, salaryTypes, keptTypes)?.id ?? ''
    return [code, { description, hasWorkingVisa, minimumSalaryValue, salaryType }]
  }

  function salary(field: string, value: string): number {
    // As people write it: $68,000, 68 000 or €52,000. A comma before the last one or two digits is a decimal comma, and
    // is rejected.
    const digits = value.replaceAll(/[\s\p{Sc}]/gu, '').replaceAll(/,(?!\d{1,2}$)/g, '')
    const amount = Number(digits)
    if (digits === '') fail(field, 'empty', 'Enter your minimum salary, or 0 if you’d rather not say.')
    else if (!/^\d{1,12}(\.\d{1,2})?$/.test(digits))
      fail(field, 'number', 'Enter a number, for example 68000.')
    else if (amount > maxSalary) fail(field, 'too-large', `Enter at most ${maxSalary}.`)
    else return amount
    return 0
  }

  return { errors, fail, about, skills, job, country }
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

/** Orders jobs as resumes do: current jobs first, then by latest end. */
export function newestFirst(a: Job, b: Job): number {
  const [endA, endB] = [a.to ?? '9999-12', b.to ?? '9999-12']
  return endB.localeCompare(endA) || b.from.localeCompare(a.from)
}
