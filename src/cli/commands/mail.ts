import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import { isEmail, spellEmail } from '../../core/email.ts'
import { newUuid } from '../../core/ids.ts'
import { accountLetters } from '../../people/mail/account-texts.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

const mostListed = 1000
const giveUpMs = 3 * 86_400_000

/** Commands for the outbox. Deliveries hold no text and no address, so the list shows kinds, times and faults. */
export function addMail(program: Command, context: Context): void {
  const mail = program
    .command('mail')
    .description('Manage emails that wait, were given up or are held after a restore.')

  mail
    .command('list')
    .description(
      'List emails that wait, were given up or are held, newest first, with what the mail server said.',
    )
    .option('--all', 'also those that were sent in the last days')
    .option('--json', 'print JSON')
    .action((options: { all?: boolean; json?: boolean }) =>
      withServices(context, async ({ deliveries }) => {
        const states = ['waiting', 'dead', 'held', ...(options.all ? ['sent' as const] : [])] as const
        const rows = (await deliveries.list(states, mostListed)).map(each => ({
          id: each.id,
          kind: each.kind,
          state: each.state,
          attempts: each.attempts,
          created: isoTime(each.createdAt),
          next: each.state === 'waiting' ? isoTime(each.dueAt) : null,
          fault: each.fault,
        }))
        const whenEmpty = options.all ? 'There are no emails.' : 'No emails are waiting, held or given up.'
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  mail
    .command('retry')
    .description(
      'Send emails that wait, were given up or are held. Those whose link has expired stay as they are.',
    )
    .argument('[id...]', 'IDs that "mail list" shows')
    .option('--dead', 'all that were given up')
    .option('--held', 'all that are held after a restore; some may have been sent before')
    .action((ids: string[], options: Choice) =>
      withServices(context, async ({ deliveries, mailer }) => {
        const chosen = chosenFrom(ids, options)
        if (mailer() === undefined) throw new CommandError('There is no mail server: set SMTP_URL.')
        const due = await deliveries.retryNow(chosen, giveUpMs)
        if (due === 0) throw new CommandError(noneFound, exitCodes.notFound)
        const { did } = await deliveries.run()
        const { sent = 0, waiting = 0, dead = 0 } = did
        context.print(`${due} to send again: ${sent} sent, ${waiting} still waiting, ${dead} given up.\n`)
      }),
    )

  mail
    .command('drop')
    .description('Remove emails without sending them.')
    .argument('[id...]', 'IDs that "mail list" shows')
    .option('--dead', 'all that were given up')
    .option('--held', 'all that are held after a restore')
    .action((ids: string[], options: Choice) =>
      withServices(context, async ({ deliveries }) => {
        const dropped = await deliveries.drop(chosenFrom(ids, options))
        if (dropped === 0) throw new CommandError(noneFound, exitCodes.notFound)
        context.print(`Dropped ${dropped === 1 ? '1 email' : `${dropped} emails`}.\n`)
      }),
    )

  mail
    .command('lift')
    .description('Send emails again to an account whose address has rejected them.')
    .argument('<accountId>', 'the ID that the page "Email" under /operator shows')
    .action((accountId: string) =>
      withServices(context, async ({ board }) => {
        if (!(await board.liftRefusal(accountId)))
          throw new CommandError('The address of no such account rejects emails.', exitCodes.notFound)
        context.print('Emails are sent to this account again.\n')
      }),
    )

  mail
    .command('test')
    .description('Send an email to this address now and print what the mail server says.')
    .argument('<address>', 'a mailbox of yours')
    .action((address: string) =>
      withServices(context, async (services, { limits, BOARD_NAME }) => {
        const to = spellEmail(address)
        if (!isEmail(to, limits)) {
          throw new CommandError('Enter an email address such as name@example.com.', exitCodes.usage)
        }
        context.print(`${await sendTest(services, to, BOARD_NAME)}\n`)
      }),
    )
}

const noneFound = 'No such email waits, was given up or is held.'

interface Choice {
  dead?: boolean
  held?: boolean
}

function chosenFrom(ids: string[], { dead = false, held = false }: Choice): string[] | 'dead' | 'held' {
  if (Number(dead) + Number(held) + Number(ids.length > 0) !== 1)
    throw new CommandError('Name IDs, or use --dead or --held.', exitCodes.usage)
  return dead ? 'dead' : held ? 'held' : ids
}

async function sendTest(services: Services, to: string, board: string): Promise<string> {
  if (services.mailer() === undefined) throw new CommandError('There is no mail server: set SMTP_URL.')
  await services.board.record({ action: 'mail.test', scope: 'board', target: 'mail:test' })
  const result = await services.post.send(newUuid(), to, accountLetters.test({}, board))
  if (result.outcome === 'sent') return `The mail server accepted an email to ${to}.`
  const words = 'words' in result ? result.words : ''
  throw new CommandError(
    result.outcome === 'dead'
      ? `The mail server rejected the email: ${words}`
      : `The email could not be sent: ${words}`,
  )
}
