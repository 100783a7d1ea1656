import type { FastifyReply, RouteOptions } from 'fastify'
import type { AgentOfAdvertiser, Credential } from '../../advertisers/ports.ts'
import type { Usage } from '../../advertisers/usage-service.ts'
import type { Clock, EpochMs } from '../../core/clock.ts'
import { invalidField } from '../../core/fields.ts'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import { aestDayStart } from '../../core/time/ms-date.ts'
import { dayAfter, startOfDay } from '../../core/time/time-zone.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { type Call, pathId } from '../../http/routes.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
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
type PageCall = Call<'console'>

const untouched: Typed = { values: {}, errors: [] }

/** API access: credentials, agents and usage. For admins. */
export function accessPages(deps: AccessDeps): RouteOptions[] {
  const { credentials, agents, usage, sentForms, sessions, clock } = deps
  const pathOf = ({ caller }: PageCall) => consolePath(caller.advertiserId, 'access')
  const ownPath = ({ request }: PageCall) => request.url.replace(/\?.*$/s, '')

  /** Sends a page below the tab's own page. */
  function sendBelow(
    call: PageCall,
    { title, body, status = 200 }: { title: string; body: Html; status?: number },
  ): FastifyReply {
    return sendPage(call.reply, {
      status,
      title,
      heading: pageHead(title, false, breadcrumb([{ href: pathOf(call), label: texts.title }])),
      navigation: consoleNavigation(call.caller, 'access'),
      body,
    })
  }

  function sendCredentialForm(call: PageCall, typed: Typed): FastifyReply {
    const action = ownPath(call)
    const hidden = { token: sessions.formToken(call.reply, action), key: newUuid() }
    return sendBelow(call, {
      title: texts.newCredential.title,
      status: typed.errors.length > 0 ? 422 : 200,
      body: credentialForm(action, hidden, typed, { backTo: pathOf(call), timeZone: call.caller.timeZone }),
    })
  }

  async function sendAgentForm(call: PageCall, typed: Typed): Promise<FastifyReply> {
    const action = ownPath(call)
    const known = await agents.listFor(call.caller.advertiserId)
    return sendBelow(call, {
      title: texts.newAgent.title,
      status: typed.errors.length > 0 ? 422 : 200,
      body: agentForm(action, sessions.formToken(call.reply, action), known, typed, pathOf(call)),
    })
  }

  async function credentialOf({ caller, params }: Call<'console', 'credentialId'>): Promise<Credential> {
    const all = await credentials.list(caller.advertiserId)
    const found = all.find(({ id }) => id === params.credentialId)
    if (found === undefined) throw new Problem('not-found')
    return found
  }

  async function authorisedAgent({ caller, params }: Call<'console', 'agentId'>): Promise<AgentOfAdvertiser> {
    const agentId = pathId(params.agentId)
    const all = await agents.listFor(caller.advertiserId)
    const found = all.find(({ id, authorisedAt }) => id === agentId && authorisedAt !== null)
    if (found === undefined) throw new Problem('not-found')
    return found
  }

  return [
    adminPage.get(base, async call => {
      const { advertiserId } = call.caller
      const [issued, known, days] = await Promise.all([
        credentials.list(advertiserId),
        agents.listFor(advertiserId),
        usage.lastDays(advertiserId),
      ])
      const path = pathOf(call)
      return sendPage(call.reply, {
        title: texts.title,
        styles: ['chart.css'],
        heading: html`${pageHead(texts.title)}${doneNotice(call)}`,
        navigation: consoleNavigation(call.caller, 'access'),
        isWide: true,
        body: html`<p class="lead">${texts.lead}</p>
${credentialSection(issued, { now: clock(), timeZone: call.caller.timeZone, path })}
${agentSection(known, path)}
${usageSection(days)}`,
      })
    }),
    adminPage.get(`${base}/new-credential`, call => sendCredentialForm(call, untouched)),
    adminPage.fresh.post(`${base}/new-credential`, async call => {
      const fields = sessions.checkForm(call, ownPath(call))
      const { advertiserId, timeZone } = call.caller
      const path = pathOf(call)
      let issued: (Credential & { value: string }) | undefined
      try {
        await sentForms.once(call, fields, async () => {
          const expiresAt = endOfDay(fields.get('expires') ?? '', timeZone)
          issued = await credentials.issue(advertiserId, fields.get('label') ?? '', expiresAt)
          return path
        })
      } catch (error) {
        return sendCredentialForm(call, typedAgain(error, fields, ['label', 'expires']))
      }
      // The first submission of this form issued the credential and showed its value.
      if (issued === undefined) return redirect(call.reply, `${path}?done=shown-once`)
      const { label, value } = issued
      return sendBelow(call, {
        title: texts.issued.title,
        body: issuedCredential({ label, value, baseUrl: deps.baseUrl(), backTo: path }),
      })
    }),
    adminPage.get(`${base}/credentials/:credentialId/revoke`, async call => {
      const { revocation: words } = texts
      const credential = await credentialOf(call)
      const state = stateOf(credential, clock())
      const action = ownPath(call)
      const backTo = pathOf(call)
      const over = state === 'revoked' ? words.isRevoked : words.isExpired
      return sendBelow(call, {
        title: words.title,
        body:
          state === 'active'
            ? confirmation({
                ...words,
                action,
                token: sessions.formToken(call.reply, action),
                text: words.text(credential.label, credential.hint),
                backTo,
              })
            : html`${notice('info', over)}<p><a href="${backTo}">${words.back}</a></p>`,
      })
    }),
    adminPage.fresh.post(`${base}/credentials/:credentialId/revoke`, async call => {
      sessions.checkForm(call, ownPath(call))
      await credentials.revokeOf(call.caller.advertiserId, call.params.credentialId)
      return redirect(call.reply, `${pathOf(call)}?done=revoked`)
    }),
    adminPage.get(`${base}/new-agent`, call => sendAgentForm(call, untouched)),
    adminPage.fresh.post(`${base}/new-agent`, async call => {
      const fields = sessions.checkForm(call, ownPath(call))
      const { advertiserId } = call.caller
      try {
        const agentId = agentIn(fields, await agents.listFor(advertiserId))
        // Repeating it is harmless: the first authorisation stays.
        await agents.authorise(advertiserId, agentId)
      } catch (error) {
        return sendAgentForm(call, typedAgain(error, fields, ['agent', 'agent_id']))
      }
      return redirect(call.reply, `${pathOf(call)}?done=authorised`)
    }),
    adminPage.get(`${base}/agents/:agentId/withdraw`, async call => {
      const { withdrawal: words } = texts
      const { name } = await authorisedAgent(call)
      const action = ownPath(call)
      const token = sessions.formToken(call.reply, action)
      return sendBelow(call, {
        title: words.title,
        body: confirmation({ ...words, action, token, text: words.text(name), backTo: pathOf(call) }),
      })
    }),
    adminPage.fresh.post(`${base}/agents/:agentId/withdraw`, async call => {
      sessions.checkForm(call, ownPath(call))
      const { id } = await authorisedAgent(call)
      await agents.withdraw(call.caller.advertiserId, id)
      return redirect(call.reply, `${pathOf(call)}?done=withdrawn`)
    }),
  ]
}

function doneNotice({ request }: PageCall): Html | false {
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
function endOfDay(text: string, timeZone: string): EpochMs | null {
  const day = text.trim()
  if (day === '') return null
  if (aestDayStart(day) === undefined)
    throw invalidField('expires', 'not-a-day', texts.newCredential.noSuchDay)
  return startOfDay(dayAfter(day), timeZone)
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
