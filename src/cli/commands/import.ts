import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import { CommandError, type Context, withServices } from '../terminal/context.ts'
import { counted, createProgress } from '../terminal/progress.ts'

interface Options {
  files?: string
  check?: boolean
  refused?: string
  json?: boolean
}

type Summary = Awaited<ReturnType<Services['imports']['run']>>

export function addImport(program: Command, context: Context): void {
  program
    .command('import <file>')
    .description(
      'Import existing applications with their files: one JSON object per line, imported in the order of their dates. If it is interrupted, run the same command to continue.',
    )
    .option(
      '--files <folder>',
      'folder of the files that the lines name (default: that of the imported file)',
    )
    .option('--check', 'check every line and its files without importing')
    .option('--refused <file>', 'write rejected lines to this file, to be fixed and imported')
    .option('--json', 'print the result as JSON')
    .action((file: string, options: Options) => importFile(context, file, options))
}

async function importFile(context: Context, file: string, options: Options): Promise<void> {
  const isCheck = options.check === true
  const stop = new AbortController()
  const stopRequested = context.untilStopRequested()
  const summary = await withServices(context, async ({ imports, clock }) => {
    const bar = createProgress(context, clock)
    void stopRequested.then(signal => {
      bar.say(`Stopping (${signal}) once the files in progress are done.`)
      stop.abort(signal)
    })
    try {
      return await imports.run({
        path: file,
        filesFolder: options.files,
        isCheck,
        refusedPath: options.refused,
        stop: stop.signal,
        onRefused: ({ line, reason }) => bar.say(`line ${line}: ${reason}`),
        onProgress: ({ phase, done, total }) => {
          if (phase === 'importing') bar.show(isCheck ? 'lines checked' : 'lines done', done, total)
          else bar.show('megabytes read', Math.ceil(done / 1e6), Math.ceil(total / 1e6))
        },
      })
    } finally {
      bar.end()
    }
  })
  context.print(options.json ? `${JSON.stringify(summary, null, 2)}\n` : textOf(summary, isCheck))
  const complaint = complaintAbout(summary, options, stop.signal.reason)
  if (complaint !== undefined) throw new CommandError(complaint)
}

function textOf({ outcome, lines, imported, refused }: Summary, isCheck: boolean): string {
  if (outcome === 'finished-before') {
    return `This file has been imported before: ${counted(imported)} applications, ${counted(refused)} lines rejected.\n`
  }
  if (lines === 0) return outcome === 'stopped' ? '' : 'The file is empty.\n'
  return isCheck
    ? `${counted(imported)} lines can be imported, ${counted(refused)} cannot.\n`
    : `${counted(imported)} applications imported, ${counted(refused)} lines rejected.\n`
}

/** Why the command is incomplete, and what to do about it. */
function complaintAbout(
  { outcome, lines, linesDone, refused }: Summary,
  { refused: refusedPath, check: isCheck }: Options,
  signal: unknown,
): string | undefined {
  switch (outcome) {
    case 'stopped':
      if (lines === 0) return `Stopped by ${signal} while reading the file; nothing was changed.`
      return `Stopped by ${signal} after ${counted(linesDone)} of ${counted(lines)} lines${isCheck ? '; nothing was changed.' : '. Run the same command to continue.'}`
    case 'overtaken':
      return 'Another import of the same file is running, so this one has stopped.'
    case 'finished':
    case 'finished-before':
      if (refused === 0) return undefined
      return refusedPath === undefined
        ? `${counted(refused)} lines were rejected. To write them to a file, fix them and import that, run the same command with --refused <file>.`
        : `${counted(refused)} lines were rejected. Fix them in ${refusedPath} and import that file.`
  }
}
