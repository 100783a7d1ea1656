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
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { errorSummary, selectField, textArea, textField, tickBox } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import type { ProfileLimits } from './check.ts'
import type { AboutForm, CountryForm, JobForm, SectionForm, SkillsForm } from './form.ts'
import { profilePaths } from './markup.ts'
import { profileTexts as texts } from './texts.ts'

export interface SectionMarkup {
  sent: SectionForm
  formToken: string
  /** Version of what the form was made from. */
  version: string
  /** As stored. Its choices are shown even after they leave the reference lists. */
  candidate: Candidate
  limits: ProfileLimits
  errors: readonly FieldError[]
  /** Whether it was changed elsewhere since the form was made. */
  isStale: boolean
}

/** What fields need besides their own values. */
type Surroundings = Pick<SectionMarkup, 'candidate' | 'limits' | 'errors' | 'version'>

export function sectionTitle({ section, form }: SectionForm, version: string): string {
  if (section === 'about') return texts.about
  if (section === 'skills') return texts.skills
  if (section === 'job') return version === '' ? texts.addJob : texts.editJob
  return version === '' ? texts.addCountry : countryInWords(form.country)
}

export const sectionHeading = (title: string): Html =>
  pageHead(title, false, breadcrumb([{ href: profilePaths.view, label: texts.title }]))

/** The form of one section, one job or one country. */
export function sectionMarkup(page: SectionMarkup): Html {
  const { sent, errors, isStale, version } = page
  return html`${isStale && notice('warning', version === '' ? texts.staleEntry : texts.stale)}
${errorSummary(errors)}
<form class="card" method="post" action="${profilePaths.edit(sent.section)}" novalidate>
<input type="hidden" name="form_token" value="${page.formToken}"><input type="hidden" name="version" value="${version}">
${fieldsMarkup(sent, page)}
<div class="actions"><button type="submit">${texts.save}</button> <a class="button second" href="${profilePaths.view}">${texts.cancel}</a> <span class="hint">${texts.saveHint}</span></div>
</form>`
}

function fieldsMarkup(sent: SectionForm, page: Surroundings): Html {
  if (sent.section === 'about') return aboutMarkup(sent.form, page)
  if (sent.section === 'skills') return skillsMarkup(sent.form, page)
  return sent.section === 'job' ? jobMarkup(sent.form, page) : countryMarkup(sent.form, page)
}

function aboutMarkup(form: AboutForm, { candidate, limits, errors }: Surroundings): Html {
  const { profile: stored } = candidate
  const maxLength = html`maxlength="${limits.nameLength}"`
  return html`<div class="fields">
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
</div>`
}

function skillsMarkup({ skills }: SkillsForm, { limits, errors }: Surroundings): Html {
  return textArea({
    name: 'skills',
    label: texts.skills,
    hint: texts.skillsHint(limits.skills),
    value: skills,
    errors,
    attributes: html`rows="12"`,
  })
}

function jobMarkup(job: JobForm, { candidate, limits, errors }: Surroundings): Html {
  const maxLength = html`required maxlength="${limits.nameLength}"`
  // Browsers without a month picker show a plain text field.
  const month = html`type="month" placeholder="${texts.monthForm}" min="1900-01"`
  return html`<div class="fields">
${textField({ name: 'title', label: texts.jobTitle, value: job.title, errors, attributes: maxLength })}
${textField({ name: 'company', label: texts.company, value: job.company, errors, attributes: maxLength })}
${textField({ name: 'from', label: texts.from, hint: texts.fromHint, value: job.from, errors, attributes: month })}
${textField({ name: 'to', label: texts.to, hint: texts.toHint, value: job.to, errors, attributes: month })}
</div>
${tickBox({ name: 'isCurrent', label: texts.isCurrent, isTicked: job.isCurrent, errors })}
${selectField({
  name: 'industry',
  label: texts.industry,
  value: job.industry,
  choices: choicesWith(industries, present(candidate.profile.workHistory.map(({ industry }) => industry))),
  none: texts.notGiven,
  errors,
})}
${textArea({ name: 'achievements', label: texts.achievements, value: job.achievements, errors, attributes: html`maxlength="${limits.longTextLength}"` })}`
}

function countryMarkup(entry: CountryForm, { candidate, limits, errors, version }: Surroundings): Html {
  const kept = Object.entries(candidate.profile.salaryAndVisaByCountry)
  const choices = choicesWith(
    countries(),
    kept.map(([code]) => sameWord(code)),
  )
  // To change the country, the candidate removes the entry and adds another.
  const isNamed = version !== '' && errors.every(({ field }) => field !== 'country')
  return html`${isNamed && html`<input type="hidden" name="country" value="${entry.country}">`}
<div class="fields">
${!isNamed && selectField({ name: 'country', label: texts.country, value: entry.country, choices, none: texts.chooseCountry, errors })}
${textField({
  name: 'description',
  label: texts.rightToWork,
  hint: texts.rightToWorkHint,
  value: entry.description,
  errors,
  attributes: html`maxlength="${limits.nameLength}"`,
})}
</div>
${tickBox({ name: 'hasWorkingVisa', label: texts.hasWorkingVisa, isTicked: entry.hasWorkingVisa, errors })}
<div class="fields">
${textField({
  name: 'salary',
  label: texts.lowestSalary,
  hint: texts.lowestSalaryHint,
  value: entry.salary,
  errors,
  attributes: html`inputmode="decimal" maxlength="20"`,
})}
${selectField({
  name: 'salaryType',
  label: texts.salaryType,
  hint: texts.salaryTypeHint,
  value: entry.salaryType,
  choices: choicesWith(
    salaryTypes,
    kept.map(([, { salaryType }]) => sameWord(salaryType)),
  ),
  errors,
})}
</div>`
}

function present(choices: (Choice | null)[]): Choice[] {
  return choices.filter(choice => choice !== null)
}

function sameWord(word: string): Choice {
  return { id: word, description: word }
}
