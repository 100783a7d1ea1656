import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Sessions } from '../http/auth/sessions.ts'
import type { FormCall, PathParameter } from '../http/routes.ts'
import { notice } from '../web/components.ts'
import { type Html, html } from '../web/html.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import { operatorPage } from '../web/page-routes.ts'
import type { TokenOf } from './forms-markup.ts'
import { type OperatorTab, operatorNavigation, operatorPath } from './navigation-markup.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** With `auth: 'operator'`: what a form does. */
    act?: Act
  }
}

/** What an operator does with a form, and how else it can be done: the ledger test compares both with what exists. */
export interface Act {
  /** The command that does the same. */
  command: string
  /** The action in the audit log, or why there is none. */
  audit: string
}

/** Builds the routes of forms: each checks its token and says what it does. */
export function actionsOf(sessions: Sessions, tab: OperatorTab) {
  return <const Url extends string>(
    url: Url,
    act: Act,
    handle: (call: FormCall<'operator', PathParameter<Url>>) => unknown,
  ): RouteOptions =>
    operatorPage.fresh.post(
      url,
      call => {
        sessions.checkForm(call, pathOf(call.request))
        return handle(call)
      },
      { act, formPage: operatorPath(tab) },
    )
}

const pathOf = ({ url }: FastifyRequest) => url.replace(/\?.*$/s, '')

export const tokensOf =
  (sessions: Sessions, reply: FastifyReply): TokenOf =>
  path =>
    sessions.formToken(reply, path)

export interface OperatorPage {
  tab: OperatorTab
  title: string
  /** Replaces the title above the body. */
  heading?: Html
  body: Html
  status?: number
  /** The result of the last action. */
  above?: Html | undefined
}

export function sendOperatorPage(
  reply: FastifyReply,
  { tab, title, heading, body, status = 200, above }: OperatorPage,
): FastifyReply {
  return sendPage(reply, {
    status,
    title,
    ...(heading === undefined ? {} : { heading }),
    isWide: true,
    navigation: operatorNavigation(tab),
    body: html`${above}${body}`,
  })
}

/** After an action: the page says what was done, from a list of texts. */
export const backTo = (reply: FastifyReply, tab: OperatorTab, done: string) =>
  redirect(reply, `${operatorPath(tab)}?done=${done}`)

/** What was done, for `above`; undefined unless the address names one of the texts. */
export function doneNotice(
  { url }: FastifyRequest,
  done: Readonly<Record<string, string>>,
): Html | undefined {
  const name = new URLSearchParams(url.split('?')[1]).get('done') ?? ''
  return Object.hasOwn(done, name) ? notice('good', done[name] ?? '') : undefined
}
