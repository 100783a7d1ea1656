import type { preParsingHookHandler, RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import { route } from '../../http/routes.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { publicPage } from '../../web/page-routes.ts'
import { timeElement } from '../../web/time.ts'
import type { HookReceiver } from './hooks-service.ts'
import { siteOf } from './markup.ts'
import { siteTexts } from './texts.ts'

const { hooks: texts } = siteTexts

/** The bytes of a body, which a signature is about: what a parser makes of them may be written in another way. */
const bytesOf = new WeakMap<object, Buffer[]>()
const keepBytes: preParsingHookHandler = (request, _reply, payload, done) => {
  const chunks: Buffer[] = []
  bytesOf.set(request, chunks)
  payload.on('data', (chunk: Buffer) => chunks.push(chunk))
  done(null, payload)
}

/** Webhooks that Northwind receives, and an endpoint of it that is broken on purpose, so that its states can be seen. */
export function hookRoutes(receiver: HookReceiver): RouteOptions[] {
  const receiving = {
    method: 'POST',
    auth: 'public',
    body: 'json',
    schema: { hide: true },
    preParsing: keepBytes,
  } as const
  return [
    route({
      ...receiving,
      url: '/demo/hooks',
      handle: ({ request, reply }) => {
        const body = Buffer.concat(bytesOf.get(request) ?? []).toString()
        if (!receiver.receive(request.headers, body)) throw new Problem('invalid-token', texts.notGenuine)
        return reply.status(204).send()
      },
    }),
    route({
      ...receiving,
      url: '/demo/hooks/broken',
      handle: ({ request, reply }) => {
        const { type } = (request.body ?? {}) as { type?: unknown }
        if (type === 'test.ping') return reply.status(204).send()
        return reply.status(503).headers({ 'content-type': 'text/plain; charset=utf-8' }).send(texts.broken)
      },
    }),
    publicPage.get('/demo/events', ({ reply }) => {
      const hooks = receiver.list()
      const body =
        hooks.length === 0
          ? html`<p>${texts.nothing}</p>`
          : html`<ol class="trace">${hooks.map(({ at, id, type, body: text }) => html`<li><h2>${type}</h2><p class="quiet">${timeElement(at)} · <code>${id}</code></p><pre>${JSON.stringify(JSON.parse(text), null, 2)}</pre></li>`)}</ol>`
      return sendPage(reply, {
        title: texts.title,
        body: html`<p class="lead">${texts.lead}</p><p><a class="button second" href="/demo/events">${texts.reload}</a></p>${body}`,
        site: siteOf(
          html`<p>${texts.behind}</p><p><a href="/console/10000001/events">${texts.console}</a></p>`,
        ),
      })
    }),
  ]
}
