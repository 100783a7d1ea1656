import { InvalidArgumentError } from 'commander'
import type { AuditScope } from '../../platform/audit/acts.ts'
import type { ChainHead } from '../../platform/audit/ports.ts'
import { csvCells, csvHead, entryJson } from '../../platform/audit/rendering.ts'
import {
  choice,
  defaultOption,
  numericId,
  option,
  pointInTime,
  repeatedOption,
} from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { CommandError } from '../../platform/cli/command-error.ts'
import { isoTime } from '../../platform/cli/table.ts'
import { byteOrderMark, csvLine } from '../../platform/web/csv.ts'

const filter = {
  scope: option('<scope>', '"board", or the ID of an advertiser (default: all)', auditScope),
  from: option('<time>', 'from this time on: a day (00:00 UTC) or a time with a zone', pointInTime),
  to: option('<time>', 'before this time', pointInTime),
  actor: option('<actor>', 'a kind of actor, such as operator, or the ID of one'),
  action: option('<action>', 'an action, such as credential.revoke, or its first word'),
}

export const audit = group(
  'Show, verify and export the audit log: who did what, in a chain per company and for the board.',
  {
    list: command({
      about: 'List entries, newest first.',
      options: { ...filter, limit: defaultOption('<number>', 'at most so many', 100, numericId) },
      run: ({ audit }, { scope, limit, ...filter }) => audit.auditLog.list(scope, filter, undefined, limit),
      prints: {
        rows: entries =>
          entries.map(({ at, scope, number, actorKind, actorId, proof, action, ...entry }) => ({
            at: isoTime(at),
            scope: scope === 0 ? 'board' : scope,
            number,
            actor: `${actorKind}:${actorId}`,
            proof,
            action,
            target: entry.target,
            before: entry.before,
            after: entry.after,
          })),
        json: entries => entries.map(entryJson),
        whenEmpty: 'No entries match.',
      },
    }),
    export: command({
      about: 'Print entries chain by chain, oldest first. The export is an entry itself.',
      options: { ...filter, format: choice('<format>', 'the format', ['ndjson', 'csv'], 'ndjson') },
      async run({ audit }, { scope, format, ...filter }, { print }) {
        await audit.auditLog.record({
          action: 'audit.export',
          scope: scope ?? 'board',
          target: 'audit:0',
          after: { form: format },
        })
        if (format === 'csv') print(byteOrderMark + csvLine(csvHead))
        for await (const entry of audit.auditLog.read(scope, filter))
          print(format === 'csv' ? csvLine(csvCells(entry)) : `${JSON.stringify(entryJson(entry))}\n`)
      },
    }),
    verify: command({
      about: 'Check every hash, and that the chains still have the heads that were noted beside the files.',
      options: {
        head: repeatedOption(
          '<scope:number:hash>',
          'a head from the log of the service that must still be there; may be repeated',
          headOf,
        ),
      },
      async run({ audit, platform }, { head }, { print }) {
        const { chains, entries, faults, lost, dropped, notedAt } = await audit.auditLog.verify(head)
        print(describeDropped(dropped) + describeNote(notedAt, platform.clock()))
        for (const { scope, number, what } of faults)
          print(
            `${chainName(scope)}: ${what === 'unrecorded' ? 'no drop' : `entry ${number}`} ${faultTexts[what]}.\n`,
          )
        for (const { scope, number, setBackAt } of lost)
          print(
            setBackAt === undefined
              ? `${chainName(scope)}: entry ${number}, which was noted outside the database, is missing or another one: the chain was cut or rewritten.\n`
              : `${chainName(scope)}: entry ${number}, which was noted outside the database, was lost when the database was set back on ${isoTime(setBackAt)}.\n`,
          )
        const isCut = lost.some(({ setBackAt }) => setBackAt === undefined)
        if (faults.length > 0 || isCut) throw new CommandError('The audit log is not whole.')
        return { entries, chains }
      },
      prints: ({ entries, chains }) => `The audit log is whole: ${entries} entries in ${chains} chains.`,
    }),
  },
)

const faultTexts = {
  changed: 'was changed',
  missing: 'is missing',
  added: 'was added beside the service, or the head of its chain was removed',
  cut: 'and those after it are missing',
  unlinked: 'does not continue the entry before it',
  seal: 'does not fit the seal of its month',
  unrecorded:
    'on record fits the months that are marked as dropped: one was marked, or changed, beside the service',
  early:
    'drops months that were not older than AUDIT_MONTHS then: it was added beside the service, or AUDIT_MONTHS was lower',
}

const describeDropped = (months: readonly string[]) =>
  months.length === 0 ? 'No month was dropped.\n' : `Dropped after AUDIT_MONTHS: ${months.join(', ')}.\n`

function describeNote(at: number | undefined, now: number): string {
  if (at === undefined)
    return 'No heads are noted beside the files, so a chain that was cut at its end is not found. Give --head from the log of the service.\n'
  const hours = Math.max(0, Math.floor((now - at) / 3_600_000))
  return `Compared with the heads noted beside the files on ${isoTime(at)}, ${hours === 1 ? '1 hour' : `${hours} hours`} ago.\n`
}

const chainName = (scope: number) => (scope === 0 ? 'The board' : `Advertiser ${scope}`)

function auditScope(text: string): AuditScope {
  return text === 'board' ? 'board' : { ownerId: numericId(text) }
}

function headOf(text: string): ChainHead {
  const [, scope = '', number = '', hash = ''] = /^(board|\d+):(\d+):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash === '') throw new InvalidArgumentError('Write it as board:12:<hash> or 10000001:12:<hash>.')
  return { scope: scope === 'board' ? 0 : Number(scope), number: Number(number), hash }
}
