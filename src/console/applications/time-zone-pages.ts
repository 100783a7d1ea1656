import type { FastifyReply, RouteOptions } from 'fastify'
import type { Advertiser } from '../../advertisers/ports.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import { timeZones } from '../../core/time/time-zone.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { Call } from '../../http/routes.ts'
import { breadcrumb, pageHead } from '../../web/components.ts'
import { errorSummary, selectField } from '../../web/fields.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath, timeZonePath } from '../navigation-markup.ts'
import { applicationsTexts, zoneInWords } from './texts.ts'

const texts = {
  title: 'Time zone',
  label: 'Your company’s time zone',
  hint: 'Everyone at your company sees and filters applications by the days and times of this zone.',
  standard: (timeZone: string) => `Default: ${timeZone}`,
  save: 'Save time zone',
  cancel: 'Cancel',
} as const

interface PageDeps {
  advertisers: { setTimeZone(advertiserId: number, timeZone: string | null): Promise<Advertiser> }
  sessions: Sessions
  /** The default, for advertisers that have not chosen one. */
  defaultZone: string
}

/** Where an admin chooses the console's time zone. */
export function timeZonePages({ advertisers, sessions, defaultZone }: PageDeps): RouteOptions[] {
  const url = '/console/:advertiserId/applications/time-zone'

  function show(
    { reply, caller }: Call<'console'>,
    { typed, errors }: { typed: string; errors: readonly FieldError[] },
  ): FastifyReply {
    const path = timeZonePath(caller.advertiserId)
    const list = consolePath(caller.advertiserId, 'applications')
    return sendPage(reply, {
      status: errors.length > 0 ? 422 : 200,
      title: texts.title,
      heading: pageHead(texts.title, false, breadcrumb([{ href: list, label: applicationsTexts.title }])),
      navigation: consoleNavigation(caller, 'applications'),
      body: html`${errorSummary(errors)}<form class="card" method="post" action="${path}" novalidate>
<input type="hidden" name="form_token" value="${sessions.formToken(reply, path)}">
${selectField({
  name: 'timeZone',
  label: texts.label,
  hint: texts.hint,
  value: typed,
  none: texts.standard(zoneInWords(defaultZone)),
  choices: timeZones().map(zone => ({ id: zone, description: zoneInWords(zone) })),
  errors,
})}
<div class="actions"><button type="submit">${texts.save}</button><a class="button second" href="${list}">${texts.cancel}</a></div></form>`,
    })
  }

  return [
    adminPage.get(url, async call => {
      const { timeZone } = call.caller
      return show(call, { typed: timeZone === defaultZone ? '' : timeZone, errors: [] })
    }),
    adminPage.post(url, async call => {
      const { advertiserId } = call.caller
      const path = timeZonePath(advertiserId)
      const typed = sessions.checkForm(call, path).get('timeZone') ?? ''
      try {
        await advertisers.setTimeZone(advertiserId, typed === '' ? null : typed)
      } catch (error) {
        if (!(error instanceof Problem && error.code === 'invalid-fields')) throw error
        return show(call, { typed: '', errors: error.errors })
      }
      return redirect(call.reply, consolePath(advertiserId, 'applications'))
    }),
  ]
}
