import type { Candidate } from '../../model/candidate.ts'
import type { Job, Profile } from '../../model/profile.ts'
import {
  countryInWords,
  periodInWords,
  rightToWorkInWords,
  salaryInWords,
} from '../../model/profile-words.ts'
import { nameLength } from '../../model/text-lengths.ts'
import type { ScanState } from '../../platform/blobs/scan-state.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import { meter } from '../../platform/web/components.ts'
import { type Forms, textInput } from '../../platform/web/forms.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { icon } from '../../platform/web/icons.ts'
import { maxCountries, maxSkills, maxWorkHistory, type ProfileLimits } from './check.ts'
import { type CountryEntry, type Section, versionOf } from './form.ts'

/** The parts of a profile that fill in most application forms, in the order of our form. */
export const profileParts = [
  'phone',
  'location',
  'qualification',
  'skills',
  'workHistory',
  'salary',
  'resume',
] as const
type ProfilePart = (typeof profileParts)[number]

/** Returns the parts that a prefill would leave empty. A resume that cannot be shared counts as missing. */
export function missingParts(profile: Profile, resume: { scan: ScanState } | null): ProfilePart[] {
  const isThere: Record<ProfilePart, boolean> = {
    phone: profile.phoneNumber !== null,
    location: profile.currentLocation !== null,
    qualification: profile.highestQualification !== null,
    skills: profile.skills.length > 0,
    workHistory: profile.workHistory.length > 0,
    salary: Object.keys(profile.salaryAndVisaByCountry).length > 0,
    resume: resume !== null && resume.scan !== 'infected',
  }
  return profileParts.filter(part => !isThere[part])
}

export const profilePaths = {
  view: '/account',
  edit: <const Of extends string>(section: Of) => `/account/profile/${section}` as const,
  entry: (section: Section, version: string) => `/account/profile/${section}?entry=${version}`,
} as const

/** The skill that was just added or removed. */
export type SkillState = { kind: 'added' } | { kind: 'removed'; skill: string; at: number }

interface ProfileView extends Forms {
  candidate: Candidate
  limits: ProfileLimits
  skill: SkillState | undefined
}

/** The profile to read, with ways to change each section. */
export function profileMarkup(page: ProfileView): Html {
  const { candidate } = page
  return html`<p>This is what you can share when you apply. No one sees it until you say so, and you choose what to leave out each time.</p>
${completenessMarkup(candidate)}
${aboutMarkup(candidate)}
${skillsMarkup(page)}
${workMarkup(page)}
${salaryMarkup(page)}
${resumeMarkup(candidate)}`
}

/** The section in which a missing part is added. */
const placeOfPart: Record<ProfilePart, string> = {
  phone: `${profilePaths.edit('about')}#phone`,
  location: `${profilePaths.edit('about')}#location`,
  qualification: `${profilePaths.edit('about')}#qualification`,
  skills: '#skill',
  workHistory: profilePaths.edit('job'),
  salary: profilePaths.edit('country'),
  resume: '/account/resumes',
}

function completenessMarkup({ profile, resume }: Candidate): Html {
  const missing = missingParts(profile, resume)
  const max = profileParts.length
  const value = max - missing.length
  return html`<section class="completeness">${meter({ id: 'completeness', label: `${value} of ${max} parts of your profile filled in`, value, max })}
${
  missing.length === 0
    ? html`<p class="hint">Your profile is complete. We’ll fill in everything we can.</p>`
    : html`<details><summary>${missing.length === 1 ? '1 part is missing' : `${missing.length} parts are missing`}</summary><p>When you apply on another website, we fill in its form from here. Anything missing, you’d have to type in each time:</p>
<ul>${missing.map(part => html`<li><a href="${placeOfPart[part]}">${partWords[part].label}</a>, ${partWords[part].why}</li>`)}</ul></details>`
}</section>`
}

const headMarkup = (id: string, title: string, action: Html | false) =>
  html`<div class="section-head"><h2 id="${id}">${title}</h2>${action}</div>`

const addLink = (href: string, label: string) =>
  html`<a class="button second small" href="${href}">${icon('add')}${label}</a>`

const editLink = (href: string, what: string) =>
  html`<a class="button second small" href="${href}">${icon('edit')}Edit<span class="visually-hidden"> ${what}</span></a>`

function aboutMarkup({ firstName, lastName, email, profile }: Candidate): Html {
  const edit = profilePaths.edit('about')
  const fact = (name: string, label: string, value: string | undefined) =>
    html`<div><dt>${label}</dt><dd>${value === undefined ? html`<a href="${edit}#${name}">Add<span class="visually-hidden"> ${label.toLowerCase()}</span></a>` : isolateBidi(value)}</dd></div>`
  return html`<section class="card" aria-labelledby="about">${headMarkup('about', 'About you', editLink(edit, 'About you'))}
<dl class="facts">
${fact('firstName', 'Name', `${firstName} ${lastName}`)}
<div class="whole"><dt>Email address</dt><dd>${isolateBidi(email)} <a href="/account/security">Change<span class="visually-hidden"> email address</span></a></dd></div>
${fact('phone', 'Phone number', profile.phoneNumber ?? undefined)}
${fact('location', 'Location', profile.currentLocation?.description)}
${fact('qualification', 'Highest qualification', profile.highestQualification?.description)}
</dl></section>`
}

