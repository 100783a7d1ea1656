import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problems.ts'
import { FormFields, searchOf } from '../http/form.ts'
import type { Sessions } from '../http/sessions.ts'
import type { ConsentStore, StandingConsent } from '../oauth/ports.ts'
import type { Disclosure, SharingHistory, StartedApplication } from '../sharing/ports.ts'
import { type Html, html } from '../web/html.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import { timeElement } from '../web/time.ts'
import { accountNavigation } from './account-navigation.ts'
import { categoriesOf, categoryLabels } from './categories.ts'

const path = '/account/sharing'
const withdrawPath = '/account/sharing/withdraw'

interface SharingPageDeps {
  consents: ConsentStore
  history: SharingHistory
  sessions: Sessions
  clock: Clock
  limits: { disclosuresShown: number }
}

/** Who has my data: the consents that stand, what was sent elsewhere, and every disclosure there has been. */
export function sharingPages(deps: SharingPageDeps): RouteOptions[] {
  const { consents, history, sessions, limits } = deps

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { candidateId } = request.session
    const query = new FormFields(searchOf(request.raw.url))
    const before = readPosition(query.get('before'))
    const [standing, applications, disclosures] = await Promise.all([
      consents.listConsents(candidateId),
      history.applications(candidateId, limits.disclosuresShown),
      history.disclosures(candidateId, limits.disclosuresShown + 1, before),
    ])
    const token = sessions.formToken(request, reply, withdrawPath)
    return sendPage(reply, {
      title: 'Who has my data',
      navigation: accountNavigation(sessions, request, reply, path),
      body: html`${
        query.has('withdrawn') &&
        html`<div class="notice" role="status"><p>Withdrawn. From now on it gets nothing more from your profile. What it received before is listed below; ask the company itself to delete that.</p></div>`
      }
${consentSection(standing, token)}
${applicationSection(applications)}
${disclosureSection(disclosures, limits.disclosuresShown, before !== undefined)}`,
    })
  }

  return [
    {
      method: 'GET',
      url: path,
      config: { auth: 'session', errors: 'page', isOnAuthUrl: true },
      schema: { hide: true },
      handler: show,
    },
    {
      method: 'POST',
      url: withdrawPath,
      config: { auth: 'session', body: 'form', errors: 'page', isOnAuthUrl: true, formPage: path },
      schema: { hide: true },
      handler: async (request, reply) => {
        const grantId = sessions.checkForm(request, withdrawPath).get('consent') ?? ''
        const { candidateId } = request.session
        if (!(await consents.withdraw(candidateId, grantId, deps.clock()))) {
          throw new Problem('not-found', 'You have no such consent, or you have withdrawn it already.')
        }
        return redirect(reply, `${path}?withdrawn=1`)
      },
    },
  ]
}

function asker(clientName: string, advertiserName: string | null): Html {
  return advertiserName === null
    ? html`<strong>${clientName}</strong>`
    : html`<strong>${clientName}</strong> on behalf of <strong>${advertiserName}</strong>`
}

function consentSection(standing: readonly StandingConsent[], token: string): Html {
  if (standing.length === 0) {
    return html`<h2>May ask for my profile</h2><p class="card quiet">Nobody at present. When you press "Apply with Dossier" on a company's website and allow it, it is listed here, and you can take it back.</p>`
  }
  return html`<h2>May ask for my profile</h2>
<ul class="plain card">${standing.map(
    consent => html`<li>${asker(consent.clientName, consent.advertiserName)}
<span class="hint">since ${timeElement(consent.decidedAt)}: ${categoryList(consent.released & consent.filled)}</span>
<form method="post" action="${withdrawPath}"><input type="hidden" name="form_token" value="${token}"><input type="hidden" name="consent" value="${consent.grantId}">
<div class="actions"><button class="danger" type="submit" aria-label="Withdraw from ${consent.clientName}${consent.advertiserName === null ? '' : ` on behalf of ${consent.advertiserName}`}">Withdraw</button></div></form></li>`,
  )}</ul>`
}

function applicationSection(applications: readonly StartedApplication[]): Html | false {
  return (
    applications.length > 0 &&
    html`<h2>Applications on other websites</h2>
<ul class="plain card">${applications.map(
      application => html`<li><strong>${application.positionTitle ?? 'A job'}</strong> at ${application.advertiserName}, by ${application.clientName}
<span class="hint">begun ${timeElement(application.createdAt)}${
        application.completedAt === null
          ? ', not handed in as far as we know'
          : html`, submitted ${timeElement(application.completedAt)}`
      }</span></li>`,
    )}</ul>`
  )
}

function disclosureSection(found: readonly Disclosure[], limit: number, isContinued: boolean): Html {
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const heading = html`<h2>What was shared</h2>`
  if (last === undefined) {
    return html`${heading}<p class="card quiet">${isContinued ? 'Nothing older.' : 'Nothing has left your profile yet.'}</p>`
  }
  return html`${heading}
<ul class="plain card">${shown.map(
    disclosure => html`<li>${timeElement(disclosure.disclosedAt)}: ${asker(disclosure.clientName, disclosure.advertiserName)}
<span class="hint">${disclosure.kind === 'resume' ? 'downloaded your resume' : `received ${categoryList(disclosure.categories)}`}</span></li>`,
  )}</ul>
${isContinued && html`<p><a href="${path}">Newest first</a></p>`}
${found.length > limit && html`<p><a href="${path}?before=${last.disclosedAt}.${last.id}">Older</a></p>`}`
}

function categoryList(bits: number): string {
  return [
    'name',
    'e-mail address',
    ...categoriesOf(bits).map(category => categoryLabels[category].toLowerCase()),
  ].join(', ')
}

/** Where the page before ended; whatever cannot be read begins anew. */
function readPosition(text: string | undefined): { at: number; id: string } | undefined {
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text ?? '') ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}
