import type { DownloadedResume, Prefill } from '../../client/apply-client.ts'
import type { Exchange } from '../../client/apply-exchange.ts'
import { countryInWords, salaryInWords } from '../../model/profile-words.ts'
import { assetUrl } from '../../web/assets.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { notice } from '../../web/components.ts'
import { flag, type Html, html } from '../../web/html.ts'
import { type JobAd, jobAds } from '../world/job-ads.ts'
import { siteTexts as texts } from './texts.ts'

/** The frame of Northwind's pages, with what goes on behind them in a drawer at the side. */
export function siteOf(drawer: Html) {
  return {
    name: texts.site,
    stylesheet: 'northwind.css',
    icon: 'northwind.svg',
    header: html`<header class="site"><div class="bar"><a class="brand" href="/demo"><img src="${assetUrl('northwind.svg')}" alt="" width="36" height="36"><span>${texts.company}<small>${texts.careers}</small></span></a>
<nav aria-label="${texts.careers}"><a href="/demo">${texts.allJobs}</a><a href="/demo/events">${texts.hooks.link}</a></nav></div></header>`,
    aside: html`<aside class="drawer" aria-label="${texts.behind}"><details open><summary>${texts.behind}</summary><div>${drawer}</div></details></aside>`,
    footer: html`<footer class="site"><div class="bar"><p>${texts.footer}</p></div></footer>`,
  }
}

/** Hidden fields of every form: the flow and the form token. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

export function adsView(board: string, formToken: string): Html {
  const ads = jobAds.map(
    ad => html`<li><div><h3>${ad.title}</h3>
<p class="quiet">${ad.place} · ${ad.pay}</p>
<p>${ad.text}</p></div>
<form method="post" action="/demo/apply">
${hidden('form_token', formToken)}${hidden('reference', ad.reference)}
<button type="submit" aria-label="${texts.applyFor(board, ad.title)}">${texts.apply(board)}</button>
</form></li>`,
  )
  return html`<p class="lead">${texts.lead}</p>
<h2>${texts.openJobs(ads.length)}</h2>
<ul class="jobs">${ads}</ul>
<h2>${texts.aboutTitle}</h2>
<dl class="perks">${texts.about.map(([title, text]) => html`<div><dt>${title}</dt><dd>${text}</dd></div>`)}</dl>`
}

/** What the drawer says before the first request. */
export function stepsView(board: string, candidate: { email: string; password: string }): Html {
  return html`<p>${texts.intro(board, html`<code>${candidate.email}</code>`, html`<code>${candidate.password}</code>`)}</p>
<h2>${texts.stepsTitle}</h2>
<ol>${texts.steps(board).map(step => html`<li>${step}</li>`)}</ol>
<p>${texts.stepsShown}</p>`
}

/** Each request and response so far. */
export function traceView(trace: readonly Exchange[]): Html {
  const steps = trace.map(
    ({ title, why, request, response }, index) => html`<li>
<h3>${index + 1}. ${title}</h3>
<p>${why}</p>
<pre>${request}</pre>
${response !== undefined && html`<details ${flag('open', true)}><summary>${texts.answer}</summary><pre>${response}</pre></details>`}
</li>`,
  )
  return html`<h2>${texts.traceTitle}</h2>
<p class="quiet">${texts.traceHint}</p>
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
    notice(
      'problem',
      html`<p>${texts.form.lookAgain}</p>
<ul>${wrong.map(([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`)}</ul>`,
    )
  }
<p>${texts.form.lead(ad.company, ad.place)}</p>
<form class="card" method="post" action="/demo/submit" novalidate>
${hidden('form_token', view.formToken)}
<div class="fields">
${field('firstName', texts.form.firstName, { autocomplete: 'given-name', isRequired: true })}
${field('lastName', texts.form.lastName, { autocomplete: 'family-name' })}
${field('email', texts.form.email, { autocomplete: 'email', type: 'email', isRequired: true })}
${field('phone', texts.form.phone, { autocomplete: 'tel', type: 'tel' })}
${field('location', texts.form.location)}
</div>
${area('skills', texts.form.skills)}
${sharedView(prefill, resume)}
${area('letter', texts.form.letter)}
<div class="actions"><button type="submit">${texts.form.send}</button><a href="/demo">${texts.backToJobs}</a></div>
</form>`
}

/** Received data that this form does not edit, shown so that the candidate sees what was shared. */
function sharedView({ applicantInfo: info }: Prefill, resume: DownloadedResume | undefined): Html {
  const jobs = info.workHistory.map(job => html`<li>${texts.shared.job(job)}</li>`)
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
  const nothing = html`<p class="quiet">${texts.shared.nothing}</p>`
  const list = (items: Html[]) => (items.length === 0 ? nothing : html`<ul>${items}</ul>`)
  return html`<h2>${texts.shared.title}</h2>
<h3>${texts.shared.resume}</h3>
${
  resume === undefined
    ? nothing
    : html`<p>${texts.shared.file(resume.fileName, resume.size, resume.kind)}</p>`
}
<h3>${texts.shared.qualification}</h3>
${info.highestQualification === null ? nothing : html`<p>${info.highestQualification.description}</p>`}
<h3>${texts.shared.workHistory}</h3>
${list(jobs)}
<h3>${texts.shared.rights}</h3>
${list(rights)}`
}
