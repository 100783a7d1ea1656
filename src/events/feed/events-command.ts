import { eventTypes } from '../../model/events.ts'
import { argument, defaultOption, flag, numericId, option } from '../../platform/cli/arguments.ts'
import { type CommandContext, command, group, plainCommand } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import type { Modules } from '../../platform/core/modules.ts'
import { Presence } from './presence.ts'
import { eventWaitSeconds, readFeedQuery } from './query.ts'
import { renderFeed } from './rendering.ts'

const advertiserId = argument('ID of the advertiser', numericId)

interface Input {
  advertiserId: number
  cursor: string
  types: string | undefined
  json: boolean
}

interface Envelope {
  type: string
  timestamp: string
  data: Record<string, unknown>
}

const optionsFrom = (cursor: string) => ({
  cursor: defaultOption('<cursor>', '"start", "now", or a cursor of the feed', cursor),
  types: option('<list>', 'only these types, separated by commas'),
  json: flag('print one JSON object per line'),
})

export const events = group('Show the events of an advertiser, as its programs receive them.', {
  list: command({
    about: 'Print the events that are kept, oldest first.',
    takes: { advertiserId },
    options: optionsFrom('start'),
    run: (app, input, context) => show(app, input, context),
  }),
  follow: plainCommand({
    about: 'Print events as they happen, until SIGINT or SIGTERM; then say where to go on.',
    takes: { advertiserId },
    options: optionsFrom('now'),
    run(context, input) {
      // Also stops in order if the request arrives while the database opens.
      const stop = new AbortController()
      void context.untilStopRequested().then(() => stop.abort())
      return context.withModules(app => show(app, input, context, stop.signal))
    },
  }),
})

/** Prints the existing events; with a signal also later ones, until it is aborted. */
async function show(
  { events: { feed }, companies }: Modules,
  { advertiserId, cursor: first, types = '', json }: Input,
  context: CommandContext,
  signal?: AbortSignal,
): Promise<void> {
  if (!(await companies.advertisers.list()).some(({ id }) => id === advertiserId))
    throw new CommandError(`There is no advertiser ${advertiserId}.`, exitCodes.notFound)
  const stream = { advertiserId }
  const presence = new Presence()
  signal?.addEventListener('abort', presence.leave)
  if (signal?.aborted) presence.leave()
  // Keeps the process alive, which waiting alone does not.
  const alive = setInterval(() => {}, 3_600_000)
  try {
    let cursor = first
    for (;;) {
      const search = new URLSearchParams({ cursor, types }).toString()
      const query = readFeedQuery(stream, search, eventTypes)
      const answer = await feed.follow(stream, query, {
        ...(signal && {
          patience: {
            sinceMs: performance.now(),
            untilMs: performance.now() + eventWaitSeconds * 1000,
            presence,
            recheck: async () => undefined,
          },
        }),
      })
      const told: { events: Envelope[] } = JSON.parse(renderFeed('json', stream, answer))
      for (const event of told.events) context.print(json ? `${JSON.stringify(event)}\n` : lineOf(event))
      cursor = answer.cursor
      if (signal?.aborted) break
      if (signal === undefined && !answer.more) return
    }
    context.complain(`To go on from here: dossier events follow ${advertiserId} --cursor ${cursor}\n`)
  } finally {
    clearInterval(alive)
  }
}

function lineOf({ timestamp, type, data: { advertiserId: _, ...data } }: Envelope): string {
  const rest = Object.entries(data).map(([name, value]) => `${name}=${value ?? '-'}`)
  return `${[timestamp, type.padEnd(21), ...rest].join(' ')}\n`
}
