import type { FastifyReply, RouteOptions } from 'fastify'
import { newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { receiveLogo } from '../../http/requests/logo-upload.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import type { WantedChange } from '../../share/clients/change-rules.ts'
import type { ClientChanges } from '../../share/clients/change-service.ts'
import type { Clients } from '../../share/clients/service.ts'
import { stripBidi } from '../../web/bidi.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { agentAdminPage, agentPage } from '../../web/page-routes.ts'
import type { Typed } from '../access/markup.ts'
import { agentNavigation, agentPath } from '../agent-navigation-markup.ts'
import { checked } from '../refusals.ts'
import {
  type ClientAction,
  clientMarkup,
  clientsMarkup,
  type OwnClient,
  secretMarkup,
} from './clients-markup.ts'
import { agentTexts } from './texts.ts'

interface ClientPageDeps {
  clients: Pick<Clients, 'listOf' | 'rotate'>
  changes: ClientChanges
  sessions: Sessions
  sentForms: SentForms
}

type ClientCall = Call<'agent', 'clientId'>
type ClientForm = FormCall<'agent', 'clientId'>

const url = '/agent/:agentId/clients'
const { clients: texts } = agentTexts
const untouched: Typed = { values: {}, errors: [] }

/** The OAuth clients of an agent: new secrets at once, other changes as the board allows. */
export function agentClientPages({ clients, changes, sessions, sentForms }: ClientPageDeps): RouteOptions[] {
  const listPath = ({ caller }: Call<'agent'>) => agentPath(caller.agentId, 'clients')
  const pathOf = (call: ClientCall) => `${listPath(call)}/${encodeURIComponent(call.params.clientId)}`

  /** Throws unless it is the agent's own. */
  async function clientOf({ caller, params }: ClientCall): Promise<OwnClient> {
    const client = (await clients.listOf(caller.agentId)).find(({ id }) => id === params.clientId)
    if (client === undefined) throw new Problem('not-found')
    return client
  }

  function sendBelow(
    call: ClientCall,
    title: string,
    page: { body: Html; status?: number; above?: Html | false },
  ): FastifyReply {
    const crumbs = breadcrumb([{ href: listPath(call), label: texts.title }])
    return sendPage(call.reply, {
      status: page.status ?? 200,
      title: stripBidi(title),
      heading: html`${pageHead(stripBidi(title), false, crumbs)}${page.above}`,
      isWide: true,
      navigation: agentNavigation(call.caller, 'clients'),
      body: page.body,
    })
  }

  async function sendClient(call: ClientCall, typed: Typed = untouched): Promise<FastifyReply> {
    const client = await clientOf(call)
    const path = pathOf(call)
    const done = new FormFields(searchOf(call.request.url)).get('done') ?? ''
    const text = Object.hasOwn(texts.done, done) ? texts.done[done as keyof typeof texts.done] : undefined
    return sendBelow(call, client.name, {
      status: typed.errors.length > 0 ? 422 : 200,
      above: text !== undefined && notice(done === 'gone' ? 'warning' : 'good', text),
      body: clientMarkup({
        ...{ client, path, typed, changes: await changes.listOf(client.id), formKey: newUuid() },
        ...{ isAdmin: call.caller.role === 'admin', isSelfService: changes.isSelfService },
        token: (...parts) => sessions.formToken(call.reply, path, ...parts),
      }),
    })
  }

  async function ask(call: ClientCall, change: WantedChange, values: Typed['values'] = {}) {
    const asked = await checked(() => changes.ask(call.params.clientId, change, call.caller.candidateId))
    return 'errors' in asked
      ? sendClient(call, { values, errors: asked.errors })
      : redirect(call.reply, `${pathOf(call)}?done=${asked.result}`)
  }

  const handlers: Record<ClientAction, (call: ClientForm) => Promise<FastifyReply>> = {
    async rotate(call) {
      let secret: string | undefined
      const rotated = await checked(() =>
        sentForms.once(call, call.fields, async () => {
          const isOnly = call.fields.get('only') === 'yes'
          secret = (await clients.rotate(call.params.clientId, isOnly)).secret
          return pathOf(call)
        }),
      )
      if ('errors' in rotated) return sendClient(call, { values: {}, errors: rotated.errors })
      if (secret === undefined) return redirect(call.reply, `${pathOf(call)}?done=shown-once`)
      return sendBelow(call, texts.newSecret, { body: secretMarkup(secret, pathOf(call)) })
    },
    async 'redirect-uris'(call) {
      const redirectUri = call.fields.get('redirectUri') ?? ''
      const uris = redirectUri.split(/\s+/).filter(Boolean)
      return ask(call, { kind: 'redirect-uris', uris }, { redirectUri })
    },
    async privacy(call) {
      const privacyUrl = (call.fields.get('privacyUrl') ?? '').trim()
      return ask(call, { kind: 'privacy', url: privacyUrl || undefined }, { privacyUrl })
    },
    async withdraw(call) {
      const isDone = await changes.withdraw(call.params.clientId, call.fields.get('change') ?? '')
      return redirect(call.reply, `${pathOf(call)}?done=${isDone ? 'withdrawn' : 'gone'}`)
    },
  }

  return [
    agentPage.get(url, async call =>
      sendPage(call.reply, {
        title: texts.title,
        isWide: true,
        navigation: agentNavigation(call.caller, 'clients'),
        body: clientsMarkup(await clients.listOf(call.caller.agentId), listPath(call)),
      }),
    ),
    agentPage.get(`${url}/:clientId`, call => sendClient(call)),
    agentAdminPage.fresh.post(`${url}/:clientId`, async call => {
      await clientOf(call)
      const action = call.fields.get('action') ?? ''
      sessions.checkForm(call, pathOf(call), action)
      if (!Object.hasOwn(handlers, action)) throw new Problem('bad-request')
      return handlers[action as ClientAction](call)
    }),
    agentAdminPage.upload(`${url}/:clientId/logo`, async call => {
      await clientOf(call)
      const path = pathOf(call)
      const received = await checked(() =>
        receiveLogo(call.request, token => sessions.checkFormToken(call.request, token, path, 'logo')),
      )
      return 'errors' in received
        ? sendClient(call, { values: {}, errors: received.errors })
        : ask(call, { kind: 'logo', bytes: received.result })
    }),
  ]
}
