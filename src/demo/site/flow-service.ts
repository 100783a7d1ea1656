import { randomBytes } from 'node:crypto'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { hashSecret, isSameHash } from '../../platform/core/secrets.ts'
import {
  type ApplyClient,
  clientAnswerMs,
  createApplyClient,
  type DownloadedResume,
  newPkce,
  type Prefill,
  StepFailure,
} from '../careers-client/apply-client.ts'
import { type Exchange, requestText } from '../careers-client/apply-exchange.ts'
import type { JobAd } from '../world/job-ads.ts'

/** Limit: Applications in progress on the demo's careers page. */
const demoFlows = 1_000
/** Limit: Time to sign in, decide and fill in the demo's form. */
export const demoFlowSeconds = 1_800

/** One application on the demo careers page, from the button to the last response. */
export interface Flow {
  key: string
  ad: JobAd
  startedAt: EpochMs
  /** Requests and responses so far, in the format of the page. */
  trace: Exchange[]
  phase: 'started' | 'declined' | 'failed' | 'prefilled' | 'completed'
  /** The reason for the failure. */
  failure?: string
  prefill?: Prefill
  resume?: DownloadedResume
}

interface OpenFlow extends Flow {
  client: ApplyClient
  state: string
  verifier: string
  /** Pending or settled. Kept so that loading the page twice does not redeem the code twice. */
  answered?: Promise<void>
  completed?: Promise<void>
}

/** Parameters of the redirect back from the job board. */
export interface CallbackParameters {
  state: string | undefined
  iss: string | undefined
  code: string | undefined
  error: string | undefined
  errorDescription: string | undefined
  /** Path and query as received. */
  address: string
}

export interface SiteFlowOptions {
  fetch: typeof fetch
  clock: Clock
  baseUrl(): string
  authUrl(): string
  client: { id: string; secret: string }
  /** ISO 3166-1 */
  country: string
  maxFlows?: number
}

/** The demo's third party. Like any other, it uses only the public APIs and its credentials. */
export function createSiteFlows(options: SiteFlowOptions) {
  const { clock, baseUrl, authUrl, client, maxFlows = demoFlows } = options
  // In insertion order, so oldest first.
  const flows = new Map<string, OpenFlow>()

  function makeRoom(): void {
    const forgotten = clock() - demoFlowSeconds * 1000
    for (const [key, flow] of flows) {
      if (flow.startedAt > forgotten && flows.size < maxFlows) return
      flows.delete(key)
    }
  }

  function find(key: string | undefined): OpenFlow | undefined {
    const flow = flows.get(key ?? '')
    return flow !== undefined && clock() < flow.startedAt + demoFlowSeconds * 1000 ? flow : undefined
  }

  /** Ends the flow if a step fails, and records the reason for the page. */
  async function orFail(flow: OpenFlow, steps: () => Promise<void>): Promise<void> {
    try {
      await steps()
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error
      flow.phase = 'failed'
      flow.failure = error.message
    }
  }

  async function collect(flow: OpenFlow, code: string): Promise<void> {
    const { ad } = flow
    const token = await flow.client.redeem(code, flow.verifier)
    const prefill = await flow.client.prefill(token, {
      advertiserId: String(ad.advertiserId),
      applicationFormUrl: `${baseUrl()}/demo/application`,
      positionTitle: ad.title,
      positionUri: `${baseUrl()}/demo`,
      positionReference: ad.reference,
      countryCode: options.country,
      postalCode: ad.postalCode,
    })
    if (prefill.resume !== null) flow.resume = await flow.client.downloadResume(token, prefill.resume.link)
    flow.prefill = prefill
    flow.phase = 'prefilled'
  }

  return {
    /** The key goes into a cookie that ties the flow to this browser. */
    start(ad: JobAd): { key: string; location: string } {
      makeRoom()
      const key = randomBytes(32).toString('base64url')
      const state = randomBytes(16).toString('base64url')
      const { verifier, challenge } = newPkce()
      const trace: Exchange[] = []
      const applyClient = createApplyClient({
        fetch: options.fetch,
        baseUrl: baseUrl(),
        authUrl: authUrl(),
        clientId: client.id,
        clientSecret: client.secret,
        redirectUri: `${baseUrl()}/demo/callback`,
        timeoutMs: clientAnswerMs,
        onExchange: exchange => trace.push(exchange),
      })
      const advertiserId = String(ad.advertiserId)
      const location = applyClient.authorizeUrl({ state, advertiserId, challenge })
      trace.push({
        title: 'Send the browser to the job board',
        why: 'The candidate signs in there and decides there what to share; the state is remembered here, to recognise the answer.',
        request: requestText('GET', location),
      })
      const phase = 'started'
      flows.set(key, { key, ad, startedAt: clock(), trace, phase, client: applyClient, state, verifier })
      return { key, location }
    },

    find: (key: string | undefined): Flow | undefined => find(key),

    forget(key: string | undefined): void {
      flows.delete(key ?? '')
    },

    /** Undefined if the callback does not belong to this browser's flow; it is then ignored. */
    async answer(key: string | undefined, sent: CallbackParameters): Promise<Flow | undefined> {
      const flow = find(key)
      if (flow === undefined || sent.state === undefined) return undefined
      const isOurs = isSameHash(hashSecret(sent.state), hashSecret(flow.state)) && sent.iss === authUrl()
      if (!isOurs) return undefined
      flow.answered ??= orFail(flow, async () => {
        flow.trace.push({
          title: 'The browser comes back',
          why: 'The state is the one that was sent and iss names the server that was asked, so the answer belongs to this browser’s question.',
          request: requestText('GET', `${baseUrl()}${sent.address}`),
        })
        if (sent.error === 'access_denied') {
          flow.phase = 'declined'
          return
        }
        if (sent.code === undefined) {
          const said = [sent.error ?? 'neither code nor error', sent.errorDescription].filter(Boolean)
          throw new StepFailure(`The authorization server refused the request: ${said.join(', ')}.`)
        }
        await collect(flow, sent.code)
      })
      await flow.answered
      return flow
    },

    /** Reports completion to the job board; harmless if repeated. */
    async complete(key: string | undefined): Promise<Flow | undefined> {
      const flow = find(key)
      const { prefill } = flow ?? {}
      if (flow === undefined || prefill === undefined) return flow
      flow.completed ??= orFail(flow, async () => {
        const token = await flow.client.clientToken()
        await flow.client.complete(token, prefill.complete, new Date(clock()))
        flow.phase = 'completed'
      })
      await flow.completed
      return flow
    },
  }
}
