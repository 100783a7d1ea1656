import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import type { openPersonLookup } from '../../assembly/operator/lookup.ts'
import { lookupTexts } from '../../operator/lookup/texts.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'

type Lookup = ReturnType<typeof openPersonLookup>

/** For requests of people who ask for erasure: the only commands that find a person by an address. */
export function addPerson(program: Command, context: Context): void {
  const person = program
    .command('person')
    .description('Find or erase what is stored about an email address. Both go into the audit log.')

  const reason = [
    '--reason <text>',
    'for the audit log, without names, such as "erasure request 2026-114"',
  ] as const

  person
    .command('find')
    .description('Print IDs and counts of what is stored about an email address, as JSON.')
    .argument('<email>', 'the exact address')
    .requiredOption(...reason)
    .action((email: string, options: { reason: string }) =>
      withServices(context, async services => {
        const found = await done(services, lookup => lookup.find(email, options.reason))
        context.print(`${JSON.stringify(found, null, 2)}\n`)
      }),
    )

  person
    .command('erase')
    .description(
      'Erase all applications with this address, except those on hold, and delete the account, at once and permanently.',
    )
    .argument('<email>', 'the exact address')
    .requiredOption(...reason)
    .action((email: string, options: { reason: string }) =>
      withServices(context, async services => {
        const erased = await done(services, lookup => lookup.erase(email, options.reason))
        context.print(`${lookupTexts.erased(erased)}\n`)
      }),
    )
}

async function done<T>(
  services: Services,
  act: (
    lookup: Lookup,
  ) => Promise<{ outcome: 'done'; result: T } | { outcome: 'invalid'; errors: { message: string }[] }>,
): Promise<T> {
  const { openPersonLookup: open } = await import('../../assembly/operator/lookup.ts')
  const looked = await act(open(services))
  if (looked.outcome === 'done') return looked.result
  throw new CommandError(looked.errors.map(({ message }) => message).join(' '), exitCodes.usage)
}
