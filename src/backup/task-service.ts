import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Limits } from '../limits.ts'
import type { Task } from '../work/ports.ts'
import type { Backups } from './backup-service.ts'
import type { Place } from './ports.ts'

const askMs = 1_000

/**
 * Makes a set whenever the last one in the place is old enough, on whichever node looks first; after `makeNext`, whatever
 * its age.
 */
export function createBackupTask(deps: {
  backups: Backups
  openPlace(): Promise<Place>
  clock: Clock
  limits: Pick<Limits, 'backupHours' | 'backupKeep' | 'backupLookSeconds' | 'backupRetrySeconds'>
  log: Log
}): Task & { makeNext(): void } {
  const { backups, clock, limits, log } = deps
  let pauseUntil = 0
  let isWanted = false

  async function isDue({ name }: Place): Promise<boolean> {
    const last = (await backups.last())[name]
    // A set that a clock dated far into the future does not count.
    return last === undefined || Math.abs(clock() - last.at) >= limits.backupHours * 3_600_000
  }

  return {
    name: 'backup',
    everySeconds: limits.backupLookSeconds,
    makeNext() {
      isWanted = true
    },
    async run(goesOn) {
      const isAsked = isWanted
      isWanted = false
      if (!isAsked && clock() < pauseUntil) return { did: {} }
      const place = await deps.openPlace()
      const stop = new AbortController()
      const timer = setInterval(async () => {
        if (!(await goesOn())) stop.abort(new Error('the process is stopping'))
      }, askMs)
      try {
        if (!isAsked && !(await isDue(place))) return { did: {} }
        const { manifest, copied, pruned } = await backups.run({
          ...{ place, keep: limits.backupKeep, signal: stop.signal },
          onProgress() {},
          onLost: blob => log.warn({ blob }, 'a file is missing or damaged and not in the backup'),
        })
        if (pruned.left.length > 0)
          log.warn(
            { sets: pruned.left },
            'files of old sets could not be removed: the next backup tries again',
          )
        log.info({ set: manifest.set, place: place.name }, 'a backup was made and verified')
        return { did: { sets: 1, files: copied.files, removedSets: pruned.sets, removedFiles: pruned.files } }
      } catch (error) {
        if (stop.signal.aborted) return { did: {} }
        pauseUntil = clock() + limits.backupRetrySeconds * 1000
        throw error
      } finally {
        clearInterval(timer)
        place.close()
      }
    },
  }
}
