import { advertiserId } from '../../companies/advertiser-argument.ts'
import { argument, flag, numericId } from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { CommandError } from '../../platform/cli/command-error.ts'

export const application = group('Manage applications.', {
  erase: command({
    about: 'Remove all personal data from an application, immediately and permanently. ID and date stay.',
    takes: { advertiserId, applicationId: argument('ID of the application', numericId) },
    options: { json: flag('print JSON') },
    async run({ collect, upkeep }, { advertiserId, applicationId, json }, { print }) {
      const erased = await collect.erasure.erase(advertiserId, applicationId)
      print(
        json
          ? `${JSON.stringify({ advertiserId, applicationId, ...erased })}\n`
          : `${inWords(applicationId, erased)}\n`,
      )
      // Also removes the bytes, unless a resume in the candidate's account shares them. If another process is running
      // the clean-up, it removes them.
      const { outcome } = await upkeep.work.run('clean-up')
      if (outcome === 'failed')
        throw new CommandError(
          'The bytes of its files have not been removed yet; background work will try again.',
        )
    },
  }),
})

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
