import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { DemoDoors, DemoPerson } from '../../demo/world/doors.ts'
import type { JobBoard } from '../../jobs/posting-store.ts'
import type { HiringCompany, ListedJobAd } from '../../jobs/postings.ts'
import { problemResponses } from '../../model/problem-responses.ts'
import { logoUrl } from '../../platform/core/brand/logo.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { Type } from '../../platform/core/input/json-schema.ts'
import { setCaller } from '../../platform/http/auth/callers.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { contentResponse } from '../../platform/http/documents.ts'
import { prefersHtml } from '../../platform/http/requests/negotiation.ts'
import { route } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { boardName } from '../../platform/web/board.ts'
import { avatar, emptyState } from '../../platform/web/components.ts'
import { type Forms, formsOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'

/** How the job board renders its search and its jobs. */
interface JobParts {
  search: Html
  rows(ads: readonly ListedJobAd[], now: EpochMs, label: string): Html
}

interface HomeContent {
  parts: JobParts
  ads: readonly ListedJobAd[]
  companies: readonly HiringCompany[]
  /** No company exists yet. */
  isNew: boolean
  now: EpochMs
  board: string
  /** The email address of the signed-in person. */
  email: string | undefined
  demo: DemoDoors | undefined
  /** The button of the demo sign-ins. */
  button: Forms['button']
}

function homeMarkup(content: HomeContent): Html {
  const { ads, now, board, demo, parts } = content
  return html`<section class="hero"><h1>Find your next job</h1><p class="lead">Apply with one profile, here and wherever you see “Apply with ${board}”. You choose what each company sees.</p>
${parts.search}</section>
${demo && demoMarkup(content, demo)}
<div class="with-aside"><section><div class="section-head"><h2>Latest jobs</h2>${ads.length > 0 && html`<a href="/jobs">All jobs</a>`}</div>
${ads.length > 0 ? parts.rows(ads, now, 'Latest jobs') : content.isNew ? newBoard : html`<p class="quiet">No jobs are open at the moment. Check back soon.</p>`}</section>
<aside>${companiesMarkup(content.companies)}
<h2>For companies</h2><p>Read applications, post jobs and questionnaires, and decide which people and programs have access.</p><p><a href="/console">Open the console</a></p>
<h2>For developers</h2><p>Collect applications, or let candidates apply on your own site with their profile.</p><p><a href="/docs">Developer docs</a></p></aside></div>`
}

function companiesMarkup(companies: readonly HiringCompany[]): Html | false {
  return (
    companies.length > 0 &&
    html`<h2>Hiring now</h2><ul class="rows">${companies.map(
      ({ name, logoHash, count }) =>
        html`<li>${avatar(name, logoUrl(logoHash))}<div><a class="row-link" href="/jobs?${new URLSearchParams({ q: name }).toString()}">${isolateBidi(name)}</a><p class="hint">${count === 1 ? '1 open job' : `${count} open jobs`}</p></div></li>`,
    )}</ul>`
  )
}

/** The demo's sign-ins, each with one press of a button, even while another person is signed in. */
function demoMarkup({ email, button }: HomeContent, demo: DemoDoors): Html {
  const people = (persons: readonly DemoPerson[], continueTo: string) =>
    demoPeople(persons, button, continueTo, email)
  return html`<section class="demo" aria-labelledby="demo"><h2 id="demo">Try the demo</h2><p>All data is fictional, and the demo runs only on this computer. Choose who you are; you can switch at any time.</p>
<div class="doors">
${door('candidate', 'As a candidate', 'Fill in your profile, apply for a job, and see who has your data.', people(demo.candidates, '/account'))}
${door('advertiser', 'As a company', 'Read applications, post jobs, build questionnaires.', people(demo.members, '/console'))}
${door('operator', 'As the operator', 'Run the board: companies, agents, email, background work, audit log.', people(demo.operators, '/operator'))}
${door('developer', 'As a developer', 'Call the APIs with these, or follow the guides.', demoPrograms(demo))}
</div><p class="links"><a href="/demo">Careers page of another company</a><a href="/demo/outbox">Demo inbox</a></p></section>`
}

const door = (id: string, title: string, text: string, content: Html) =>
  html`<section class="card door" aria-labelledby="${id}"><h3 id="${id}">${title}</h3><p>${text}</p>
${content}</section>`

function demoPeople(
  persons: readonly DemoPerson[],
  button: Forms['button'],
  continueTo: string,
  signedIn: string | undefined,
): Html {
  return html`<ul class="plain">${persons.map(
    person =>
      html`<li class="demo-person"><span><strong>${person.email}</strong><span class="hint">${person.about}</span></span>${
        person.email === signedIn
          ? html`<a class="button second small" href="${continueTo}">Open</a>`
          : button({
              action: '/sign-in',
              fields: { email: person.email, password: person.password, continue: continueTo },
              label: 'Sign in',
              describedAs: `Sign in as ${person.name}`,
            })
      }</li>`,
  )}</ul><p class="hint">Password for all: <code>${persons[0]?.password ?? ''}</code></p>`
}

function demoPrograms({ credential, client }: DemoDoors): Html {
  return html`<div><dl class="values"><dt>SWS credential for ${credential.advertiserName}</dt><dd><code>${credential.value}</code></dd><dt>OAuth client</dt><dd><code>${client.id}</code> with the secret <code>${client.secret}</code></dd></dl></div>`
}

const newBoard = emptyState({
  title: 'This job board is new',
  text: html`There is no company yet. If you run this board, <a href="/operator">open the operator’s pages</a> and add one. No operator yet? Run <code>dossier operator invite</code> with your email address.`,
})

/** Limit: Newest jobs on the front page: a screenful. */
const homeJobs = 6
/** Limit: Companies beside the newest jobs on the front page. */
const homeCompanies = 6

export interface HomeDeps {
  sessions: Sessions
  demo: DemoDoors | undefined
  jobs: JobBoard
  /** Whether there are no companies yet. */
  isNew(): Promise<boolean>
  parts: JobParts
  clock: Clock
  baseUrl(): string
  authUrl(): string
  /** Plain text for clients other than browsers. */
  welcome(): string
}

/** The front page: HTML for browsers, a short text for other clients. */
export function homeRoutes(deps: HomeDeps): RouteOptions[] {
  const { sessions, demo, jobs, parts, clock } = deps

  return [
    route({
      method: 'GET',
      url: '/',
      auth: 'public',
      schema: {
        summary: 'Where to look',
        operationId: 'welcome',
        tags: ['Service'],
        response: {
          200: contentResponse('A short text, or a page for browsers.', {
            'text/plain': Type.String(),
            'text/html': Type.String(),
          }),
          ...problemResponses([]),
        },
      },
      async handle({ request, reply }) {
        reply.header('vary', 'Accept')
        if (!prefersHtml(request.headers.accept)) {
          return reply.header('content-type', 'text/plain; charset=utf-8').send(deps.welcome())
        }
        return isElsewhere(request) ? redirect(reply, `${deps.authUrl()}/`) : sendHome(reply)
      },
    }),
  ]

  /** Sessions exist only on AUTH_URL, so browsers are redirected there; other clients get their text on any host. */
  function isElsewhere(request: FastifyRequest): boolean {
    const base = deps.baseUrl()
    return base !== deps.authUrl() && request.host === new URL(base).host
  }

  async function sendHome(reply: FastifyReply): Promise<FastifyReply> {
    const session = await sessions.of(reply.request)
    // Saves the page header a second lookup.
    if (session !== undefined) setCaller(reply.request, session)
    const now = clock()
    const [ads, companies] = await Promise.all([
      jobs.listOpen(Number.MAX_SAFE_INTEGER, homeJobs, { now }),
      jobs.companies(homeCompanies, { now }),
    ])
    return sendPage(reply, {
      title: 'Find your next job',
      isWide: true,
      heading: html``,
      body: homeMarkup({
        isNew: ads.length === 0 && (await deps.isNew()),
        ads,
        companies,
        now,
        demo,
        parts,
        board: boardName(reply),
        email: session?.email,
        ...formsOf({ formToken: sessions.browserToken }, reply),
      }),
    })
  }
}
