import type { FieldError } from '../../core/problems.ts'
import type { Candidate } from '../../model/candidate.ts'
import type { Job } from '../../model/profile.ts'
import {
  countryInWords,
  periodInWords,
  rightToWorkInWords,
  salaryInWords,
} from '../../model/profile-words.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { meter, notice } from '../../web/components.ts'
import { errorSummary, textField } from '../../web/fields.ts'
import { flag, type Html, html } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import type { ProfileLimits } from './check.ts'
import { missingParts, type ProfilePart, profileParts } from './completeness.ts'
import { type CountryEntry, type Section, versionOf } from './form.ts'
import { profileTexts as texts } from './texts.ts'

export const profilePaths = {
  view: '/account',
  edit: <const Of extends string>(section: Of) => `/account/profile/${section}` as const,
  entry: (section: Section, version: string) => `/account/profile/${section}?entry=${version}`,
} as const

/** The skill that was just added, removed or rejected. */
export type SkillState =
  | { kind: 'added' }
  | { kind: 'removed'; skill: string; at: number }
  | { kind: 'rejected'; skill: string; errors: readonly FieldError[] }

interface ProfileView {
  candidate: Candidate
  limits: ProfileLimits
  token: (section: Section) => string
  note: Html | false
  skill: SkillState | undefined
}

/** The profile to read, with ways to change each section. */
export function profileMarkup(page: ProfileView): Html {
  const { candidate, skill } = page
  return html`${page.note}${skill?.kind === 'rejected' && errorSummary(skill.errors)}
<p>${texts.lead}</p>
${completenessMarkup(candidate)}
${aboutMarkup(candidate)}
${skillsMarkup(page)}
${workMarkup(page)}
${salaryMarkup(page)}
${resumeMarkup(candidate)}`
}

/** Where a missing part is added. */
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
  const most = profileParts.length
  const value = most - missing.length
  return html`<section class="completeness">${meter({ id: 'completeness', label: texts.completeness(value, most), value, most })}
${
  missing.length === 0
    ? html`<p class="hint">${texts.complete}</p>`
    : html`<details><summary>${texts.missingParts(missing.length)}</summary><p>${texts.completenessWhy}</p>
<ul>${missing.map(part => html`<li>${texts.missing(part, placeOfPart[part])}</li>`)}</ul></details>`
}</section>`
}

const headMarkup = (id: string, title: string, action: Html | false) =>
  html`<div class="section-head"><h2 id="${id}">${title}</h2>${action}</div>`

const addLink = (href: string, label: string) =>
  html`<a class="button second small" href="${href}">${icon('add')}${label}</a>`

const editLink = (href: string, what: string) =>
  html`<a class="button second small" href="${href}">${icon('edit')}${texts.edit(what)}</a>`

function aboutMarkup({ firstName, lastName, email, profile }: Candidate): Html {
  const edit = profilePaths.edit('about')
  const fact = (name: string, label: string, value: string | undefined) =>
    html`<div><dt>${label}</dt><dd>${value === undefined ? html`<a href="${edit}#${name}">${texts.add(label.toLowerCase())}</a>` : isolateBidi(value)}</dd></div>`
  return html`<section class="card" aria-labelledby="about">${headMarkup('about', texts.about, editLink(edit, texts.about))}
<dl class="facts">
${fact('firstName', texts.name, `${firstName} ${lastName}`)}
<div class="whole"><dt>${texts.email}</dt><dd>${isolateBidi(email)} <a href="/account/security">${texts.change(texts.email.toLowerCase())}</a></dd></div>
${fact('phone', texts.phone, profile.phoneNumber ?? undefined)}
${fact('location', texts.location, profile.currentLocation?.description)}
${fact('qualification', texts.qualification, profile.highestQualification?.description)}
</dl></section>`
}

function skillsMarkup({ candidate, limits, token, skill: state }: ProfileView): Html {
  const { skills } = candidate.profile
  const path = profilePaths.edit('skills')
  const formToken = html`<input type="hidden" name="form_token" value="${token('skills')}">`
  const rejected = state?.kind === 'rejected' ? state : undefined
  const isFocused = state?.kind === 'added'
  return html`<section class="card" aria-labelledby="skills">${headMarkup('skills', texts.skills, skills.length > 0 && editLink(path, texts.skills))}
${isFocused && html`<p class="for-readers" role="status">${texts.skillAdded}</p>`}
${state?.kind === 'removed' && removedMarkup(state, path, formToken)}
${
  skills.length === 0
    ? html`<p class="hint">${texts.noSkills}</p>`
    : html`<form method="post" action="${path}">${formToken}<input type="hidden" name="action" value="remove">
<ul class="chips">${skills.map(skill => html`<li class="chip">${isolateBidi(skill)}<button type="submit" name="skill" value="${skill}" aria-label="${texts.removeSkill(skill)}">${icon('close')}</button></li>`)}</ul></form>`
}
${
  skills.length < limits.skills &&
  html`<form class="search" method="post" action="${path}" novalidate>${formToken}<input type="hidden" name="action" value="add">
${textField({ name: 'skill', label: texts.addSkill, value: rejected?.skill ?? '', errors: rejected?.errors ?? [], attributes: html`maxlength="${limits.nameLength}" autocomplete="off" required ${flag('autofocus', isFocused)}` })}
<p class="actions"><button class="second" type="submit">${icon('add')}${texts.addThisSkill}</button></p></form>`
}</section>`
}

