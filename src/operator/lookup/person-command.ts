import { argument, requiredOption } from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { describeErased } from './erased-texts.ts'

const email = argument('the exact address')
const reason = requiredOption(
  '<text>',
  'for the audit log, without names, such as "erasure request 2026-114"',
)

/** For requests by people: the only commands that find a person by an address. */
export const person = group(
  'Find or erase what is stored about an email address, or remove second factors. All of it goes into the audit log.',
  {
    find: command({
      about: 'Print IDs and counts of what is stored about an email address, as JSON.',
      takes: { email },
      options: { reason },
      run: ({ operator: { lookup } }, { email, reason }) => done(lookup.find(email, reason)),
      prints: result => JSON.stringify(result, null, 2),
    }),
    'reset-factor': command({
      about:
        'Remove the passkeys, the app and the recovery codes of a person who has lost them, or whose account was taken over, and end their sessions. The owner gets an email.',
      takes: { email },
      options: { reason },
      async run({ operator: { lookup } }, { email, reason }) {
        if ((await done(lookup.resetFactors(email, reason))) === 'none')
          throw new CommandError(
            `No account with a second factor has the address ${email}.`,
            exitCodes.notFound,
          )
      },
      prints: (_, { email }) => `Removed the second factors of ${email}.`,
    }),
    erase: command({
      about:
        'Erase all applications with this address, except those on hold, and delete the account, at once and permanently.',
      takes: { email },
      options: { reason },
      run: ({ operator: { lookup } }, { email, reason }) => done(lookup.erase(email, reason)),
      prints: erased => describeErased(erased),
    }),
  },
)

/** Returns the result of a lookup or act; a wrong address or reason is wrong usage. */
async function done<T>(
  act: Promise<{ outcome: 'done'; result: T } | { outcome: 'invalid'; errors: { message: string }[] }>,
): Promise<T> {
  const looked = await act
  if (looked.outcome === 'done') return looked.result
  throw new CommandError(looked.errors.map(({ message }) => message).join(' '), exitCodes.usage)
}
