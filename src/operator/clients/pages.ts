import type { RouteOptions } from 'fastify'
import type { Agents } from '../../advertisers/agents-service.ts'
import type { Advertisers } from '../../advertisers/service.ts'
import { checked } from '../../console/refusals.ts'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import type { FormFields } from '../../http/requests/form.ts'
import { receiveLogo } from '../../http/requests/logo-upload.ts'
import type { Call, FormCall } from '../../http/routes.ts'
import { type AgentRole, agentRoles } from '../../model/principal.ts'
import type { Invitations } from '../../people/members/invitations-service.ts'
import type { ClientChanges } from '../../share/clients/change-service.ts'
import type { Clients } from '../../share/clients/service.ts'
import { breadcrumb, invitationLink, notice, pageHead } from '../../web/components.ts'
import type { Html } from '../../web/html.ts'
import { redirect } from '../../web/page-response.ts'
import { operatorPage, viewerPage } from '../../web/page-routes.ts'
import { actionsOf, backTo, doneNotice, sendOperatorPage, tokensOf } from '../acting-pages.ts'
import { nothingTyped, type Typed } from '../companies/markup.ts'
import { operatorPath } from '../navigation-markup.ts'
import { changesMarkup } from './changes-markup.ts'
import { clientMarkup, clientPath, clientsMarkup, secretMarkup } from './markup.ts'
import { clientsTexts as texts } from './texts.ts'

interface Shown {
  status?: number
  above?: Html | undefined
  typed?: Typed
}

type OfClient = Call<'operator', 'clientId'>

