import type { Services } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { ReadinessChecks, Warning } from '../../http/service-routes.ts'

const hourMs = 3_600_000

/** The checks that must pass before this node takes requests. */
export function readinessChecks({ schema, blobs, setback }: Services): ReadinessChecks {
  return {
    // Reading the applied migrations also proves that the database responds.
    database: async () => {
      const { state } = await schema.state()
      // During a rolling upgrade, old nodes see a newer schema. One that they cannot run on waits until they have
      // stopped, so only a start rejects it.
      if (state === 'older') throw new Error('the schema is older than the code')
    },
    files: async () => {
      await blobs.check()
      // Without the marks beside the files, nothing can be added. Costs nothing once this process is admitted.
      await setback.gate.admit()
    },
  }
}

type Condition = (services: Services, config: Config) => Promise<boolean>

/**
 * What needs the operator while this node serves. All nodes share most of it, so none may leave the balancer because of
 * it: see decision 045. Read from the database and the disk only: no response waits for another server.
 */
const conditions: Record<Warning, Condition> = {
  backup: async (services, { BACKUP_URL }) =>
    BACKUP_URL !== undefined && (await lastBackup(services)).isOverdue,
  async clock({ clockDifference }, { limits }) {
    return Math.abs((await clockDifference()) ?? 0) > limits.clockToleranceMs
  },
  disk: async ({ disk }) => (await disk.look()).isLow,
  async mail({ deliveries, mailTransport, clock }) {
    if (mailTransport() === undefined) return false
    const { oldestAt } = await deliveries.counts()
    return oldestAt !== null && clock() - oldestAt > hourMs
  },
  scanner: async ({ upkeepFigures }) => ((await upkeepFigures()).oldestUnjudgedMs ?? 0) > hourMs,
  webhooks: async ({ webhookObjection }) => (await webhookObjection()) !== undefined,
}

export async function readinessWarnings(services: Services, config: Config): Promise<Warning[]> {
  const found = await Promise.all(
    Object.entries(conditions).map(async ([name, holds]) => {
      // Not logged with each look; "dossier doctor" tells why something cannot be checked.
      const isWrong = await holds(services, config).catch(() => true)
      return isWrong ? [name as Warning] : []
    }),
  )
  return found.flat()
}

/** The newest verified set, and whether another should have been made. A set that is due may take as long as an interval. */
export async function lastBackup({ backups, clock, limits }: Services) {
  const [newest] = Object.entries(await backups.last()).toSorted(([, a], [, b]) => b.at - a.at)
  if (newest === undefined) return { isOverdue: true }
  const [place, { set, at }] = newest
  const hours = Math.floor((clock() - at) / hourMs)
  return { place, set, hours, isOverdue: hours >= 2 * limits.backupHours }
}
