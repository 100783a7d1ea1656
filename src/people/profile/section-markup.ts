import type { Candidate } from '../../model/candidate.ts'
import type { ListName, Lists } from '../../model/own-lists.ts'
import type { Choice } from '../../model/profile.ts'
import { countryInWords } from '../../model/profile-words.ts'
import { choicesWith, countries, salaryTypes } from '../../model/reference-lists.ts'
import { longTextLength, nameLength, phoneLength } from '../../model/text-lengths.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { notice } from '../../platform/web/components.ts'
import { selectField, textArea, textField, tickBox } from '../../platform/web/fields.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import type { ProfileLimits } from './check.ts'
import { maxSkills } from './check.ts'
import type { AboutForm, CountryForm, JobForm, SectionForm, SkillsForm } from './form.ts'
import { profilePaths } from './markup.ts'

export interface SectionMarkup extends Pick<Forms, 'form'> {
  sent: SectionForm
  /** Version of the stored values that the form was made from. */
  version: string
  /** The stored profile and resumes. Its choices are shown even after they leave the reference lists. */
  candidate: Candidate
  limits: ProfileLimits
  lists: Pick<Lists, ListName>
  /** The country of the board. */
  home: string
  errors: readonly FieldError[]
  /** Whether the section was changed elsewhere since the form was made. */
  isStale: boolean
}

/** Context of the fields, besides their own values. */
type Surroundings = Pick<SectionMarkup, 'candidate' | 'limits' | 'lists' | 'home' | 'errors' | 'version'>

export function sectionTitle({ section, form }: SectionForm, version: string): string {
  if (section === 'about') return 'About you'
  if (section === 'skills') return 'Skills'
  if (section === 'job') return version === '' ? 'Add a job' : 'Edit job'
  return version === '' ? 'Add a country' : countryInWords(form.country)
}

/** The form of one section, one job or one country. */
export function sectionMarkup(page: SectionMarkup): Html {
  const { sent, isStale, version } = page
  return html`${
    isStale &&
    notice(
      'warning',
      version === ''
        ? html`<p><strong>Not saved yet.</strong> This entry was changed or removed in another window since you opened this page. What you typed here is below.</p>
<p>Save to add it to your profile, or <a href="/account" target="_blank">look at the saved version</a> first.</p>`
        : html`<p><strong>Not saved yet.</strong> This was changed in another window since you opened this page. What you typed here is below.</p>
<p>Save to replace the other version, or <a href="/account" target="_blank">look at the saved version</a> first.</p>`,
    )
  }
${page.form({
  action: profilePaths.edit(sent.section),
  hidden: { version },
  fields: [() => fieldsMarkup(sent, page)],
  label: 'Save',
  beside: html` <a class="button second" href="${profilePaths.view}">Cancel</a> <span class="hint">Saving doesn’t share anything.</span>`,
})}`
}

function fieldsMarkup(sent: SectionForm, page: Surroundings): Html {
  if (sent.section === 'about') return aboutMarkup(sent.form, page)
  if (sent.section === 'skills') return skillsMarkup(sent.form, page)
  return sent.section === 'job' ? jobMarkup(sent.form, page) : countryMarkup(sent.form, page)
}

function aboutMarkup(form: AboutForm, { candidate, lists, errors }: Surroundings): Html {
  const { profile: stored } = candidate
  const maxLength = html`maxlength="${nameLength}"`
  return html`<div class="fields">
${textField({
  name: 'firstName',
  label: 'First name',
  value: form.firstName,
  errors,
  attributes: html`autocomplete="given-name" required ${maxLength}`,
})}
${textField({
  name: 'lastName',
  label: 'Last name',
  value: form.lastName,
  errors,
  attributes: html`autocomplete="family-name" required ${maxLength}`,
})}
${textField({
  name: 'phone',
  label: 'Phone number',
  value: form.phone,
  errors,
  attributes: html`type="tel" autocomplete="tel" maxlength="${phoneLength}"`,
})}
${selectField({
  name: 'location',
  label: 'Location',
  value: form.location,
  choices: offered(lists.locations, present([stored.currentLocation])),
  none: 'Not specified',
  errors,
})}
${selectField({
  name: 'qualification',
  label: 'Highest qualification',
  value: form.qualification,
  choices: offered(lists.qualifications, present([stored.highestQualification])),
  none: 'Not specified',
  errors,
})}
</div>`
}

