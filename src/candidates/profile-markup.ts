import type { FieldError } from '../core/problems.ts'
import { errorSummary, selectField, textArea, textField, tickBox } from '../web/fields.ts'
import { flag, type Html, html } from '../web/html.ts'
import type { Choice, Profile } from './profile.ts'
import type { ProfileLimits } from './profile-check.ts'
import {
  type CountryForm,
  countryField,
  isEmptyCountry,
  isEmptyJob,
  type JobForm,
  jobField,
  type ProfileForm,
} from './profile-form.ts'
import {
  choicesWith,
  countries,
  findChoice,
  industries,
  locations,
  qualifications,
  salaryTypes,
} from './reference-lists.ts'

export interface ProfileMarkup {
  form: ProfileForm
  formToken: string
  email: string
  /** Choices in it are shown though the lists have them no more. */
  stored: Profile
  limits: ProfileLimits
  errors: readonly FieldError[]
  isSaved: boolean
  /** What was just made room for: the cursor goes there. */
  added: 'job' | 'country' | undefined
}

/** What the fieldsets need besides their own values. */
type Surroundings = Pick<ProfileMarkup, 'stored' | 'limits' | 'errors'> & { hasFocus: boolean }

export function profileFormMarkup(page: ProfileMarkup): Html {
  const { form, errors, added } = page
  const lastJob = form.jobs.length - 1
  const lastCountry = form.countries.length - 1
  return html`${page.isSaved && html`<p class="notice" role="status">Your profile is saved.</p>`}
${errorSummary(errors, field => placeOf(form, field))}
<p>This is what you can share when you apply somewhere with Dossier. Nobody sees any of it before you allow it, and
you choose each time what to leave out.</p>
<form method="post" action="/account">
<input type="hidden" name="form_token" value="${page.formToken}">
<button class="default" type="submit" tabindex="-1" aria-hidden="true">Save profile</button>
${contactMarkup(page)}
<section class="card"><h2>Work history</h2>
<p class="hint">The newest job comes first when it is saved, in whatever order you list them.</p>
${form.jobs.map((job, row) => jobMarkup(job, row, { ...page, hasFocus: added === 'job' && row === lastJob }))}
${form.jobs.length < page.limits.workHistory && html`<button class="second" type="submit" name="add" value="job" formnovalidate>Add another job</button>`}
</section>
<section class="card"><h2>Salary and work rights</h2>
<p class="hint">For each country in which you are looking for work.</p>
${form.countries.map((entry, row) => countryMarkup(entry, row, { ...page, hasFocus: added === 'country' && row === lastCountry }))}
${form.countries.length < page.limits.countries && html`<button class="second" type="submit" name="add" value="country" formnovalidate>Add another country</button>`}
</section>
<p class="actions"><button type="submit">Save profile</button></p>
</form>`
}

function contactMarkup({ form, email, stored, limits, errors }: ProfileMarkup): Html {
  const maxLength = html`maxlength="${limits.nameLength}"`
  return html`<section class="card"><h2>About you</h2>
<p>E-mail address: <strong>${email}</strong> <a href="/account/security">Change it</a></p>
<div class="fields">
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
  attributes: html`type="tel" autocomplete="tel" maxlength="${limits.phoneLength}"`,
})}
${selectField({
  name: 'location',
  label: 'Location',
  value: form.location,
  choices: choicesWith(locations, present([stored.currentLocation])),
  none: 'Not given',
  errors,
})}
${selectField({
  name: 'qualification',
  label: 'Highest qualification',
  value: form.qualification,
  choices: choicesWith(qualifications, present([stored.highestQualification])),
  none: 'Not given',
  errors,
})}
</div>
${textArea({
  name: 'skills',
  label: 'Skills',
  hint: `One on each line, ${limits.skills} at most.`,
  value: form.skills,
  errors,
})}
</section>`
}

function jobMarkup(job: JobForm, row: number, { stored, limits, errors, hasFocus }: Surroundings): Html {
  const isEmpty = isEmptyJob(job)
  const name = (part: keyof JobForm) => jobField(row, part)
  const maxLength = html`maxlength="${limits.nameLength}"`
  // Not every browser has a picker for months; the others show a plain field.
  const month = html`type="month" placeholder="YYYY-MM" min="1900-01"`
  return html`<fieldset><legend>${isEmpty ? 'Add a job' : jobTitle(job, row)}</legend>
<div class="fields">
${textField({ name: name('title'), label: 'Job title', value: job.title, errors, attributes: html`${maxLength} ${flag('autofocus', hasFocus)}` })}
${textField({ name: name('company'), label: 'Company', value: job.company, errors, attributes: maxLength })}
${textField({ name: name('from'), label: 'From', hint: 'Year and month, such as 2024-03', value: job.from, errors, attributes: month })}
${textField({ name: name('to'), label: 'To', hint: 'Empty while you work there', value: job.to, errors, attributes: month })}
</div>
${tickBox({ name: name('isCurrent'), label: 'I still work there', isTicked: job.isCurrent, errors })}
${selectField({
  name: name('industry'),
  label: 'Industry',
  value: job.industry,
  choices: choicesWith(industries, present(stored.workHistory.map(({ industry }) => industry))),
  none: 'Not given',
  errors,
})}
${textArea({ name: name('achievements'), label: 'What you achieved', value: job.achievements, errors, attributes: html`maxlength="${limits.longTextLength}"` })}
${!isEmpty && tickBox({ name: name('isRemoved'), label: 'Remove this job', isTicked: job.isRemoved, errors })}
</fieldset>`
}

function countryMarkup(
  entry: CountryForm,
  row: number,
  { stored, limits, errors, hasFocus }: Surroundings,
): Html {
  const isEmpty = isEmptyCountry(entry)
  const name = (part: keyof CountryForm) => countryField(row, part)
  const kept = Object.entries(stored.salaryAndVisaByCountry)
  const choices = choicesWith(
    countries,
    kept.map(([code]) => sameWord(code)),
  )
  return html`<fieldset><legend>${isEmpty ? 'Add a country' : countryTitle(entry, row)}</legend>
<div class="fields">
${selectField({ name: name('country'), label: 'Country', value: entry.country, choices, none: 'Choose a country', errors, attributes: flag('autofocus', hasFocus) })}
${textField({
  name: name('description'),
  label: 'Right to work',
  hint: 'Such as: citizen, permanent resident, student visa',
  value: entry.description,
  errors,
  attributes: html`maxlength="${limits.nameLength}"`,
})}
</div>
${tickBox({ name: name('hasWorkingVisa'), label: 'I am allowed to work there', isTicked: entry.hasWorkingVisa, errors })}
<div class="fields">
${textField({
  name: name('salary'),
  label: 'Lowest salary you would take',
  hint: '0 if you do not want to say',
  value: entry.salary,
  errors,
  attributes: html`inputmode="decimal" maxlength="20"`,
})}
${selectField({
  name: name('salaryType'),
  label: 'Salary is',
  hint: 'What the amount is paid for',
  value: entry.salaryType,
  choices: choicesWith(
    salaryTypes,
    kept.map(([, { salaryType }]) => sameWord(salaryType)),
  ),
  errors,
})}
</div>
${!isEmpty && tickBox({ name: name('isRemoved'), label: 'Remove this country', isTicked: entry.isRemoved, errors })}
</fieldset>`
}

function jobTitle(job: JobForm, row: number): string {
  return job.title.trim() || `Job ${row + 1}`
}

function countryTitle({ country }: CountryForm, row: number): string {
  return findChoice(countries, country)?.description ?? (country || `Country ${row + 1}`)
}

/** The title of the fieldset that a field stands in. */
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
