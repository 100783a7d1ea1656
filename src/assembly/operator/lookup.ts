import type { App } from '../../app.ts'
import { createPersonLookup } from '../../operator/lookup/service.ts'
import { createAccountRemovalStore } from '../../people/own-data/account-removal-store.ts'

/** For the operator's page and the command alike. */
export function openPersonLookup(app: App) {
  const {
    upkeep: { board, work },
    collect: { erasure },
    accounts: { accountStore },
    platform: { background, database, clock },
  } = app
  const removals = createAccountRemovalStore(database)
  return createPersonLookup({
    board,
    clock,
    eraseApplication: erasure.erase,
    async deleteAccount(candidateId) {
      const account = await accountStore.find(candidateId)
      if (account === undefined) return 'none'
      const now = clock()
      const { outcome } = await removals.remove(candidateId, account.passwordHash, { now, eraseAt: now })
      if (outcome === 'last-admin') return 'last-admin'
      // The password was changed at the same moment: the account is still there.
      if (outcome === 'changed') throw new Error('the account was changed at the same moment: try again')
      await erasure.run()
      return 'deleted'
    },
    async resetFactors(candidateId, reason) {
      const links = app.accounts.accountLinks(app.mail.mailer())
      const mails = links.securityMail(candidateId, 'factors-reset')
      const isReset = await app.accounts.factors.reset(candidateId, reason, mails)
      if (isReset) links.attempt(mails)
      return isReset
    },
    forgetReporter: app.jobs.reportStore.forgetAddress,
    cleanUp: () =>
      background.run(work.run('clean-up'), 'the bytes of erased files have not been removed yet'),
  })
}
