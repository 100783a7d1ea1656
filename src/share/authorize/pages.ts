import { sizeInWords } from '../../core/size-in-words.ts'
import type { Candidate } from '../../model/candidate.ts'
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
import { notice } from '../../web/components.ts'
import { flag, type Html, type HtmlValue, html } from '../../web/html.ts'
import { endpoints } from '../protocol/metadata.ts'
import type { AuthorizationRequest } from './request-service.ts'
import type { ConsentQuestion } from './service.ts'
import { consentTexts as texts } from './texts.ts'

/** Shows everything that would be shared, with its values, so that candidates need not guess what a category means. */
export function consentBody(
  request: AuthorizationRequest,
  { candidate, filled, ticked }: ConsentQuestion,
  formToken: string,
  signOutToken: string,
  fault?: string,
): Html {
  const { client, advertiser, query, target } = request
  return html`${fault !== undefined && notice('problem', fault)}
<p>${texts.lead(texts.asker(client.name, advertiser?.name))}</p>
<p class="quiet">${texts.takeBack(label => html`<a href="/account/sharing">${label}</a>`)}</p>
<form method="post" action="${endpoints.authorize}">
<input type="hidden" name="request" value="${query}">
<input type="hidden" name="filled" value="${filled}">
<input type="hidden" name="form_token" value="${formToken}">
<div class="card">
<h2>${texts.always}</h2>
<dl class="values"><dt>${texts.name}</dt><dd>${candidate.firstName} ${candidate.lastName}</dd>
<dt>${texts.email}</dt><dd>${candidate.email}</dd></dl>
</div>
${
  filled !== 0 &&
  html`<fieldset><legend>${texts.ticked}</legend>
<ul class="plain">${categoriesOf(filled).map(category => categoryItem(category, candidate, ticked))}</ul>
</fieldset>`
}
${filled !== allCategories && html`<p class="quiet">${texts.notThere(categoriesOf(allCategories & ~filled))}</p>`}
<div class="actions">
<button type="submit" name="decision" value="allow">${texts.allow}</button>
<button class="second" type="submit" name="decision" value="decline">${texts.decline}</button>
</div>
</form>
<p class="quiet">${texts.returnTo(html`<code>${new URL(target.redirectUri).host}</code>`)}</p>
<form method="post" action="/sign-out">
<input type="hidden" name="form_token" value="${signOutToken}">
<input type="hidden" name="continue" value="${endpoints.authorize}?${query}">
<p class="quiet">${texts.signedInAs(candidate.email)}
<button class="link" type="submit">${texts.otherAccount}</button></p>
</form>`
}

function categoryItem(category: Category, candidate: Candidate, ticked: number): Html {
  return html`<li><input type="checkbox" id="release-${category}" name="release" value="${category}" ${flag('checked', includes(ticked, category))} aria-describedby="values-${category}">
<label for="release-${category}">${categoryLabels[category]}</label>
<div class="under-tick" id="values-${category}"><dl class="values">${valuesOf[category](candidate).map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl></div></li>`
}

type Value = [name: string, value: HtmlValue]

const valuesOf: Record<Category, (candidate: Candidate) => Value[]> = {
  phone: ({ profile }) => (profile.phoneNumber === null ? [] : [[texts.phone, profile.phoneNumber]]),
  location: ({ profile }) =>
    profile.currentLocation === null ? [] : [[texts.location, profile.currentLocation.description]],
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
    resume === null ? [] : [[texts.file, texts.fileFacts(resume.fileName, sizeInWords(resume.size))]],
}

/** Shown to the candidate when the refusal must not be redirected to the client. */
export function refusalBody(description: string, requestId: string): Html {
  return html`${notice('problem', description)}
<p>${texts.refused}</p>
<p class="quiet">${texts.number(html`<code>${requestId}</code>`)}</p>`
}
