import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AuditFilter, ChainHead } from '../../audit/ports.ts'
import { csvCells, csvHead, entryJson } from '../../audit/rendering.ts'
import type { AuditScope } from '../../model/audit.ts'
import { byteOrderMark, csvLine } from '../../web/csv.ts'
import { numericId, pointInTime } from '../terminal/arguments.ts'
import { CommandError, type Context, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

interface Options extends AuditFilter {
  scope?: AuditScope
  limit: number
  json?: boolean
  format: 'ndjson' | 'csv'
}

export function addAudit(program: Command, context: Context): void {
  const audit = program
    .command('audit')
    .description(
      'Show, verify and export the audit log: who did what, in a chain per company and for the board.',
    )
  const filtered = (name: string, description: string) =>
    audit
      .command(name)
      .description(description)
      .option('--scope <scope>', '"board", or the ID of an advertiser (default: all)', auditScope)
      .option('--from <time>', 'from this time on: a day (00:00 UTC) or a time with a zone', pointInTime)
      .option('--to <time>', 'before this time', pointInTime)
      .option('--actor <actor>', 'a kind of actor, such as operator, or the ID of one')
      .option('--action <action>', 'an action, such as credential.revoke, or its first word')

  filtered('list', 'List entries, newest first.')
    .option('--limit <number>', 'at most so many', numericId, 100)
    .option('--json', 'print JSON')
    .action(({ scope, limit, json, ...filter }: Options) =>
      withServices(context, async ({ auditLog }) => {
        const entries = await auditLog.list(scope, filter, undefined, limit)
        const rows = entries.map(entry => ({
          ...{
            at: isoTime(entry.at),
            scope: entry.scope === 0 ? 'board' : entry.scope,
            number: entry.number,
          },
          ...{ actor: `${entry.actorKind}:${entry.actorId}`, proof: entry.proof, action: entry.action },
          ...{ target: entry.target, before: entry.before, after: entry.after },
        }))
        const shown = json ? entries.map(entryJson) : rows
        context.print(formatList(shown, { json: json === true, whenEmpty: 'No entries match.' }))
      }),
    )

  filtered('export', 'Print entries chain by chain, oldest first. The export is an entry itself.')
    .addOption(new Option('--format <format>', 'the format').choices(['ndjson', 'csv']).default('ndjson'))
    .action(({ scope, format, ...filter }: Options) =>
      withServices(context, async ({ auditLog }) => {
        await auditLog.record({
          ...{ action: 'audit.export', scope: scope ?? 'board', target: 'audit:0', after: { form: format } },
        })
        if (format === 'csv') context.print(byteOrderMark + csvLine(csvHead))
        for await (const entry of auditLog.read(scope, filter))
          context.print(format === 'csv' ? csvLine(csvCells(entry)) : `${JSON.stringify(entryJson(entry))}\n`)
      }),
    )

  audit
    .command('verify')
    .description(
      'Check every hash, and that the chains still have the heads that were noted beside the files.',
    )
    .option(
      '--head <scope:number:hash>',
      'a head from the log of the service that must still be there; may be repeated',
      (text: string, before: ChainHead[] = []) => [...before, headOf(text)],
    )
    .action((options: { head?: ChainHead[] }) =>
      withServices(context, async ({ auditLog }) => {
        const { chains, entries, faults, lost } = await auditLog.verify(options.head)
        for (const { scope, number, what } of faults)
          context.print(`${chainName(scope)}: entry ${number} ${faultTexts[what]}.\n`)
        for (const { scope, number, setBackAt } of lost)
          context.print(
            setBackAt === undefined
              ? `${chainName(scope)}: entry ${number}, which was noted outside the database, is missing or another one: the chain was cut or rewritten.\n`
              : `${chainName(scope)}: entry ${number}, which was noted outside the database, was lost when the database was set back on ${isoTime(setBackAt)}.\n`,
          )
        const isCut = lost.some(({ setBackAt }) => setBackAt === undefined)
        if (faults.length > 0 || isCut) throw new CommandError('The audit log is not whole.')
        context.print(`The audit log is whole: ${entries} entries in ${chains} chains.\n`)
      }),
    )
}

const faultTexts = {
  changed: 'was changed',
  missing: 'is missing',
  added: 'was added beside the service',
  cut: 'and those after it are missing',
  unlinked: 'does not continue the entry before it',
  seal: 'does not fit the seal of its month',
}

const chainName = (scope: number) => (scope === 0 ? 'The board' : `Advertiser ${scope}`)

const auditScope = (text: string): AuditScope =>
  text === 'board' ? 'board' : { advertiserId: numericId(text) }

function headOf(text: string): ChainHead {
  const [, scope = '', number = '', hash = ''] = /^(board|\d+):(\d+):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash === '') throw new InvalidArgumentError('Write it as board:12:<hash> or 10000001:12:<hash>.')
  return { scope: scope === 'board' ? 0 : Number(scope), number: Number(number), hash }
}
