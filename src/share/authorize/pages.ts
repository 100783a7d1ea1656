import type { Candidate, Resume } from '../../model/candidate.ts'
import {
  allCategories,
  type Category,
  categoriesOf,
  categoryLabels,
  includes,
} from '../../model/categories.ts'
import {
  countryInWords,
  periodInWords,
  rightToWorkInWords,
  salaryInWords,
} from '../../model/profile-words.ts'
import { logoUrl } from '../../platform/core/brand/logo.ts'
import { sizeInWords } from '../../platform/core/size-in-words.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { avatar, notice } from '../../platform/web/components.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { flag, type Html, type HtmlValue, html } from '../../platform/web/html.ts'
import { dayElement } from '../../platform/web/time.ts'
import { endpoints } from '../protocol/metadata.ts'
import type { AuthorizationRequest } from './request-service.ts'
import type { ConsentQuestion } from './service.ts'

/** Shows all values that would be shared, so that candidates need not guess what a category means. */
export function consentBody(
  request: AuthorizationRequest,
  question: ConsentQuestion,
  /** Forms that are valid only for the content of this page. */
  consent: Forms,
  { ownForm }: Forms,
  fault?: string,
): Html {
  const { client, advertiser, query, target } = request
  const { candidate, filled } = question
  const company = advertiser?.isActedFor ? advertiser.name : undefined
  const name = html`<strong>${isolateBidi(client.name)}</strong>`
  const wish =
    company === undefined
      ? html`${name} wants to use your profile to fill in your application.`
      : html`${name} on behalf of <strong>${isolateBidi(company)}</strong> wants to use your profile to fill in your application.`
  return html`${fault !== undefined && notice('problem', fault)}
<div class="asker">${avatar(client.name, logoUrl(client.logoHash), 'large')}<div><p>${wish}</p>
<p class="quiet">You’ll go back to <code>${new URL(target.redirectUri).host}</code> either way.${
    client.privacyUrl !== null &&
    html` <a href="${client.privacyUrl}" target="_blank" rel="noopener noreferrer">Their privacy notice</a>`
  }</p></div></div>
${consent.ownForm({
  action: endpoints.authorize,
  hidden: { request: query, filled: String(filled), shown_to: question.candidateId },
  isChecked: true,
  content: html`<fieldset><legend>Choose what to share</legend>
<ul class="plain"><li><strong>Name and email address</strong><div class="under-tick">${isolateBidi(`${candidate.firstName} ${candidate.lastName}`)}, ${isolateBidi(candidate.email)}<span class="hint">Always included.</span></div></li>
${categoriesOf(filled).map(category => categoryItem(category, question))}</ul>
</fieldset>
<p class="quiet">${filled === 0 ? 'Your profile has nothing else to share yet.' : filled !== allCategories && 'What you add to your profile later isn’t shared until you allow it.'} Your permission ends on ${dayElement(question.endsAt)}, or when you withdraw it under <a href="/account/sharing">Who has my data</a>.</p>
<div class="actions">
<button type="submit" name="decision" value="allow">Allow</button>
<button class="second" type="submit" name="decision" value="decline">Decline</button>
</div>
`,
})}
${ownForm({
  action: '/sign-out',
  hidden: { continue: `${endpoints.authorize}?${query}` },
  isChecked: true,
  content: html`<p class="quiet">You’re signed in as ${isolateBidi(candidate.email)}.
<button class="link" type="submit">Use another account</button></p>
`,
})}`
}

function categoryItem(category: Category, { candidate, ticked, resumes, chosenId }: ConsentQuestion): Html {
  const isChoice = category === 'resume' && resumes.length > 1
  return html`<li><input type="checkbox" id="release-${category}" name="release" value="${category}" ${flag('checked', includes(ticked, category))} aria-describedby="values-${category}"><label for="release-${category}">${categoryLabels[category]}</label>
<div class="under-tick" id="values-${category}">${isChoice ? resumeChoice(resumes, chosenId) : valuesMarkup(valuesOf[category](candidate))}</div></li>`
}

/** A single value needs no label: its category has one. */
function valuesMarkup(values: readonly Value[]): Html {
  const [only] = values
  if (values.length === 1 && only?.[0] === '') return html`${only[1]}`
  return html`<dl class="values">${values.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

function resumeChoice(resumes: readonly Resume[], chosenId: string | undefined): Html {
  return html`<div role="radiogroup" aria-label="Which resume to share">${resumes.map(
    ({ id, fileName, size, isDefault }) =>
      html`<div class="tick"><input type="radio" id="resume-${id}" name="resume" value="${id}" ${flag('checked', id === chosenId)}>
<label for="resume-${id}">${fileFacts({ fileName, size })}${isDefault && ', your default'}</label></div>`,
  )}</div>`
}

const fileFacts = ({ fileName, size }: Pick<Resume, 'fileName' | 'size'>) =>
  html`${isolateBidi(fileName)} (${sizeInWords(size)})`

type Value = [name: string, value: HtmlValue]

const valuesOf: Record<Category, (candidate: Candidate) => Value[]> = {
  phone: ({ profile }) => (profile.phoneNumber === null ? [] : [['', profile.phoneNumber]]),
  location: ({ profile }) =>
    profile.currentLocation === null ? [] : [['', profile.currentLocation.description]],
  qualification: ({ profile: { highestQualification, skills } }) => [
    ...(highestQualification === null
      ? []
      : [['Highest qualification', highestQualification.description] satisfies Value]),
    ...(skills.length === 0
      ? []
      : [['Skills', skills.map((skill, index) => [index > 0 && ', ', isolateBidi(skill)])] satisfies Value]),
  ],
  workHistory: ({ profile }) =>
    profile.workHistory.map(job => [
      periodInWords(job.from, job.to),
      [
        html`${isolateBidi(job.jobTitle)}, ${isolateBidi(job.companyName)}`,
        job.industry?.description ?? '',
        job.achievements,
      ]
        .filter(line => line !== '')
        .map((line, index) => [index > 0 && '\n', typeof line === 'string' ? isolateBidi(line) : line]),
    ]),
  salary: ({ profile }) =>
    Object.entries(profile.salaryAndVisaByCountry).map(([country, rights]) => [
      countryInWords(country),
      html`${isolateBidi(rights.description)}; ${rightToWorkInWords(rights.hasWorkingVisa)}; ${salaryInWords(rights.minimumSalaryValue, rights.salaryType)}`,
    ]),
  resume: ({ resume }) => (resume === null ? [] : [['', fileFacts(resume)]]),
}

/** Shown to the candidate when the refusal must not be redirected to the client. */
export function refusalBody(description: string, requestId: string): Html {
  return html`${notice('problem', description)}
<p>The website that sent you here made an invalid request. We couldn’t verify who it is, so we didn’t send you back to it. Nothing was shared.</p>
<p class="quiet">If you contact that website, give this reference: <code>${requestId}</code></p>`
}
