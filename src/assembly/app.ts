import type { Logger } from 'pino'
import { withTimeout } from '../platform/core/async/with-timeout.ts'
import { type Clock, type SteadyClock, steadyClock, systemClock } from '../platform/core/clock.ts'
import { setBoardLocale } from '../platform/core/locale.ts'
import { databaseCloseMs } from '../platform/database/postgres/pool-options.ts'
import type { Config } from '../settings.ts'
import { openAccounts } from './accounts.ts'
import { openApply } from './apply.ts'
import { openBackup } from './backup.ts'
import { openCollect } from './collect.ts'
import { openCompanies } from './companies.ts'
import { openDemo } from './demo.ts'
import { openEvents } from './events.ts'
import { openJobs } from './jobs.ts'
import { openMail } from './mail.ts'
import { openOperator } from './operator.ts'
import { openPeople } from './people.ts'
import { openPlatform } from './platform.ts'
import { openShare } from './share.ts'
import { openAudit, openUpkeep } from './upkeep.ts'
import { openWebhooks } from './webhooks.ts'

export type App = Awaited<ReturnType<typeof openApp>>

/** Opens all modules of the service, without HTTP; `servers.ts` adds the routes. */
export async function openApp(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  steady: SteadyClock = steadyClock,
) {
  setBoardLocale(config.BOARD_LOCALE)
  const platform = await openPlatform(config, log, clock, steady)
  const companies = openCompanies(platform)
  const jobs = openJobs(platform)
  const accounts = openAccounts(platform, companies)
  const share = openShare(platform, companies, accounts)
  const collect = openCollect(platform, jobs)
  const apply = openApply(platform, companies, jobs, accounts, collect)
  const events = openEvents(platform)
  const webhooks = openWebhooks(platform, events)
  const people = openPeople(platform, accounts, share, apply, collect)
  const demo = openDemo(platform, companies, accounts, apply, collect)
  const mail = openMail(platform, accounts, demo)
  const backup = openBackup(platform)
  const audit = openAudit(platform)
  const upkeep = openUpkeep(platform, collect, mail, webhooks, backup, audit)
  const operator = openOperator(platform, jobs, accounts, mail, collect, backup, upkeep)

  async function close(): Promise<void> {
    const { database, scanner, background, rateCounts, hints, restoreDetection } = platform
    mail.closeMail()
    await upkeep.work.stop()
    scanner?.close()
    await withTimeout(
      databaseCloseMs,
      Promise.all([
        background.whenIdle(),
        companies.usage.close(),
        companies.agentCalls.close(),
        collect.reads.close(),
        rateCounts.close(),
      ]),
    )
    await withTimeout(databaseCloseMs, hints.close())
    await withTimeout(databaseCloseMs, restoreDetection.close())
    await database.close()
    platform.processLock.close()
    platform.closeBlobs()
  }

  return {
    platform,
    companies,
    jobs,
    accounts,
    people,
    mail,
    share,
    apply,
    collect,
    events,
    webhooks,
    audit,
    backup,
    upkeep,
    operator,
    demo,
    close,
  }
}
