import type { RouteOptions } from 'fastify'
import type { Services } from '../../app.ts'
import { newUuid } from '../../core/ids.ts'
import { operatorJoinPages } from '../../operator/access/join-pages.ts'
import { operatorPeoplePages } from '../../operator/access/pages.ts'
import { operatorAuditPages } from '../../operator/audit/pages.ts'
import { operatorChangePages } from '../../operator/clients/changes-pages.ts'
import { operatorClientPages } from '../../operator/clients/pages.ts'
import { operatorCompanyPages } from '../../operator/companies/pages.ts'
import { operatorFilePages } from '../../operator/files/pages.ts'
import { operatorHomePages } from '../../operator/home/pages.ts'
import { operatorLookupPages } from '../../operator/lookup/pages.ts'
import { operatorMachinePages } from '../../operator/machine/pages.ts'
import { operatorMailPages } from '../../operator/mail/pages.ts'
import { operatorWorkPages } from '../../operator/work/pages.ts'
import { accountLetters } from '../../people/mail/account-texts.ts'
import type { Web } from '../web.ts'
import { lookAtService } from './home.ts'
import { openPersonLookup } from './lookup.ts'
import { backupState, lateWebhooks, settingsInForce } from './machine.ts'

/** The pages under /operator. */
export function operatorRoutes(services: Services, web: Web): RouteOptions[] {
  const { operators, operatorFence: fence, accounts, accountStore, board } = services
  const { config, sessions, sentForms, clock, limits, authUrl, mailer } = web
  return [
    ...operatorJoinPages({
      ...{ operators, fence, sessions, limits },
      async startSession(candidateId, browser) {
        const account = await accountStore.find(candidateId)
        return account && accounts.startSession(account, browser, ['link'])
      },
    }),
    ...operatorHomePages({
      look: isComplete => lookAtService(services, config, isComplete),
      isMailOn: mailer !== undefined,
      async sendTestMail(email) {
        await board.record({ action: 'mail.test', scope: 'board', target: 'mail:test' })
        const sent = await services.post.send(newUuid(), email, accountLetters.test({}, config.BOARD_NAME))
        return sent.outcome === 'sent' ? undefined : 'words' in sent ? sent.words : ''
      },
      ...{ sessions, limits },
    }),
    ...operatorCompanyPages({
      ...{
        advertisers: services.advertisers,
        board,
        retention: services.retention,
        sessions,
        sentForms,
        clock,
      },
      invitations: services.invitations({ mailer, authUrl }),
      timeZone: config.TIME_ZONE,
    }),
    ...operatorClientPages({
      ...{ agents: services.agents, clients: services.clients, changes: services.clientChanges },
      ...{ sessions, sentForms },
      advertisers: services.advertisers,
      invitations: services.agentInvitations({ mailer, authUrl }),
    }),
    ...operatorChangePages({ changes: services.clientChanges, sessions }),
    ...operatorMailPages({
      deliveries: services.deliveries,
      board,
      isMailOn: mailer !== undefined,
      sessions,
    }),
    ...operatorWorkPages({
      ...{ tasks: services.work.tasks, runs: services.taskRuns, sessions, clock },
      changes: services.dataChanges.list,
      async start(task) {
        await board.record({ action: 'task.run', scope: 'board', target: `task:${task}` })
        startTask(services, task)
      },
    }),
    ...operatorFilePages({
      ...{ board, hasScanner: services.scanner !== undefined, sessions },
      examine: () => services.examineFiles(false),
      async rescan() {
        await board.record({ action: 'file.scan', scope: 'board', target: 'task:rescan' })
        startTask(services, 'rescan')
      },
    }),
    ...operatorAuditPages({ auditLog: services.auditLog, timeZone: config.TIME_ZONE }),
    ...operatorLookupPages({ lookup: openPersonLookup(services), sessions }),
    ...operatorMachinePages({
      webhooks: () => lateWebhooks(services),
      backups: () => backupState(services, config),
      startBackup:
        services.backupTask &&
        (async () => {
          await board.record({ action: 'backup.make', scope: 'board', target: 'task:backup' })
          services.backupTask?.makeNext()
          startTask(services, 'backup')
        }),
      ...{ board, restored: services.setback.restored, settings: settingsInForce(config), sessions },
    }),
    ...operatorPeoplePages({ operators, sessions, authUrl, limits }),
  ]
}

/** How it ends is on the page of background work. */
function startTask({ background, work }: Services, task: string): void {
  background.run(work.run(task), 'a task that an operator started did not end')
}
