import { type Command, Option } from 'commander'
import { type Role, roles } from '../../model/principal.ts'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

/** Commands for the people of an advertiser: the operator invites the first admin, who invites the others. */
export function addPeople(advertiser: Command, context: Context): void {
  advertiser
    .command('invite')
    .description('Invite a person to the console of an advertiser. The link is shown once, or sent by email.')
    .argument('<id>', 'ID of the advertiser', numericId)
    .argument('<email>', 'address of the person; no one else can use the invitation')
    .addOption(
      new Option('--role <role>', 'a recruiter sees applications, an admin sees and changes everything')
        .choices(roles)
        .default('admin'),
    )
    .option('--mail', 'send the link by email instead of printing it')
    .option('--json', 'print JSON')
    .action((id: number, email: string, options: InviteOptions) => invite(context, id, email, options))

  advertiser
    .command('people')
    .description('List the people of an advertiser, including open invitations.')
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
        const whenEmpty = `No people yet. Invite an admin with: dossier advertiser invite ${id} <email>`
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  advertiser
    .command('remove-person')
    .description(
      'Remove a person from an advertiser, starting with the next request, or withdraw an invitation.',
    )
    .argument('<id>', 'ID of the advertiser', numericId)
    .argument('<email>', 'the address that "advertiser people" shows')
    .option('--force', 'even if it is the last admin')
    .action((id: number, email: string, options: { force?: boolean }) =>
      withServices(context, async services => {
        const mayBeLast = options.force === true
        const change = await services.members.removeByEmail(id, email, { mayBeLast })
        if (change === 'missing') {
          throw new CommandError(
            `No member or invitation of advertiser ${id} has the address ${email}.`,
            exitCodes.notFound,
          )
        }
        if (change === 'last-admin') {
          throw new CommandError(
            `${email} is the last admin of advertiser ${id}. Invite another first, or use --force.`,
          )
        }
        context.print(
          change === 'taken-back' ? `Withdrew the invitation to ${email}.\n` : `Removed ${email}.\n`,
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
      throw new CommandError('There is no mail server: set SMTP_URL, or leave out --mail to print the link.')
    }
    // Derived as the service does; a port that the service chooses itself is unknown here.
    const authUrl = () => config.AUTH_URL ?? config.BASE_URL ?? `http://localhost:${config.PORT}`
    const mailer = options.mail ? services.mailer() : undefined
    const result = await services.invitations({ mailer, authUrl }).invite(id, email, options.role)
    if (result.outcome === 'invalid') {
      const isWrongAddress = result.errors.some(({ code }) => code === 'empty' || code === 'not-an-email')
      throw new CommandError(
        result.errors.map(({ message }) => message).join(' '),
        isWrongAddress ? exitCodes.usage : exitCodes.failed,
      )
    }
    if (result.outcome === 'not-sent') {
      throw new CommandError('The email could not be sent, so no one was invited. The line above says why.')
    }
    if (result.outcome === 'sent') {
      const { email: to } = result
      context.print(options.json ? `${JSON.stringify({ sentTo: to })}\n` : `Sent an invitation to ${to}.\n`)
      return
    }
    const { outcome, expiresAt, ...rest } = result
    const shown = { ...rest, expiresAt: isoTime(expiresAt) }
    context.print(options.json ? `${JSON.stringify(shown)}\n` : `${result.url}\n`)
  })
}