const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** Agents and the programs that call the service, with their secrets. */
export function operatorClientPages(deps: {
  agents: Pick<Agents, 'list' | 'add'>
  advertisers: Pick<Advertisers, 'list'>
  clients: Clients
  changes: Pick<ClientChanges, 'list'>
  invitations: Pick<Invitations<AgentRole>, 'invite' | 'isMailOn'>
  sessions: Sessions
  sentForms: SentForms
}): RouteOptions[] {
  const { agents, clients, changes, invitations, sessions, sentForms } = deps
  const act = actionsOf(sessions, 'clients')

  async function sendAll({ reply, caller }: Call<'operator'>, { status = 200, above, typed }: Shown = {}) {
    const [ofAgents, list, waiting] = await Promise.all([agents.list(), clients.list(), changes.list()])
    const mode = { isOperator: caller.operatorRole === 'operator', token: tokensOf(sessions, reply) }
    const body = clientsMarkup({
      formKey: newUuid(),
      ...{ agents: ofAgents, clients: list, isMailOn: invitations.isMailOn, ...mode },
      changes: waiting.length > 0 ? changesMarkup({ changes: waiting, clients: list, ...mode }) : undefined,
      typed: typed ?? nothingTyped,
    })
    return sendOperatorPage(reply, { tab: 'clients', title: texts.title, status, above, body })
  }

  async function sendOne({ reply, caller, params }: OfClient, { status = 200, above, typed }: Shown = {}) {
    const client = (await clients.list()).find(({ id }) => id === params.clientId)
    if (client === undefined) throw new Problem('not-found')
    const body = clientMarkup({
      client,
      isOperator: caller.operatorRole === 'operator',
      token: tokensOf(sessions, reply),
      formKey: newUuid(),
      typed: typed ?? nothingTyped,
    })
    const crumbs = breadcrumb([{ href: operatorPath('clients'), label: texts.all }])
    const heading = pageHead(client.name, false, crumbs)
    return sendOperatorPage(reply, { tab: 'clients', title: client.name, heading, status, above, body })
  }

  /** The secret that a form makes; undefined if the form was sent before. */
  async function secretOnce(
    call: FormCall<'operator'>,
    clientId: string,
    make: () => Promise<{ secret: string }>,
  ) {
    let secret: string | undefined
    const made = await checked(() =>
      sentForms.once(call, call.fields, async () => {
        secret = (await make()).secret
        return `${clientPath(clientId)}?done=shown-once`
      }),
    )
    return 'errors' in made ? made : { secret, location: made.result.location }
  }

  /** One change of a client: back to its page, or again with what is wrong. */
  const changing =
    (done: string, change: (clientId: string, fields: FormFields) => Promise<unknown>) =>
    async (call: FormCall<'operator', 'clientId'>) => {
      const { clientId } = call.params
      const changed = await checked(() => change(clientId, call.fields))
      return 'errors' in changed
        ? sendOne(call, { status: 422, typed: { values: valuesOf(call.fields), errors: changed.errors } })
        : redirect(call.reply, `${clientPath(clientId)}?done=${done}`)
    }

  return [
    viewerPage.get('/operator/clients', call =>
      sendAll(call, { above: doneNotice(call.request, texts.done) }),
    ),
    act('/operator/clients', { command: 'client add', audit: 'client.add' }, async call => {
      const values = valuesOf(call.fields)
      const value = (name: string) => (values[name] ?? '').trim()
      const scopes = words(value('scope'))
      const advertisers = words(value('advertiser')).map(parseNumericId)
      const agentId = value('agentId') === '' ? null : parseNumericId(value('agentId'))
      const [knownAgents, knownCompanies] = await Promise.all([agents.list(), deps.advertisers.list()])
      const unknownCompany = advertisers.find(
        each => each !== undefined && !knownCompanies.some(({ id }) => id === each),
      )
      const errors = [
        ...(agentId === undefined
          ? [notANumber('agentId')]
          : agentId !== null && !knownAgents.some(({ id }) => id === agentId)
            ? [unknown('agentId', texts.noSuchAgent(agentId))]
            : []),
        ...(advertisers.includes(undefined)
          ? [notANumber('advertiser')]
          : unknownCompany !== undefined
            ? [unknown('advertiser', texts.noSuchCompany(unknownCompany))]
            : []),
      ]
      const added =
        errors.length > 0
          ? { errors }
          : await secretOnce(call, value('id'), () =>
              clients.add({
                id: value('id'),
                name: value('name'),
                redirectUris: words(value('redirectUri')),
                agentId: agentId ?? null,
                requirePkce: value('requirePkce') === 'yes',
                privacyUrl: value('privacyUrl') || undefined,
                scopes: scopes.length === 0 ? undefined : scopes,
                advertiserIds: advertisers.filter(id => id !== undefined),
              }),
            )
      if ('errors' in added) return sendAll(call, { status: 422, typed: { values, errors: added.errors } })
      return added.secret === undefined
        ? redirect(call.reply, added.location)
        : sendAll(call, { above: secretMarkup(added.secret) })
    }),
    act('/operator/clients/agents', { command: 'agent add', audit: 'agent.add' }, async call => {
      const values = valuesOf(call.fields)
      const own = (values['ownId'] ?? '').trim()
      const id = own === '' ? undefined : parseNumericId(own)
      const added =
        own !== '' && id === undefined
          ? { errors: [notANumber('ownId')] }
          : await checked(() =>
              sentForms.once(call, call.fields, async () => {
                await agents.add(values['agentName'] ?? '', id)
                return `${operatorPath('clients')}?done=agent-added`
              }),
            )
      if (!('errors' in added)) return redirect(call.reply, added.result.location)
      const fieldOf: Record<string, string> = { name: 'agentName', id: 'ownId' }
      const errors = added.errors.map(error => ({ ...error, field: fieldOf[error.field] ?? error.field }))
      return sendAll(call, { status: 422, typed: { values, errors } })
    }),
    act('/operator/clients/invite', { command: 'agent invite', audit: 'agent.invite' }, async call => {
      const values = valuesOf(call.fields)
      const agentId = parseNumericId(values['invitedAgent'] ?? '')
      const role = agentRoles.find(each => each === values['role']) ?? 'admin'
      const known = (await agents.list()).some(({ id }) => id === agentId)
      if (agentId === undefined || !known) {
        const errors = [unknown('invitedAgent', texts.chooseAgent)]
        return sendAll(call, { status: 422, typed: { values, errors } })
      }
      const result = await invitations.invite(agentId, values['email'] ?? '', role)
      if (result.outcome === 'sent') return backTo(call.reply, 'clients', 'invited')
      if (result.outcome === 'link') return sendAll(call, { above: invitationLink(result) })
      return result.outcome === 'not-sent'
        ? sendAll(call, {
            status: 503,
            above: notice('problem', texts.notSent),
            typed: { values, errors: [] },
          })
        : sendAll(call, { status: 422, typed: { values, errors: result.errors } })
    }),
    viewerPage.get('/operator/clients/:clientId', call =>
      sendOne(call, { above: doneNotice(call.request, texts.done) }),
    ),
    act(
      '/operator/clients/:clientId/rotate',
      { command: 'client rotate', audit: 'client.secret' },
      async call => {
        const { clientId } = call.params
        const isOnly = call.fields.get('only') === 'yes'
        // A second rotation would end the secret that the client uses.
        const rotated = await secretOnce(call, clientId, () => clients.rotate(clientId, isOnly))
        if ('errors' in rotated)
          return sendOne(call, { status: 409, typed: { values: {}, errors: rotated.errors } })
        return rotated.secret === undefined
          ? redirect(call.reply, rotated.location)
          : sendOne(call, { above: secretMarkup(rotated.secret) })
      },
    ),
    act(
      '/operator/clients/:clientId/redirect-uris',
      { command: 'client redirect-uris', audit: 'client.redirect-uris' },
      changing('uris', (id, fields) => clients.setRedirectUris(id, words(fields.get('redirectUri') ?? ''))),
    ),
    act(
      '/operator/clients/:clientId/privacy',
      { command: 'client privacy', audit: 'client.privacy' },
      changing('privacy', (id, fields) =>
        clients.setPrivacyUrl(id, fields.get('privacyUrl')?.trim() || undefined),
      ),
    ),
    // Sent to the page itself, to which a person returns who has to prove who they are.
    operatorPage.fresh.upload(
      '/operator/clients/:clientId',
      async call => {
        const { clientId } = call.params
        const saved = await checked(async () => {
          const logo = await receiveLogo(call.request, token =>
            sessions.checkFormToken(call.request, token, clientPath(clientId)),
          )
          await clients.setLogo(clientId, logo)
          return logo === undefined ? 'logo-removed' : 'logo'
        })
        return 'errors' in saved
          ? sendOne(call, { status: 422, typed: { values: {}, errors: saved.errors } })
          : redirect(call.reply, `${clientPath(clientId)}?done=${saved.result}`)
      },
      { act: { command: 'client logo', audit: 'client.logo' } },
    ),
    act(
      '/operator/clients/:clientId/disable',
      { command: 'client disable', audit: 'client.disable' },
      changing('disabled', id => clients.disable(id)),
    ),
  ]
}

const fieldNames =
  'id name redirectUri agentId privacyUrl scope advertiser requirePkce agentName ownId invitedAgent email role'.split(
    ' ',
  )

const valuesOf = (fields: FormFields) =>
  Object.fromEntries(fieldNames.map(name => [name, fields.get(name) ?? '']))

const notANumber = (field: string): FieldError => ({
  ...{ field, code: 'not-a-number', message: texts.notANumber },
})

const unknown = (field: string, message: string): FieldError => ({ field, code: 'unknown', message })
