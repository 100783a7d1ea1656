import type { RouteOptions } from 'fastify'
import { type Holds, holdReasonLength } from '../../collect/retention/holds-service.ts'
import type { ApplicationSearch } from '../../collect/search/service.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { type Call, pathId } from '../../platform/http/routes.ts'
import { linkButton } from '../../platform/web/components.ts'
import { needed } from '../../platform/web/fields.ts'
import { textLines } from '../../platform/web/forms.ts'
import { html } from '../../platform/web/html.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'
import { nameOf } from './markup.ts'

const applicationPath = (advertiserId: number, applicationId: number) =>
  `${consolePath(advertiserId, 'applications')}/${applicationId}`

/** The page where an admin puts an application on hold for a dispute, and releases it. */
export function holdPages(deps: {
  holds: Pick<Holds, 'place' | 'release'>
  applicationSearch: Pick<ApplicationSearch, 'detail'>
  sessions: Sessions
}): RouteOptions[] {
  const { holds } = deps
  const find = ({ caller, params }: Call<'console', 'applicationId'>) =>
    deps.applicationSearch.detail(caller.advertiserId, pathId(params.applicationId))

  return consoleTab(deps.sessions, 'applications', { view: 'admin' })(
    '/console/:advertiserId/applications/:applicationId/hold',
    {
      async show(call) {
        const application = await find(call)
        if (application.erasedAt !== null) throw new Problem('not-found')
        const path = applicationPath(call.caller.advertiserId, application.id)
        return {
          title: 'Hold this application for a dispute',
          crumbs: [{ href: path, label: nameOf(application) }],
          body: call.form({
            action: `${path}/hold`,
            text: 'While it is on hold, nothing of this application is erased: not when its period ends, not when the candidate withdraws it, and not when they delete their account. The candidate sees that it is kept because of a dispute, but not your reason.',
            fields: [
              textLines({
                name: 'reason',
                label: needed('Reason'),
                hint: 'Your colleagues see it on the application.',
                attributes: html`rows="4" required maxlength="${holdReasonLength}"`,
              }),
            ],
            label: 'Hold application',
            beside: linkButton(path, 'Cancel'),
          }),
        }
      },
      acts: {
        '': {
          async run(call) {
            const { advertiserId, candidateId } = call.caller
            const { id } = await find(call)
            // Browsers send line breaks as CR and LF.
            const reason = call.value('reason').replaceAll('\r\n', '\n')
            if (call.value('action') === 'release') await holds.release(advertiserId, id, candidateId)
            else await holds.place(advertiserId, id, { reason, by: candidateId })
            return { location: applicationPath(advertiserId, id) }
          },
        },
      },
    },
  )
}
