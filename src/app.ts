import type { Logger } from 'pino'
import { openAccounts } from './assembly/accounts.ts'
import { openAdvertisers } from './assembly/advertisers.ts'
import { openApply } from './assembly/apply.ts'
import { openBackup } from './assembly/backup.ts'
import { openCollect } from './assembly/collect.ts'
import { openDemo } from './assembly/demo.ts'
import { openEvents } from './assembly/events.ts'
import { openJobs } from './assembly/jobs.ts'
import { openMail } from './assembly/mail.ts'
import { openPeople } from './assembly/people.ts'
import { openPlatform } from './assembly/platform.ts'
import { openShare } from './assembly/share.ts'
import { openAudit, openUpkeep } from './assembly/upkeep.ts'
import { openWebhooks } from './assembly/webhooks.ts'
import type { Config } from './config.ts'
import { within } from './core/async/within.ts'
import { type Clock, systemClock } from './core/clock.ts'

export type Services = Awaited<ReturnType<typeof openServices>>

/** Opens the whole service without HTTP; `servers.ts` adds the routes. */
export async function openServices(config: Config, log: Logger, clock: Clock = systemClock) {
  const platform = await openPlatform(config, log, clock)
  const advertisers = openAdvertisers(platform)
  const jobs = openJobs(platform)
  const accounts = openAccounts(platform, advertisers)
  const share = openShare(platform, advertisers, accounts)
  const collect = openCollect(platform, jobs)
  const apply = openApply(platform, advertisers, jobs, accounts, collect)
  const events = openEvents(platform)
  const people = openPeople(platform, accounts, share, apply, collect)
  const demo = openDemo(platform, advertisers, accounts, apply, collect)
  const mail = openMail(platform, accounts, demo)
  const webhooks = openWebhooks(platform, events)
  const backup = openBackup(platform)
  const audit = openAudit(platform)
  const upkeep = openUpkeep(platform, collect, mail, webhooks, backup, audit)

  async function close(): Promise<void> {
    const { database, scanner, background, rateCounts } = platform
    mail.closeMail()
    await upkeep.work.stop()
    scanner?.close()
    await within(
      config.limits.databaseCloseMs,
      Promise.all([
        background.settle(),
        advertisers.usage.close(),
        advertisers.agentCalls.close(),
        collect.reads.close(),
        rateCounts.close(),
      ]),
    )
    await within(config.limits.databaseCloseMs, platform.hints.close())
    await within(config.limits.databaseCloseMs, platform.setback.close())
    await database.close()
    platform.closeBlobs()
  }

  return {
    ...platform,
    ...advertisers,
    ...jobs,
    ...accounts,
    ...share,
    ...apply,
    ...collect,
    ...events,
    ...webhooks,
    ...people,
    ...backup,
    ...audit,
    ...upkeep,
    ...demo,
    ...mail,
    close,
  }
}
