import type { Command } from 'commander'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, withServices } from '../terminal/context.ts'

export function addApplication(program: Command, context: Context): void {
  const application = program.command('application').description('Applications that advertisers have.')

  application
    .command('erase')
    .description('Remove everything personal from an application, at once and for good. ID and date stay.')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .argument('<applicationId>', 'ID of the application', numericId)
    .option('--json', 'print JSON')
    .action((advertiserId: number, applicationId: number, options: { json?: boolean }) =>
      withServices(context, async ({ erasure, work }) => {
        const erased = await erasure.erase(advertiserId, applicationId)
        context.print(
          options.json
            ? `${JSON.stringify({ advertiserId, applicationId, ...erased })}\n`
            : `${inWords(applicationId, erased)}\n`,
        )
        // The bytes, too, unless a resume in the candidate's account has them as well. If another process is at it,
        // that one removes them.
        const { outcome } = await work.run('clean-up')
        if (outcome === 'failed')
          throw new CommandError(
            'The bytes of its files are not removed yet; the background work tries again.',
          )
      }),
    )
}

function inWords(
  applicationId: number,
  { files, hadScreen, wasErased }: { files: number; hadScreen: boolean; wasErased: boolean },
): string {
  if (wasErased) return `Application ${applicationId} was erased before. There was nothing left to remove.`
  const parts = [
    'the contact details',
    files === 1 ? '1 file' : `${files} files`,
    ...(hadScreen ? ['the answers'] : []),
  ]
  return `Application ${applicationId} is erased: ${parts.join(', ')}. Its ID, its date and its reference stay.`
}
