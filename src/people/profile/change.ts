import type { Profile } from '../../model/profile.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { checksOf, maxCountries, maxWorkHistory, newestFirst, type ProfileCheck } from './check.ts'
import { aboutForm, encodedBytes, jobWith, type NamedProfile, type SectionForm, versionOf } from './form.ts'

/** One change by the candidate: to one section, or to one job, country or skill. */
export type ProfileChange =
  | ({ action: 'save'; version: string | undefined } & SectionForm)
  | { action: 'add-skill'; skill: string; at: number | undefined }
  | { action: 'remove-skill'; skill: string }
  | { action: 'remove'; section: 'job' | 'country'; version: string }

/** The result of applying a change to the stored profile. */
export interface Changed {
  /** Undefined if there is nothing to store. */
  next?: NamedProfile
  errors: FieldError[]
  /** Whether another window has changed the stored values that the change was based on. */
  isStale?: boolean
}

/** Allowance for hidden fields, which are sent with the form's own. */
const extraBytes = 200

export function applyChange(
  stored: NamedProfile,
  change: ProfileChange,
  rules: Omit<ProfileCheck, 'current'>,
): Changed {
  const { profile } = stored
  const checks = checksOf({ ...rules, current: profile })
  const { errors, fail } = checks
  const { limits } = rules
  const withProfile = (part: Partial<Profile>): NamedProfile => ({
    ...stored,
    profile: { ...profile, ...part },
  })

  function changed(): { next: NamedProfile; isStale?: boolean } {
    switch (change.action) {
      case 'add-skill': {
        const at = change.at ?? profile.skills.length
        if (change.skill.trim() === '') fail('skill', 'empty', 'Enter a skill.')
        return {
          next: withProfile({
            skills: checks.skills(profile.skills.toSpliced(at, 0, change.skill), 'skill'),
          }),
        }
      }
      case 'remove-skill':
        return { next: withProfile({ skills: profile.skills.filter(skill => skill !== change.skill) }) }
      case 'remove':
        return change.section === 'job' ? removeJob(change.version) : removeCountry(change.version)
      case 'save':
        return save(change)
    }
  }

  function save(sent: SectionForm & { version: string | undefined }): {
    next: NamedProfile
    isStale?: boolean
  } {
    const { version } = sent
    switch (sent.section) {
      case 'about': {
        const { firstName, lastName, ...part } = checks.about(sent.form)
        const next = { firstName, lastName, profile: { ...profile, ...part } }
        return { next, isStale: isOther(version, versionOf(aboutForm(stored))) }
      }
      case 'skills': {
        const skills = checks.skills(sent.form.skills.split('\n'))
        return { next: withProfile({ skills }), isStale: isOther(version, versionOf(profile.skills)) }
      }
      case 'job': {
        const job = checks.job(sent.form)
        const old = jobWith(profile, version ?? '')
        const others = profile.workHistory.filter(each => each !== old)
        // A form that is sent twice adds the job once.
        const isThere = others.some(each => isEqual(each, job))
        if (!isThere && others.length >= maxWorkHistory) {
          fail('title', 'too-many', `List at most ${maxWorkHistory} jobs. Remove one first.`)
        }
        const workHistory = isThere ? others : [...others, job].toSorted(newestFirst)
        return { next: withProfile({ workHistory }), isStale: isEntry(version) && old === undefined }
      }
      case 'country': {
        const [code, entry] = checks.country(sent.form)
        const entries = Object.entries(profile.salaryAndVisaByCountry)
        const at = entries.findIndex(each => versionOf(each) === version)
        const others = entries.filter((_, index) => index !== at)
        const other = others.find(([each]) => each === code)
        const isThere = isEqual(other, [code, entry])
        const isStale = isEntry(version) && at === -1
        if (other !== undefined && !isThere && !isStale) {
          fail('country', 'repeated', 'This country is in your profile already. Edit it there.')
        }
        if (!isThere && others.length >= maxCountries) {
          fail('country', 'too-many', `List at most ${maxCountries} countries. Remove one first.`)
        }
        const next = isThere ? others : others.toSpliced(at === -1 ? others.length : at, 0, [code, entry])
        return { next: withProfile({ salaryAndVisaByCountry: Object.fromEntries(next) }), isStale }
      }
    }
  }

  function removeJob(version: string) {
    const workHistory = profile.workHistory.filter(job => versionOf(job) !== version)
    return { next: withProfile({ workHistory }), isStale: workHistory.length === profile.workHistory.length }
  }

  function removeCountry(version: string) {
    const entries = Object.entries(profile.salaryAndVisaByCountry)
    const left = entries.filter(entry => versionOf(entry) !== version)
    return {
      next: withProfile({ salaryAndVisaByCountry: Object.fromEntries(left) }),
      isStale: left.length === entries.length,
    }
  }

  const { next, isStale = false } = changed()
  const isSame = isEqual(next, stored)
  if (errors.length > 0) return { errors }
  if (isStale && (!isSame || change.action === 'remove')) return { errors, isStale }
  if (isSame) return { errors }
  // Every stored section must fit into the form that next edits it.
  const bytes = encodedBytes(next)
  if (bytes + extraBytes > limits.formBytes && bytes > encodedBytes(stored)) {
    fail(
      longestField(change),
      'too-long',
      'Your profile is too long to save. Shorten some of its texts, or remove a job.',
    )
    return { errors }
  }
  return { errors, next }
}

function longestField(change: ProfileChange): string {
  if (change.action !== 'save') return 'skill'
  return { about: 'phone', skills: 'skills', job: 'achievements', country: 'description' }[change.section]
}

/** A form without a version was written by hand, so it was based on nothing shown. */
const isOther = (version: string | undefined, stored: string) => version !== undefined && version !== stored

const isEntry = (version: string | undefined) => version !== undefined && version !== ''

/** Compares values that passed the same checks and so have their fields in the same order. */
const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
