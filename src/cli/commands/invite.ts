import { type Command, Option } from 'commander'
import { mailerOf } from '../../assembly/mailer.ts'
import { type Role, roles } from '../../model/principal.ts'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

/** Who may see the data of an advertiser: the first admin comes from here, and invites the others. */
export function addPeople(advertiser: Command, context: Context): void {
  advertiser
    .command('invite')
    .description('Invite somebody to the console of an advertiser. The link is shown once, or sent by mail.')
    .argument('<id>', 'ID of the advertiser', numericId)
    .argument('<email>', 'whom the invitation is for, and nobody else')
    .addOption(
      new Option('--role <role>', 'a recruiter sees applications, an admin sees and changes everything')
        .choices(roles)
        .default('admin'),
    )
    .option('--mail', 'send the link by mail instead of printing it')
    .option('--json', 'print JSON')
    .action((id: number, email: string, options: InviteOptions) => invite(context, id, email, options))

  advertiser
    .command('people')
    .description('List who works for an advertiser, and who is invited.')
    .argument('<id>', 'ID of the advertiser', numericId)
    .option('--json', 'print JSON')
    .action((id: number, options: { json?: boolean }) =>
      withServices(context, async services => {
        const { colleagues, invitations } = await services.members.peopleOf(id)
        const rows = [
          ...colleagues.map(({ email, firstName, lastName, role, since }) => ({
            email,
            name: `${firstName} ${lastName}`.trim(),
            role,
            since: isoTime(since),
            invitedUntil: null,
          })),
          ...invitations.map(({ email, role, expiresAt }) => ({
            email,
            name: null,
            role,
            since: null,
            invitedUntil: isoTime(expiresAt),
          })),
        ]
        const whenEmpty = `Nobody yet. Invite an admin with: dossier advertiser invite ${id} <email>`
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  advertiser
    .command('remove-person')
    .description('Remove somebody from an advertiser from the next request on, or take back an invitation.')
    .argument('<id>', 'ID of the advertiser', numericId)
    .argument('<email>', 'the address that "advertiser people" shows')
    .option('--force', 'also when it is the last admin')
    .action((id: number, email: string, options: { force?: boolean }) =>
      withServices(context, async services => {
        const mayBeLast = options.force === true
        const change = await services.members.removeByEmail(id, email, { mayBeLast })
        if (change === 'missing') {
          throw new CommandError(
            `Nobody with the address ${email} works for advertiser ${id}, or is invited to.`,
            exitCodes.notFound,
          )
        }
        if (change === 'last-admin') {
          throw new CommandError(
            `${email} is the last admin of advertiser ${id}. Invite another first, or remove with --force.`,
          )
        }
        context.print(
          change === 'taken-back' ? `Took back the invitation to ${email}.\n` : `Removed ${email}.\n`,
        )
      }),
    )
}

interface InviteOptions {
  role: Role
  mail?: boolean
  json?: boolean
}

function invite(context: Context, id: number, email: string, options: InviteOptions): Promise<void> {
  return withServices(context, async (services, config) => {
    if (options.mail && config.SMTP_URL === undefined) {
      throw new CommandError('There is no mail server: set SMTP_URL, or leave --mail out to get the link.')
    }
    // As the service works them out; a port that it chooses for itself cannot be known here.
    const authUrl = () => config.AUTH_URL ?? config.BASE_URL ?? `http://localhost:${config.PORT}`
    const mailer = options.mail ? mailerOf(config, services, { isDemo: false, authUrl }) : undefined
    const result = await services.invitations({ mailer, authUrl }).invite(id, email, options.role)
    if (result.outcome === 'invalid') {
      const isWrongAddress = result.errors.some(({ code }) => code === 'empty' || code === 'not-an-email')
      throw new CommandError(
        result.errors.map(told => told.message).join(' '),
        isWrongAddress ? exitCodes.usage : exitCodes.failed,
      )
    }
    if (result.outcome === 'not-sent') {
      throw new CommandError('The mail was not sent, so nobody is invited. The line above says why.')
    }
    if (result.outcome === 'sent') {
      const { email: to } = result
      context.print(options.json ? `${JSON.stringify({ sentTo: to })}\n` : `Sent an invitation to ${to}.\n`)
      return
    }
    const { outcome, expiresAt, ...told } = result
    const shown = { ...told, expiresAt: isoTime(expiresAt) }
    context.print(options.json ? `${JSON.stringify(shown)}\n` : `${result.url}\n`)
  })
}
