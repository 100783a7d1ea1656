import packageFile from '../../package.json' with { type: 'json' }
import { createLaneStore } from '../events/webhooks/lane-store.ts'
import type { After, AttemptResult, WebhookPost } from '../events/webhooks/ports.ts'
import { createReplayStore } from '../events/webhooks/replay-store.ts'
import { createSender } from '../events/webhooks/sender-service.ts'
import { createWebhooks } from '../events/webhooks/service.ts'
import { createWebhookUpkeep } from '../events/webhooks/upkeep-service.ts'
import { createKeyCheck } from '../events/webhooks/webhook-key-store.ts'
import { createEndpointStore } from '../events/webhooks/webhook-store.ts'
import { createWebhookUpkeepStore } from '../events/webhooks/webhook-upkeep-store.ts'
import {
  isListedHost,
  noAllowedHosts,
  readAllowedHosts,
} from '../platform/core/addresses/public-addresses.ts'
import { aheadOrBehind, steadyClock } from '../platform/core/clock.ts'
import { newUuid } from '../platform/core/ids.ts'
import { Problem } from '../platform/core/problems.ts'
import { maxClockDifferenceMs } from '../platform/core/steady-time-rules.ts'
import type { GoesOn, Task } from '../platform/core/task-ports.ts'
import { clockDifference } from '../platform/database/database-clock.ts'
import { deliveryWaitSeconds } from '../platform/work/delivery-service.ts'
import type { EventModule } from './events.ts'
import type { Platform } from './platform.ts'
import type { PublicServerOptions } from './web.ts'

/**
 * Limit: Time to look up the name of a receiver. Shorter than the time to connect, so that a silent name server is
 * reported as such.
 */
const webhookLookUpMs = 3_000
/** Limit: How often admins are notified of failing webhook endpoints, and old attempts are removed. */
const webhookUpkeepSeconds = 60

export type WebhookModule = ReturnType<typeof openWebhooks>

const userAgent = `Dossier-Webhooks/${packageFile.version}`

/** The demo receives its own webhooks, on this machine. */
const demoOutlet = { allowed: readAllowedHosts('localhost,127.0.0.0/8,::1'), ownOrigins: () => [] }

/** How long the result of "may this process deliver" is valid. */
const checkedMs = 10_000

const otherKey =
  'WEBHOOK_KEY is not the one that the endpoints of this database were made with: set the same on every node; if it is lost, run "dossier restored --keys"'

/** Sends events to the endpoints of advertisers and agents. */
export function openWebhooks(platform: Platform, { eventStore }: EventModule) {
  const { config, database, hints, background, clock, limits, log } = platform
  const keys = platform.keys.webhook.make
  const keyCheck = createKeyCheck(database)
  let outlet = {
    allowed: config.WEBHOOK_ALLOW ?? noAllowedHosts,
    ownOrigins: () => [config.BASE_URL, config.AUTH_URL].flatMap(origin => origin ?? []),
  }
  let onAttempt = (_result: AttemptResult) => {}
  const post = postOf(platform, () => outlet.allowed)

  async function findObjection(): Promise<string | undefined> {
    const ms = (await clockDifference(database, clock)) ?? 0
    // Receivers reject signatures whose time is off.
    if (Math.abs(ms) > maxClockDifferenceMs)
      return `the clock of this machine is ${aheadOrBehind(ms)} that of the database`
    return (await keyCheck.isKnown(platform.keys.webhook.find)) ? undefined : otherKey
  }
  let checked = { at: Number.NEGATIVE_INFINITY, objection: undefined as string | undefined }
  const objection = async () => {
    if (steadyClock() - checked.at > checkedMs) {
      checked = { at: steadyClock(), objection: await findObjection() }
      await attendIfUsed()
    }
    return checked.objection
  }

  const upkeepStore = createWebhookUpkeepStore(database)
  let leave: (() => void) | undefined
  /** Listens for events written by other processes, while there are endpoints to send them to. */
  async function attendIfUsed(): Promise<void> {
    if (await upkeepStore.isUsed()) leave ??= hints.attend()
    else stopAttending()
  }
  function stopAttending(): void {
    leave?.()
    leave = undefined
  }

  const sender = createSender({
    post,
    keys,
    objection,
    background,
    clock,
    steadyClock,
    limits,
    log,
    userAgent,
    store: createLaneStore(database, platform.processLock.id),
    events: eventStore,
    after,
    random: Math.random,
    newId: newUuid,
    onAttempt: result => onAttempt(result),
  })
  hints.listen(stream => {
    // This process knows of no active endpoint: a poll after each application would take a tenth of its time (decision
    // 082). The regular polls find endpoints that another process has just added.
    if (leave === undefined) return
    // Undefined: any stream.
    if (stream === undefined) sender.look()
    else if ('advertiserId' in stream) sender.hint(stream.advertiserId)
  })
  const upkeep = createWebhookUpkeep({
    store: upkeepStore,
    lookAtTime: platform.lookAtTime,
    clock,
  })
  const task: Task = {
    name: 'webhooks',
    everySeconds: webhookUpkeepSeconds,
    async run(_goesOn: GoesOn) {
      await sender.runOnce(deliveryWaitSeconds * 1000)
      return upkeep.run()
    },
  }

  return {
    webhooks: createWebhooks({
      post,
      keys,
      userAgent,
      clock,
      store: createEndpointStore(database),
      replays: createReplayStore(database),
      async claimKey() {
        await keyCheck.record(keys())
        if (!(await keyCheck.isKnown(keys))) throw new Problem('unavailable', `${otherKey}.`)
      },
      allowed: () => outlet.allowed,
      ownOrigins: () => outlet.ownOrigins(),
      wake() {
        // The first endpoint may have been added, or the last one removed.
        checked.at = Number.NEGATIVE_INFINITY
        sender.look()
      },
    }),
    webhookSender: {
      ...sender,
      async stop(ms: number): Promise<void> {
        await sender.stop(ms)
        stopAttending()
      },
    },
    webhookTask: task,
    webhookFigures: () => upkeepStore.figures(clock()),
    webhookObjection: findObjection,
    watchWebhooks(listener: (result: AttemptResult) => void): void {
      onAttempt = listener
    },
    allowDemoHooks(): void {
      outlet = demoOutlet
    },
    openWebhookOutlet({
      isDemo,
      baseUrl,
      authUrl,
    }: Pick<PublicServerOptions, 'isDemo' | 'baseUrl' | 'authUrl'>): void {
      outlet = isDemo ? demoOutlet : { ...outlet, ownOrigins: () => [baseUrl(), authUrl()] }
    },
  }
}

const after: After = (ms, call) => {
  const timer = setTimeout(call, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

/** Loaded with the first webhook: many boards send none. */
function postOf(
  { config, database, clock, limits }: Platform,
  allowed: () => typeof noAllowedHosts,
): WebhookPost {
  let loading: Promise<WebhookPost> | undefined
  const load = async () => {
    const { createResolve } = await import('../events/webhooks/name-adapter.ts')
    const { createWebhookPost } = await import('../events/webhooks/post-adapter.ts')
    const searches = (name: string) => isListedHost(name, allowed())
    const resolve = createResolve({ deadlineMs: webhookLookUpMs, searches })
    return createWebhookPost({
      allowed,
      proxyUrl: config.WEBHOOK_PROXY,
      clock,
      attemptSeconds: limits.webhookAttemptSeconds,
      resolve,
    })
  }
  return {
    async send(request) {
      loading ??= load()
      const post = await loading
      await database.whenDurable?.()
      return post.send(request)
    },
    async close() {
      await (await loading)?.close()
    },
  }
}