function removedMarkup({ skill, at }: { skill: string; at: number }, path: string, formToken: Html): Html {
  return html`<form class="notice line" method="post" action="${path}">${formToken}<input type="hidden" name="action" value="add">
<input type="hidden" name="skill" value="${skill}"><input type="hidden" name="at" value="${at}">
<span role="status">${texts.skillRemoved(skill)}</span> <button class="link" type="submit" autofocus>${texts.undo}</button></form>`
}

function workMarkup({ candidate, limits, token }: ProfileView): Html {
  const { workHistory } = candidate.profile
  const isFull = workHistory.length >= limits.workHistory
  return html`<section class="card" aria-labelledby="work">${headMarkup('work', texts.work, !isFull && addLink(profilePaths.edit('job'), texts.addJob))}
${
  workHistory.length === 0
    ? html`<p class="hint">${texts.noWork}</p>`
    : html`<ul class="plain">${workHistory.map(job => entryMarkup('job', versionOf(job), job.jobTitle, jobMarkup(job), token('job')))}</ul>`
}</section>`
}

function jobMarkup({ jobTitle, companyName, from, to, industry, achievements }: Job): Html {
  return html`<h3>${isolateBidi(jobTitle)}</h3>
<p>${isolateBidi(companyName)}</p>
<p class="hint">${periodInWords(from, to)}${industry !== null && html` · ${isolateBidi(industry.description)}`}</p>
${achievements !== '' && html`<p class="written">${achievements}</p>`}`
}

function salaryMarkup({ candidate, limits, token }: ProfileView): Html {
  const entries = Object.entries(candidate.profile.salaryAndVisaByCountry)
  const isFull = entries.length >= limits.countries
  return html`<section class="card" aria-labelledby="salary">${headMarkup('salary', texts.salary, !isFull && addLink(profilePaths.edit('country'), texts.addCountry))}
${
  entries.length === 0
    ? html`<p class="hint">${texts.noSalary}</p>`
    : html`<ul class="plain">${entries.map(entry => entryMarkup('country', versionOf(entry), countryInWords(entry[0]), countryMarkup(entry), token('country')))}</ul>`
}</section>`
}

function countryMarkup([code, entry]: CountryEntry): Html {
  const { description, hasWorkingVisa, minimumSalaryValue, salaryType } = entry
  const rights = hasWorkingVisa ? texts.hasRight : sentence(rightToWorkInWords(false))
  return html`<h3>${countryInWords(code)}</h3>
<p>${rights}${description !== '' && html` · ${isolateBidi(description)}`}</p>
<p class="hint">${sentence(salaryInWords(minimumSalaryValue, salaryType))}</p>`
}

/** A job or country with its actions. Removing it asks first, in place. */
function entryMarkup(
  section: 'job' | 'country',
  version: string,
  name: string,
  content: Html,
  token: string,
): Html {
  return html`<li class="row entry"><div>${content}</div>
${editLink(profilePaths.entry(section, version), name)}
<details class="question"><summary>${texts.remove(name)}</summary><form method="post" action="${profilePaths.edit(section)}"><input type="hidden" name="form_token" value="${token}"><input type="hidden" name="action" value="remove"><input type="hidden" name="version" value="${version}"><button class="danger small" type="submit">${texts.yesRemove(name)}</button></form></details></li>`
}

function resumeMarkup({ resume }: Candidate): Html {
  return html`<section class="card" aria-labelledby="resume">${headMarkup('resume', texts.resume, resume !== null && html`<a class="button second small" href="/account/resumes">${texts.resumes}</a>`)}
${
  resume === null
    ? html`<p class="hint">${texts.noResume}</p><p><a class="button second small" href="/account/resumes">${icon('add')}${texts.addResume}</a></p>`
    : html`<p class="line">${icon('document')}<a href="/account/resumes/${resume.id}">${isolateBidi(resume.fileName)}</a></p>`
}</section>`
}

const sentence = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

export const noteMarkup = (done: string | undefined): Html | false => {
  if (done === 'gone') return notice('warning', texts.gone)
  return Object.hasOwn(texts.done, done ?? '') && notice('good', texts.done[done as keyof typeof texts.done])
}
