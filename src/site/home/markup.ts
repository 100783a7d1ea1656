import type { DemoDoors, DemoPerson } from '../../demo/ports.ts'
import { actionForm } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { homeTexts as texts } from './texts.ts'

export interface HomeContent {
  isSignedIn: boolean
  /** False if the service sends no email. */
  canSignUp: boolean
  demo: DemoDoors | undefined
  /** Form token for the demo sign-ins. */
  signInToken: string
}

export function homeMarkup({ isSignedIn, canSignUp, demo, signInToken }: HomeContent): Html {
  const { candidate, advertiser, developer } = texts
  /** One-click sign-in is offered only to visitors who are signed out: a sign-in never replaces another session. */
  const token = isSignedIn ? undefined : signInToken
  const people = (persons: readonly DemoPerson[] | undefined, continueTo: string) =>
    persons !== undefined && demoPeople(persons, token, continueTo)
  return html`<p class="lead">${texts.lead}</p>
<div class="doors">
<section class="card door" aria-labelledby="candidate"><h2 id="candidate">${candidate.title}</h2><p>${candidate.text}</p>
<div class="actions"><a class="button" href="/jobs">${candidate.jobs}</a><a class="button second" href="/account">${candidate.account}</a>${canSignUp && !isSignedIn && html`<a href="/sign-up">${candidate.signUp}</a>`}</div>
${people(demo?.candidates, '/account')}</section>
<section class="card door" aria-labelledby="advertiser"><h2 id="advertiser">${advertiser.title}</h2><p>${advertiser.text}</p>
<div class="actions"><a class="button" href="/console">${advertiser.console}</a></div>
${people(demo?.members, '/console')}</section>
<section class="card door" aria-labelledby="developer"><h2 id="developer">${developer.title}</h2><p>${developer.text}</p>
<div class="actions"><a class="button" href="/docs">${developer.docs}</a><a href="/openapi.json">${developer.openapi}</a></div>
${demo && demoPrograms(demo)}</section>
</div>
${demo && html`<div class="demo-about"><p class="quiet">${texts.demo.about}</p><p class="links"><a href="/demo">${texts.demo.site}</a><a href="/demo/outbox">${texts.demo.outbox}</a><a href="/demo/components">${texts.demo.components}</a></p></div>`}`
}

function demoPeople(persons: readonly DemoPerson[], token: string | undefined, continueTo: string): Html {
  const words = texts.demo
  const password = persons[0]?.password ?? ''
  return html`<div class="demo-door"><h3>${words.title}</h3><ul class="plain">${persons.map(
    person =>
      html`<li class="demo-person"><span><strong>${person.email}</strong><span class="hint">${words.people[person.email]}</span></span>${
        token !== undefined && demoSignIn(person, token, continueTo)
      }</li>`,
  )}</ul><p class="hint">${token === undefined ? words.switching(password) : words.password(password)}</p></div>`
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
  return html`<div class="demo-door"><h3>${words.programs}</h3><dl class="values"><dt>${words.credential(credential.advertiserName)}</dt><dd><code>${credential.value}</code></dd><dt>${words.client}</dt><dd>${words.clientValue(client.id, client.secret)}</dd></dl></div>`
}
