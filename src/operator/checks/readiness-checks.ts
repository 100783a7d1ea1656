import { withTimeout } from '../../platform/core/async/with-timeout.ts'
import type { Modules } from '../../platform/core/modules.ts'
import { clockToleranceMs } from '../../platform/core/steady-time-rules.ts'
import type { ReadinessChecks, Warning } from '../../platform/http/service-routes.ts'

type Config = Modules['platform']['config']

const hourMs = 3_600_000

/** The checks that must pass before this node takes requests. */
export function readinessChecks({ platform: { schema, blobs, restoreDetection } }: Modules): ReadinessChecks {
  return {
    // Reading the applied migrations also proves that the database responds.
    database: async () => {
      const { state } = await schema.state()
      // During a rolling upgrade, old nodes see a newer schema. A schema that they cannot run on is not applied until
      // they have stopped, so only a start rejects it.
      if (state === 'older') throw new Error('the schema is older than the code')
    },
    files: async () => {
      await blobs.check()
      // Without the markers beside the files, nothing can be added. Costs nothing once this process is admitted.
      await restoreDetection.gate.admit()
    },
  }
}

type Condition = (app: Modules, config: Config) => Promise<boolean>

/** A condition that takes longer counts as wrong: a silent database or disk must not delay the response. */
const conditionMs = 1500

/**
 * Conditions that need the operator while this node serves. All nodes share most of them, so none may leave the load
 * balancer because of one: see decision 045. No response waits long for another server.
 */
const conditions: Record<Warning, Condition> = {
  backup: async (app, { BACKUP_URL }) => BACKUP_URL !== undefined && (await lastBackup(app)).isOverdue,
  async clock({ platform: { clockDifference, steadyTimes } }) {
    if ((await steadyTimes.read()).pausedMs > 0) return true
    return Math.abs((await clockDifference()) ?? 0) > clockToleranceMs
  },
  disk: async ({ platform: { disk } }) => (await disk.look()).isLow,
  async mail({ mail: { deliveries, mailTransport }, platform: { clock } }) {
    if (mailTransport() === undefined) return false
    const { oldestAt } = await deliveries.counts()
    return oldestAt !== null && clock() - oldestAt > hourMs
  },
  async scanner({ upkeep: { upkeepFigures }, platform: { scanner } }) {
    const isAway = scanner !== undefined && (await isScannerAway(scanner))
    return isAway || ((await upkeepFigures()).oldestUnjudgedMs ?? 0) > hourMs
  },
  webhooks: async ({ webhooks: { webhookObjection } }) => (await webhookObjection()) !== undefined,
}

type Scanner = NonNullable<Modules['platform']['scanner']>

const scannerMs = 300
const scannerStates = new WeakMap<Scanner, { isAway: boolean; proving?: Promise<void> }>()

/** A scanner that is merely busy keeps its last known state. */
async function isScannerAway(scanner: Scanner): Promise<boolean> {
  const state = scannerStates.get(scanner) ?? { isAway: false }
  scannerStates.set(scanner, state)
  state.proving ??= scanner
    .prove()
    .then(
      () => false,
      () => true,
    )
    .then(isAway => {
      scannerStates.set(scanner, { isAway })
    })
  await withTimeout(scannerMs, state.proving)
  return scannerStates.get(scanner)?.isAway === true
}

export async function readinessWarnings(app: Modules, config: Config): Promise<Warning[]> {
  const found = await Promise.all(
    Object.entries(conditions).map(async ([name, holds]) => {
      // Not logged at each check; "dossier doctor" says why something cannot be checked.
      let isWrong = true
      const asked = holds(app, config).then(
        held => {
          isWrong = held
        },
        () => {},
      )
      await withTimeout(conditionMs, asked)
      return isWrong ? [name as Warning] : []
    }),
  )
  return found.flat()
}

/** The newest verified set, and whether another is overdue. A due set may take as long as an interval. */
export async function lastBackup({ backup: { backups }, platform: { clock, limits } }: Modules) {
  const [newest] = Object.entries(await backups.last()).toSorted(([, a], [, b]) => b.at - a.at)
  if (newest === undefined) return { isOverdue: true }
  const [place, { set, at }] = newest
  const hours = Math.floor((clock() - at) / hourMs)
  return { place, set, hours, isOverdue: hours >= 2 * limits.backupHours }
}
