import { Advertisers } from './advertisers.ts'
import { Applications } from './applications.ts'
import { DossierError } from './errors.ts'
import type { ClientEvent, DossierEvent } from './event-types.ts'
import { Events } from './events.ts'
import { Feed } from './feed.ts'
import { Intake } from './intake.ts'
import { Progress } from './progress.ts'
import { Sharing } from './sharing.ts'
import { type Client, Tokens } from './tokens.ts'
import { type Authorization, type Retry, Transport } from './transport.ts'

interface CommonOptions {
  /** The service's `BASE_URL`, such as `https://jobs.example.com`. */
  baseUrl: string
  /** Where candidates sign in and tokens are issued, if that is another address. */
  authUrl?: string
  /** Instead of the global one: for proxies, tests and records. */
  fetch?: typeof fetch
  /** Told before each retry of any call. */
  onRetry?(retry: Retry): void
}

export type DossierOptions = CommonOptions &
  (
    | { /** `sws_…` of the advertiser. */ credential: string; client?: never; advertiserId?: never }
    | {
        /** An agent, a job board or a careers page. */
        client: Client
        /** The advertiser whose applications and events an agent reads. */
        advertiserId?: number | string
        credential?: never
      }
  )

/** A client of one Dossier service. */
export class Dossier {
  /** The advertiser's applications: needs a credential, or an agent's client and `advertiserId`. */
  readonly applications: Applications
  /** What happens to the advertiser's applications: needs the same. */
  readonly events: Events<DossierEvent>
  /** What happens to the data that this client got from candidates: needs a client. */
  readonly clientEvents: Events<ClientEvent>
  /** Reports how the advertiser's applications go on: needs a credential, or an agent that the advertiser allows to report. */
  readonly progress: Progress<'progress'>
  /** The same for prefilled applications whose consents this client holds: needs a client. */
  readonly clientProgress: Progress<'prefill'>
  /** The advertisers that authorise an agent: needs its client with the scope `m_webhooks`. */
  readonly advertisers: Advertisers
  /** Sends applications and manages ads: needs a client with the scope `w_applications`. */
  readonly intake: Intake
  /** Candidates share their profile with a careers page: needs a client. */
  readonly sharing: Sharing

  constructor(options: DossierOptions) {
    const { baseUrl, authUrl = baseUrl, fetch, onRetry, credential, client, advertiserId } = options
    const transport = new Transport(baseUrl, fetch, onRetry)
    const authTransport = authUrl === baseUrl ? transport : new Transport(authUrl, fetch, onRetry)
    const tokens = new Tokens(authTransport, client ?? { id: '', secret: '' })
    const own = client === undefined ? missing('client') : tokens.authorization('Bearer')
    const reader = version1('r_applications')
    const feed = new Feed<DossierEvent>(transport, reader, '/v1/advertiser/events')
    this.applications = new Applications(transport, reader, feed)
    this.events = new Events(feed)
    this.clientEvents = new Events(new Feed<ClientEvent>(transport, own, '/v2/events'))
    this.progress = new Progress(transport, version1('w_progress'), '/v1/advertiser/progress')
    this.clientProgress = new Progress(transport, own, '/v2/progress')
    const withScope = (scope: string) =>
      client === undefined ? own : tokens.authorization('Bearer', { scope })
    this.advertisers = new Advertisers(transport, withScope('m_webhooks'))
    this.intake = new Intake(transport, withScope('w_applications'))
    this.sharing = new Sharing(transport, tokens, authUrl)

    function version1(scope: string): Authorization {
      if (credential !== undefined) return { get: async () => `SWS ${credential}` }
      if (client === undefined) return missing('credential')
      if (advertiserId === undefined) return missing('advertiserId')
      const advertiser = { scope, advertiser_id: String(advertiserId) }
      return tokens.authorization('SWS', advertiser)
    }
  }
}

const missing = (option: string): Authorization => ({
  async get() {
    throw new DossierError('bad-settings', `this call needs the option ${option} of Dossier`)
  },
})
