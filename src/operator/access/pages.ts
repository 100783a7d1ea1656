import type { RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { type OperatorRole, operatorRoles } from '../../model/principal.ts'
import { invitationLink, notice } from '../../web/components.ts'
import type { Html } from '../../web/html.ts'
import { viewerPage } from '../../web/page-routes.ts'
import { actionsOf, backTo, doneNotice, sendOperatorPage, tokensOf } from '../acting-pages.ts'
import { type OperatorsPage, operatorsMarkup } from './markup.ts'
import type { Operators } from './service.ts'
import { operatorsTexts as texts } from './texts.ts'

interface Shown {
  status?: number
  above?: Html | undefined
  typed?: OperatorsPage['typed']
}

/** The people who run the board. */
export function operatorPeoplePages(deps: {
  operators: Operators
  sessions: Sessions
  authUrl(): string
  limits: Pick<Limits, 'invitationSeconds'>
}): RouteOptions[] {
  const { operators, sessions } = deps
  const act = actionsOf(sessions, 'people')

  async function send({ reply, caller }: Call<'operator'>, { status = 200, above, typed }: Shown = {}) {
    const [list, invitations] = await Promise.all([operators.list(), operators.listInvitations()])
    const body = operatorsMarkup({
      operators: list,
      invitations,
      ownId: caller.candidateId,
      isOperator: caller.operatorRole === 'operator',
      token: tokensOf(sessions, reply),
      days: Math.floor(deps.limits.invitationSeconds / 86_400),
      typed: typed ?? { email: '', role: 'operator', errors: [] },
    })
    return sendOperatorPage(reply, { tab: 'people', title: texts.title, status, above, body })
  }

  const refuse = (call: Call<'operator'>, why: keyof typeof texts.refused) =>
    send(call, { status: 409, above: notice('problem', texts.refused[why]) })

  return [
    viewerPage.get('/operator/people', call => send(call, { above: doneNotice(call.request, texts.done) })),
    act('/operator/people', { command: 'operator invite', audit: 'operator.invite' }, async call => {
      const email = call.fields.get('email') ?? ''
      const role = roleIn(call.fields.get('role'))
      const result = await operators.invite(email, role, deps.authUrl())
      return result.outcome === 'invalid'
        ? send(call, { status: 422, typed: { email, role, errors: result.errors } })
        : send(call, { above: invitationLink(result) })
    }),
    act(
      '/operator/people/withdraw',
      { command: 'operator remove', audit: 'operator.uninvite' },
      async call =>
        (await operators.takeBack(call.fields.get('invitation') ?? ''))
          ? backTo(call.reply, 'people', 'taken-back')
          : refuse(call, 'missing'),
    ),
    act('/operator/people/remove', { command: 'operator remove', audit: 'operator.remove' }, async call => {
      const result = await operators.remove(call.fields.get('person') ?? '')
      return result === 'done' ? backTo(call.reply, 'people', 'removed') : refuse(call, result)
    }),
  ]
}

function roleIn(text: string | undefined): OperatorRole {
  const role = operatorRoles.find(each => each === text)
  if (role === undefined) throw new Problem('bad-request', 'There is no such role.')
  return role
}
