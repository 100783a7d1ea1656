import { logoUrl } from '../../core/brand/logo.ts'
import type { EpochMs } from '../../core/clock.ts'
import type { DemoDoors, DemoPerson } from '../../demo/ports.ts'
import type { HiringCompany, ListedJobAd } from '../../jobs/ports.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, avatar, emptyState } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { homeTexts as texts } from './texts.ts'

/** How the job board shows its search and its jobs. */
export interface JobParts {
  search: Html
  rows(ads: readonly ListedJobAd[], now: EpochMs, label: string): Html
}

export interface HomeContent {
  parts: JobParts
  ads: readonly ListedJobAd[]
  companies: readonly HiringCompany[]
  /** No company has been added yet. */
  isNew: boolean
  now: EpochMs
  board: string
  /** The email address of the person who is signed in. */
  email: string | undefined
  demo: DemoDoors | undefined
  /** Form token for the demo sign-ins. */
  signInToken: string
}

export function homeMarkup(content: HomeContent): Html {
  const { ads, now, board, demo, parts } = content
  return html`<section class="hero"><h1>${texts.title}</h1><p class="lead">${texts.lead(board)}</p>
${parts.search}</section>
${demo && demoMarkup(content, demo)}
<div class="with-aside"><section><div class="section-head"><h2>${texts.latest}</h2>${ads.length > 0 && html`<a href="/jobs">${texts.allJobs}</a>`}</div>
${ads.length > 0 ? parts.rows(ads, now, texts.latest) : content.isNew ? emptyState({ ...texts.newBoard, action: undefined }) : html`<p class="quiet">${texts.noJobs}</p>`}</section>
<aside>${companiesMarkup(content.companies)}
<h2>${texts.company.title}</h2><p>${texts.company.text}</p><p><a href="/console">${texts.company.console}</a></p>
<h2>${texts.developer.title}</h2><p>${texts.developer.text}</p><p><a href="/docs">${texts.developer.docs}</a></p></aside></div>`
}

function companiesMarkup(companies: readonly HiringCompany[]): Html | false {
  return (
    companies.length > 0 &&
    html`<h2>${texts.companies}</h2><ul class="rows">${companies.map(
      ({ name, logoHash, count }) =>
        html`<li>${avatar(name, logoUrl(logoHash))}<div><a class="row-link" href="/jobs?${new URLSearchParams({ q: name }).toString()}">${isolateBidi(name)}</a><p class="hint">${texts.openJobs(count)}</p></div></li>`,
    )}</ul>`
  )
}

/** The doors of the demo, with the people who can go through them at one press, even while another person is signed in. */
function demoMarkup({ email, signInToken }: HomeContent, demo: DemoDoors): Html {
  const { doors, ...words } = texts.demo
  const people = (persons: readonly DemoPerson[], continueTo: string) =>
    demoPeople(persons, signInToken, continueTo, email)
  return html`<section class="demo" aria-labelledby="demo"><h2 id="demo">${words.title}</h2><p>${words.about}</p>
<div class="doors">
<section class="card door" aria-labelledby="candidate"><h3 id="candidate">${doors.candidate.title}</h3><p>${doors.candidate.text}</p>
${people(demo.candidates, '/account')}</section>
<section class="card door" aria-labelledby="advertiser"><h3 id="advertiser">${doors.company.title}</h3><p>${doors.company.text}</p>
${people(demo.members, '/console')}</section>
<section class="card door" aria-labelledby="operator"><h3 id="operator">${doors.operator.title}</h3><p>${doors.operator.text}</p>
${people(demo.operators, '/operator')}</section>
<section class="card door" aria-labelledby="developer"><h3 id="developer">${doors.developer.title}</h3><p>${doors.developer.text}</p>
${demoPrograms(demo)}</section>
</div><p class="links"><a href="/demo">${words.site}</a><a href="/demo/outbox">${words.outbox}</a><a href="/demo/components">${words.components}</a></p></section>`
}

function demoPeople(
  persons: readonly DemoPerson[],
  token: string,
  continueTo: string,
  signedIn: string | undefined,
): Html {
  const words = texts.demo
  return html`<ul class="plain">${persons.map(
    person =>
      html`<li class="demo-person"><span><strong>${person.email}</strong><span class="hint">${words.people[person.email]}</span></span>${
        person.email === signedIn
          ? html`<a class="button second small" href="${continueTo}">${words.open}</a>`
          : demoSignIn(person, token, continueTo)
      }</li>`,
  )}</ul><p class="hint">${words.password(persons[0]?.password ?? '')}</p>`
}

function demoSignIn({ email, name, password }: DemoPerson, token: string, continueTo: string): Html {
  const { signIn, signInAs } = texts.demo
  return actionForm({
    action: '/sign-in',
    token,
    fields: { email, password, continue: continueTo },
    label: signIn,
    describedAs: signInAs(name),
  })
}

function demoPrograms({ credential, client }: DemoDoors): Html {
  const words = texts.demo
  return html`<div><dl class="values"><dt>${words.credential(credential.advertiserName)}</dt><dd><code>${credential.value}</code></dd><dt>${words.client}</dt><dd>${words.clientValue(client.id, client.secret)}</dd></dl></div>`
}
