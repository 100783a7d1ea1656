import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { AgentOfAdvertiser, Credential } from '../../advertisers/ports.ts'
import type { Usage } from '../../advertisers/usage-service.ts'
import type { Clock, EpochMs } from '../../core/clock.ts'
import { invalidField } from '../../core/fields.ts'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import { aestDayStart } from '../../core/ms-date.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import {
  agentForm,
  agentSection,
  confirmation,
  credentialForm,
  credentialSection,
  issuedCredential,
  stateOf,
  type Typed,
  usageSection,
} from './markup.ts'
import { accessTexts as texts } from './texts.ts'

export interface AccessDeps {
  credentials: {
    list(advertiserId: number): Promise<Credential[]>
    issue(
      advertiserId: number,
      label: string,
      expiresAt: EpochMs | null,
    ): Promise<Credential & { value: string }>
    revokeOf(advertiserId: number, credentialId: string): Promise<Credential>
  }
  agents: {
    listFor(advertiserId: number): Promise<AgentOfAdvertiser[]>
    authorise(advertiserId: number, agentId: number): Promise<unknown>
    withdraw(advertiserId: number, agentId: number): Promise<unknown>
  }
  usage: Pick<Usage, 'lastDays'>
  sentForms: SentForms
  sessions: Sessions
  clock: Clock
  baseUrl(): string
}

const base = '/console/:advertiserId/access'
const page = { auth: 'console', role: 'admin', errors: 'page', isOnAuthUrl: true } as const
const config = { get: page, post: { ...page, body: 'form' } } as const
const untouched: Typed = { values: {}, errors: [] }
const dayMs = 86_400_000

/** API access: credentials, agents and usage. For admins. */
export function accessPages(deps: AccessDeps): RouteOptions[] {
  const { credentials, agents, usage, sentForms, sessions, clock } = deps
  const pathOf = ({ member }: FastifyRequest) => consolePath(member.advertiserId, 'access')
  const ownPath = (request: FastifyRequest) => request.url.replace(/\?.*$/s, '')

  /** Sends a page below the tab's own page. */
  function sendBelow(
    request: FastifyRequest,
    reply: FastifyReply,
    { title, body, status = 200 }: { title: string; body: Html; status?: number },
  ): FastifyReply {
    return sendPage(reply, {
      status,
      title,
      heading: pageHead(title, false, breadcrumb([{ href: pathOf(request), label: texts.title }])),
      navigation: consoleNavigation(request.member, 'access'),
      body,
    })
  }

  function sendCredentialForm(request: FastifyRequest, reply: FastifyReply, typed: Typed): FastifyReply {
    const action = ownPath(request)
    const hidden = { token: sessions.formToken(request, reply, action), key: newUuid() }
    return sendBelow(request, reply, {
      title: texts.newCredential.title,
      status: typed.errors.length > 0 ? 422 : 200,
      body: credentialForm(action, hidden, typed, pathOf(request)),
    })
  }

  async function sendAgentForm(
    request: FastifyRequest,
    reply: FastifyReply,
    typed: Typed,
  ): Promise<FastifyReply> {
    const action = ownPath(request)
    const known = await agents.listFor(request.member.advertiserId)
    return sendBelow(request, reply, {
      title: texts.newAgent.title,
      status: typed.errors.length > 0 ? 422 : 200,
      body: agentForm(action, sessions.formToken(request, reply, action), known, typed, pathOf(request)),
    })
  }

  async function credentialOf(request: FastifyRequest): Promise<Credential> {
    const { credentialId } = request.params as { credentialId: string }
    const all = await credentials.list(request.member.advertiserId)
    const found = all.find(({ id }) => id === credentialId)
    if (found === undefined) throw new Problem('not-found')
    return found
  }

  async function authorisedAgent(request: FastifyRequest): Promise<AgentOfAdvertiser> {
    const agentId = parseNumericId((request.params as { agentId: string }).agentId)
    const all = await agents.listFor(request.member.advertiserId)
    const found = all.find(({ id, authorisedAt }) => id === agentId && authorisedAt !== null)
    if (found === undefined) throw new Problem('not-found')
    return found
  }

  return [
    {
      method: 'GET',
      url: base,
      config: config.get,
      schema: { hide: true },
      async handler(request, reply) {
        const { advertiserId } = request.member
        const [issued, known, days] = await Promise.all([
          credentials.list(advertiserId),
          agents.listFor(advertiserId),
          usage.lastDays(advertiserId),
        ])
        const path = pathOf(request)
        return sendPage(reply, {
          title: texts.title,
          heading: html`${pageHead(texts.title)}${doneNotice(request)}`,
          navigation: consoleNavigation(request.member, 'access'),
          isWide: true,
          body: html`<p class="lead">${texts.lead}</p>
${credentialSection(issued, clock(), path)}
${agentSection(known, path)}
${usageSection(days)}`,
        })
      },
    },
    {
      method: 'GET',
      url: `${base}/new-credential`,
      config: config.get,
      schema: { hide: true },
      handler: (request, reply) => sendCredentialForm(request, reply, untouched),
    },
    {
      method: 'POST',
      url: `${base}/new-credential`,
      config: config.post,
      schema: { hide: true },
      async handler(request, reply) {
        const fields = sessions.checkForm(request, ownPath(request))
        const { advertiserId } = request.member
        const path = pathOf(request)
        let issued: (Credential & { value: string }) | undefined
        try {
          await sentForms.once(request, fields, async () => {
            const expiresAt = endOfDay(fields.get('expires') ?? '')
            issued = await credentials.issue(advertiserId, fields.get('label') ?? '', expiresAt)
            return path
          })
        } catch (error) {
          return sendCredentialForm(request, reply, typedAgain(error, fields, ['label', 'expires']))
        }
        // The first submission of this form issued the credential and showed its value.
        if (issued === undefined) return redirect(reply, `${path}?done=shown-once`)
        const { label, value } = issued
        return sendBelow(request, reply, {
          title: texts.issued.title,
          body: issuedCredential({ label, value, baseUrl: deps.baseUrl(), backTo: path }),
        })
      },
    },
    {
      method: 'GET',
      url: `${base}/credentials/:credentialId/revoke`,
      config: config.get,
      schema: { hide: true },
      async handler(request, reply) {
        const { revocation: words } = texts
        const credential = await credentialOf(request)
        const state = stateOf(credential, clock())
        const action = ownPath(request)
        const backTo = pathOf(request)
        const over = state === 'revoked' ? words.isRevoked : words.isExpired
        return sendBelow(request, reply, {
          title: words.title,
          body:
            state === 'active'
              ? confirmation({
                  ...words,
                  action,
                  token: sessions.formToken(request, reply, action),
                  text: words.text(credential.label, credential.hint),
                  backTo,
                })
              : html`${notice('info', over)}<p><a href="${backTo}">${words.back}</a></p>`,
        })
      },
    },
    {
      method: 'POST',
      url: `${base}/credentials/:credentialId/revoke`,
      config: config.post,
      schema: { hide: true },
      async handler(request, reply) {
        sessions.checkForm(request, ownPath(request))
        const { credentialId } = request.params as { credentialId: string }
        await credentials.revokeOf(request.member.advertiserId, credentialId)
        return redirect(reply, `${pathOf(request)}?done=revoked`)
      },
    },
    {
      method: 'GET',
      url: `${base}/new-agent`,
      config: config.get,
      schema: { hide: true },
      handler: (request, reply) => sendAgentForm(request, reply, untouched),
    },
    {
      method: 'POST',
      url: `${base}/new-agent`,
      config: config.post,
      schema: { hide: true },
      async handler(request, reply) {
        const fields = sessions.checkForm(request, ownPath(request))
        const { advertiserId } = request.member
        try {
          const agentId = agentIn(fields, await agents.listFor(advertiserId))
          // Repeating it is harmless: the first authorisation stays.
          await agents.authorise(advertiserId, agentId)
        } catch (error) {
          return sendAgentForm(request, reply, typedAgain(error, fields, ['agent', 'agent_id']))
        }
        return redirect(reply, `${pathOf(request)}?done=authorised`)
      },
    },
    {
      method: 'GET',
      url: `${base}/agents/:agentId/withdraw`,
      config: config.get,
      schema: { hide: true },
      async handler(request, reply) {
        const { withdrawal: words } = texts
        const { name } = await authorisedAgent(request)
        const action = ownPath(request)
        const token = sessions.formToken(request, reply, action)
        return sendBelow(request, reply, {
          title: words.title,
          body: confirmation({ ...words, action, token, text: words.text(name), backTo: pathOf(request) }),
        })
      },
    },
    {
      method: 'POST',
      url: `${base}/agents/:agentId/withdraw`,
      config: config.post,
      schema: { hide: true },
      async handler(request, reply) {
        sessions.checkForm(request, ownPath(request))
        const { id } = await authorisedAgent(request)
        await agents.withdraw(request.member.advertiserId, id)
        return redirect(reply, `${pathOf(request)}?done=withdrawn`)
      },
    },
  ]
}

