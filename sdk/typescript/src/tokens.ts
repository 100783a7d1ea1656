import { untilAborted } from './abort.ts'
import type { Authorization, Call, Transport } from './transport.ts'

export interface Client {
  id: string
  secret: string
}

export interface Token {
  access_token: string
  expires_in: number
}

/** Tokens last 20 minutes: one that is nearly over is renewed before it is used. */
const marginMs = 60_000

interface Held {
  token: Promise<string>
  /** Known once the token is there. */
  value?: string
  until: number
}

/** Gets tokens of the client itself (`client_credentials`) and keeps them until shortly before they expire. */
export class Tokens {
  readonly #transport: Transport
  readonly #client: Client
  /** By what they are for. Calls at the same time share one request. */
  readonly #held = new Map<string, Held>()

  constructor(transport: Transport, client: Client) {
    this.#transport = transport
    this.#client = client
  }

  get clientId(): string {
    return this.#client.id
  }

  request(fields: Record<string, string>, call: Partial<Call> = {}): Promise<Token> {
    const { id, secret } = this.#client
    const basic = btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)
    return this.#transport.json<Token>({
      path: '/api/iam/oauth2/token',
      method: 'POST',
      headers: () => ({ authorization: `Basic ${basic}` }),
      body: new URLSearchParams(fields),
      ...call,
    })
  }

  /** Version 1 takes its tokens as `SWS`, everything else as `Bearer`. */
  authorization(scheme: 'SWS' | 'Bearer', fields: Record<string, string> = {}): Authorization {
    const key = JSON.stringify(fields)
    return {
      get: async signal => `${scheme} ${await untilAborted(this.#current(key, fields), signal)}`,
      forget: value => {
        if (this.#held.get(key)?.value === value.slice(scheme.length + 1)) this.#held.delete(key)
      },
    }
  }

  #current(key: string, fields: Record<string, string>): Promise<string> {
    const held = this.#held.get(key)
    if (held !== undefined && Date.now() < held.until) return held.token
    const fresh: Held = { token: this.#renew(fields, () => fresh), until: Number.POSITIVE_INFINITY }
    this.#held.set(key, fresh)
    // A failure is not kept; callers get it from the promise itself.
    fresh.token.catch(() => this.#held.get(key) === fresh && this.#held.delete(key))
    return fresh.token
  }

  async #renew(fields: Record<string, string>, entry: () => Held): Promise<string> {
    const asked = { grant_type: 'client_credentials', ...fields }
    // The call that needs it is repeated, as often as that call may be.
    const { access_token, expires_in } = await this.request(asked, { tries: 1 })
    Object.assign(entry(), { value: access_token, until: Date.now() + expires_in * 1000 - marginMs })
    return access_token
  }
}
