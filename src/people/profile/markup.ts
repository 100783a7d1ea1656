import type { FieldError } from '../../core/problems.ts'
import type { Candidate } from '../../model/candidate.ts'
import type { Choice } from '../../model/profile.ts'
import { countryInWords } from '../../model/profile-words.ts'
import {
  choicesWith,
  countries,
  industries,
  locations,
  qualifications,
  salaryTypes,
} from '../../model/reference-lists.ts'
import { meter, notice } from '../../web/components.ts'
import { errorSummary, selectField, textArea, textField, tickBox } from '../../web/fields.ts'
import { flag, type Html, html } from '../../web/html.ts'
import type { ProfileLimits } from './check.ts'
import { missingParts, type ProfilePart, profileParts } from './completeness.ts'
import {
  type CountryForm,
  countryField,
  isEmptyCountry,
  isEmptyJob,
  type JobForm,
  jobField,
  type ProfileForm,
} from './form.ts'
import { profileTexts as texts } from './texts.ts'

export interface ProfileMarkup {
  form: ProfileForm
  formToken: string
  /** Version of the profile that the form was made from. */
  version: string
  /** As stored. Its choices are shown even after they leave the reference lists. */
  candidate: Candidate
  limits: ProfileLimits
  errors: readonly FieldError[]
  isSaved: boolean
  /** Whether the profile was changed elsewhere since the form was made. */
  isStale: boolean
  /** The entry that was just added, which gets the focus. */
  added: 'job' | 'country' | undefined
}

/** What fieldsets need besides their own values. */
type Surroundings = Pick<ProfileMarkup, 'candidate' | 'limits' | 'errors'> & { hasFocus: boolean }

export function profileFormMarkup(page: ProfileMarkup): Html {
  const { form, errors, added } = page
  const lastJob = form.jobs.length - 1
  const lastCountry = form.countries.length - 1
  return html`${page.isSaved && notice('good', texts.saved)}${page.isStale && notice('warning', texts.stale)}
${errorSummary(errors, field => placeOf(form, field))}
<p>${texts.lead}</p>
${completenessMarkup(page.candidate)}
<form method="post" action="/account" novalidate>
<input type="hidden" name="form_token" value="${page.formToken}"><input type="hidden" name="version" value="${page.version}">
<button class="default" type="submit" tabindex="-1" aria-hidden="true">${texts.save}</button>
${contactMarkup(page)}
<section class="card"><h2>${texts.work}</h2>
<p class="hint tight">${texts.workHint}</p>
${form.jobs.map((job, row) => jobMarkup(job, row, { ...page, hasFocus: added === 'job' && row === lastJob }))}
${form.jobs.length < page.limits.workHistory && html`<button class="second" type="submit" name="add" value="job">${texts.addAnotherJob}</button>`}
</section>
<section class="card"><h2>${texts.salary}</h2>
<p class="hint tight">${texts.salaryHint}</p>
${form.countries.map((entry, row) => countryMarkup(entry, row, { ...page, hasFocus: added === 'country' && row === lastCountry }))}
${form.countries.length < page.limits.countries && html`<button class="second" type="submit" name="add" value="country">${texts.addAnotherCountry}</button>`}
</section>
<div class="save-bar"><button type="submit">${texts.save}</button><span class="hint">${texts.saveHint}</span></div>
</form>`
}

/** The first field of each part, because a missing part is empty as a whole. */
const placeOfPart: Record<ProfilePart, string> = {
  phone: '#phone',
  location: '#location',
  qualification: '#qualification',
  skills: '#skills',
  workHistory: `#${jobField(0, 'title')}`,
  salary: `#${countryField(0, 'country')}`,
  resume: '/account/resumes',
}

/** Counts the stored profile only, because unsaved values fill in nothing yet. */
function completenessMarkup({ profile, resume }: Candidate): Html {
  const missing = missingParts(profile, resume)
  const most = profileParts.length
  const value = most - missing.length
  return html`<section class="card completeness">${meter({ id: 'completeness', label: texts.completeness(value, most), value, most })}
${
  missing.length === 0
    ? html`<p class="hint">${texts.complete}</p>`
    : html`<p>${texts.completenessWhy}</p>
<ul>${missing.map(part => html`<li>${texts.missing(part, placeOfPart[part])}</li>`)}</ul>`
}</section>`
}

function contactMarkup({ form, candidate, limits, errors }: ProfileMarkup): Html {
  const { email, profile: stored } = candidate
  const maxLength = html`maxlength="${limits.nameLength}"`
  return html`<section class="card"><h2>${texts.about}</h2>
<p>${texts.email(email)}</p>
<div class="fields">
${textField({
  name: 'firstName',
  label: texts.firstName,
  value: form.firstName,
  errors,
  attributes: html`autocomplete="given-name" required ${maxLength}`,
})}
${textField({
  name: 'lastName',
  label: texts.lastName,
  value: form.lastName,
  errors,
  attributes: html`autocomplete="family-name" required ${maxLength}`,
})}
${textField({
  name: 'phone',
  label: texts.phone,
  value: form.phone,
  errors,
  attributes: html`type="tel" autocomplete="tel" maxlength="${limits.phoneLength}"`,
})}
${selectField({
  name: 'location',
  label: texts.location,
  value: form.location,
  choices: choicesWith(locations, present([stored.currentLocation])),
  none: texts.notGiven,
  errors,
})}
${selectField({
  name: 'qualification',
  label: texts.qualification,
  value: form.qualification,
  choices: choicesWith(qualifications, present([stored.highestQualification])),
  none: texts.notGiven,
  errors,
})}
</div>
${textArea({
  name: 'skills',
  label: texts.skills,
  hint: texts.skillsHint(limits.skills),
  value: form.skills,
  errors,
})}
</section>`
}

