import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Services } from '../../app.ts'
import { urlHint } from '../../events/webhooks/address-rules.ts'
import type { AttemptResult, Endpoint, EndpointOwner } from '../../events/webhooks/ports.ts'
import { type SignatureScheme, signatureSchemes } from '../../events/webhooks/signing-rules.ts'
import { eventTypes } from '../../model/events.ts'
import { numericId, pointInTime } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'

interface OwnerOptions {
  advertiser?: number
  agent?: number
}

const words = (text: string) => text.split(',').map(word => word.trim())

function hours(text: string): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : 999
  if (value > 168) throw new InvalidArgumentError('It must be a whole number of hours from 0 to 168.')
  return value
}

export function addWebhook(program: Command, context: Context): void {
  const webhook = program
    .command('webhook')
    .description('Manage webhook endpoints, which events of an advertiser are sent to.')
  const withOwner = (command: Command) =>
    command
      .option('--advertiser <id>', 'of this advertiser', numericId)
      .option('--agent <id>', 'of this agent, for every advertiser that authorises it', numericId)

  withOwner(webhook.command('add'))
    .description(
      'Add an endpoint, print its secret once, and send it a test. It gets events once it has answered.',
    )
    .argument('<url>', 'https URL that accepts POST requests')
    .option('--types <types>', `comma-separated, of: ${eventTypes.join(', ')}`, words, [
      'application.created',
    ])
    .option('--description <text>', 'what it is for', '')
    .addOption(
      new Option('--scheme <scheme>', 'v1: shared secret; v1a: public key')
        .choices(signatureSchemes)
        .default('v1'),
    )
    .option('--json', 'print JSON')
    .action(
      (
        url: string,
        options: OwnerOptions & {
          types: string[]
          description: string
          scheme: SignatureScheme
          json?: boolean
        },
      ) =>
        withServices(context, async ({ webhooks, advertisers, agents }) => {
          const owner = ownerOf(options)
          const isAgent = 'agentId' in owner
          const ownerId = isAgent ? owner.agentId : owner.advertiserId
          if (!(await (isAgent ? agents : advertisers).list()).some(({ id }) => id === ownerId))
            throw new CommandError(
              `There is no ${isAgent ? 'agent' : 'advertiser'} ${ownerId}.`,
              exitCodes.notFound,
            )
          const { types, description, scheme } = options
          const { endpoint, key } = await webhooks.add(owner, { url, types, description, scheme })
          if (!options.json) context.print(`${endpoint.id}\n${key}\n`)
          const { endpoint: tested, result } = await webhooks.test(owner, endpoint.id)
          context.print(
            options.json
              ? `${JSON.stringify({ id: endpoint.id, key, state: tested.state, test: result })}\n`
              : `${testWords(result)} The endpoint is ${tested.state}.\n`,
          )
        }),
    )

  withOwner(webhook.command('list'))
    .description('List endpoints, with what they have still to get.')
    .option('--json', 'print JSON')
    .action((options: OwnerOptions & { json?: boolean }) =>
      withServices(context, async ({ webhooks }) => {
        const isAll = options.advertiser === undefined && options.agent === undefined
        const found = isAll ? await webhooks.listAll() : await webhooks.list(ownerOf(options))
        const rows = await Promise.all(found.map(endpoint => rowOf(webhooks, endpoint)))
        const whenEmpty =
          'No webhook endpoints yet. Add one with: dossier webhook add <url> --advertiser <id>'
        context.print(formatList(rows, { json: options.json === true, whenEmpty }))
      }),
    )

  webhook
    .command('show')
    .description('Show an endpoint with its last attempts, replays and parked events, as JSON.')
    .argument('<endpointId>', 'the ID that "webhook list" shows')
    .action((endpointId: string) =>
      withServices(context, async ({ webhooks }) => {
        const { owner } = await webhooks.findAny(endpointId)
        context.print(`${JSON.stringify(await webhooks.details(owner, endpointId), null, 2)}\n`)
      }),
    )

  type Act = (webhooks: Services['webhooks'], owner: EndpointOwner, endpointId: string) => Promise<string>
  const act = (name: string, description: string, run: Act) =>
    webhook
      .command(name)
      .description(description)
      .argument('<endpointId>', 'the ID that "webhook list" shows')
      .action((endpointId: string) =>
        withServices(context, async ({ webhooks }) => {
          const { owner } = await webhooks.findAny(endpointId)
          context.print(`${await run(webhooks, owner, endpointId)}\n`)
        }),
      )

  act(
    'test',
    'Send a test. An answer makes a new endpoint active, and a failing one try again at once.',
    async (webhooks, owner, endpointId) => {
      const { endpoint, result } = await webhooks.test(owner, endpointId)
      const says = `${testWords(result)} The endpoint is ${endpoint.state}.`
      if (result.outcome !== 'accepted') throw new CommandError(says)
      return says
    },
  )
  act(
    'pause',
    'Send nothing until it is resumed. Events are kept for EVENT_DAYS.',
    async (webhooks, owner, id) => {
      const { state } = await webhooks.pause(owner, id)
      return `The endpoint is ${state}.`
    },
  )
  act(
    'resume',
    'Go on where a paused or stopped endpoint was, and try a failing one now.',
    async (webhooks, owner, id) => {
      const { state } = await webhooks.resume(owner, id)
      return `The endpoint is ${state}.`
    },
  )
  act(
    'retire',
    'End the overlap after a rotation: the old key no longer signs.',
    async (webhooks, owner, id) => {
      await webhooks.retire(owner, id)
      return 'Only the newest key signs.'
    },
  )
  act(
    'resend',
    'Send parked events again now, those that were given up included.',
    async (webhooks, owner, id) => {
      const count = await webhooks.resendParked(owner, id, 'all')
      return count === 1 ? '1 event will be sent again.' : `${count} events will be sent again.`
    },
  )
  act('remove', 'Remove an endpoint with its log.', async (webhooks, owner, id) => {
    await webhooks.remove(owner, id)
    return 'Removed.'
  })

  webhook
    .command('rotate')
    .description('Make a new key and print it once. The old one signs, too, until the overlap ends.')
    .argument('<endpointId>', 'the ID that "webhook list" shows')
    .option('--overlap <hours>', '0 to 168 (default: 24)', hours)
    .action((endpointId: string, options: { overlap?: number }) =>
      withServices(context, async ({ webhooks }) => {
        const { owner } = await webhooks.findAny(endpointId)
        const { key } = await webhooks.rotate(owner, endpointId, options.overlap)
        context.print(`${key}\n`)
      }),
    )

  webhook
    .command('replay')
    .description('Send events again, or those from before the endpoint existed, beside new ones.')
    .argument('<endpointId>', 'the ID that "webhook list" shows')
    .requiredOption('--from <time>', 'a day (00:00 UTC) or a time with a zone', pointInTime)
    .option('--to <time>', 'the end (default: now)', pointInTime)
    .option('--types <types>', 'comma-separated (default: those of the endpoint)', words)
    .option('--advertiser <id>', 'whose events, for the endpoint of an agent', numericId)
    .action(
      (
        endpointId: string,
        { advertiser, ...wanted }: { from: number; to?: number; types?: string[]; advertiser?: number },
      ) =>
        withServices(context, async ({ webhooks }) => {
          const { owner } = await webhooks.findAny(endpointId)
          const replay = { ...wanted, ...(advertiser === undefined ? {} : { advertiserId: advertiser }) }
          context.print(`${(await webhooks.replay(owner, endpointId, replay)).id}\n`)
        }),
    )
}

