import { join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { noAllowedHosts, readAllowedHosts } from '../core/addresses/public-addresses.ts'
import { aheadOrBehind, steadyClock } from '../core/clock.ts'
import { newUuid } from '../core/ids.ts'
import { Problem } from '../core/problems.ts'
import type { After, AttemptResult, WebhookPost } from '../events/webhooks/ports.ts'
import { createSender } from '../events/webhooks/sender-service.ts'
import { createWebhooks } from '../events/webhooks/service.ts'
import type { WebhookKeys } from '../events/webhooks/signing-rules.ts'
import { createWebhookUpkeep } from '../events/webhooks/upkeep-service.ts'
import { clockDifference } from '../storage/database/database-clock.ts'
import { createLaneStore } from '../storage/events/lane-store.ts'
import { createKeyCheck, readOrMakeKey } from '../storage/events/webhook-key.ts'
import { createEndpointStore, createReplayStore } from '../storage/events/webhook-store.ts'
import { createWebhookUpkeepStore } from '../storage/events/webhook-upkeep-store.ts'
import type { GoesOn, Task } from '../work/ports.ts'
import type { EventModule } from './events.ts'
import type { Platform } from './platform.ts'
import type { PublicServerOptions } from './web.ts'

export type WebhookModule = ReturnType<typeof openWebhooks>

const userAgent = `Dossier-Webhooks/${packageFile.version}`

/** How long the answer to "may this process deliver" holds. */
const checkedMs = 10_000

const otherKey =
  'WEBHOOK_KEY is not the one that the endpoints of this database were made with: set the same on every node'

/** Events sent to the endpoints of advertisers and agents. */
export function openWebhooks(platform: Platform, { eventStore }: EventModule) {
  const { config, database, hints, background, clock, limits, log } = platform
  let madeKeys: WebhookKeys | undefined
  const keys = () => {
    madeKeys ??= config.WEBHOOK_KEY ?? readOrMakeKey(join(config.DATA_DIR, 'webhook.key'))
    return madeKeys
  }
  const keyCheck = createKeyCheck(database)
  let outlet = {
    allowed: config.WEBHOOK_ALLOW ?? noAllowedHosts,
    ownOrigins: () => [config.BASE_URL, config.AUTH_URL].flatMap(origin => origin ?? []),
  }
  let onAttempt = (_result: AttemptResult) => {}
  const post = postOf(platform, () => outlet.allowed)

  async function findObjection(): Promise<string | undefined> {
    const ms = (await clockDifference(database, clock)) ?? 0
    // Receivers reject signatures of another time.
    if (Math.abs(ms) > limits.clockMostMs)
      return `the clock of this machine is ${aheadOrBehind(ms)} that of the database`
    return (await keyCheck.isKnown(keys)) ? undefined : otherKey
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
  /** Other processes write events, too: hears of them while there are endpoints to send them to. */
  async function attendIfUsed(): Promise<void> {
    if (await upkeepStore.isUsed()) leave ??= hints.attend()
    else stopAttending()
  }
  function stopAttending(): void {
    leave?.()
    leave = undefined
  }

  const sender = createSender({
    ...{ post, keys, objection, background, clock, steadyClock, limits, log, userAgent },
    store: createLaneStore(database),
    events: eventStore,
    ...{ after, random: Math.random, newId: newUuid },
    onAttempt: result => onAttempt(result),
  })
  hints.listen(stream => {
    // This process knows of no active endpoint: a look after each application would be a tenth of its cost (decision 082).
    // An endpoint that another process has just added is found by the looks that need no hint.
    if (leave === undefined) return
    // Undefined: any of them.
    if (stream === undefined) sender.look()
    else if ('advertiserId' in stream) sender.hint(stream.advertiserId)
  })
  const upkeep = createWebhookUpkeep({ store: upkeepStore, clock, limits })
  const task: Task = {
    name: 'webhooks',
    everySeconds: limits.webhookUpkeepSeconds,
    async run(_goesOn: GoesOn) {
      await sender.runOnce(limits.deliveryWaitSeconds * 1000)
      return upkeep.run()
    },
  }

  return {
    webhooks: createWebhooks({
      ...{ post, keys, userAgent, clock, limits },
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
    /** The demo receives webhooks of its own, on this machine. */
    openWebhookOutlet({
      isDemo,
      baseUrl,
      authUrl,
    }: Pick<PublicServerOptions, 'isDemo' | 'baseUrl' | 'authUrl'>): void {
      outlet = isDemo
        ? { allowed: readAllowedHosts('localhost,127.0.0.0/8,::1'), ownOrigins: () => [] }
        : { ...outlet, ownOrigins: () => [baseUrl(), authUrl()] }
    },
  }
}

const after: After = (ms, call) => {
  const timer = setTimeout(call, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

/** Loaded with the first webhook: many boards send none. */
function postOf({ config, clock, limits }: Platform, allowed: () => typeof noAllowedHosts): WebhookPost {
  let loading: Promise<WebhookPost> | undefined
  const load = async () => {
    const { createWebhookPost } = await import('../events/webhooks/post-adapter.ts')
    return createWebhookPost({ allowed, proxyUrl: config.WEBHOOK_PROXY, clock, limits })
  }
  return {
    async send(request) {
      loading ??= load()
      return (await loading).send(request)
    },
    async close() {
      await (await loading)?.close()
    },
  }
}