function jobMarkup(job: JobForm, row: number, { candidate, limits, errors, hasFocus }: Surroundings): Html {
  const isEmpty = isEmptyJob(job)
  const name = (part: keyof JobForm) => jobField(row, part)
  const maxLength = html`maxlength="${limits.nameLength}"`
  // Browsers without a month picker show a plain text field.
  const month = html`type="month" placeholder="${texts.monthForm}" min="1900-01"`
  return html`<fieldset><legend>${isEmpty ? texts.addJob : jobTitle(job, row)}</legend>
<div class="fields">
${textField({ name: name('title'), label: texts.jobTitle, value: job.title, errors, attributes: html`${maxLength} ${flag('autofocus', hasFocus)}` })}
${textField({ name: name('company'), label: texts.company, value: job.company, errors, attributes: maxLength })}
${textField({ name: name('from'), label: texts.from, hint: texts.fromHint, value: job.from, errors, attributes: month })}
${textField({ name: name('to'), label: texts.to, hint: texts.toHint, value: job.to, errors, attributes: month })}
</div>
${tickBox({ name: name('isCurrent'), label: texts.isCurrent, isTicked: job.isCurrent, errors })}
${selectField({
  name: name('industry'),
  label: texts.industry,
  value: job.industry,
  choices: choicesWith(industries, present(candidate.profile.workHistory.map(({ industry }) => industry))),
  none: texts.notGiven,
  errors,
})}
${textArea({ name: name('achievements'), label: texts.achievements, value: job.achievements, errors, attributes: html`maxlength="${limits.longTextLength}"` })}
${!isEmpty && tickBox({ name: name('isRemoved'), label: texts.removeJob, isTicked: job.isRemoved, errors })}
</fieldset>`
}

function countryMarkup(
  entry: CountryForm,
  row: number,
  { candidate, limits, errors, hasFocus }: Surroundings,
): Html {
  const isEmpty = isEmptyCountry(entry)
  const name = (part: keyof CountryForm) => countryField(row, part)
  const kept = Object.entries(candidate.profile.salaryAndVisaByCountry)
  // The full list is long; to change a country, the candidate removes the entry and adds another.
  const choices = choicesWith(
    countries,
    kept.map(([code]) => sameWord(code)),
  )
  const isNamed =
    choices.some(({ id }) => id === entry.country) && errors.every(({ field }) => field !== name('country'))
  const nameOfCountry = html`<input type="hidden" name="${name('country')}" value="${entry.country}">`
  return html`<fieldset><legend>${isEmpty ? texts.addCountry : countryTitle(entry, row)}</legend>
<div class="fields">
${isNamed ? nameOfCountry : selectField({ name: name('country'), label: texts.country, value: entry.country, choices, none: texts.chooseCountry, errors, attributes: flag('autofocus', hasFocus) })}
${textField({
  name: name('description'),
  label: texts.rightToWork,
  hint: texts.rightToWorkHint,
  value: entry.description,
  errors,
  attributes: html`maxlength="${limits.nameLength}"`,
})}
</div>
${tickBox({ name: name('hasWorkingVisa'), label: texts.hasWorkingVisa, isTicked: entry.hasWorkingVisa, errors })}
<div class="fields">
${textField({
  name: name('salary'),
  label: texts.lowestSalary,
  hint: texts.lowestSalaryHint,
  value: entry.salary,
  errors,
  attributes: html`inputmode="decimal" maxlength="20"`,
})}
${selectField({
  name: name('salaryType'),
  label: texts.salaryType,
  hint: texts.salaryTypeHint,
  value: entry.salaryType,
  choices: choicesWith(
    salaryTypes,
    kept.map(([, { salaryType }]) => sameWord(salaryType)),
  ),
  errors,
})}
</div>
${!isEmpty && tickBox({ name: name('isRemoved'), label: texts.removeCountry, isTicked: entry.isRemoved, errors })}
</fieldset>`
}

function jobTitle(job: JobForm, row: number): string {
  return job.title.trim() || texts.jobNumber(row + 1)
}

function countryTitle({ country }: CountryForm, row: number): string {
  return country === '' ? texts.countryNumber(row + 1) : countryInWords(country)
}

/** Returns the title of the fieldset that contains a field. */
function placeOf(form: ProfileForm, field: string): string | undefined {
  const [, kind, digits] = /^(job|country)-(\d+)-/.exec(field) ?? []
  const row = Number(digits)
  const job = kind === 'job' ? form.jobs[row] : undefined
  const country = kind === 'country' ? form.countries[row] : undefined
  return (job && jobTitle(job, row)) ?? (country && countryTitle(country, row))
}

function present(choices: (Choice | null)[]): Choice[] {
  return choices.filter(choice => choice !== null)
}

function sameWord(word: string): Choice {
  return { id: word, description: word }
}