function ownerOf({ advertiser, agent }: OwnerOptions): EndpointOwner {
  if (advertiser !== undefined && agent === undefined) return { advertiserId: advertiser }
  if (agent !== undefined && advertiser === undefined) return { agentId: agent }
  throw new CommandError('Name --advertiser or --agent.', exitCodes.usage)
}

async function rowOf(webhooks: Services['webhooks'], endpoint: Endpoint) {
  const { events, oldestAt, nextTryAt } = await webhooks.backlog(endpoint)
  const { owner } = endpoint
  return {
    id: endpoint.id,
    owner: 'agentId' in owner ? `agent ${owner.agentId}` : String(owner.advertiserId),
    url: urlHint(endpoint.url),
    types: endpoint.types.join(' '),
    state: endpoint.state,
    lastSuccess: isoTime(endpoint.succeededAt),
    behind: events,
    oldest: isoTime(oldestAt),
    nextTry: isoTime(nextTryAt),
  }
}

function testWords({ outcome, status, ms, answer }: AttemptResult): string {
  if (outcome === 'accepted') return `The test was answered with ${status} in ${ms} ms.`
  const said = answer === null ? '' : ` and "${answer}"`
  return outcome === 'refused'
    ? `The test was refused with ${status}${said}.`
    : `The test failed (${outcome}).`
}
