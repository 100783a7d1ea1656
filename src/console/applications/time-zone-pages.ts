import type { RouteOptions } from 'fastify'
import type { Advertiser } from '../../companies/advertiser-store.ts'
import { timeZones } from '../../platform/core/time/time-zone.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { linkButton } from '../../platform/web/components.ts'
import { choice } from '../../platform/web/forms.ts'
import { t } from '../../platform/web/t.ts'
import { consolePath, timeZonePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'
import { zoneInWords } from './markup.ts'

/** The page where an admin chooses the console's time zone. */
export function timeZonePages(deps: {
  advertisers: { setTimeZone(advertiserId: number, timeZone: string | null): Promise<Advertiser> }
  sessions: Sessions
  /** Time zone of advertisers that have not chosen one. */
  defaultZone: string
}): RouteOptions[] {
  const { advertisers, defaultZone } = deps
  return consoleTab(deps.sessions, 'applications', { view: 'admin' })(
    '/console/:advertiserId/applications/time-zone',
    {
      show({ caller: { advertiserId, timeZone }, form }) {
        const list = consolePath(advertiserId, 'applications')
        return {
          title: t`Time zone`,
          crumbs: [{ href: list, label: t`Applications` }],
          body: form({
            action: timeZonePath(advertiserId),
            fields: [
              choice({
                name: 'timeZone',
                label: t`Your company’s time zone`,
                hint: t`Everyone at your company sees and filters applications by the days and times of this zone. Closing dates of your job ads end at midnight there.`,
                value: timeZone === defaultZone ? '' : timeZone,
                none: t`Default: ${zoneInWords(defaultZone)}`,
                choices: timeZones().map(zone => ({ id: zone, description: zoneInWords(zone) })),
              }),
            ],
            label: t`Save time zone`,
            beside: linkButton(list, t`Cancel`),
          }),
        }
      },
      acts: {
        '': {
          async run({ caller: { advertiserId }, value }) {
            await advertisers.setTimeZone(advertiserId, value('timeZone') || null)
            return { location: consolePath(advertiserId, 'applications') }
          },
        },
      },
    },
  )
}
