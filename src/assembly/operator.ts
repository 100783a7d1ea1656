import { createPersonLookup } from '../operator/lookup/service.ts'
import { accountEmails } from '../people/mail/account-texts.ts'
import { createAccountRemovalStore } from '../people/own-data/account-removal-store.ts'
import { newUuid } from '../platform/core/ids.ts'
import type { AccountModule } from './accounts.ts'
import type { BackupModule } from './backup.ts'
import type { CollectModule } from './collect.ts'
import type { JobModule } from './jobs.ts'
import type { MailModule } from './mail.ts'
import type { Platform } from './platform.ts'
import type { UpkeepModule } from './upkeep.ts'

/** Functions shared by the operator's pages and commands. */
export function openOperator(
  platform: Platform,
  jobs: JobModule,
  accounts: AccountModule,
  mail: MailModule,
  collect: CollectModule,
  backup: BackupModule,
  upkeep: UpkeepModule,
) {
  const { background, database, clock } = platform
  const { record } = upkeep.board
  const removals = createAccountRemovalStore(database)
  const lookup = createPersonLookup({
    board: upkeep.board,
    clock,
    eraseApplication: collect.erasure.erase,
    async deleteAccount(candidateId) {
      const account = await accounts.accountStore.find(candidateId)
      if (account === undefined) return 'none'
      const now = clock()
      const { outcome } = await removals.remove(candidateId, account.passwordHash, { now, eraseAt: now })
      if (outcome === 'last-admin') return 'last-admin'
      // The password was changed at the same moment; the account still exists.
      if (outcome === 'changed') throw new Error('the account was changed at the same moment: try again')
      await collect.erasure.run()
      return 'deleted'
    },
    async resetFactors(candidateId, reason) {
      const links = accounts.accountLinks(mail.mailer())
      const mails = links.securityMail(candidateId, 'factors-reset')
      const isReset = await accounts.factors.reset(candidateId, reason, mails)
      if (isReset) links.attempt(mails)
      return isReset
    },
    forgetReporter: jobs.reportStore.forgetAddress,
    cleanUp: () =>
      background.run(upkeep.work.run('clean-up'), 'the bytes of erased files have not been removed yet'),
  })

  /**
   * These write no row of their own, so each is audited before it runs. Stores audit all other acts in the same
   * transaction.
   */
  const acts = {
    async sendTestMail(to: string) {
      await record({ action: 'mail.test', scope: 'board', target: 'mail:test' })
      return mail.post.send(newUuid(), to, accountEmails.test({}, platform.config.BOARD_NAME))
    },
    async claimFiles() {
      await record({ action: 'file.claim', scope: 'board', target: 'board:0' })
      return upkeep.ownership.claim()
    },
    /** Returns once the act is recorded; the returned function runs the task. */
    async startTask(task: string) {
      await record({ action: 'task.run', scope: 'board', target: `task:${task}` })
      return () => upkeep.work.run(task)
    },
    async scanFiles() {
      await record({ action: 'file.scan', scope: 'board', target: 'task:rescan' })
      return () => upkeep.work.run('rescan')
    },
    async makeBackup() {
      await record({ action: 'backup.make', scope: 'board', target: 'task:backup' })
      backup.backupTask?.makeNext()
      return () => upkeep.work.run('backup')
    },
  }

  return { lookup, acts }
}
