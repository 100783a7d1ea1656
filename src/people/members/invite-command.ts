import { type AgentRole, agentRoles, type Role, roles } from '../../model/principal.ts'
import { argument, choice, flag, numericId } from '../../platform/cli/arguments.ts'
import { command } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { isoTime } from '../../platform/cli/table.ts'
import type { Modules } from '../../platform/core/modules.ts'

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
export function peopleCommands(kind: Kind) {
  const { an, pages, roles, roleHelp } = kinds[kind]
  const id = argument(`ID of the ${kind}`, numericId)
  return {
    invite: command({
      about: `Invite a person to ${pages}. The link is shown once, or sent by email.`,
      takes: { id, email: argument('address of the person; no one else can use the invitation') },
      options: {
        role: choice('<role>', roleHelp, roles, 'admin'),
        mail: flag('send the link by email instead of printing it'),
      },
      async run(app, { id, email, role, mail }) {
        if (mail && app.platform.config.SMTP_URL === undefined)
          throw new CommandError(
            'There is no mail server: set SMTP_URL, or leave out --mail to print the link.',
          )
        const by = {
          mailer: mail ? app.mail.mailer() : undefined,
          authUrl: () => authUrlOf(app.platform.config),
        }
        // The option allows only the roles of its kind.
        const result =
          kind === 'agent'
            ? await app.accounts.agentInvitations(by).invite(id, email, role as AgentRole)
            : await app.accounts.invitations(by).invite(id, email, role as Role)
        if (result.outcome === 'not-sent')
          throw new CommandError(
            'The email could not be sent, so no one was invited. The line above says why.',
          )
        if (result.outcome !== 'invalid') return result
        const isWrongAddress = result.errors.some(({ code }) => code === 'empty' || code === 'not-an-email')
        throw new CommandError(
          result.errors.map(({ message }) => message).join(' '),
          isWrongAddress ? exitCodes.usage : exitCodes.failed,
        )
      },
      prints: {
        line: result =>
          result.outcome === 'sent' ? `Sent an invitation to ${result.email}.` : printsLink.line(result),
        json: result => (result.outcome === 'sent' ? { sentTo: result.email } : printsLink.json(result)),
      },
    }),
    people: command({
      about: `List the people of ${an}, including open invitations.`,
      takes: { id },
      run: async (app, { id }) => membersOf(app, kind).peopleOf(id),
      prints: {
        rows: ({ colleagues, invitations }) => [
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
        ],
        whenEmpty: ({ id }) => `No people yet. Invite an admin with: dossier ${kind} invite ${id} <email>`,
      },
    }),
    'remove-person': command({
      about: `Remove a person from ${an}, starting with the next request, or withdraw an invitation.`,
      takes: { id, email: argument(`the address that "${kind} people" shows`) },
      options: { force: flag('even if it is the last admin') },
      async run(app, { id, email, force }) {
        const change = await membersOf(app, kind).removeByEmail(id, email, { mayBeLast: force })
        if (change === 'missing')
          throw new CommandError(
            `No member or invitation of ${kind} ${id} has the address ${email}.`,
            exitCodes.notFound,
          )
        if (change === 'last-admin')
          throw new CommandError(
            `${email} is the last admin of ${kind} ${id}. Invite another first, or use --force.`,
          )
        return change
      },
      prints: removalText,
    }),
  }
}

/** Derived as the service does; a port that the service chooses itself is unknown here. */
export const authUrlOf = ({ AUTH_URL, BASE_URL, PORT }: Modules['platform']['config']) =>
  AUTH_URL ?? BASE_URL ?? `http://localhost:${PORT}`

/** A link is shown once. */
export const printsLink = {
  line: ({ url }: { url: string }) => url,
  json: ({ outcome: _, expiresAt, ...rest }: { url: string; outcome: string; expiresAt: number }) => ({
    ...rest,
    expiresAt: isoTime(expiresAt),
  }),
}

export const removalText = (change: string, { email }: { email: string }) =>
  change === 'taken-back' ? `Withdrew the invitation to ${email}.` : `Removed ${email}.`

const membersOf = (app: Modules, kind: Kind) =>
  kind === 'agent' ? app.accounts.agentMembers : app.accounts.members
