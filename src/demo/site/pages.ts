import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { boardName } from '../../web/board.ts'
import { notice } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { publicPage } from '../../web/page-routes.ts'
import { findJobAd } from '../world/job-ads.ts'
import { demoCandidates, demoClients } from '../world/world.ts'
import { createSiteFlows, type Flow, type SiteFlowOptions } from './flow-service.ts'
import {
  type ApplicationValues,
  adsView,
  type Faults,
  formView,
  siteOf,
  stepsView,
  traceView,
  valuesOf,
} from './markup.ts'
import { siteTexts as texts } from './texts.ts'

export interface SitePageOptions extends Omit<SiteFlowOptions, 'client'> {
  sessions: Sessions
}

const cookieName = 'demo-flow'

/**
 * The careers page of Northwind ATS, in demo mode only. It plays a third party that happens to run in this process: it
 * knows URLs and published credentials, but uses none of our services.
 */
export function demoSiteRoutes(options: SitePageOptions): RouteOptions[] {
  const { sessions, baseUrl, authUrl } = options
  const [client] = demoClients
  const flows = createSiteFlows({ ...options, client })
  const flowSeconds = options.limits.demoFlowSeconds
  const flowMinutes = Math.round(flowSeconds / 60)

  /** The drawer has the trace of a flow, or what will happen. */
  function show(
    reply: FastifyReply,
    title: string,
    body: Html,
    { status = 200, trace }: { status?: number; trace?: Flow['trace'] } = {},
  ): FastifyReply {
    const drawer = trace === undefined ? stepsView(boardName(reply), demoCandidates[0]) : traceView(trace)
    return sendPage(reply, { status, title, body, site: siteOf(drawer), formTarget: authUrl() })
  }

  /** Redirects to BASE_URL, because cookies are tied to a host and the callback arrives there. */
  function properAddress(request: FastifyRequest): string | undefined {
    return request.host === new URL(baseUrl()).host ? undefined : `${baseUrl()}${request.url}`
  }

  function setFlowCookie(reply: FastifyReply, key: string): void {
    const secure = baseUrl().startsWith('https:') ? '; Secure' : ''
    const attributes = `Path=/demo; HttpOnly; SameSite=Lax; Max-Age=${flowSeconds}${secure}`
    reply.header('set-cookie', `${cookieName}=${key}; ${attributes}`)
  }

  const flowOf = (request: FastifyRequest) => flows.find(flowKey(request))

  function showForm(
    reply: FastifyReply,
    flow: Flow,
    values?: ApplicationValues,
    faults: Faults = {},
  ): FastifyReply {
    const { ad, prefill, resume, trace } = flow
    if (prefill === undefined) return showNoFlow(reply)
    const formToken = sessions.formToken(reply, '/demo/submit')
    const form = formView({ ad, prefill, resume, values: values ?? valuesOf(prefill), faults, formToken })
    const status = Object.keys(faults).length === 0 ? 200 : 422
    return show(reply, texts.form.title(ad.title), form, { status, trace })
  }

  function showNoFlow(reply: FastifyReply): FastifyReply {
    return show(
      reply,
      texts.noFlow.title,
      html`<p class="notice">${texts.noFlow.text(flowMinutes)}</p>
<p><a class="button" href="/demo">${texts.seeJobs}</a></p>`,
      { status: 404 },
    )
  }

  function showFlow(reply: FastifyReply, flow: Flow): FastifyReply {
    const sharing = `${authUrl()}/account/sharing`
    const board = boardName(reply)
    const { trace } = flow
    /** The outcome of a flow, with links. */
    const showResult = (title: string, what: Html, status = 200) =>
      show(
        reply,
        title,
        html`<div class="card">${what}
<p class="actions"><a class="button second" href="/demo">${texts.backToJobs}</a>
<a href="${sharing}">${texts.flow.seeSharing}</a></p></div>`,
        { status, trace },
      )
    switch (flow.phase) {
      case 'started':
        return showResult(texts.flow.startedTitle(board), html`<p>${texts.flow.started(board)}</p>`)
      case 'declined':
        return showResult(texts.flow.declinedTitle, html`<p>${texts.flow.declined(board)}</p>`)
      case 'failed':
        return showResult(
          texts.flow.failedTitle,
          html`${notice('problem', html`<p>${flow.failure}</p>`)}
<p>${texts.flow.failed}</p>`,
          502,
        )
      case 'prefilled':
        return showForm(reply, flow)
      case 'completed':
        return showResult(
          texts.flow.completedTitle,
          html`<p>${texts.flow.completed(board, flow.ad.company, flow.ad.title)}</p>`,
        )
    }
  }

  return [
    publicPage.get('/demo', ({ request, reply }) => {
      const elsewhere = properAddress(request)
      if (elsewhere !== undefined) return redirect(reply, elsewhere)
      const formToken = sessions.formToken(reply, '/demo/apply')
      return show(reply, texts.jobsTitle, adsView(boardName(reply), formToken))
    }),
    publicPage.post('/demo/apply', call => {
      const { request, reply } = call
      const ad = findJobAd(sessions.checkForm(call, '/demo/apply').get('reference'))
      if (ad === undefined) return showNoFlow(reply)
      flows.forget(flowKey(request))
      const { key, location } = flows.start(ad)
      setFlowCookie(reply, key)
      return redirect(reply, location)
    }),
    publicPage.get('/demo/callback', async ({ request, reply }) => {
      const query = new FormFields(searchOf(request.raw.url))
      const flow =
        query.repeated() === undefined
          ? await flows.answer(flowKey(request), {
              state: query.get('state'),
              iss: query.get('iss'),
              code: query.get('code'),
              error: query.get('error'),
              errorDescription: query.get('error_description'),
              address: request.url,
            })
          : undefined
      // Redirect to a URL without the code, which is safe to reload and to keep in the history.
      if (flow !== undefined) return redirect(reply, '/demo/application')
      return show(
        reply,
        texts.strange.title,
        html`${notice('problem', texts.strange.text)}
<p>${texts.strange.ways(flowMinutes, label => html`<a href="/demo">${label}</a>`)}</p>`,
        { status: 400 },
      )
    }),
    publicPage.get('/demo/application', ({ request, reply }) => {
      const elsewhere = properAddress(request)
      if (elsewhere !== undefined) return redirect(reply, elsewhere)
      const flow = flowOf(request)
      return flow === undefined ? showNoFlow(reply) : showFlow(reply, flow)
    }),
    publicPage.post('/demo/submit', async call => {
      const { request, reply } = call
      const fields = sessions.checkForm(call, '/demo/submit')
      const flow = flowOf(request)
      if (flow === undefined) return showNoFlow(reply)
      const values = readValues(fields)
      const faults = faultsOf(values)
      if (flow.phase === 'prefilled' && Object.keys(faults).length > 0) {
        return showForm(reply, flow, values, faults)
      }
      await flows.complete(flow.key)
      return redirect(reply, '/demo/application')
    }),
  ]
}

function flowKey(request: FastifyRequest): string | undefined {
  const { cookie = '' } = request.headers
  return new RegExp(`(?:^|; *)${cookieName}=([\\w-]{43})(?:;|$)`).exec(cookie)?.[1]
}

function readValues(fields: FormFields): ApplicationValues {
  const text = (name: keyof ApplicationValues) => fields.get(name)?.trim() ?? ''
  return {
    firstName: text('firstName'),
    lastName: text('lastName'),
    email: text('email'),
    phone: text('phone'),
    location: text('location'),
    skills: text('skills'),
    letter: text('letter'),
  }
}

function faultsOf({ firstName, email }: ApplicationValues): Faults {
  return {
    ...(firstName === '' ? { firstName: texts.form.noFirstName } : {}),
    ...(/^[^\s@]+@[^\s@]+$/.test(email) ? {} : { email: texts.form.notAnEmail }),
  }
}
