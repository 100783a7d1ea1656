import type { App } from '../../app.ts'
import { accountEmails } from '../../people/mail/account-texts.ts'
import { newUuid } from '../../platform/core/ids.ts'

/**
 * Acts of an operator that write no row of their own, for pages and commands alike: each is put on record first. All other
 * acts are put on record by their store, in the transaction that does them.
 */
export function operatorActs({ platform, mail, upkeep, backup }: App) {
  const { record } = upkeep.board
  return {
    async sendTestMail(to: string) {
      await record({ action: 'mail.test', scope: 'board', target: 'mail:test' })
      return mail.post.send(newUuid(), to, accountEmails.test({}, platform.config.BOARD_NAME))
    },
    async claimFiles() {
      await record({ action: 'file.claim', scope: 'board', target: 'board:0' })
      return upkeep.ownership.claim()
    },
    /** Returns once it is on record; the function runs the task. */
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
}