function skillsMarkup({ candidate, form, skill: state }: ProfileView): Html {
  const { skills } = candidate.profile
  const action = profilePaths.edit('skills')
  const isFocused = state?.kind === 'added'
  return html`<section class="card" aria-labelledby="skills">${headMarkup('skills', 'Skills', skills.length > 0 && editLink(action, 'Skills'))}
${isFocused && html`<p class="visually-hidden" role="status">Skill added.</p>`}
${
  state?.kind === 'removed' &&
  form({
    action,
    className: 'notice line',
    hidden: { action: 'add', skill: state.skill, at: String(state.at) },
    below: html`<span role="status">Removed: ${isolateBidi(state.skill)}</span> <button class="link" type="submit" autofocus>Undo</button>`,
  })
}
${
  skills.length === 0
    ? html`<p class="hint">Companies compare skills with what the job needs. Add the ones you’d mention in an interview.</p>`
    : form({
        action,
        isInCard: true,
        hidden: { action: 'remove' },
        below: html`<ul class="chips">${skills.map(skill => html`<li class="chip">${isolateBidi(skill)}<button type="submit" name="skill" value="${skill}" aria-label="Remove ${stripBidi(skill)}">${icon('close')}</button></li>`)}</ul>`,
      })
}
${
  skills.length < maxSkills &&
  form({
    action,
    className: 'search',
    hidden: { action: 'add' },
    fields: [
      textInput({
        name: 'skill',
        label: 'Add a skill',
        attributes: html`maxlength="${nameLength}" autocomplete="off" required ${flag('autofocus', isFocused)}`,
      }),
    ],
    below: html`<p class="actions"><button class="second" type="submit">${icon('add')}Add skill</button></p>`,
  })
}</section>`
}

function workMarkup({ candidate, form }: ProfileView): Html {
  const { workHistory } = candidate.profile
  const isFull = workHistory.length >= maxWorkHistory
  return html`<section class="card" aria-labelledby="work">${headMarkup('work', 'Work history', !isFull && addLink(profilePaths.edit('job'), 'Add a job'))}
${
  workHistory.length === 0
    ? html`<p class="hint">It’s the longest part of most forms. Add your jobs here once, in any order; we show the most recent first.</p>`
    : html`<ul class="plain">${workHistory.map(job => entryMarkup('job', versionOf(job), job.jobTitle, jobMarkup(job), form))}</ul>`
}</section>`
}

function jobMarkup({ jobTitle, companyName, from, to, industry, achievements }: Job): Html {
  return html`<h3>${isolateBidi(jobTitle)}</h3>
<p>${isolateBidi(companyName)}</p>
<p class="hint">${periodInWords(from, to)}${industry !== null && html` · ${isolateBidi(industry.description)}`}</p>
${achievements !== '' && html`<p class="written">${achievements}</p>`}`
}

function salaryMarkup({ candidate, form }: ProfileView): Html {
  const entries = Object.entries(candidate.profile.salaryAndVisaByCountry)
  const isFull = entries.length >= maxCountries
  return html`<section class="card" aria-labelledby="salary">${headMarkup('salary', 'Salary and work rights', !isFull && addLink(profilePaths.edit('country'), 'Add a country'))}
${
  entries.length === 0
    ? html`<p class="hint">Most forms ask for both. Add each country where you’re looking for work.</p>`
    : html`<ul class="plain">${entries.map(entry => entryMarkup('country', versionOf(entry), countryInWords(entry[0]), countryMarkup(entry), form))}</ul>`
}</section>`
}

function countryMarkup([code, entry]: CountryEntry): Html {
  const { description, hasWorkingVisa, minimumSalaryValue, salaryType } = entry
  const rights = hasWorkingVisa ? 'You have the right to work there' : sentence(rightToWorkInWords(false))
  return html`<h3>${countryInWords(code)}</h3>
<p>${rights}${description !== '' && html` · ${isolateBidi(description)}`}</p>
<p class="hint">${sentence(salaryInWords(minimumSalaryValue, salaryType))}</p>`
}

/** A job or country with its actions. Removing it asks for confirmation in place. */
function entryMarkup(
  section: 'job' | 'country',
  version: string,
  name: string,
  content: Html,
  form: Forms['form'],
): Html {
  return html`<li class="row entry"><div>${content}</div>
${editLink(profilePaths.entry(section, version), name)}
<details class="question"><summary>Remove<span class="visually-hidden"> ${name}</span></summary>${form({
    action: profilePaths.edit(section),
    isInCard: true,
    hidden: { action: 'remove', version },
    below: html`<button class="danger small" type="submit">Yes, remove<span class="visually-hidden"> ${name}</span></button>`,
  })}</details></li>`
}

function resumeMarkup({ resume }: Candidate): Html {
  return html`<section class="card" aria-labelledby="resume">${headMarkup('resume', 'Resume', resume !== null && html`<a class="button second small" href="/account/resumes">Manage resumes</a>`)}
${
  resume === null
    ? html`<p class="hint">Upload it once, and share it with one click when you apply.</p><p><a class="button second small" href="/account/resumes">${icon('add')}Upload a resume</a></p>`
    : html`<p class="line">${icon('document')}<a href="/account/resumes/${resume.id}">${isolateBidi(resume.fileName)}</a></p>`
}</section>`
}

const sentence = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Parts that may be missing from a profile, and why each is worth adding. */
const partWords: Record<ProfilePart, { label: string; why: string }> = {
  phone: { label: 'Phone number', why: 'so companies can call you' },
  location: { label: 'Location', why: 'so companies can see how close you are' },
  qualification: { label: 'Highest qualification', why: 'which most forms ask for' },
  skills: { label: 'Skills', why: 'which companies compare with what the job needs' },
  workHistory: { label: 'Work history', why: 'the longest part of most forms' },
  salary: { label: 'Salary and work rights', why: 'so you don’t have to look them up each time' },
  resume: { label: 'Resume', why: 'so you don’t have to upload it again' },
}
