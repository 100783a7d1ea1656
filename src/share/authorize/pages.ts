import { logoUrl } from '../../core/brand/logo.ts'
import { sizeInWords } from '../../core/size-in-words.ts'
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
import { isolateBidi } from '../../web/bidi.ts'
import { avatar, notice } from '../../web/components.ts'
import { flag, type Html, type HtmlValue, html } from '../../web/html.ts'
import { dayElement } from '../../web/time.ts'
import { endpoints } from '../protocol/metadata.ts'
import type { AuthorizationRequest } from './request-service.ts'
import type { ConsentQuestion } from './service.ts'
import { consentTexts as texts } from './texts.ts'

/** Shows everything that would be shared, with its values, so that candidates need not guess what a category means. */
export function consentBody(
  request: AuthorizationRequest,
  question: ConsentQuestion,
  formToken: string,
  signOutToken: string,
  fault?: string,
): Html {
  const { client, advertiser, query, target } = request
  const { candidate, filled } = question
  return html`${fault !== undefined && notice('problem', fault)}
<div class="asker">${avatar(client.name, logoUrl(client.logoHash), 'large')}<div><p>${texts.lead(texts.asker(client.name, advertiser?.name))}</p>
<p class="quiet">${texts.returnTo(html`<code>${new URL(target.redirectUri).host}</code>`)}${
    client.privacyUrl !== null &&
    html` <a href="${client.privacyUrl}" target="_blank" rel="noopener noreferrer">${texts.privacy}</a>`
  }</p></div></div>
<form method="post" action="${endpoints.authorize}">
<input type="hidden" name="request" value="${query}">
<input type="hidden" name="filled" value="${filled}">
<input type="hidden" name="shown_to" value="${question.candidateId}">
<input type="hidden" name="form_token" value="${formToken}">
<fieldset><legend>${texts.ticked}</legend>
<ul class="plain"><li><strong>${texts.always}</strong><div class="under-tick">${isolateBidi(`${candidate.firstName} ${candidate.lastName}`)}, ${isolateBidi(candidate.email)}<span class="hint">${texts.alwaysHint}</span></div></li>
${categoriesOf(filled).map(category => categoryItem(category, question))}</ul>
</fieldset>
<p class="quiet">${filled === 0 ? texts.nothingElse : filled !== allCategories && texts.later} ${texts.lasts(
    dayElement(question.endsAt),
    label => html`<a href="/account/sharing">${label}</a>`,
  )}</p>
<div class="actions">
<button type="submit" name="decision" value="allow">${texts.allow}</button>
<button class="second" type="submit" name="decision" value="decline">${texts.decline}</button>
</div>
</form>
<form method="post" action="/sign-out">
<input type="hidden" name="form_token" value="${signOutToken}">
<input type="hidden" name="continue" value="${endpoints.authorize}?${query}">
<p class="quiet">${texts.signedInAs(candidate.email)}
<button class="link" type="submit">${texts.otherAccount}</button></p>
</form>`
}

function categoryItem(category: Category, { candidate, ticked, resumes, chosenId }: ConsentQuestion): Html {
  const isChoice = category === 'resume' && resumes.length > 1
  return html`<li><input type="checkbox" id="release-${category}" name="release" value="${category}" ${flag('checked', includes(ticked, category))} aria-describedby="values-${category}"><label for="release-${category}">${categoryLabels[category]}</label>
<div class="under-tick" id="values-${category}">${isChoice ? resumeChoice(resumes, chosenId) : valuesMarkup(valuesOf[category](candidate))}</div></li>`
}

/** A single value needs no label of its own: its category has one. */
function valuesMarkup(values: readonly Value[]): Html {
  const [only] = values
  if (values.length === 1 && only?.[0] === '') return html`${only[1]}`
  return html`<dl class="values">${values.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

function resumeChoice(resumes: readonly Resume[], chosenId: string | undefined): Html {
  return html`<div role="radiogroup" aria-label="${texts.whichResume}">${resumes.map(
    ({ id, fileName, size, isDefault }) =>
      html`<div class="tick"><input type="radio" id="resume-${id}" name="resume" value="${id}" ${flag('checked', id === chosenId)}>
<label for="resume-${id}">${texts.fileFacts(fileName, sizeInWords(size))}${isDefault && texts.isDefault}</label></div>`,
  )}</div>`
}

type Value = [name: string, value: HtmlValue]

const valuesOf: Record<Category, (candidate: Candidate) => Value[]> = {
  phone: ({ profile }) => (profile.phoneNumber === null ? [] : [['', profile.phoneNumber]]),
  location: ({ profile }) =>
    profile.currentLocation === null ? [] : [['', profile.currentLocation.description]],
  qualification: ({ profile: { highestQualification, skills } }) => [
    ...(highestQualification === null
      ? []
      : [[texts.qualification, highestQualification.description] satisfies Value]),
    ...(skills.length === 0
      ? []
      : [
          [
            texts.skills,
            skills.map((skill, index) => [index > 0 && ', ', isolateBidi(skill)]),
          ] satisfies Value,
        ]),
  ],
  workHistory: ({ profile }) =>
    profile.workHistory.map(job => [
      periodInWords(job.from, job.to),
      [texts.job(job.jobTitle, job.companyName), job.industry?.description ?? '', job.achievements]
        .filter(line => line !== '')
        .map((line, index) => [index > 0 && '\n', typeof line === 'string' ? isolateBidi(line) : line]),
    ]),
  salary: ({ profile }) =>
    Object.entries(profile.salaryAndVisaByCountry).map(([country, rights]) => [
      countryInWords(country),
      texts.rights(
        rights.description,
        rightToWorkInWords(rights.hasWorkingVisa),
        salaryInWords(rights.minimumSalaryValue, rights.salaryType),
      ),
    ]),
  resume: ({ resume }) =>
    resume === null ? [] : [['', texts.fileFacts(resume.fileName, sizeInWords(resume.size))]],
}

/** Shown to the candidate when the refusal must not be redirected to the client. */
export function refusalBody(description: string, requestId: string): Html {
  return html`${notice('problem', description)}
<p>${texts.refused}</p>
<p class="quiet">${texts.number(html`<code>${requestId}</code>`)}</p>`
}
