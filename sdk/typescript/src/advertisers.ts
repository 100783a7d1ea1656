import type { AgentAdvertiser } from './api-types.ts'
import { listById } from './listing.ts'
import type { Authorization, Transport } from './transport.ts'

/** The advertisers that authorise the agent of this client. */
export class Advertisers {
  readonly #transport: Transport
  readonly #authorization: Authorization

  constructor(transport: Transport, authorization: Authorization) {
    this.#transport = transport
    this.#authorization = authorization
  }

  /** All of them, ascending by ID. A page is requested when the loop needs it. */
  list({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<AgentAdvertiser, void, undefined> {
    const call = { path: '/v1/agent/advertisers', authorization: this.#authorization, signal }
    return listById(this.#transport, call, 'advertisers')
  }
}
