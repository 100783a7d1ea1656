import { type Command, Option } from 'commander'
import type { Services } from '../../app.ts'
import { type AgentRole, agentRoles, type Role, roles } from '../../model/principal.ts'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

const kinds = {
  advertiser: {
    an: 'an advertiser',
    pages: 'the console of an advertiser',
    roles,
    roleHelp: 'a recruiter sees applications, an admin sees and changes everything',
  },
  agent: {
    an: 'an agent',
    pages: 'the pages of an agent',
    roles: agentRoles,
    roleHelp: 'a reader sees its pages, an admin sees and changes everything',
  },
} as const
type Kind = keyof typeof kinds

/** Commands for the people of an advertiser or an agent: the operator invites the first admin, who invites the others. */
export function addPeople(command: Command, context: Context, kind: Kind): void {
  const words = kinds[kind]
  const id = `ID of the ${kind}`
  command
    .command('invite')
    .description(`Invite a person to ${words.pages}. The link is shown once, or sent by email.`)
    .argument('<id>', id, numericId)
    .argument('<email>', 'address of the person; no one else can use the invitation')
    .addOption(new Option('--role <role>', words.roleHelp).choices(words.roles).default('admin'))
    .option('--mail', 'send the link by email instead of printing it')
    .option('--json', 'print JSON')
    .action((id: number, email: string, options: InviteOptions) => invite(context, kind, id, email, options))

  command
    .command('people')
    .description(`List the people of ${words.an}, including open invitations.`)
    .argument('<id>', id, numericId)
    .option('--json', 'print JSON')
    .action((id: number, options: { json?: boolean }) =>
      withServices(context, async services => {
        const { colleagues, invitations } = await membersOf(services, kind).peopleOf(id)
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
        const whenEmpty = `No people yet. Invite an admin with: dossier ${kind} invite ${id} <email>`
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  command
    .command('remove-person')
    .description(
      `Remove a person from ${words.an}, starting with the next request, or withdraw an invitation.`,
    )
    .argument('<id>', id, numericId)
    .argument('<email>', `the address that "${kind} people" shows`)
    .option('--force', 'even if it is the last admin')
    .action((id: number, email: string, options: { force?: boolean }) =>
      withServices(context, async services => {
        const mayBeLast = options.force === true
        const change = await membersOf(services, kind).removeByEmail(id, email, { mayBeLast })
        if (change === 'missing') {
          throw new CommandError(
            `No member or invitation of ${kind} ${id} has the address ${email}.`,
            exitCodes.notFound,
          )
        }
        if (change === 'last-admin') {
          throw new CommandError(
            `${email} is the last admin of ${kind} ${id}. Invite another first, or use --force.`,
          )
        }
        context.print(
          change === 'taken-back' ? `Withdrew the invitation to ${email}.\n` : `Removed ${email}.\n`,
        )
      }),
    )
}

const membersOf = (services: Services, kind: Kind) =>
  kind === 'agent' ? services.agentMembers : services.members

interface InviteOptions {
  role: Role | AgentRole
  mail?: boolean
  json?: boolean
}

function invite(
  context: Context,
  kind: Kind,
  id: number,
  email: string,
  options: InviteOptions,
): Promise<void> {
  return withServices(context, async (services, config) => {
    if (options.mail && config.SMTP_URL === undefined) {
      throw new CommandError('There is no mail server: set SMTP_URL, or leave out --mail to print the link.')
    }
    // Derived as the service does; a port that the service chooses itself is unknown here.
    const authUrl = () => config.AUTH_URL ?? config.BASE_URL ?? `http://localhost:${config.PORT}`
    const mailer = options.mail ? services.mailer() : undefined
    // The option allows only the roles of its kind.
    const result =
      kind === 'agent'
        ? await services.agentInvitations({ mailer, authUrl }).invite(id, email, options.role as AgentRole)
        : await services.invitations({ mailer, authUrl }).invite(id, email, options.role as Role)
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
