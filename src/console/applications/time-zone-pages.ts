import type { RouteOptions } from 'fastify'
import type { Advertiser } from '../../companies/advertiser-store.ts'
import { timeZones } from '../../platform/core/time/time-zone.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { linkButton } from '../../platform/web/components.ts'
import { choice } from '../../platform/web/forms.ts'
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
          title: 'Time zone',
          crumbs: [{ href: list, label: 'Applications' }],
          body: form({
            action: timeZonePath(advertiserId),
            fields: [
              choice({
                name: 'timeZone',
                label: 'Your company’s time zone',
                hint: 'Everyone at your company sees and filters applications by the days and times of this zone. Closing dates of your job ads end at midnight there.',
                value: timeZone === defaultZone ? '' : timeZone,
                none: `Default: ${zoneInWords(defaultZone)}`,
                choices: timeZones().map(zone => ({ id: zone, description: zoneInWords(zone) })),
              }),
            ],
            label: 'Save time zone',
            beside: linkButton(list, 'Cancel'),
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