function skillsMarkup({ skills }: SkillsForm, { errors }: Surroundings): Html {
  return textArea({
    name: 'skills',
    label: 'Skills',
    hint: `One per line, up to ${maxSkills}.`,
    value: skills,
    errors,
    attributes: html`rows="12"`,
  })
}

function jobMarkup(job: JobForm, { candidate, lists, errors }: Surroundings): Html {
  const maxLength = html`required maxlength="${nameLength}"`
  // Browsers without a month picker show a text field.
  const month = html`type="month" placeholder="YYYY-MM" min="1900-01"`
  return html`<div class="fields">
${textField({ name: 'title', label: 'Job title', value: job.title, errors, attributes: maxLength })}
${textField({ name: 'company', label: 'Company', value: job.company, errors, attributes: maxLength })}
${textField({ name: 'from', label: 'From', hint: 'Year and month, such as 2024-03', value: job.from, errors, attributes: month })}
${textField({ name: 'to', label: 'To', hint: 'Leave empty if you still work there', value: job.to, errors, attributes: month })}
</div>
${tickBox({ name: 'isCurrent', label: 'I still work there', isTicked: job.isCurrent, errors })}
${selectField({
  name: 'industry',
  label: 'Industry',
  value: job.industry,
  choices: offered(lists.industries, present(candidate.profile.workHistory.map(({ industry }) => industry))),
  none: 'Not specified',
  errors,
})}
${textArea({ name: 'achievements', label: 'What you achieved', value: job.achievements, errors, attributes: html`maxlength="${longTextLength}"` })}`
}

function countryMarkup(entry: CountryForm, { candidate, home, errors, version }: Surroundings): Html {
  const kept = Object.entries(candidate.profile.salaryAndVisaByCountry)
  const choices = choicesWith(
    countries(home),
    kept.map(([code]) => sameWord(code)),
  )
  // To change the country, the candidate removes the entry and adds another.
  const isNamed = version !== '' && errors.every(({ field }) => field !== 'country')
  return html`${isNamed && html`<input type="hidden" name="country" value="${entry.country}">`}
<div class="fields">
${!isNamed && selectField({ name: 'country', label: 'Country', value: entry.country, choices, none: 'Choose a country', errors })}
${textField({
  name: 'description',
  label: 'Right to work',
  hint: 'For example: citizen, permanent resident, student visa',
  value: entry.description,
  errors,
  attributes: html`maxlength="${nameLength}"`,
})}
</div>
${tickBox({ name: 'hasWorkingVisa', label: 'I have the right to work there', isTicked: entry.hasWorkingVisa, errors })}
<div class="fields">
${textField({
  name: 'salary',
  label: 'Minimum salary',
  hint: 'Enter 0 if you’d rather not say',
  value: entry.salary,
  errors,
  attributes: html`inputmode="decimal" maxlength="20"`,
})}
${selectField({
  name: 'salaryType',
  label: 'Pay period',
  hint: 'The period this amount covers',
  value: entry.salaryType,
  choices: choicesWith(
    salaryTypes,
    kept.map(([, { salaryType }]) => sameWord(salaryType)),
  ),
  errors,
})}
</div>`
}

/** Entries of an operator's list are indented by their level. */
const offered = (list: readonly (Choice & { level?: number })[], kept: Choice[]): Choice[] =>
  choicesWith(
    list.map(({ id, description, level = 0 }) => ({
      id,
      description: '\u00A0'.repeat(2 * level) + description,
    })),
    kept,
  )

function present(choices: (Choice | null)[]): Choice[] {
  return choices.filter(choice => choice !== null)
}

function sameWord(word: string): Choice {
  return { id: word, description: word }
}
