import type { preParsingHookHandler, RouteOptions } from 'fastify'
import { BoardProblem } from '../../model/problems.ts'
import { route } from '../../platform/http/routes.ts'
import { html } from '../../platform/web/html.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { publicPage } from '../../platform/web/page-routes.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { DemoWorld } from '../world/demo-world.ts'
import { demoDoors } from '../world/doors.ts'
import type { HookReceiver } from './hooks-service.ts'
import { siteOf } from './markup.ts'

/** The bytes of a body, which its signature covers: parsed and written again, they may differ. */
const bytesOf = new WeakMap<object, Buffer[]>()
const keepBytes: preParsingHookHandler = (request, _reply, payload, done) => {
  const chunks: Buffer[] = []
  bytesOf.set(request, chunks)
  payload.on('data', (chunk: Buffer) => chunks.push(chunk))
  done(null, payload)
}

/** Webhooks that Northwind receives, and one of its endpoints that is broken on purpose, so that its states can be seen. */
export function hookRoutes(receiver: HookReceiver, world: DemoWorld): RouteOptions[] {
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
        if (!receiver.receive(request.headers, body))
          throw new BoardProblem('invalid-token', 'The signature is not that of the board.')
        return reply.status(204).send()
      },
    }),
    route({
      ...receiving,
      url: '/demo/hooks/broken',
      handle: ({ request, reply }) => {
        const { type } = (request.body ?? {}) as { type?: unknown }
        if (type === 'test.ping') return reply.status(204).send()
        return reply
          .status(503)
          .headers({ 'content-type': 'text/plain; charset=utf-8' })
          .send('Broken on purpose.')
      },
    }),
    publicPage.get('/demo/events', ({ reply }) => {
      const hooks = receiver.list()
      const body =
        hooks.length === 0
          ? html`<p>Nothing yet. Apply for one of the jobs, then reload this page.</p>`
          : html`<ol class="trace">${hooks.map(({ at, id, type, body: text }) => html`<li><h2>${type}</h2><p class="quiet">${timeElement(at)} · <code>${id}</code></p><pre>${JSON.stringify(JSON.parse(text), null, 2)}</pre></li>`)}</ol>`
      return sendPage(reply, {
        title: 'What Northwind has received',
        body: html`<p class="lead">The board tells Northwind at once when something happens at ${world.careers.company}. These are the last 20 webhooks, newest first.</p><p><a class="button second" href="/demo/events">Reload</a></p>${body}`,
        site: siteOf(
          world.careers,
          html`<p>Each request is signed. Northwind verifies it with the secret that it got when the endpoint was added, and recognises repetitions by their ID. A second endpoint is broken on purpose: the console shows how its events wait.</p><p><a href="/console/${world.advertisers[0].id}/events">See both endpoints in the console (sign in as ${demoDoors(world).members[0]?.email ?? ''})</a></p>`,
        ),
      })
    }),
  ]
}
