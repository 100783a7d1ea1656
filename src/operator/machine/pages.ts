import type { RouteOptions } from 'fastify'
import type { EpochMs } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { viewerPage } from '../../web/page-routes.ts'
import { actionsOf, backTo, doneNotice, sendOperatorPage, tokensOf } from '../acting-pages.ts'
import type { BoardStore } from '../ports.ts'
import { backupsMarkup, nodesMarkup, settingsMarkup, webhooksMarkup } from './markup.ts'
import type { BackupState, LateWebhook, SettingInForce } from './ports.ts'
import { backupsTexts, nodesTexts, settingsTexts, webhooksTexts } from './texts.ts'

/** What runs, with which settings, and what would be left after a fire. */
export function operatorMachinePages(deps: {
  webhooks(): Promise<LateWebhook[]>
  backups(): Promise<BackupState>
  /** Puts it on record and starts it; undefined without BACKUP_URL. */
  startBackup: (() => Promise<void>) | undefined
  board: Pick<BoardStore, 'nodes'>
  restored(): Promise<{ restoredAt: EpochMs | undefined; heldMails: number }>
  settings: readonly SettingInForce[]
  sessions: Sessions
}): RouteOptions[] {
  const { sessions } = deps
  return [
    viewerPage.get('/operator/webhooks', async ({ reply }) =>
      sendOperatorPage(reply, {
        ...{ tab: 'webhooks', title: webhooksTexts.title },
        body: webhooksMarkup(await deps.webhooks()),
      }),
    ),
    viewerPage.get('/operator/backups', async ({ request, reply, caller }) =>
      sendOperatorPage(reply, {
        ...{ tab: 'backups', title: backupsTexts.title },
        above: doneNotice(request, backupsTexts.notices),
        body: backupsMarkup(await deps.backups(), {
          isOperator: caller.operatorRole === 'operator',
          token: tokensOf(sessions, reply),
        }),
      }),
    ),
    actionsOf(sessions, 'backups')(
      '/operator/backups',
      { command: 'backup', audit: 'backup.make' },
      async ({ reply }) => {
        if (deps.startBackup === undefined) throw new Problem('not-found', backupsTexts.off)
        await deps.startBackup()
        return backTo(reply, 'backups', 'started')
      },
    ),
    viewerPage.get('/operator/nodes', async ({ reply }) =>
      sendOperatorPage(reply, {
        ...{ tab: 'nodes', title: nodesTexts.title },
        body: nodesMarkup(...(await Promise.all([deps.board.nodes(), deps.restored()]))),
      }),
    ),
    viewerPage.get('/operator/settings', async ({ reply }) =>
      sendOperatorPage(reply, {
        ...{ tab: 'settings', title: settingsTexts.title },
        body: settingsMarkup(deps.settings),
      }),
    ),
  ]
}
