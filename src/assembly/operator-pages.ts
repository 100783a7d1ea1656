import type { RouteOptions } from 'fastify'
import { urlHint } from '../events/webhooks/address-rules.ts'
import { reasonTexts } from '../jobs/reports/pages.ts'
import { operatorJoinPages } from '../operator/access/join-pages.ts'
import { operatorPeoplePages } from '../operator/access/pages.ts'
import { operatorAuditPages } from '../operator/audit/pages.ts'
import { allResults } from '../operator/checks/all-checks.ts'
import { operatorClientPages } from '../operator/clients/pages.ts'
import { operatorCompanyPages } from '../operator/companies/pages.ts'
import { operatorFilePages } from '../operator/files/pages.ts'
import { operatorHomePages } from '../operator/home/pages.ts'
import { createAttention } from '../operator/home/service.ts'
import { operatorLookupPages } from '../operator/lookup/pages.ts'
import { operatorMachinePages } from '../operator/machine/pages.ts'
import type { BackupState, LateWebhook, SettingInForce } from '../operator/machine/ports.ts'
import { operatorMailPages } from '../operator/mail/pages.ts'
import { operatorReportPages } from '../operator/reports/pages.ts'
import { operatorWorkPages } from '../operator/work/pages.ts'
import { findSets } from '../platform/backup/sets-service.ts'
import { type Config, settings } from '../settings.ts'
import { limits as knownLimits, type LimitName } from '../settings-limits.ts'
import type { App } from './app.ts'
import { openBackupPlace } from './backup.ts'
import type { Web } from './web.ts'

/** Routes of the pages under /operator. */
export function operatorRoutes(app: App, web: Web): RouteOptions[] {
  const { platform, accounts, companies, share, mail, collect, upkeep, audit, backup } = app
  const { config, authUrl, mailer } = web
  const { acts, lookup } = app.operator
  /** The page of background work shows how the task ends. */
  const inBackground = (run: () => Promise<unknown>) =>
    platform.background.run(run(), 'a task that an operator started did not end')
  const pages = {
    ...web,
    board: upkeep.board,
    isMailOn: mailer !== undefined,
    timeZone: config.TIME_ZONE,
    advertisers: companies.advertisers,
    operators: accounts.operators,
  }
  return [
    ...operatorJoinPages({
      ...pages,
      fence: accounts.operatorFence,
      async startSession(candidateId, browser) {
        const account = await accounts.accountStore.find(candidateId)
        return account && accounts.accounts.startSession(account, browser, ['link'])
      },
    }),
    ...operatorHomePages({
      ...pages,
      look: isComplete => runChecks(app, config, isComplete),
      confirmClock: platform.steadyTimes.confirm,
      async sendTestMail(email) {
        const sent = await acts.sendTestMail(email)
        return sent.outcome === 'sent' ? undefined : 'words' in sent ? sent.words : ''
      },
    }),
    ...operatorCompanyPages({
      ...pages,
      retention: collect.retention,
      invitations: accounts.invitations({ mailer, authUrl }),
    }),
    ...operatorClientPages({
      ...pages,
      agents: companies.agents,
      clients: share.clients,
      changes: share.clientChanges,
      invitations: accounts.agentInvitations({ mailer, authUrl }),
    }),
    ...operatorReportPages({ ...pages, reports: app.jobs.reports, reasonTexts }),
    ...operatorMailPages({ ...pages, deliveries: mail.deliveries }),
    ...operatorWorkPages({
      ...pages,
      tasks: upkeep.work.tasks,
      runs: upkeep.taskRuns,
      changes: upkeep.dataChanges.list,
      start: async task => inBackground(await acts.startTask(task)),
    }),
    ...operatorFilePages({
      ...pages,
      hasScanner: platform.scanner !== undefined,
      examine: () => upkeep.examineFiles(false),
      rescan: async () => inBackground(await acts.scanFiles()),
    }),
    ...operatorAuditPages({ ...pages, auditLog: audit.auditLog }),
    ...operatorLookupPages({ ...pages, lookup }),
    ...operatorMachinePages({
      ...pages,
      webhooks: () => lateWebhooks(app),
      backups: () => backupState(app, config),
      startBackup: backup.backupTask && (async () => inBackground(await acts.makeBackup())),
      restored: platform.restoreDetection.restored,
      settings: settingsInForce(config),
    }),
    ...operatorPeoplePages(pages),
  ]
}

