import type { Command } from 'commander'
import type { Services } from '../app.ts'
import { SettingError } from '../config.ts'
import { CommandError, type Context, withServices } from './context.ts'
import { counted, createProgress } from './progress.ts'

type Summary = Awaited<ReturnType<NonNullable<Services['moving']>['run']>>

export function addBlobs(program: Command, context: Context): void {
  program
    .command('blobs')
    .description('Where the files are.')
    .command('move')
    .description(
      'Move the files from the folder in DATA_DIR to the S3 store in BLOBS_URL while the service runs. Restart all nodes with BLOBS_URL first. The same command goes on where it was interrupted.',
    )
    .option('--json', 'print the result as JSON')
    .action((options: { json?: boolean }) => move(context, options))
}

async function move(context: Context, options: { json?: boolean }): Promise<void> {
  const stop = new AbortController()
  const stopRequested = context.untilStopRequested()
  const summary = await withServices(context, async ({ moving, blobs, clock }) => {
    if (moving === undefined) throw new SettingError('BLOBS_URL', 'must say where the files are to go')
    // What is wrong with the store is told in one line, and not with each file.
    await blobs.prove()
    const bar = createProgress(context, clock)
    void stopRequested.then(signal => {
      bar.say(`Stopping (${signal}), once the files under way are through.`)
      stop.abort(signal)
    })
    try {
      return await moving.run({
        stop: stop.signal,
        onProgress: (done, total) => bar.show('files', done, total),
        onLeft: (blob, reason) => bar.say(`${blob} stays in the folder: ${reason}`),
      })
    } finally {
      bar.end()
    }
  })
  context.print(options.json ? `${JSON.stringify(summary, null, 2)}\n` : textOf(summary))
  const complaint = complaintAbout(summary, stop.signal.reason)
  if (complaint !== undefined) throw new CommandError(complaint)
}

function textOf({ outcome, moved, bytes, unnamed, damaged, failed }: Summary): string {
  const did = `${counted(moved)} files moved, ${counted(Math.ceil(bytes / 1e6))} megabytes.\n`
  if (outcome === 'stopped' || damaged.length + failed.length > 0) return did
  if (moved + unnamed === 0)
    return `${did}The folder "blobs" in DATA_DIR holds no files. If it should, DATA_DIR is not the one that it was. Otherwise the folder can go.\n`
  return unnamed === 0
    ? `${did}All files of the folder "blobs" in DATA_DIR are in S3: it can go.\n`
    : `${did}All files of the folder are in S3 that the database speaks of. ${counted(unnamed)} that it does not speak of are left in the folder "blobs" in DATA_DIR: the clean-up removes them within two days, and then the folder can go.\n`
}

/** Why the command has not done all that it was asked for, and what to do about it. */
function complaintAbout({ outcome, damaged, failed }: Summary, signal: unknown): string | undefined {
  if (outcome === 'stopped') return `Stopped by ${signal}. The same command goes on from there.`
  const stay = [
    ...(damaged.length > 0
      ? [`${counted(damaged.length)} files are damaged: restore them from a backup into the folder.`]
      : []),
    ...(failed.length > 0 ? [`${counted(failed.length)} files could not be moved.`] : []),
  ]
  return stay.length === 0 ? undefined : [...stay, 'The same command tries them again.'].join(' ')
}
