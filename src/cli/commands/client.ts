import type { Command } from 'commander'
import { each, eachId, numericId } from '../terminal/arguments.ts'
import { type Context, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

interface AddOptions {
  name: string
  redirectUri?: string[]
  agent?: number
  requirePkce?: boolean
  scope?: string[]
  advertiser?: number[]
  json?: boolean
}

export function addClient(program: Command, context: Context): void {
  const client = program
    .command('client')
    .description(
      'OAuth clients: applications with which candidates share their profile, agents and job boards.',
    )

  client
    .command('add')
    .description('Register a client. Its secret is shown once and stored only as a hash.')
    .argument('<id>', 'its client_id: letters, digits, dots, hyphens and underscores')
    .requiredOption('--name <name>', 'as candidates read it on the consent page')
    .option(
      '--redirect-uri <uri>',
      'where candidates come back to: https, or http on this machine; compared as it stands; may be repeated',
      each,
    )
    .option('--agent <agentId>', 'the agent whose client it is', numericId)
    .option('--require-pkce', 'refuse authorization requests without PKCE')
    .option(
      '--scope <scope>',
      'r_profile_apply; with --agent r_applications; with --advertiser w_applications; may be repeated (default: the first and, with --agent, the second)',
      each,
    )
    .option(
      '--advertiser <advertiserId>',
      'whom a job board (w_applications) may bring applications to; may be repeated',
      eachId,
    )
    .option('--json', 'print JSON')
    .action((id: string, options: AddOptions) =>
      withServices(context, async services => {
        const { client, advertiserIds, secret } = await services.clients.add({
          id,
          name: options.name,
          redirectUris: options.redirectUri ?? [],
          agentId: options.agent ?? null,
          requirePkce: options.requirePkce === true,
          // Several may come as one word, the way that OAuth writes them.
          scopes: options.scope?.flatMap(words => words.split(/[ ,]+/)).filter(Boolean),
          advertiserIds: options.advertiser,
        })
        const { name, agentId, scopes, requirePkce, redirectUris } = client
        const told = { id, secret, name, agentId, scopes, requirePkce, redirectUris, advertiserIds }
        context.print(options.json ? `${JSON.stringify(told)}\n` : `${secret}\n`)
      }),
    )

  client
    .command('list')
    .description('List all clients, disabled ones included.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withServices(context, async services => {
        const isJson = options.json === true
        const inOne = (words: string[]) => (isJson ? words : words.join(' ') || null)
        const rows = (await services.clients.list()).map(row => ({
          id: row.id,
          name: row.name,
          agentId: row.agentId,
          scopes: inOne(row.scopes),
          requirePkce: row.requirePkce,
          secrets: row.secrets,
          createdAt: isoTime(row.createdAt),
          disabledAt: isoTime(row.disabledAt),
          redirectUris: inOne(row.redirectUris),
          advertisers: isJson ? row.advertiserIds : row.advertiserIds.join(' ') || null,
        }))
        const whenEmpty =
          'No clients yet. Add one with: dossier client add <id> --name <name> --redirect-uri <uri>'
        context.print(formatList(rows, { json: isJson, whenEmpty }))
      }),
    )

  client
    .command('allow')
    .description('Let a job board bring applications to an advertiser. Repeating it is harmless.')
    .argument('<clientId>', 'its client_id')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .action((clientId: string, advertiserId: number) =>
      withServices(context, async services => {
        const { client, advertiser } = await services.clients.allow(clientId, advertiserId)
        context.print(`${client.name} may bring applications to ${advertiser.name}.\n`)
      }),
    )

  client
    .command('forbid')
    .description('End that from the next request on.')
    .argument('<clientId>', 'its client_id')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .action((clientId: string, advertiserId: number) =>
      withServices(context, async services => {
        const { client, advertiser } = await services.clients.forbid(clientId, advertiserId)
        context.print(`${client.name} no longer brings applications to ${advertiser.name}.\n`)
      }),
    )

  client
    .command('rotate')
    .description('Issue a new secret, shown once. The newest other one stays valid until the next rotation.')
    .argument('<id>', 'its client_id')
    .option('--only', 'end all other secrets at once, because one has leaked; tokens stay valid')
    .option('--json', 'print JSON')
    .action((id: string, options: { only?: boolean; json?: boolean }) =>
      withServices(context, async services => {
        const { secret } = await services.clients.rotate(id, options.only === true)
        context.print(options.json ? `${JSON.stringify({ id, secret })}\n` : `${secret}\n`)
      }),
    )

  client
    .command('disable')
    .description('Refuse a client for good, and end its codes and tokens at once.')
    .argument('<id>', 'its client_id')
    .action((id: string) =>
      withServices(context, async services => {
        const { name } = await services.clients.disable(id)
        context.print(`${name} (${id}) is disabled; its codes and tokens are dead.\n`)
      }),
    )
}
