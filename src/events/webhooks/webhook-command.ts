import { InvalidArgumentError } from 'commander'
import { eventTypes } from '../../model/events.ts'
import {
  argument,
  choice,
  defaultOption,
  flag,
  numericId,
  option,
  pointInTime,
  requiredOption,
} from '../../platform/cli/arguments.ts'
import { type CommandContext, declare, group } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { isoTime } from '../../platform/cli/table.ts'
import type { Modules } from '../../platform/core/modules.ts'
import { urlHint } from './address-rules.ts'
import type { AttemptResult, Endpoint, EndpointOwner } from './ports.ts'
import { signatureSchemes } from './signing-rules.ts'

const words = (text: string) => text.split(',').map(word => word.trim())

function hours(text: string): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : 999
  if (value > 168) throw new InvalidArgumentError('It must be a whole number of hours from 0 to 168.')
  return value
}

/** Accepts the same addresses as the API of this database: this machine's if it has the demo. */
const command = declare<CommandContext, Modules>((context, use) =>
  context.withModules(async app => {
    if ((await app.demo.demo.state()) === 'loaded') app.webhooks.allowDemoHooks()
    await use(app)
  }),
)

const owner = {
  advertiser: option('<id>', 'of this advertiser', numericId),
  agent: option('<id>', 'of this agent, for every advertiser that authorises it', numericId),
}
const endpointId = argument('the ID that "webhook list" shows')

/** A command for one endpoint of any owner. */
const endpointCommand = (
  about: string,
  act: (
    webhooks: Modules['webhooks']['webhooks'],
    owner: EndpointOwner,
    endpointId: string,
  ) => Promise<string>,
) =>
  command({
    about,
    takes: { endpointId },
    run: async ({ webhooks }, { endpointId }) =>
      act(webhooks.webhooks, (await webhooks.webhooks.findAny(endpointId)).owner, endpointId),
    prints: text => text,
  })

