import type { RouteOptions } from 'fastify'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { FormFields } from '../../http/requests/form.ts'
import type { Call } from '../../http/routes.ts'
import { notice } from '../../web/components.ts'
import type { Html } from '../../web/html.ts'
import { viewerPage } from '../../web/page-routes.ts'
import { actionsOf, sendOperatorPage, tokensOf } from '../acting-pages.ts'
import { type LookupPage, lookupMarkup } from './markup.ts'
import type { PersonLookup } from './service.ts'
import { lookupTexts as texts } from './texts.ts'

/** What there is about one email address, and its erasure. */
export function operatorLookupPages(deps: { lookup: PersonLookup; sessions: Sessions }): RouteOptions[] {
  const { lookup, sessions } = deps
  const act = actionsOf(sessions, 'lookup')

  const send = (
    { reply, caller }: Call<'operator'>,
    { status = 200, above, typed, found }: Partial<LookupPage> & { status?: number; above?: Html } = {},
  ) =>
    sendOperatorPage(reply, {
      ...{ tab: 'lookup', title: texts.title, status, above },
      body: lookupMarkup({
        typed: typed ?? { email: '', reason: '', errors: [] },
        found,
        isOperator: caller.operatorRole === 'operator',
        token: tokensOf(sessions, reply),
      }),
    })

  const typedIn = (fields: FormFields) => ({
    email: fields.get('email') ?? '',
    reason: fields.get('reason') ?? '',
  })

  return [
    viewerPage.get('/operator/lookup', async call => send(call)),
    act('/operator/lookup', { command: 'person find', audit: 'person.look-up' }, async call => {
      const typed = typedIn(call.fields)
      const looked = await lookup.find(typed.email, typed.reason)
      return looked.outcome === 'invalid'
        ? send(call, { status: 422, typed: { ...typed, errors: looked.errors } })
        : send(call, { typed: { ...typed, errors: [] }, found: looked.result })
    }),
    act('/operator/lookup/erase', { command: 'person erase', audit: 'person.erase' }, async call => {
      const typed = typedIn(call.fields)
      const erased = await lookup.erase(typed.email, typed.reason)
      return erased.outcome === 'invalid'
        ? send(call, { status: 422, typed: { ...typed, errors: erased.errors } })
        : send(call, { above: notice('good', texts.erased(erased.result)) })
    }),
  ]
}
