import type { RouteOptions } from 'fastify'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { FormFields } from '../../http/requests/form.ts'
import type { Call } from '../../http/routes.ts'
import { notice } from '../../web/components.ts'
import type { Html } from '../../web/html.ts'
import { viewerPage } from '../../web/page-routes.ts'
import type { ChosenDeliveries } from '../../work/delivery-ports.ts'
import type { Deliveries } from '../../work/delivery-service.ts'
import { actionsOf, backTo, doneNotice, sendOperatorPage, tokensOf } from '../acting-pages.ts'
import type { BoardStore } from '../ports.ts'
import { mailMarkup } from './markup.ts'
import { mailTexts as texts } from './texts.ts'

const most = 100
const giveUpMs = 3 * 86_400_000

/** The outbox, and the addresses that reject our emails. */
export function operatorMailPages(deps: {
  deliveries: Pick<Deliveries, 'list' | 'retryNow' | 'drop' | 'wake'>
  board: Pick<BoardStore, 'refused' | 'liftRefusal'>
  isMailOn: boolean
  sessions: Sessions
}): RouteOptions[] {
  const { deliveries, board, isMailOn, sessions } = deps
  const act = actionsOf(sessions, 'mail')

  async function send({ reply, caller }: Call<'operator'>, status: number, above: Html | undefined) {
    const [list, refused] = await Promise.all([
      deliveries.list(['waiting', 'dead', 'held'], most),
      board.refused(most),
    ])
    const isOperator = caller.operatorRole === 'operator'
    const token = tokensOf(sessions, reply)
    const body = mailMarkup({ deliveries: list, most, refused, isMailOn, isOperator, token })
    return sendOperatorPage(reply, { tab: 'mail', title: texts.title, status, above, body })
  }
  const missed = (call: Call<'operator'>) => send(call, 409, notice('problem', texts.gone))

  return [
    viewerPage.get('/operator/mail', call => send(call, 200, doneNotice(call.request, texts.done))),
    act('/operator/mail/retry', { command: 'mail retry', audit: 'mail.retry' }, async call => {
      if ((await deliveries.retryNow(chosenIn(call.fields), giveUpMs)) === 0) return missed(call)
      deliveries.wake()
      return backTo(call.reply, 'mail', 'retried')
    }),
    act('/operator/mail/drop', { command: 'mail drop', audit: 'mail.drop' }, async call =>
      (await deliveries.drop(chosenIn(call.fields))) === 0
        ? missed(call)
        : backTo(call.reply, 'mail', 'dropped'),
    ),
    act('/operator/mail/lift', { command: 'mail lift', audit: 'mail.lift' }, async call =>
      (await board.liftRefusal(call.fields.get('account') ?? ''))
        ? backTo(call.reply, 'mail', 'lifted')
        : missed(call),
    ),
  ]
}

function chosenIn(fields: FormFields): ChosenDeliveries {
  const all = fields.get('all')
  return all === 'dead' || all === 'held' ? all : [fields.get('mail') ?? '']
}
