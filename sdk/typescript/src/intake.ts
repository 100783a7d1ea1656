import type { IntakeReceipt, JobAd, NewApplication, NewJobAd, NewScreen, Questionnaire } from './api-types.ts'
import { listById } from './listing.ts'
import { type Authorization, type Call, jsonOf, type Transport } from './transport.ts'

export interface Upload {
  /** With its extension: pdf, doc, docx, rtf or txt. */
  name: string
  content: Blob | string | Uint8Array<ArrayBuffer>
}

export interface Uploads {
  resume?: Upload
  coverLetter?: Upload
  selectionCriteria?: Upload
  /** The file that answers a question, by its place from 1: `answer-3`. */
  [answer: `answer-${number}`]: Upload
}

interface CallOptions {
  signal?: AbortSignal
}

export interface CreateOptions extends CallOptions {
  /**
   * One per application or ad, 1 to 255 visible ASCII characters. Store it before you send, so that a program that was
   * killed can send again without creating a second one. By default a new one, which covers the retries of this call.
   */
  idempotencyKey?: string
}

/** Whether an earlier request with the same key had created it. */
export type Created<T> = T & { wasReplayed: boolean }

/** Sends applications, and manages ads and questionnaires, for the advertisers listed on the client. */
export class Intake {
  readonly jobAds: Postings<JobAd, NewJobAd, 'jobAds'>
  readonly screens: Postings<Questionnaire, NewScreen, 'screens'>
  readonly #transport: Transport
  readonly #authorization: Authorization

  constructor(transport: Transport, authorization: Authorization) {
    this.#transport = transport
    this.#authorization = authorization
    this.jobAds = new Postings(transport, authorization, 'job-ads', 'jobAds')
    this.screens = new Postings(transport, authorization, 'screens', 'screens')
  }

  submit(
    application: NewApplication,
    files: Uploads = {},
    options: CreateOptions = {},
  ): Promise<Created<IntakeReceipt>> {
    const form = new FormData()
    // The service reads the JSON before the files.
    form.append('application', new Blob([JSON.stringify(application)], { type: 'application/json' }))
    for (const [part, file] of Object.entries<Upload | undefined>({ ...files })) {
      if (file !== undefined) form.append(part, new Blob([file.content]), file.name)
    }
    return create(this.#transport, this.#authorization, '/v1/intake/applications', form, options)
  }

  /** The verdicts on the files of an application that this client sent. */
  get(id: number, { signal }: CallOptions = {}): Promise<IntakeReceipt> {
    const call: Call = { path: `/v1/intake/applications/${id}`, authorization: this.#authorization, signal }
    return this.#transport.json(call)
  }
}

/** Ads, or questionnaires: both have the same calls. */
export class Postings<Posting extends { id: number }, New, List extends string> {
  readonly #transport: Transport
  readonly #authorization: Authorization
  readonly #path: string
  readonly #key: List

  constructor(transport: Transport, authorization: Authorization, path: string, key: List) {
    this.#transport = transport
    this.#authorization = authorization
    this.#path = `/v1/intake/${path}`
    this.#key = key
  }

  create(posting: New, options: CreateOptions = {}): Promise<Created<Posting>> {
    return create(this.#transport, this.#authorization, this.#path, JSON.stringify(posting), options)
  }

  /** All of the advertiser, ascending by ID. A page is requested when the loop needs it. */
  list(
    advertiserId: number,
    { reference, signal }: CallOptions & { reference?: string } = {},
  ): AsyncGenerator<Posting, void, undefined> {
    const filters = {
      advertiserId: String(advertiserId),
      ...(reference === undefined ? {} : { reference }),
    }
    return listById(this.#transport, { ...this.#call(''), signal }, this.#key, filters)
  }

  get(advertiserId: number, id: number, { signal }: CallOptions = {}): Promise<Posting> {
    return this.#transport.json({ ...this.#call(`/${id}?advertiserId=${advertiserId}`), signal })
  }

  /** Replaces the whole: a field that is left out is cleared. */
  replace(id: number, posting: New, { signal }: CallOptions = {}): Promise<Posting> {
    const body = JSON.stringify(posting)
    return this.#transport.json({ ...this.#call(`/${id}`), method: 'PUT', headers: () => json, body, signal })
  }

  close(advertiserId: number, id: number, options: CallOptions = {}): Promise<Posting> {
    return this.#turn('close', advertiserId, id, options)
  }

  open(advertiserId: number, id: number, options: CallOptions = {}): Promise<Posting> {
    return this.#turn('open', advertiserId, id, options)
  }

  #turn(how: 'open' | 'close', advertiserId: number, id: number, { signal }: CallOptions): Promise<Posting> {
    const call = this.#call(`/${id}/${how}?advertiserId=${advertiserId}`)
    return this.#transport.json({ ...call, method: 'POST', signal })
  }

  #call(path: string): Call {
    return { path: this.#path + path, authorization: this.#authorization }
  }
}

const json = { 'content-type': 'application/json' }

/** The key makes it safe to send it again when no response came. */
function create<T>(
  transport: Transport,
  authorization: Authorization,
  path: string,
  body: string | FormData,
  { idempotencyKey = crypto.randomUUID(), signal }: CreateOptions,
): Promise<Created<T>> {
  const headers = { 'idempotency-key': idempotencyKey, ...(typeof body === 'string' ? json : {}) }
  return transport.send(
    { path, method: 'POST', headers: () => headers, body, authorization, signal },
    async response => ({
      ...(await jsonOf<T>(response)),
      wasReplayed: response.headers.get('idempotent-replayed') === 'true',
    }),
  )
}
