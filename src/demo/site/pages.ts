import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { boardName } from '../../platform/web/board.ts'
import { notice, remark } from '../../platform/web/components.ts'
import { formsOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { publicPage } from '../../platform/web/page-routes.ts'
import type { DemoWorld } from '../world/demo-world.ts'
import { createSiteFlows, demoFlowSeconds, type Flow, type SiteFlowOptions } from './flow-service.ts'
import {
  type ApplicationValues,
  adsView,
  type Faults,
  formView,
  northwindAssets,
  siteOf,
  stepsView,
  traceView,
  valuesOf,
} from './markup.ts'

export interface SitePageOptions extends Omit<SiteFlowOptions, 'client' | 'country'> {
  sessions: Sessions
  world: DemoWorld
}

const cookieName = 'demo-flow'

const code = (name: string) => html`<code>${name}</code>`

/**
 * The careers page of Northwind ATS, in demo mode only. It plays a third party that happens to run in this process: it
 * knows URLs and published credentials, but uses none of our services.
 */
export function demoSiteRoutes(options: SitePageOptions): RouteOptions[] {
  const { sessions, baseUrl, authUrl } = options
  const {
    careers,
    candidates: [candidate],
    clients: [client],
  } = options.world
  const flows = createSiteFlows({ ...options, client, country: careers.country })
  const flowSeconds = demoFlowSeconds
  const flowMinutes = Math.round(flowSeconds / 60)

  /** The drawer shows the trace of a flow, or what will happen. */
  function show(
    reply: FastifyReply,
    title: string,
    body: Html,
    { status = 200, trace }: { status?: number; trace?: Flow['trace'] } = {},
  ): FastifyReply {
    const drawer = trace === undefined ? stepsView(boardName(reply), candidate) : traceView(trace)
    return sendPage(reply, { status, title, body, site: siteOf(careers, drawer), formTarget: authUrl() })
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
    const forms = formsOf(sessions, reply)
    const form = formView({ ad, prefill, resume, values: values ?? valuesOf(prefill), faults, forms })
    const status = Object.keys(faults).length === 0 ? 200 : 422
    return show(reply, `Apply: ${ad.title}`, form, { status, trace })
  }

  function showNoFlow(reply: FastifyReply): FastifyReply {
    return show(
      reply,
      'No application in progress',
      html`${remark(`You haven’t started an application in this browser, or it took longer than ${flowMinutes} minutes.`)}
<p><a class="button" href="/demo">See jobs</a></p>`,
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
<p class="actions"><a class="button second" href="/demo">Back to jobs</a>
<a href="${sharing}">See who has your data</a></p></div>`,
        { status, trace },
      )
    switch (flow.phase) {
      case 'started':
        return showResult(
          `Waiting for ${board}`,
          html`<p>We sent you to ${board}, and you haven’t come back yet.</p>`,
        )
      case 'declined':
        return showResult(
          'You declined. Nothing was shared',
          html`<p>${board} told Northwind ATS only that you declined. You can start again from the list of jobs.</p>`,
        )
      case 'failed':
        return showResult(
          'Something went wrong',
          html`${notice('problem', html`<p>${flow.failure}</p>`)}
<p>The last step shows the request and the response. Start again from the list of jobs.</p>`,
          502,
        )
      case 'prefilled':
        return showForm(reply, flow)
      case 'completed':
        return showResult(
          'Thanks, your application was sent',
          html`<p>${flow.ad.company} has your application for ${flow.ad.title}. ${board} lists it as submitted.</p>`,
        )
    }
  }

  return [
    ...northwindAssets.routes,
    publicPage.get('/demo', ({ request, reply }) => {
      const elsewhere = properAddress(request)
      if (elsewhere !== undefined) return redirect(reply, elsewhere)
      const ads = adsView(careers, boardName(reply), formsOf(sessions, reply))
      return show(reply, `Jobs at ${careers.company}`, ads)
    }),
    publicPage.post('/demo/apply', call => {
      const { request, reply } = call
      const reference = sessions.checkForm(call, '/demo/apply').get('reference')
      const ad = careers.ads.find(each => each.reference === reference)
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
        'This response is not for this browser',
        html`${notice('problem', html`The ${code('state')} or ${code('iss')} in the response is not the one this browser was sent away with. An attacker may have made you open a link with their own code in it, so we ignored it.`)}
<p>If you’ve just applied, cookies may be turned off, or it took longer than ${flowMinutes} minutes. <a href="/demo">Start again</a>.</p>`,
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
    ...(firstName === '' ? { firstName: 'Enter your first name.' } : {}),
    ...(/^[^\s@]+@[^\s@]+$/.test(email)
      ? {}
      : { email: 'Enter an email address, such as mary@example.com.' }),
  }
}
