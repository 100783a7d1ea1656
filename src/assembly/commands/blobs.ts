import { NotOurFiles } from '../../platform/blobs/faults.ts'
import { flag } from '../../platform/cli/arguments.ts'
import { type CommandContext, command, group } from '../../platform/cli/command.ts'
import { CommandError } from '../../platform/cli/command-error.ts'
import { counted, createProgress } from '../../platform/cli/progress.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { type Config, SettingError } from '../../settings.ts'
import type { App } from '../app.ts'
import { type Context, withApp } from '../process/context.ts'
import { plainCommand } from './command.ts'

type Summary = Awaited<ReturnType<NonNullable<App['upkeep']['moving']>['run']>>

export const blobs = group<Context & CommandContext>('Manage the file store.', {
  move: plainCommand({
    about:
      'Move the files from the folder in DATA_DIR to the S3 store in BLOBS_URL while the service runs. Restart all nodes with BLOBS_URL first. If it is interrupted, run the same command to continue.',
    options: { json: flag('print the result as JSON') },
    run: move,
  }),
  claim: command({
    about:
      'Declare that the files in DATA_DIR or BLOBS_URL belong to this database, if the service reports that they do not. The clean-up then removes files that the database does not refer to.',
    async run(app) {
      const id = await app.operator.acts.claimFiles()
      const places = app.upkeep.ownership.places.map(({ name }) => name).join(' and ')
      return `The files in ${places} now belong to the database ${databaseOf(app.platform.config)} (${id}).`
    },
    prints: text => text,
  }),
})

async function move(context: Context, { json }: { json: boolean }): Promise<void> {
  const stop = new AbortController()
  const stopRequested = context.untilStopRequested()
  const summary = await withApp(context, async ({ upkeep, platform }) => {
    if (upkeep.moving === undefined)
      throw new SettingError('BLOBS_URL', 'must name the store to move the files to')
    // Reports a fault of the store once, not per file.
    await platform.blobs.prove()
    const bar = createProgress(context, platform.clock)
    void stopRequested.then(signal => {
      bar.say(`Stopping (${signal}) once the files in progress are done.`)
      stop.abort(signal)
    })
    try {
      return await upkeep.moving.run({
        stop: stop.signal,
        onProgress: (done, total) => bar.show('files', done, total),
        onLeft: (blob, reason) => bar.say(`${blob} stays in the folder: ${reason}`),
      })
    } catch (error) {
      throw inWords(error, platform.config)
    } finally {
      bar.end()
    }
  })
  context.print(json ? `${JSON.stringify(summary, null, 2)}\n` : textOf(summary))
  const complaint = complaintAbout(summary, stop.signal.reason)
  if (complaint !== undefined) throw new CommandError(complaint)
}

/** Names the database, without the secrets in its URL. */
function databaseOf({ DATABASE_URL: url, DATA_DIR }: Config): string {
  if (url === undefined) return `in ${DATA_DIR}`
  const { host, pathname, searchParams } = new URL(url)
  return `"${decodeURIComponent(pathname.slice(1))}" at ${host || searchParams.get('host') || 'this machine'}`
}

/** Turns errors that the operator can fix into messages that say how. */
function inWords(error: unknown, config: Config): unknown {
  if (error instanceof NotOurFiles)
    return new CommandError(`Nothing was moved with the database ${databaseOf(config)}: ${error.message}.`)
  const reason = reasonOf(error)
  // Errors of the operating system or of SQLite.
  if (!/\bENOSPC\b|\bEDQUOT\b|disk is full/.test(reason)) return error
  return new CommandError(
    `The disk of ${config.DATA_DIR} is full (${reason}), and the move has to write a little to it. Free 100 kilobytes, for instance by deleting logs, and run the same command again: the move makes room as it goes.`,
  )
}

const files = (count: number) => (count === 1 ? '1 file' : `${counted(count)} files`)

function textOf({ outcome, moved, bytes, removed, unnamed, damaged, failed }: Summary): string {
  const did = `${files(moved)} moved, ${counted(Math.ceil(bytes / 1e6))} megabytes.\n`
  const gone = removed === 0 ? '' : `${files(removed)} removed that the database does not refer to.\n`
  if (outcome === 'stopped' || damaged.length + failed.length > 0) return `${did}${gone}`
  if (moved + removed + unnamed === 0)
    return `${did}The folder "blobs" in DATA_DIR contains no files. If it should, check DATA_DIR. Otherwise you can delete the folder.\n`
  return unnamed === 0
    ? `${did}${gone}All files of the folder "blobs" in DATA_DIR are in S3: you can delete the folder.\n`
    : `${did}${gone}All files that the database refers to are in S3. ${files(unnamed)} that it does not refer to (yet) stay in the folder "blobs" in DATA_DIR: for two days after their upload, while a backup runs, and for a week after a restore. Run the same command again then; afterwards you can delete the folder.\n`
}

/** Why the command's work is incomplete, and what to do about it. */
function complaintAbout({ outcome, damaged, failed }: Summary, signal: unknown): string | undefined {
  if (outcome === 'stopped') return `Stopped by ${signal}. Run the same command to continue.`
  const damage = `${files(damaged.length)} ${damaged.length === 1 ? 'is' : 'are'} damaged`
  const stay = [
    ...(damaged.length > 0 ? [`${damage}: restore from a backup into the folder.`] : []),
    ...(failed.length > 0 ? [`${files(failed.length)} could not be moved.`] : []),
  ]
  return stay.length === 0 ? undefined : [...stay, 'Run the same command to try again.'].join(' ')
}