export const webhook = group('Manage webhook endpoints, which events of an advertiser are sent to.', {
  add: command({
    about: 'Add an endpoint, print its secret once, and send it a test. It gets events once it has answered.',
    takes: { url: argument('https URL that accepts POST requests') },
    options: {
      ...owner,
      types: defaultOption(
        '<types>',
        `comma-separated, of: ${eventTypes.join(', ')}`,
        ['application.created'],
        words,
      ),
      description: defaultOption('<text>', 'what it is for', ''),
      scheme: choice('<scheme>', 'v1: shared secret; v1a: public key', signatureSchemes, 'v1'),
      json: flag('print JSON'),
    },
    async run({ webhooks, companies }, { json, advertiser, agent, ...wanted }, { print }) {
      const owner = ownerOf({ advertiser, agent })
      const isAgent = 'agentId' in owner
      const ownerId = isAgent ? owner.agentId : owner.advertiserId
      if (
        !(await (isAgent ? companies.agents : companies.advertisers).list()).some(({ id }) => id === ownerId)
      )
        throw new CommandError(
          `There is no ${isAgent ? 'agent' : 'advertiser'} ${ownerId}.`,
          exitCodes.notFound,
        )
      const { endpoint, key } = await webhooks.webhooks.add(owner, wanted)
      if (!json) print(`${endpoint.id}\n${key}\n`)
      const { endpoint: tested, result } = await webhooks.webhooks.test(owner, endpoint.id)
      print(
        json
          ? `${JSON.stringify({ id: endpoint.id, key, state: tested.state, test: result })}\n`
          : `${testWords(result)} The endpoint is ${tested.state}.\n`,
      )
    },
  }),
  list: command({
    about: 'List endpoints, with what they have still to get.',
    options: owner,
    async run({ webhooks }, owner) {
      const isAll = owner.advertiser === undefined && owner.agent === undefined
      const endpoints = isAll
        ? await webhooks.webhooks.listAll()
        : await webhooks.webhooks.list(ownerOf(owner))
      return Promise.all(endpoints.map(endpoint => rowOf(webhooks.webhooks, endpoint)))
    },
    prints: {
      rows: rows => rows,
      whenEmpty: 'No webhook endpoints yet. Add one with: dossier webhook add <url> --advertiser <id>',
    },
  }),
  show: endpointCommand(
    'Show an endpoint with its last attempts, replays and parked events, as JSON.',
    async (webhooks, owner, id) => JSON.stringify(await webhooks.details(owner, id), null, 2),
  ),
  test: endpointCommand(
    'Send a test. An answer makes a new endpoint active, and a failing one try again at once.',
    async (webhooks, owner, id) => {
      const { endpoint, result } = await webhooks.test(owner, id)
      const message = `${testWords(result)} The endpoint is ${endpoint.state}.`
      if (result.outcome !== 'accepted') throw new CommandError(message)
      return message
    },
  ),
  pause: endpointCommand(
    'Send nothing until it is resumed. Events are kept for EVENT_DAYS.',
    async (webhooks, owner, id) => `The endpoint is ${(await webhooks.pause(owner, id)).state}.`,
  ),
  resume: endpointCommand(
    'Go on where a paused or stopped endpoint was, and try a failing one now.',
    async (webhooks, owner, id) => `The endpoint is ${(await webhooks.resume(owner, id)).state}.`,
  ),
  retire: endpointCommand(
    'End the overlap after a rotation: the old key no longer signs.',
    async (webhooks, owner, id) => {
      await webhooks.retire(owner, id)
      return 'Only the newest key signs.'
    },
  ),
  resend: endpointCommand(
    'Send parked events again now, those that were given up included.',
    async (webhooks, owner, id) => {
      const count = await webhooks.resendDeferred(owner, id, 'all')
      return count === 1 ? '1 event will be sent again.' : `${count} events will be sent again.`
    },
  ),
  remove: endpointCommand('Remove an endpoint with its log.', async (webhooks, owner, id) => {
    await webhooks.remove(owner, id)
    return 'Removed.'
  }),
  rotate: command({
    about: 'Make a new key and print it once. The old one signs, too, until the overlap ends.',
    takes: { endpointId },
    options: { overlap: option('<hours>', '0 to 168 (default: 24)', hours) },
    async run({ webhooks }, { endpointId, overlap }) {
      const { owner } = await webhooks.webhooks.findAny(endpointId)
      return webhooks.webhooks.rotate(owner, endpointId, overlap)
    },
    prints: ({ key }) => key,
  }),
  replay: command({
    about: 'Send events again, or those from before the endpoint existed, beside new ones.',
    takes: { endpointId },
    options: {
      from: requiredOption('<time>', 'a day (00:00 UTC) or a time with a zone', pointInTime),
      to: option('<time>', 'the end (default: now)', pointInTime),
      types: option('<types>', 'comma-separated (default: those of the endpoint)', words),
      advertiser: option('<id>', 'whose events, for the endpoint of an agent', numericId),
    },
    async run({ webhooks }, { endpointId, advertiser, ...wanted }) {
      const { owner } = await webhooks.webhooks.findAny(endpointId)
      return webhooks.webhooks.replay(owner, endpointId, { ...wanted, advertiserId: advertiser })
    },
    prints: ({ id }) => id,
  }),
})

interface OwnerOptions {
  advertiser: number | undefined
  agent: number | undefined
}

function ownerOf({ advertiser, agent }: OwnerOptions): EndpointOwner {
  if (advertiser !== undefined && agent === undefined) return { advertiserId: advertiser }
  if (agent !== undefined && advertiser === undefined) return { agentId: agent }
  throw new CommandError('Name --advertiser or --agent.', exitCodes.usage)
}

async function rowOf(webhooks: Modules['webhooks']['webhooks'], endpoint: Endpoint) {
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
