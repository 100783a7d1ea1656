import type { Command } from 'commander'
import { spellEmail } from '../../core/email.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

/** Commands for the people who run the board: the first operator is invited here, and this is the way back in. */
export function addOperator(program: Command, context: Context): void {
  const operator = program
    .command('operator')
    .description('Manage the people who run this service on the pages under /operator.')

  operator
    .command('invite')
    .description('Invite an operator. The link is printed once; it works once, for seven days.')
    .argument('<email>', 'address of the person; no one else can use the invitation')
    .option('--viewer', 'may see everything there, and change nothing')
    .option('--json', 'print JSON')
    .action((email: string, options: { viewer?: boolean; json?: boolean }) =>
      withServices(context, async ({ operators }, config) => {
        // Derived as the service does; a port that the service chooses itself is unknown here.
        const authUrl = config.AUTH_URL ?? config.BASE_URL ?? `http://localhost:${config.PORT}`
        const result = await operators.invite(email, options.viewer ? 'viewer' : 'operator', authUrl)
        if (result.outcome === 'invalid')
          throw new CommandError(result.errors.map(({ message }) => message).join(' '), exitCodes.usage)
        const { outcome: _, expiresAt, ...rest } = result
        const shown = { ...rest, expiresAt: isoTime(expiresAt) }
        context.print(options.json ? `${JSON.stringify(shown)}\n` : `${result.url}\n`)
      }),
    )

  operator
    .command('list')
    .description('List operators and viewers, including open invitations.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withServices(context, async ({ operators }) => {
        const rows = [
          ...(await operators.list()).map(({ email, role, since }) => ({
            ...{ email, role, since: isoTime(since), invitedUntil: null },
          })),
          ...(await operators.listInvitations()).map(({ email, role, expiresAt }) => ({
            ...{ email, role, since: null, invitedUntil: isoTime(expiresAt) },
          })),
        ]
        const whenEmpty = 'No operators yet. Invite one with: dossier operator invite <email>'
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  operator
    .command('remove')
    .description('Remove an operator or viewer, starting with the next request, or withdraw an invitation.')
    .argument('<email>', 'the address that "operator list" shows')
    .action((email: string) =>
      withServices(context, async ({ operators }) => {
        const change = await operators.removeByEmail(email, { mayBeLast: true })
        if (change === 'missing')
          throw new CommandError(`No operator or invitation has the address ${email}.`, exitCodes.notFound)
        context.print(
          change === 'taken-back' ? `Withdrew the invitation to ${email}.\n` : `Removed ${email}.\n`,
        )
      }),
    )

  operator
    .command('reset-factor')
    .description(
      'Remove the app, the passkeys and the recovery codes of an operator or viewer who has lost them. They set up another when they next sign in.',
    )
    .argument('<email>', 'the address that "operator list" shows')
    .action((email: string) =>
      withServices(context, async ({ operators, factors }) => {
        const operator = (await operators.list()).find(each => each.email === spellEmail(email))
        if (operator === undefined)
          throw new CommandError(`No operator has the address ${email}.`, exitCodes.notFound)
        if (!(await factors.reset(operator.candidateId)))
          throw new CommandError(`${email} has no second factor.`, exitCodes.notFound)
        context.print(`Removed the second factor of ${email}.\n`)
      }),
    )
}
