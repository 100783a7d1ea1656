import type { Command } from 'commander'
import { Presence } from '../../events/feed/presence.ts'
import { readFeedQuery } from '../../events/feed/query.ts'
import { renderFeed } from '../../events/feed/rendering.ts'
import { eventTypes } from '../../model/events.ts'
import { numericId } from '../terminal/arguments.ts'
import { CommandError, type Context, exitCodes, withServices } from '../terminal/context.ts'

interface Options {
  cursor: string
  types?: string
  json?: boolean
}

interface Envelope {
  type: string
  timestamp: string
  data: Record<string, unknown>
}

export function addEvents(program: Command, context: Context): void {
  const events = program
    .command('events')
    .description('Show the events of an advertiser, as its programs receive them.')
  const command = (name: string, description: string, cursor: string) =>
    events
      .command(name)
      .description(description)
      .argument('<advertiserId>', 'ID of the advertiser', numericId)
      .option('--cursor <cursor>', '"start", "now", or a cursor of the feed', cursor)
      .option('--types <list>', 'only these types, separated by commas')
      .option('--json', 'print one JSON object per line')

  command('list', 'Print the events that are kept, oldest first.', 'start').action(
    (advertiserId: number, options: Options) => show(context, advertiserId, options),
  )
  command(
    'follow',
    'Print events as they happen, until SIGINT or SIGTERM; then say where to go on.',
    'now',
  ).action((advertiserId: number, options: Options) => {
    const stop = new AbortController()
    void context.untilStopRequested().then(() => stop.abort())
    return show(context, advertiserId, options, stop.signal)
  })
}

/** Prints what there is; with a signal also what follows, until it is aborted. */
function show(
  context: Context,
  advertiserId: number,
  { cursor: first, types = '', json }: Options,
  signal?: AbortSignal,
): Promise<void> {
  return withServices(context, async ({ feed, advertisers, limits }) => {
    if (!(await advertisers.list()).some(({ id }) => id === advertiserId))
      throw new CommandError(`There is no advertiser ${advertiserId}.`, exitCodes.notFound)
    const stream = { advertiserId }
    const presence = new Presence()
    signal?.addEventListener('abort', presence.leave)
    if (signal?.aborted) presence.leave()
    // Keeps the process alive: a wait alone does not.
    const alive = setInterval(() => {}, 3_600_000)
    try {
      let cursor = first
      for (;;) {
        const search = new URLSearchParams({ cursor, types }).toString()
        const query = readFeedQuery(stream, search, eventTypes, limits)
        const answer = await feed.follow(stream, query, {
          ...(signal && {
            patience: {
              sinceMs: performance.now(),
              untilMs: performance.now() + limits.eventWaitSeconds * 1000,
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
  })
}

function lineOf({ timestamp, type, data: { advertiserId: _, ...data } }: Envelope): string {
  const rest = Object.entries(data).map(([name, value]) => `${name}=${value ?? '-'}`)
  return `${[timestamp, type.padEnd(21), ...rest].join(' ')}\n`
}
