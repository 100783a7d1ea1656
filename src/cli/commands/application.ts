import type { Command } from 'commander'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, withServices } from '../terminal/context.ts'

export function addApplication(program: Command, context: Context): void {
  const application = program.command('application').description('Manage applications.')

  application
    .command('erase')
    .description(
      'Remove all personal data from an application, immediately and permanently. ID and date stay.',
    )
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
        // Also removes the bytes, unless a resume in the candidate's account shares them. If another process is running
        // the clean-up, it removes them.
        const { outcome } = await work.run('clean-up')
        if (outcome === 'failed')
          throw new CommandError(
            'The bytes of its files have not been removed yet; background work will try again.',
          )
      }),
    )
}

function inWords(
  applicationId: number,
  { files, hadScreen, wasErased }: { files: number; hadScreen: boolean; wasErased: boolean },
): string {
  if (wasErased) return `Application ${applicationId} has been erased before. There was nothing to remove.`
  const parts = [
    'the contact details',
    files === 1 ? '1 file' : `${files} files`,
    ...(hadScreen ? ['the answers'] : []),
  ]
  return `Erased application ${applicationId}: ${parts.join(', ')}. Its ID, date and reference stay.`
}
