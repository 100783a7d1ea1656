import { countryInWords, periodInWords, salaryInWords } from '../../model/profile-words.ts'
import { numberText } from '../../platform/core/locale.ts'
import { assetsIn } from '../../platform/web/assets.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { notice } from '../../platform/web/components.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import type { DownloadedResume, Prefill } from '../careers-client/apply-client.ts'
import type { Exchange } from '../careers-client/apply-exchange.ts'
import type { Careers } from '../world/demo-world.ts'
import type { JobAd } from '../world/job-ads.ts'

export const northwindAssets = assetsIn(new URL('assets/', import.meta.url), {
  'northwind.css': {},
  'northwind.svg': {},
})

/** The frame of Northwind's pages, with a drawer at the side that shows the requests behind them. */
export function siteOf({ company }: Careers, drawer: Html) {
  return {
    name: 'Northwind ATS',
    stylesheetUrl: northwindAssets.url('northwind.css'),
    iconUrl: northwindAssets.url('northwind.svg'),
    header: html`<header class="site"><div class="bar"><a class="brand" href="/demo"><img src="${northwindAssets.url('northwind.svg')}" alt="" width="36" height="36"><span>${company}<small>Careers</small></span></a>
<nav aria-label="Careers"><a href="/demo">All jobs</a><a href="/demo/events">Webhooks</a></nav></div></header>`,
    aside: html`<aside class="drawer" aria-label="Behind this page"><details open><summary>Behind this page</summary><div>${drawer}</div></details></aside>`,
    footer: html`<footer class="site"><div class="bar"><p>Careers pages for ${company} by Northwind ATS, a company made up for this demo.</p></div></footer>`,
  }
}

export function adsView({ ads: open, lead, perks }: Careers, board: string, { ownForm }: Forms): Html {
  const ads = open.map(
    ad => html`<li><div><h3>${ad.title}</h3>
<p class="quiet">${ad.place} · ${ad.pay}</p>
<p>${ad.text}</p></div>
${ownForm({
  action: '/demo/apply',
  hidden: { reference: ad.reference },
  isChecked: true,
  content: html`<button type="submit" aria-label="Apply with ${board} for ${ad.title}">Apply with ${board}</button>
`,
})}</li>`,
  )
  return html`<p class="lead">${lead}</p>
<h2>${ads.length} open jobs</h2>
<ul class="jobs">${ads}</ul>
<h2>Working with us</h2>
<dl class="perks">${perks.map(([title, text]) => html`<div><dt>${title}</dt><dd>${text}</dd></div>`)}</dl>`
}

/** Content of the drawer before the first request. */
export function stepsView(board: string, candidate: { email: string; password: string }): Html {
  return html`<p>This page plays a third party, Northwind ATS, which runs a company’s careers page. It uses only the public APIs of ${board}. Sign in as <code>${candidate.email}</code> with the password <code>${candidate.password}</code>.</p>
<h2>How it works</h2>
<ol><li>Northwind sends your browser to ${board}, where you sign in and choose what to share.</li>
<li>${board} sends your browser back with a code that works once.</li>
<li>Northwind exchanges the code for a token, and uses it to fetch your profile and resume.</li>
<li>You check the form and send it. Northwind reports to ${board} that the application is complete.</li></ol>
<p>After each step you see the actual requests and responses here.</p>`
}

/** Each request and response so far. */
export function traceView(trace: readonly Exchange[]): Html {
  const steps = trace.map(
    ({ title, why, request, response }, index) => html`<li>
<h3>${index + 1}. ${title}</h3>
<p>${why}</p>
<pre>${request}</pre>
${response !== undefined && html`<details ${flag('open', true)}><summary>Response</summary><pre>${response}</pre></details>`}
</li>`,
  )
  return html`<h2>What just happened</h2>
<p class="quiet">Codes and tokens are shortened to their first eight characters, and the client secret is not shown at all. Do the same in your logs.</p>
<ul class="plain">${steps}</ul>`
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
  forms: Forms
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
    notice(
      'problem',
      html`<p>Please check the following:</p>
<ul>${wrong.map(([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`)}</ul>`,
    )
  }
<p>${ad.company} · ${ad.place}. Filled in from your profile. Changes here don’t affect your profile.</p>
${view.forms.ownForm({
  action: '/demo/submit',
  className: 'card',
  content: html`<div class="fields">
${field('firstName', 'First name', { autocomplete: 'given-name', isRequired: true })}
${field('lastName', 'Last name', { autocomplete: 'family-name' })}
${field('email', 'Email address', { autocomplete: 'email', type: 'email', isRequired: true })}
${field('phone', 'Phone', { autocomplete: 'tel', type: 'tel' })}
${field('location', 'Where you live')}
</div>
${area('skills', 'Skills, one per line')}
${sharedView(prefill, resume)}
${area('letter', 'Why this job? (optional)')}
<div class="actions"><button type="submit">Send application</button><a href="/demo">Back to jobs</a></div>
`,
})}`
}

/** Received data that this form does not edit, so that the candidate sees everything that was shared. */
function sharedView({ applicantInfo: info }: Prefill, resume: DownloadedResume | undefined): Html {
  const jobs = info.workHistory.map(
    job =>
      html`<li>${isolateBidi(job.jobTitle)}, ${isolateBidi(job.companyName)} (${periodInWords(job.from, job.to)})</li>`,
  )
  const rights = Object.entries(info.salaryAndVisaByCountry).map(
    ([country, entry]) =>
      html`<li>${[
        countryInWords(country),
        entry.description,
        entry.minimumSalaryValue === null ? null : salaryInWords(entry.minimumSalaryValue, entry.salaryType),
      ]
        .filter(part => part !== null && part !== '')
        .map((part, index) => [index > 0 && ', ', isolateBidi(part as string)])}</li>`,
  )
  const nothing = html`<p class="quiet">Not shared, or not in the profile.</p>`
  const list = (items: Html[]) => (items.length === 0 ? nothing : html`<ul>${items}</ul>`)
  return html`<h2>Also received</h2>
<h3>Resume</h3>
${
  resume === undefined
    ? nothing
    : html`<p>${isolateBidi(resume.fileName)}, ${numberText(resume.size)} bytes, detected as ${resume.kind}.</p>`
}
<h3>Highest qualification</h3>
${info.highestQualification === null ? nothing : html`<p>${info.highestQualification.description}</p>`}
<h3>Work history</h3>
${list(jobs)}
<h3>Salary and work rights</h3>
${list(rights)}`
}
