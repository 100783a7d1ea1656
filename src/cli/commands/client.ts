import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { reasonOf } from '../../core/reason.ts'
import { each, eachId, numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

interface AddOptions {
  name: string
  redirectUri?: string[]
  agent?: number
  requirePkce?: boolean
  privacyUrl?: string
  scope?: string[]
  advertiser?: number[]
  json?: boolean
}

export function addClient(program: Command, context: Context): void {
  const client = program
    .command('client')
    .description(
      'Manage OAuth clients: applications that candidates share their profile with, agents and job boards.',
    )

  client
    .command('add')
    .description('Register a client. Its secret is shown once and stored only as a hash.')
    .argument('<id>', 'its client_id: letters, digits, dots, hyphens and underscores')
    .requiredOption('--name <name>', 'name that candidates see on the consent page')
    .option(
      '--redirect-uri <uri>',
      'where candidates return to: https, or http on this machine; compared exactly; may be repeated',
      each,
    )
    .option('--agent <agentId>', 'the agent that owns the client', numericId)
    .option('--privacy-url <url>', "the client's privacy notice, linked on the consent page")
    .option('--require-pkce', 'reject authorization requests without PKCE')
    .option(
      '--scope <scope>',
      'r_profile_apply; with --agent r_applications and m_webhooks; with --advertiser w_applications; may be repeated (default: the first and, with --agent, the second)',
      each,
    )
    .option(
      '--advertiser <advertiserId>',
      'an advertiser that a job board (w_applications) may send applications to; may be repeated',
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
          privacyUrl: options.privacyUrl,
          // One option may hold several scopes, as in OAuth.
          scopes: options.scope?.flatMap(words => words.split(/[ ,]+/)).filter(Boolean),
          advertiserIds: options.advertiser,
        })
        const { secretHashes: _, logoHash: _none, disabledAt: _never, ...facts } = client
        const result = { ...facts, secret, advertiserIds }
        context.print(options.json ? `${JSON.stringify(result)}\n` : `${secret}\n`)
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
          privacyUrl: row.privacyUrl,
          hasLogo: row.logoHash !== null,
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
    .description('Allow a job board to send applications to an advertiser. Repeating this is harmless.')
    .argument('<clientId>', 'its client_id')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .action((clientId: string, advertiserId: number) =>
      withServices(context, async services => {
        const { client, advertiser } = await services.clients.allow(clientId, advertiserId)
        context.print(`${client.name} may send applications to ${advertiser.name}.\n`)
      }),
    )

  client
    .command('changes')
    .description('List the changes that agents have asked for and that wait for you.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withServices(context, async services => {
        const rows = (await services.clientChanges.list()).map(change => ({
          id: change.id,
          clientId: change.clientId,
          kind: change.kind,
          // An image says nothing in a terminal.
          value: change.kind === 'logo' && change.value !== 'null' ? 'an image' : change.value,
          requestedAt: isoTime(change.requestedAt),
        }))
        const whenEmpty = 'No changes wait to be confirmed.'
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  client
    .command('confirm')
    .description('Apply a change that an agent has asked for.')
    .argument('<changeId>', 'ID that "client changes" shows')
    .action((changeId: string) =>
      withServices(context, async services => {
        const { clientId, kind } = await services.clientChanges.confirm(changeId)
        context.print(`Changed ${kind} of ${clientId}.\n`)
      }),
    )

  client
    .command('refuse')
    .description('Refuse a change that an agent has asked for.')
    .argument('<changeId>', 'ID that "client changes" shows')
    .action((changeId: string) =>
      withServices(context, async services => {
        const { clientId, kind } = await services.clientChanges.refuse(changeId)
        context.print(`Refused to change ${kind} of ${clientId}.\n`)
      }),
    )

  client
    .command('forbid')
    .description('Forbid a job board to send applications to an advertiser, starting with the next request.')
    .argument('<clientId>', 'its client_id')
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .action((clientId: string, advertiserId: number) =>
      withServices(context, async services => {
        const { client, advertiser } = await services.clients.forbid(clientId, advertiserId)
        context.print(`${client.name} may no longer send applications to ${advertiser.name}.\n`)
      }),
    )

  client
    .command('logo')
    .description('Set the logo that candidates see on the consent page: an SVG or PNG of at most 64 KiB.')
    .argument('<id>', 'its client_id')
    .argument('[file]', 'path of the image')
    .option('--remove', 'remove the logo')
    .action((id: string, file: string | undefined, options: { remove?: boolean }) => {
      const isRemoval = isRemovalOf('logo', file, options)
      return withServices(context, async services => {
        const { name } = await services.clients.setLogo(id, isRemoval ? undefined : readLogo(file ?? ''))
        context.print(isRemoval ? `${name} has no logo.\n` : `${name} has a new logo.\n`)
      })
    })

  client
    .command('redirect-uris')
    .description('Replace all redirect URIs of a client, starting with the next authorization request.')
    .argument('<id>', 'its client_id')
    .argument('[uri...]', 'all that are allowed from now on, each as with "client add"')
    .action((id: string, uris: string[]) =>
      withServices(context, async services => {
        const { name, redirectUris } = await services.clients.setRedirectUris(id, uris)
        context.print(`The redirect URIs of ${name}: ${redirectUris.join(' ') || 'none'}\n`)
      }),
    )

  client
    .command('privacy')
    .description('Set the address of the privacy notice that the consent page links.')
    .argument('<id>', 'its client_id')
    .argument('[url]', 'the address, http or https')
    .option('--remove', 'remove the link')
    .action((id: string, url: string | undefined, options: { remove?: boolean }) => {
      isRemovalOf('address', url, options)
      return withServices(context, async services => {
        const { name, privacyUrl } = await services.clients.setPrivacyUrl(id, url)
        context.print(`The privacy notice of ${name}: ${privacyUrl ?? 'none'}\n`)
      })
    })

  client
    .command('rotate')
    .description('Issue a new secret, shown once. The previous one stays valid until the next rotation.')
    .argument('<id>', 'its client_id')
    .option('--only', 'revoke all other secrets at once, because one has leaked; tokens stay valid')
    .option('--json', 'print JSON')
    .action((id: string, options: { only?: boolean; json?: boolean }) =>
      withServices(context, async services => {
        const { secret } = await services.clients.rotate(id, options.only === true)
        context.print(options.json ? `${JSON.stringify({ id, secret })}\n` : `${secret}\n`)
      }),
    )

  client
    .command('disable')
    .description('Disable a client permanently and revoke its codes and tokens at once.')
    .argument('<id>', 'its client_id')
    .action((id: string) =>
      withServices(context, async services => {
        const { name } = await services.clients.disable(id)
        context.print(`${name} (${id}) is disabled; its codes and tokens have been revoked.\n`)
      }),
    )
}

/** A command takes either a value or --remove. */
function isRemovalOf(
  what: string,
  value: string | undefined,
  { remove = false }: { remove?: boolean },
): boolean {
  if ((value === undefined) === remove) return remove
  throw new CommandError(`Give either the ${what} or --remove.`, exitCodes.usage)
}

function readLogo(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new CommandError(`The file ${path} cannot be read: ${reasonOf(error)}`, exitCodes.usage)
  }
}
