import { authUrlOf, printsLink, removalText } from '../../people/members/invite-command.ts'
import { argument, flag } from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { isoTime } from '../../platform/cli/table.ts'
import { normaliseEmail } from '../../platform/core/email.ts'

const email = argument('the address that "operator list" shows')

/** Commands for the people who run the board: they invite the first operator, and are the way back in. */
export const operator = group('Manage the people who run this service on the pages under /operator.', {
  invite: command({
    about: 'Invite an operator. The link is printed once; it works once, for seven days.',
    takes: { email: argument('address of the person; no one else can use the invitation') },
    options: { viewer: flag('may see everything there, and change nothing') },
    async run({ accounts, platform }, { email, viewer }) {
      const result = await accounts.operators.invite(
        email,
        viewer ? 'viewer' : 'operator',
        authUrlOf(platform.config),
      )
      if (result.outcome !== 'invalid') return result
      throw new CommandError(result.errors.map(({ message }) => message).join(' '), exitCodes.usage)
    },
    prints: printsLink,
  }),
  list: command({
    about: 'List operators and viewers, including open invitations.',
    run: async ({ accounts }) => ({
      members: await accounts.operators.list(),
      invitations: await accounts.operators.listInvitations(),
    }),
    prints: {
      rows: ({ members, invitations }) => [
        ...members.map(({ email, role, since }) => ({
          email,
          role,
          since: isoTime(since),
          invitedUntil: null,
        })),
        ...invitations.map(({ email, role, expiresAt }) => ({
          email,
          role,
          since: null,
          invitedUntil: isoTime(expiresAt),
        })),
      ],
      whenEmpty: 'No operators yet. Invite one with: dossier operator invite <email>',
    },
  }),
  remove: command({
    about: 'Remove an operator or viewer, starting with the next request, or withdraw an invitation.',
    takes: { email },
    async run({ accounts }, { email }) {
      const change = await accounts.operators.removeByEmail(email, { mayBeLast: true })
      if (change !== 'missing') return change
      throw new CommandError(`No operator or invitation has the address ${email}.`, exitCodes.notFound)
    },
    prints: removalText,
  }),
  'reset-factor': command({
    about:
      'Remove the app, the passkeys and the recovery codes of an operator or viewer who has lost them. They set up another when they next sign in.',
    takes: { email },
    async run({ accounts, mail }, { email }) {
      const operator = (await accounts.operators.list()).find(each => each.email === normaliseEmail(email))
      if (operator === undefined)
        throw new CommandError(`No operator has the address ${email}.`, exitCodes.notFound)
      const { securityMail } = accounts.accountLinks(mail.mailer())
      const { candidateId } = operator
      if (
        !(await accounts.factors.reset(candidateId, 'operator', securityMail(candidateId, 'factors-reset')))
      )
        throw new CommandError(`${email} has no second factor.`, exitCodes.notFound)
    },
    prints: (_, { email }) => `Removed the second factor of ${email}.`,
  }),
  link: command({
    about: 'Link the account of an operator or viewer to their identity at the OpenID provider of operators.',
    takes: { email, subject: argument('the "sub" that the provider has for the person') },
    async run({ accounts, mail }, { email, subject }) {
      const operator = (await accounts.operators.list()).find(each => each.email === normaliseEmail(email))
      if (operator === undefined)
        throw new CommandError(`No operator has the address ${email}.`, exitCodes.notFound)
      const { candidateId } = operator
      const [provider] = await accounts.providers.offeredTo(candidateId)
      if (provider === undefined) throw new CommandError('OPERATOR_OIDC_ISSUER is not set.', exitCodes.usage)
      const mails = accounts.accountLinks(mail.mailer()).securityMail(candidateId, 'provider-linked')
      const linked = await accounts.providers.linkOperator(candidateId, provider.key, subject, mails)
      if (linked === 'taken')
        throw new CommandError('Another account is linked to that identity.', exitCodes.failed)
      if (linked === 'has-one')
        throw new CommandError(`${email} is linked to another identity.`, exitCodes.failed)
    },
    prints: (_, { email }) => `Linked ${email}.`,
  }),
})