function doneNotice(request: FastifyRequest): Html | false {
  const done = new FormFields(searchOf(request.url)).get('done') ?? ''
  if (!isDone(done)) return false
  return notice(done === 'shown-once' ? 'warning' : 'good', texts.done[done])
}

function isDone(text: string): text is keyof typeof texts.done {
  return Object.hasOwn(texts.done, text)
}

/** The form's values and errors, to show it again; rethrows anything but invalid fields. */
function typedAgain(error: unknown, fields: FormFields, names: readonly string[]): Typed {
  if (!(error instanceof Problem && error.code === 'invalid-fields')) throw error
  return {
    values: Object.fromEntries(names.map(name => [name, fields.get(name) ?? ''])),
    errors: error.errors,
  }
}

/** Null if the field is empty. */
function endOfDay(text: string): EpochMs | null {
  if (text.trim() === '') return null
  const start = aestDayStart(text.trim())
  if (start === undefined) throw invalidField('expires', 'not-a-day', texts.newCredential.noSuchDay)
  return start + dayMs
}

function agentIn(fields: FormFields, known: readonly AgentOfAdvertiser[]): number {
  const { newAgent: words } = texts
  const [chosen, typed] = ['agent', 'agent_id'].map(name => (fields.get(name) ?? '').trim())
  if (!chosen && !typed) throw invalidField('agent_id', 'missing', words.none)
  if (chosen && typed && chosen !== typed) throw invalidField('agent_id', 'ambiguous', words.both)
  const agentId = parseNumericId(chosen || typed || '')
  if (agentId === undefined || !known.some(({ id }) => id === agentId)) {
    throw invalidField('agent_id', 'unknown', words.unknown)
  }
  return agentId
}
