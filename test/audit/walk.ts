import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { createPublicServer } from '../../src/assembly/servers.ts'
import { withAuditContext } from '../../src/platform/core/async/audit-context.ts'
import { readConfig } from '../../src/settings.ts'
import { addTotp } from '../harness/account.ts'
import { formTo, textOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { bodyOf, boundary, type Part } from '../harness/multipart.ts'
import { Browser, type Door, doorInto } from '../harness/oauth.ts'
import { serverOptions } from '../harness/server.ts'
import { appOf, type Services } from '../harness/services.ts'

/** In every name, address and text of the walk, and nowhere else. */
export const mark = 'zqmark'
export const password = `a few words with ${mark}`
export const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'

export interface Stage {
  app: FastifyInstance
  door: Door
  services: Services
  routes: readonly RouteOptions[]
  /** The route of each request that was made, by its ID. */
  requests: Map<string, string>
}

export async function openStage(
  services: Services,
  settings: Record<string, string>,
  requests = new Map<string, string>(),
): Promise<Stage> {
  const routes: RouteOptions[] = []
  const { app } = await createPublicServer(readConfig(settings), appOf(services), {
    ...serverOptions(),
    async beforeRoutes(instance) {
      instance.addHook('onRoute', route => {
        routes.push(route)
      })
      // Without an actor: what a handler records must know its own, not the default one of the tests.
      instance.addHook('onRequest', (request, _reply, done) => {
        requests.set(request.id, `${request.method} ${request.routeOptions.url}`)
        withAuditContext({ clock: services.clock }, done)
      })
    },
  })
  return { app, door: doorInto(app), services, routes, requests }
}

/** A person in a browser, who fills in forms. */
export class Walker extends Browser {
  /** Of the account that was made. */
  lastName = ''

  /** A form of a page, with a token that is valid for its address in this session. */
  async fill(
    path: string,
    fields: Record<string, string> | [string, string][] = {},
    files?: Part[],
  ): Promise<Answer> {
    const form_token = createHmac('sha256', this.session ?? '')
      .update(JSON.stringify(['held form', path]))
      .digest('base64url')
    const entries: [string, string][] = [
      ...(Array.isArray(fields) ? fields : Object.entries(fields)),
      ['form_token', form_token],
    ]
    const parts = entries.map(([name, content]): Part => ({ name, content }))
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'user-agent': mark }
    const answer =
      files === undefined
        ? await this.post(path, entries, { 'user-agent': mark })
        : await this.send('POST', path, { headers, body: bodyOf([...parts, ...files]) })
    assert.ok(answer.status < 400, `${path} ${answer.status}: ${mainOf(answer)}`)
    return answer
  }

  /** Opens the link of an invitation and makes an account. */
  async join(link: string): Promise<void> {
    const page = await this.get(link.replace(/^https?:\/\/[^/]+/, ''))
    const action = link.includes('/operator/join') ? '/operator/join' : '/invitations'
    this.lastName = `${mark}-${crypto.randomUUID()}`
    const fields = { firstName: `First ${mark}`, lastName: this.lastName, password }
    const answer = await this.submit(formTo(action, page.text), { fields })
    assert.equal(answer.status, 303, answer.text)
  }
}

function mainOf({ text }: Answer): string {
  return textOf(text.split('<main')[1] ?? text)
    .replaceAll(/\s+/g, ' ')
    .slice(0, 600)
}

export const newForm = () => ({ form_key: crypto.randomUUID() })

let people = 0
export const newAddress = () => `person-${++people}.${mark}@example.net`

/** The link that a page shows once. */
export function linkIn({ text }: { text: string }): string {
  const [link] = /https?:\/\/[^\s"<]+#[\w-]+/.exec(text) ?? assert.fail(text)
  return link
}

export async function idOf({ services }: Stage, email: string): Promise<string> {
  const found = await services.accountStore.findByEmail(email)
  return found?.candidateId ?? assert.fail(email)
}

/** As if every session had been opened with a code of an authenticator app. */
export const useSecondFactor = ({ services }: Stage) =>
  services.database.writer.updateTable('sessions').set({ factors: 'link totp' }).execute()

export const contactOf = (name: string) => ({
  email: `${name}.${mark}@example.net`,
  firstName: `First ${mark}`,
  lastName: `Last ${mark}`,
  phone: `+61 ${mark}`,
})

/** Of a person with an authenticator app. */
export async function addAccount({ services }: Stage, email: string): Promise<void> {
  const names = { firstName: `First ${mark}`, lastName: `Last ${mark}`, passwordHash: mark, profile: '{}' }
  const [candidateId, createdAt] = [crypto.randomUUID(), services.clock()]
  await services.accountStore.add({ ...names, candidateId, email, createdAt })
  await addTotp(services.database, candidateId)
}
