import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Advertiser } from '../../advertisers/ports.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import { timeZones } from '../../core/time-zone.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { breadcrumb, pageHead } from '../../web/components.ts'
import { errorSummary, selectField } from '../../web/fields.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { consoleNavigation, consolePath, timeZonePath } from '../navigation-markup.ts'
import { applicationsTexts, zoneInWords } from './texts.ts'

const texts = {
  title: 'Time zone',
  label: "Your company's time zone",
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
  const config = { auth: 'console', role: 'admin', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const url = '/console/:advertiserId/applications/time-zone'

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { typed, errors }: { typed: string; errors: readonly FieldError[] },
  ): FastifyReply {
    const { member } = request
    const path = timeZonePath(member.advertiserId)
    const list = consolePath(member.advertiserId, 'applications')
    return sendPage(reply, {
      status: errors.length > 0 ? 422 : 200,
      title: texts.title,
      heading: pageHead(texts.title, false, breadcrumb([{ href: list, label: applicationsTexts.title }])),
      navigation: consoleNavigation(member, 'applications'),
      body: html`${errorSummary(errors)}<form class="card" method="post" action="${path}" novalidate>
<input type="hidden" name="form_token" value="${sessions.formToken(request, reply, path)}">
${selectField({
  name: 'timeZone',
  label: texts.label,
  hint: texts.hint,
  value: typed,
  none: texts.standard(zoneInWords(defaultZone)),
  choices: timeZones.map(zone => ({ id: zone, description: zoneInWords(zone) })),
  errors,
})}
<div class="actions"><button type="submit">${texts.save}</button><a class="button second" href="${list}">${texts.cancel}</a></div></form>`,
    })
  }

  return [
    {
      method: 'GET',
      url,
      config,
      schema,
      handler: async (request, reply) => {
        const { timeZone } = request.member
        return show(request, reply, { typed: timeZone === defaultZone ? '' : timeZone, errors: [] })
      },
    },
    {
      method: 'POST',
      url,
      config: { ...config, body: 'form' },
      schema,
      handler: async (request, reply) => {
        const { member } = request
        const path = timeZonePath(member.advertiserId)
        const typed = sessions.checkForm(request, path).get('timeZone') ?? ''
        try {
          await advertisers.setTimeZone(member.advertiserId, typed === '' ? null : typed)
        } catch (error) {
          if (!(error instanceof Problem && error.code === 'invalid-fields')) throw error
          return show(request, reply, { typed: '', errors: error.errors })
        }
        return redirect(reply, consolePath(member.advertiserId, 'applications'))
      },
    },
  ]
}
