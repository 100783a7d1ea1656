import { type Category, categories, categoryLabels, includes } from '../candidates/categories.ts'
import type { Candidate } from '../candidates/ports.ts'
import { sizeInWords } from '../core/size-in-words.ts'
import { flag, type Html, html } from '../web/html.ts'
import type { ConsentQuestion } from './authorization.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { endpoints } from './metadata.ts'

/** Who asks: the client, and the advertiser on whose behalf it does. */
function askerOf({ client, advertiser }: AuthorizationRequest): Html {
  return advertiser === null
    ? html`<strong>${client.name}</strong>`
    : html`<strong>${client.name}</strong> on behalf of <strong>${advertiser.name}</strong>`
}

/** Everything that would leave, with its values, so that nobody has to guess what a category means. */
export function consentBody(
  request: AuthorizationRequest,
  { candidate, filled, ticked }: ConsentQuestion,
  formToken: string,
  signOutToken: string,
): Html {
  return html`<p>${askerOf(request)} asks for your profile, to fill in an application for you.</p>
<p class="quiet">Untick what you do not want to share. You can take this back at any time under
<a href="/account/sharing">Who has my data</a>.</p>
<form method="post" action="${endpoints.authorize}">
<input type="hidden" name="request" value="${request.query}">
<input type="hidden" name="filled" value="${filled}">
<input type="hidden" name="form_token" value="${formToken}">
<div class="card">
<h2>Always shared</h2>
<dl class="values"><dt>Name</dt><dd>${candidate.firstName} ${candidate.lastName}</dd>
<dt>E-mail address</dt><dd>${candidate.email}</dd></dl>
</div>
<fieldset><legend>Shared if you tick it</legend>
<ul class="plain">${categories.map(category => categoryItem(category, candidate, ticked))}</ul>
</fieldset>
<div class="actions">
<button type="submit" name="decision" value="allow">Allow</button>
<button class="second" type="submit" name="decision" value="decline">Decline</button>
</div>
</form>
<p class="quiet">Either way you return to <code>${new URL(request.target.redirectUri).host}</code>.</p>
<form method="post" action="/sign-out">
<input type="hidden" name="form_token" value="${signOutToken}">
<input type="hidden" name="continue" value="${endpoints.authorize}?${request.query}">
<p class="quiet">You are signed in as ${candidate.email}.
<button class="link" type="submit">Use another account</button></p>
</form>`
}

function categoryItem(category: Category, candidate: Candidate, ticked: number): Html {
  const values = valuesOf[category](candidate)
  return html`<li><input type="checkbox" id="release-${category}" name="release" value="${category}" ${flag('checked', includes(ticked, category))} aria-describedby="values-${category}">
<label for="release-${category}">${categoryLabels[category]}</label>
<div class="under-tick" id="values-${category}">${
    values.length === 0
      ? html`<p class="hint">Nothing in your profile yet, so nothing is shared.</p>`
      : html`<dl class="values">${values.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
  }</div></li>`
}

type Value = [name: string, value: string | Html]

const valuesOf: Record<Category, (candidate: Candidate) => Value[]> = {
  phone: ({ profile }) => (profile.phoneNumber === null ? [] : [['Phone', profile.phoneNumber]]),
  location: ({ profile }) =>
    profile.currentLocation === null ? [] : [['Current location', profile.currentLocation.description]],
  qualification: ({ profile: { highestQualification, skills } }) => [
    ...(highestQualification === null
      ? []
      : [['Highest qualification', highestQualification.description] satisfies Value]),
    ...(skills.length === 0 ? [] : [['Skills', skills.join(', ')] satisfies Value]),
  ],
  workHistory: ({ profile }) =>
    profile.workHistory.map(job => [
      `${job.from} to ${job.to ?? 'now'}`,
      [`${job.jobTitle}, ${job.companyName}`, job.industry?.description ?? '', job.achievements]
        .filter(line => line !== '')
        .join('\n'),
    ]),
  salary: ({ profile }) =>
    Object.entries(profile.salaryAndVisaByCountry).map(([country, rights]) => [
      country,
      `${rights.description}; ${rights.hasWorkingVisa ? 'may work there' : 'may not work there yet'}; at least ${rights.minimumSalaryValue} (${rights.salaryType})`,
    ]),
  resume: ({ resume }) =>
    resume === null ? [] : [['File', `${resume.fileName} (${sizeInWords(resume.size)})`]],
}

/** For the person in front of the browser, when the client cannot be told. */
export function refusalBody(description: string, requestId: string): Html {
  return html`<div class="problem" role="alert"><p>${description}</p></div>
<p>The website that sent you here has made a mistake, and you were not sent back to it because we cannot be sure
that it is the one it says it is. Nothing was shared.</p>
<p class="quiet">If you tell its operator, give this number: <code>${requestId}</code></p>`
}
