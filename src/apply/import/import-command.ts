import { argument, flag, option } from '../../platform/cli/arguments.ts'
import { type CommandContext, plainCommand } from '../../platform/cli/command.ts'
import { CommandError } from '../../platform/cli/command-error.ts'
import { counted, createProgress } from '../../platform/cli/progress.ts'
import type { Modules } from '../../platform/core/modules.ts'

interface Input {
  file: string
  files: string | undefined
  check: boolean
  refused: string | undefined
  json: boolean
}

type Summary = Awaited<ReturnType<Modules['apply']['imports']['run']>>

export const importCommand = plainCommand({
  about:
    'Import existing applications with their files: one JSON object per line, imported in the order of their dates. If it is interrupted, run the same command to continue.',
  takes: { file: argument('') },
  options: {
    files: option('<folder>', 'folder of the files that the lines name (default: that of the imported file)'),
    check: flag('check every line and its files without importing'),
    refused: option('<file>', 'write rejected lines to this file, to be fixed and imported'),
    json: flag('print the result as JSON'),
  },
  run: importFile,
})

async function importFile(context: CommandContext, input: Input): Promise<void> {
  const { file, files, check: isCheck, refused, json } = input
  const stop = new AbortController()
  const stopRequested = context.untilStopRequested()
  const summary = await context.withModules(async ({ apply, platform }) => {
    const bar = createProgress(context, platform.clock)
    void stopRequested.then(signal => {
      bar.say(`Stopping (${signal}) once the files in progress are done.`)
      stop.abort(signal)
    })
    try {
      return await apply.imports.run({
        path: file,
        filesFolder: files,
        isCheck,
        refusedPath: refused,
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
  context.print(json ? `${JSON.stringify(summary, null, 2)}\n` : textOf(summary, isCheck))
  const complaint = complaintAbout(summary, input, stop.signal.reason)
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

/** Explains why the command is incomplete and how to fix it. */
function complaintAbout(
  { outcome, lines, linesDone, refused }: Summary,
  { refused: refusedPath, check: isCheck }: Input,
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
