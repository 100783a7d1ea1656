import type { Command } from 'commander'
import { numericId, pointInTime } from '../terminal/arguments.ts'
import { type Context, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

export function addCredential(program: Command, context: Context): void {
  const credential = program
    .command('credential')
    .description('Manage SWS credentials, which advertisers use to collect their applications.')

  credential
    .command('issue')
    .description('Issue a credential. It is shown once and stored only as a hash.')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .option('--label <label>', 'what it is for', 'command line')
    .option('--expires <time>', 'a day (00:00 UTC) or a time with a zone', pointInTime)
    .option('--json', 'print JSON')
    .action((advertiserId: number, options: { label: string; expires?: number; json?: boolean }) =>
      withServices(context, async services => {
        const { id, value } = await services.credentials.issue(
          advertiserId,
          options.label,
          options.expires ?? null,
        )
        context.print(options.json ? `${JSON.stringify({ id, credential: value })}\n` : `${value}\n`)
      }),
    )

  credential
    .command('list')
    .description('List the credentials of an advertiser, revoked ones included.')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .option('--json', 'print JSON')
    .action((advertiserId: number, options: { json?: boolean }) =>
      withServices(context, async services => {
        const rows = (await services.credentials.list(advertiserId)).map(row => ({
          id: row.id,
          hint: row.hint,
          label: row.label,
          createdAt: isoTime(row.createdAt),
          expiresAt: isoTime(row.expiresAt),
          revokedAt: isoTime(row.revokedAt),
          lastUsedAt: isoTime(row.lastUsedAt),
        }))
        const whenEmpty = `No credentials yet. Issue one with: dossier credential issue ${advertiserId}`
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  credential
    .command('revoke')
    .description('Revoke a credential, starting with the next request.')
    .argument('<credentialId>', 'the ID that "credential list" shows')
    .action((credentialId: string) =>
      withServices(context, async services => {
        const { hint, label } = await services.credentials.revoke(credentialId)
        context.print(`Revoked ${hint} (${label}).\n`)
      }),
    )
}
