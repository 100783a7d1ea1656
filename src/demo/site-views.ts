import type { DownloadedResume, Prefill } from '../core/apply-client.ts'
import type { Exchange } from '../core/apply-exchange.ts'
import { flag, type Html, html } from '../web/html.ts'
import { type JobAd, jobAds } from './job-ads.ts'

export const site = { name: 'Northwind ATS', path: '/demo' }

/** Hidden in every form: what it is for, and that it was made for this browser. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

export function adsView(formToken: string, candidate: { email: string; password: string }): Html {
  const ads = jobAds.map(
    ad => html`<article class="card">
<h2>${ad.title}</h2>
<p class="quiet">${ad.company} · ${ad.place} · ${ad.pay}</p>
<p>${ad.text}</p>
<form method="post" action="/demo/apply">
${hidden('form_token', formToken)}${hidden('reference', ad.reference)}
<button type="submit" aria-label="Apply with Dossier for ${ad.title}">Apply with Dossier</button>
</form>
</article>`,
  )
  return html`<p class="notice">This page plays a third party, Northwind ATS, that runs the careers page of an
advertiser. It uses the public interfaces of Dossier and nothing else. Sign in as <code>${candidate.email}</code> with
the password <code>${candidate.password}</code>.</p>
${ads}
<section class="card" aria-labelledby="steps">
<h2 id="steps">What will happen</h2>
<ol>
<li>Northwind sends your browser to Dossier, where you sign in and choose what to share.</li>
<li>Dossier sends it back with a code that works once.</li>
<li>Northwind redeems the code for a token, and with it asks for your profile and your resume.</li>
<li>You check the form and send it; Northwind tells Dossier that the application is complete.</li>
</ol>
<p>After each step you see the requests and the answers as they really were.</p>
</section>`
}

/** Each request and answer so far: what an integrator came for. */
export function traceView(trace: readonly Exchange[]): Html {
  const steps = trace.map(
    ({ title, why, request, response }, index) => html`<li>
<h3>${index + 1}. ${title}</h3>
<p>${why}</p>
<pre>${request}</pre>
${response !== undefined && html`<details ${flag('open', true)}><summary>The answer</summary><pre>${response}</pre></details>`}
</li>`,
  )
  return html`<section class="card" aria-labelledby="trace">
<h2 id="trace">What just happened</h2>
<p class="quiet">Codes and tokens are cut to their first eight characters, and the secret of the client is not shown
at all: do the same in your logs.</p>
<ul class="plain">${steps}</ul>
</section>`
}

export interface ApplicationValues {
  firstName: string
  lastName: string
  email: string
  phone: string
  location: string
  skills: string
  letter: string
}

export function valuesOf({ applicantInfo: info }: Prefill): ApplicationValues {
  return {
    firstName: info.firstName,
    lastName: info.lastName,
    email: info.emailAddress,
    phone: info.phoneNumber ?? '',
    location: info.currentLocation?.description ?? '',
    skills: info.skills.join('\n'),
    letter: '',
  }
}

export type Faults = Partial<Record<keyof ApplicationValues, string>>

interface FieldOptions {
  autocomplete?: string
  type?: string
  isRequired?: boolean
}

export function formView(view: {
  ad: JobAd
  prefill: Prefill
  resume: DownloadedResume | undefined
  values: ApplicationValues
  faults: Faults
  formToken: string
}): Html {
  const { ad, prefill, resume, values, faults } = view
  const field = (name: keyof ApplicationValues, label: string, options: FieldOptions = {}) => {
    const { autocomplete = 'off', type = 'text', isRequired = false } = options
    const fault = faults[name]
    return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${values[name]}" maxlength="200" autocomplete="${autocomplete}"${
      isRequired && html` required`
    }${fault !== undefined && html` aria-invalid="true" aria-describedby="${name}-fault"`}>
${fault !== undefined && html`<span class="fault" id="${name}-fault">${fault}</span>`}</div>`
  }
  const area = (name: keyof ApplicationValues, label: string) => html`<div class="field">
<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" maxlength="10000">
${values[name]}</textarea></div>`
  const wrong = Object.entries(faults)
  return html`${
    wrong.length > 0 &&
    html`<div class="problem" role="alert"><p>Please look at these again:</p>
<ul>${wrong.map(([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`)}</ul></div>`
  }
<p>${ad.company} · ${ad.place}. Filled in from your profile: change what you like, nothing goes back to it.</p>
<form class="card" method="post" action="/demo/submit">
${hidden('form_token', view.formToken)}
<div class="fields">
${field('firstName', 'First name', { autocomplete: 'given-name', isRequired: true })}
${field('lastName', 'Last name', { autocomplete: 'family-name' })}
${field('email', 'E-mail address', { autocomplete: 'email', type: 'email', isRequired: true })}
${field('phone', 'Phone', { autocomplete: 'tel', type: 'tel' })}
${field('location', 'Where you live')}
</div>
${area('skills', 'Skills, one on each line')}
${sharedView(prefill, resume)}
${area('letter', 'Why this job? (you may leave it empty)')}
<div class="actions"><button type="submit">Send application</button><a href="/demo">Back to the jobs</a></div>
</form>`
}

/** What is not for editing here: shown, so that the candidate sees what came. */
function sharedView({ applicantInfo: info }: Prefill, resume: DownloadedResume | undefined): Html {
  const jobs = info.workHistory.map(
    job => html`<li>${job.jobTitle}, ${job.companyName} (${job.from} to ${job.to ?? 'now'})</li>`,
  )
  const rights = Object.entries(info.salaryAndVisaByCountry).map(
    ([country, entry]) =>
      html`<li>${[
        country,
        entry.description,
        entry.minimumSalaryValue === null
          ? null
          : `from ${entry.minimumSalaryValue.toLocaleString('en-AU')}${entry.salaryType === null ? '' : ` (${entry.salaryType.toLowerCase()})`}`,
      ]
        .filter(Boolean)
        .join(', ')}</li>`,
  )
  const nothing = html`<p class="quiet">Not shared, or not filled in.</p>`
  const list = (items: Html[]) => (items.length === 0 ? nothing : html`<ul>${items}</ul>`)
  return html`<h2>Also received</h2>
<h3>Resume</h3>
${
  resume === undefined
    ? nothing
    : html`<p>${resume.fileName}, ${resume.size.toLocaleString('en-AU')} bytes, by its first bytes ${resume.kind}.</p>`
}
<h3>Highest qualification</h3>
${info.highestQualification === null ? nothing : html`<p>${info.highestQualification.description}</p>`}
<h3>Work history</h3>
${list(jobs)}
<h3>Salary and work rights</h3>
${list(rights)}`
}
