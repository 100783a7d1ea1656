import { argument, flag, repeatedArgument } from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { isoTime } from '../../platform/cli/table.ts'
import { isEmail, normaliseEmail } from '../../platform/core/email.ts'
import type { Modules } from '../../platform/core/modules.ts'

const maxListed = 1000
const giveUpMs = 3 * 86_400_000

const ids = repeatedArgument('IDs that "mail list" shows')
const dead = flag('all failed emails')

/** Commands for the outbox. Deliveries contain no text and no address, so the list shows kinds, times and faults. */
export const mail = group('Manage emails that are waiting, failed or held after a restore.', {
  list: command({
    about: 'List emails that are waiting, failed or held, newest first, with what the mail server said.',
    options: { all: flag('also emails sent in the last days') },
    run: ({ mail }, { all }) =>
      mail.deliveries.list(['waiting', 'dead', 'held', ...(all ? ['sent' as const] : [])], maxListed),
    prints: {
      rows: emails =>
        emails.map(({ id, kind, state, attempts, createdAt, dueAt, fault }) => ({
          id,
          kind,
          state,
          attempts,
          created: isoTime(createdAt),
          next: state === 'waiting' ? isoTime(dueAt) : null,
          fault,
        })),
      whenEmpty: ({ all }) => (all ? 'There are no emails.' : 'No emails are waiting, failed or held.'),
    },
  }),
  retry: command({
    about: 'Send emails that are waiting, failed or held. Those whose link has expired stay as they are.',
    takes: { id: ids },
    options: { dead, held: flag('all emails held after a restore; some may have been sent before') },
    async run({ mail }, input) {
      const chosen = chosenFrom(input)
      if (mail.mailer() === undefined) throw new CommandError('There is no mail server: set SMTP_URL.')
      const due = await mail.deliveries.retryNow(chosen, giveUpMs)
      if (due === 0) throw new CommandError(`${noneFound} ${tooLate}`, exitCodes.notFound)
      const { did } = await mail.deliveries.run()
      return { due, did }
    },
    prints: ({ due, did: { sent = 0, waiting = 0, dead = 0 } }) =>
      `${due} to send again: ${sent} sent, ${waiting} still waiting, ${dead} failed.`,
  }),
  drop: command({
    about: 'Remove emails without sending them.',
    takes: { id: ids },
    options: { dead, held: flag('all emails held after a restore') },
    async run({ mail }, input) {
      const dropped = await mail.deliveries.drop(chosenFrom(input))
      if (dropped === 0) throw new CommandError(noneFound, exitCodes.notFound)
      return dropped
    },
    prints: dropped => `Dropped ${dropped === 1 ? '1 email' : `${dropped} emails`}.`,
  }),
  lift: command({
    about: 'Send emails again to an account whose address has rejected them.',
    takes: { accountId: argument('the ID that the page "Email" under /operator shows') },
    async run({ upkeep }, { accountId }) {
      if (!(await upkeep.board.liftRefusal(accountId)))
        throw new CommandError('No account with this ID has a rejected address.', exitCodes.notFound)
    },
    prints: () => 'Emails are sent to this account again.',
  }),
  test: command({
    about: 'Send an email to this address now and print what the mail server says.',
    takes: { address: argument('a mailbox of yours') },
    async run(app, { address }) {
      const to = normaliseEmail(address)
      if (isEmail(to)) return sendTest(app, to)
      throw new CommandError('Enter an email address such as name@example.com.', exitCodes.usage)
    },
    prints: text => text,
  }),
})

const noneFound = 'No such email is waiting, failed or held.'
const tooLate = 'Most emails about an account are not sent after their time.'

interface Choice {
  id: string[]
  dead: boolean
  held: boolean
}

function chosenFrom({ id, dead, held }: Choice): string[] | 'dead' | 'held' {
  if (Number(dead) + Number(held) + Number(id.length > 0) !== 1)
    throw new CommandError('Name IDs, or use --dead or --held.', exitCodes.usage)
  return dead ? 'dead' : held ? 'held' : id
}

async function sendTest({ mail, operator }: Modules, to: string): Promise<string> {
  if (mail.mailer() === undefined) throw new CommandError('There is no mail server: set SMTP_URL.')
  const result = await operator.acts.sendTestMail(to)
  if (result.outcome === 'sent') return `The mail server accepted an email to ${to}.`
  const words = 'words' in result ? result.words : ''
  throw new CommandError(
    result.outcome === 'dead'
      ? `The mail server rejected the email: ${words}`
      : `The email could not be sent: ${words}`,
  )
}
