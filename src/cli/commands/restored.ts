import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import { reasonOf } from '../../core/reason.ts'
import { describeSettled } from '../../storage/setback/settled-texts.ts'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

type Setback = Services['setback']

export function addRestored(program: Command, context: Context): void {
  program
    .command('restored')
    .description(
      'After restoring the database by other tools: skip IDs, end sessions and tokens, hold emails, erase and revoke again, and print what to look at.',
    )
    .option(
      '--by <number>',
      'how many IDs to skip: more than were assigned since (default: 100000)',
      numericId,
    )
    .option('--list', 'change nothing; only print what to look at')
    .action((options: { by?: number; list?: boolean }) =>
      withServices(context, async ({ database, setback, compareFiles }, { limits }) => {
        const { by = limits.idsRaisedBy } = options
        if (by > limits.idsRaisedMost)
          throw new CommandError(`--by must be ${limits.idsRaisedMost} or less.`, exitCodes.usage)
        if (!options.list) {
          const damage = await database.examine?.(false)
          if (damage !== undefined) throw new CommandError(`The database ${damage}.`)
          const lines = describeSettled(await setback.settle(by), by)
          context.print(`${lines.join('\n')}\n`)
        }
        const list = await setback.checklist()
        const files = await compareFiles().then(
          found => describeFiles(found, limits.restoredKeepDays),
          error => [`The files could not be compared (${reasonOf(error)}): see "dossier doctor".`],
        )
        context.print(describeChecklist(list, files))
      }),
    )
}

export function addIds(program: Command, context: Context): void {
  const ids = program
    .command('ids')
    .description('Manage the IDs of applications, job ads and questionnaires.')

  ids
    .command('raise')
    .description(
      'After restoring a backup: skip IDs that were assigned since it was made and that callers may have seen.',
    )
    .option('--by <number>', 'how many: more than were assigned since (default: 100000)', numericId)
    .action((options: { by?: number }) =>
      withServices(context, async ({ database, raiseIds }, { limits }) => {
        const { by = limits.idsRaisedBy } = options
        if (by > limits.idsRaisedMost)
          throw new CommandError(`--by must be ${limits.idsRaisedMost} or less.`, exitCodes.usage)
        const damage = await database.examine?.(false)
        if (damage !== undefined) throw new CommandError(`The database ${damage}.`)
        await raiseIds(by)
        context.print(`Skipped ${by} IDs of each kind.\n`)
      }),
    )
}

function describeFiles(
  { missing, unnamed }: { missing: number; unnamed: number },
  keepDays: number,
): string[] {
  return [
    ...(missing === 0
      ? []
      : [`Missing files: ${missing}. Restore them from a backup; "dossier doctor" names one.`]),
    ...(unnamed === 0
      ? []
      : [
          `Files that belong to nothing in this database: ${unnamed}. They are removed after ${keepDays} days.`,
        ]),
  ]
}

function describeChecklist(
  list: Awaited<ReturnType<Setback['checklist']>>,
  files: readonly string[],
): string {
  const { restoredAt, heldMails, newest, advertisersWithoutAdmin, clientsWithoutSecret } = list
  if (restoredAt === undefined) return 'This database was never restored.\n'
  const points = [
    ...(heldMails === 0
      ? []
      : [
          `${heldMails} held: "dossier mail list" lists emails, "dossier mail retry --held" sends them, "dossier mail drop --held" removes them.`,
        ]),
    ...advertisersWithoutAdmin.map(
      id => `Advertiser ${id} has no admin: "dossier advertiser invite ${id} <email>".`,
    ),
    ...clientsWithoutSecret.map(id => `Client ${id} has no secret: "dossier client rotate ${id}".`),
    ...files,
    'Passwords, roles and settings are those of the backup. These are the newest of it: check that none was to be ended or changed since.',
  ]
  const rows = newest.map(({ what, id, createdAt }) => ({ what, id, created: isoTime(createdAt) }))
  const table = formatList(rows, { json: false, whenEmpty: 'There are none.' })
  return `\nLook at (restored ${isoTime(restoredAt)}):\n${points.map(point => `- ${point}\n`).join('')}${table}`
}