/** The content of the operator's home page. Checks and counts need some of the same figures, which are read once. */
async function runChecks(all: App, config: Config, isComplete: boolean) {
  const { deliveries } = all.mail
  const app: App = {
    ...all,
    mail: { ...all.mail, deliveries: { ...deliveries, counts: once(deliveries.counts) } },
    webhooks: { ...all.webhooks, webhookFigures: once(all.webhooks.webhookFigures) },
  }
  const companies = once(() => all.upkeep.board.companies('9999'))
  const [results, attention, known, time] = await Promise.all([
    allResults(app, config, isComplete ? 'usual' : 'quick'),
    attentionOf(app, companies)(),
    companies(),
    all.platform.steadyTimes.read(),
  ])
  return {
    results,
    attention,
    isEmpty: known.length === 0,
    doubtedClock: time.pausedMs > 0 ? all.platform.clock() : undefined,
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= read()
    return result
  }
}

function attentionOf(app: App, companies: () => ReturnType<App['upkeep']['board']['companies']>) {
  const {
    mail: { deliveries },
    webhooks: { webhookFigures },
    platform: { scanner },
    upkeep: { board, taskRuns },
    share: { clientChanges },
  } = app
  return createAttention({
    mail: deliveries.counts,
    webhooks: async () => (await webhookFigures()).endpoints,
    async unjudged() {
      if (scanner === undefined) return 0
      return (await board.unjudged()).reduce((sum, { count }) => sum + count, 0)
    },
    failedTasks: async () => (await taskRuns.list()).filter(({ outcome }) => outcome === 'failed').length,
    withoutAdmin: async () => (await companies()).filter(({ admins }) => admins === 0).length,
    reports: app.jobs.reports.counts,
    clientChanges: async () => (await clientChanges.list()).length,
  })
}

async function lateWebhooks({ webhooks: { webhooks } }: App): Promise<LateWebhook[]> {
  const late: LateWebhook[] = []
  for (const endpoint of await webhooks.listAll()) {
    const { events, oldestAt, nextTryAt } = await webhooks.backlog(endpoint)
    const { id, url, state, owner } = endpoint
    if (events === 0 && state !== 'failing' && state !== 'stopped') continue
    const named = 'agentId' in owner ? `agent ${owner.agentId}` : String(owner.advertiserId)
    late.push({ id, owner: named, url: urlHint(url), state, events, oldestAt, nextTryAt })
  }
  return late
}

async function backupState(
  { backup: { backups }, platform: { log } }: App,
  config: Config,
): Promise<BackupState> {
  const verified = Object.entries(await backups.last())
    .map(([place, { set, at }]) => ({ place, set, at }))
    .toSorted((a, b) => b.at - a.at)
  const { BACKUP_URL: address } = config
  if (address === undefined) return { place: undefined, verified, sets: [] }
  const name = 'folder' in address ? address.folder : `s3://${address.s3.bucket}/${address.s3.prefix}`
  try {
    const found = await findSets(await openBackupPlace(config, address, 'read'))
    const sets = found.toReversed().map(({ set, manifest, fault }) => ({
      set,
      fault,
      files: manifest?.files.count,
      rows: manifest && Object.values(manifest.tables).reduce((sum, rows) => sum + rows, 0),
    }))
    return { place: name, verified, sets }
  } catch (error) {
    log.warn({ err: error }, 'the place of the backups cannot be read')
    return { place: name, verified, sets: undefined }
  }
}

/** The values in force, without secrets. */
function settingsInForce(config: Config): SettingInForce[] {
  const own = Object.entries(settings).map(([name, setting]) => {
    const value: unknown = config[name as keyof typeof settings]
    const isSet = value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
    const isHidden = 'isSecret' in setting || typeof value === 'object'
    const shown = Array.isArray(value) ? value.join(', ') : isHidden ? 'set' : String(value)
    return { name, value: isSet ? shown : setting.default.replaceAll('`', ''), isDefault: !isSet }
  })
  const changed = Object.entries(knownLimits).flatMap(([name, limit]) => {
    const value = config.limits[name as LimitName]
    return value !== limit.value ? [{ name: limit.setting, value: String(value), isDefault: false }] : []
  })
  return [...own, ...changed]
}
