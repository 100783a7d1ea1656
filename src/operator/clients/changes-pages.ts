import type { RouteOptions } from 'fastify'
import { ifFound } from '../../console/refusals.ts'
import { checkLogo } from '../../core/brand/logo.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { FormCall } from '../../http/routes.ts'
import { wantedOf } from '../../share/clients/change-rules.ts'
import type { ClientChanges } from '../../share/clients/change-service.ts'
import { logoPolicy } from '../../web/board.ts'
import { viewerPage } from '../../web/page-routes.ts'
import { actionsOf, backTo } from '../acting-pages.ts'

/** Confirms and refuses what agents ask for. The list is on the page of clients. */
export function operatorChangePages(deps: {
  changes: Pick<ClientChanges, 'find' | 'confirm' | 'refuse'>
  sessions: Sessions
}): RouteOptions[] {
  const { changes } = deps
  const act = actionsOf(deps.sessions, 'clients')
  const end = (how: 'confirm' | 'refuse') =>
    act(
      `/operator/clients/changes/:changeId/${how}`,
      { command: `client ${how}`, audit: 'client.request-end' },
      async ({ reply, params }: FormCall<'operator', 'changeId'>) => {
        const ended = await ifFound(() => changes[how](params.changeId))
        return backTo(reply, 'clients', ended === undefined ? 'gone' : how)
      },
    )
  return [
    end('confirm'),
    end('refuse'),
    viewerPage.get('/operator/clients/changes/:changeId/image', async ({ reply, params }) => {
      const wanted = wantedOf(await changes.find(params.changeId))
      if (wanted.kind !== 'logo' || wanted.bytes === undefined) throw new Problem('not-found')
      const { type, bytes } = checkLogo(wanted.bytes)
      return reply
        .headers({ 'content-type': type, 'cache-control': 'private, no-store', ...logoPolicy })
        .send(bytes)
    }),
  ]
}
