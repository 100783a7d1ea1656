import type { ApplicationAnswers, JobApplication, JobApplications, Screen } from './api-types.ts'
import { type DossierFile, download } from './download.ts'
import { type Authorization, type Call, jsonOf, type Transport } from './transport.ts'

export interface ListOptions {
  /** Exclusive, like every bound. */
  afterId?: number | string
  beforeId?: number | string
  /** `YYYY-MM-DDTHH:MM:SS`, in Australian Eastern Standard Time all year. */
  afterDate?: string
  beforeDate?: string
  includePrimaryJobSeekingInfo?: boolean
  /** Applications per request, 1 to 1000; 500 by default. */
  pageSize?: number
  signal?: AbortSignal
}

interface CallOptions {
  signal?: AbortSignal | undefined
}

interface GetOptions extends CallOptions {
  includePrimaryJobSeekingInfo?: boolean
}

const primaryInfo = 'primaryjobseekinginfo'

/** How often a call is repeated, and who is told. */
type Patience = Pick<Call, 'tries' | 'onRetry'>

export interface ListPage {
  applications: JobApplication[]
  isLast: boolean
}

/** Reads the advertiser's applications (version 1). */
export class ApplicationReader {
  readonly #transport: Transport
  readonly #authorization: Authorization
  readonly #patience: Patience

  constructor(transport: Transport, authorization: Authorization, patience: Patience = {}) {
    this.#transport = transport
    this.#authorization = authorization
    this.#patience = patience
  }

  /** All that match, ascending by ID. A page is requested when the loop needs it. */
  async *list(options: ListOptions = {}): AsyncGenerator<JobApplication, void, undefined> {
    let { afterId = 0 } = options
    for (let isLast = false; !isLast; ) {
      const page = await this.page({ ...options, afterId })
      yield* page.applications
      isLast = page.isLast
      afterId = page.applications.at(-1)?.ID ?? afterId
    }
  }

  /** One page. The next one begins after the last ID of this one. */
  page(options: ListOptions = {}): Promise<ListPage> {
    const query = new URLSearchParams({ limit: String(options.pageSize ?? 500) })
    const filters = {
      afterid: options.afterId,
      beforeid: options.beforeId,
      afterdate: options.afterDate,
      beforedate: options.beforeDate,
      include: options.includePrimaryJobSeekingInfo ? primaryInfo : undefined,
    }
    for (const [name, value] of Object.entries(filters)) {
      if (value !== undefined) query.set(name, String(value))
    }
    return this.#transport.send(this.#call(`?${query}`, options), async response => {
      const { JobApplications: list } = await jsonOf<JobApplications>(response)
      const applications = list.JobApplicationsList
      // The link itself leads to the same as the last ID, but under the address that the service believes to have.
      const hasNext = /;\s*rel="?next"?/.test(response.headers.get('link') ?? '')
      return { applications, isLast: !hasNext || applications.length === 0 }
    })
  }

  get(id: number | string, options: GetOptions = {}): Promise<JobApplication> {
    const query = options.includePrimaryJobSeekingInfo ? `?include=${primaryInfo}` : ''
    return this.#transport.json(this.#call(`/${encodeURIComponent(id)}${query}`, options))
  }

  resume(id: number | string, options: CallOptions = {}): Promise<DossierFile> {
    return this.#download('resume', id, options)
  }

  coverLetter(id: number | string, options: CallOptions = {}): Promise<DossierFile> {
    return this.#download('coverletter', id, options)
  }

  selectionCriteria(id: number | string, options: CallOptions = {}): Promise<DossierFile> {
    return this.#download('selectioncriteria', id, options)
  }

  /** The screening answers. */
  screen(id: number | string, options: CallOptions = {}): Promise<Screen> {
    return this.#transport.json(this.#call(`/screen/${encodeURIComponent(id)}`, options))
  }

  /** The same answers with their kinds, typed values and your references. */
  answers(id: number | string, options: CallOptions = {}): Promise<ApplicationAnswers> {
    return this.#transport.json(this.#call(`/${encodeURIComponent(id)}/answers`, options))
  }

  protected withPatience(patience: Patience): ApplicationReader {
    return new ApplicationReader(this.#transport, this.#authorization, patience)
  }

  #download(type: string, id: number | string, options: CallOptions): Promise<DossierFile> {
    return download(this.#transport, this.#call(`/${type}/${encodeURIComponent(id)}`, options))
  }

  #call(path: string, { signal }: CallOptions): Call {
    const authorization = this.#authorization
    return { ...this.#patience, path: `/v1/advertiser/applications${path}`, authorization, signal }
  }
}

/** The time in a date of version 1, such as `/Date(1794614400000+1000)/`. */
export function timeOf(date: string): Date {
  return new Date(Number(/\((-?\d+)/.exec(date)?.[1]))
}
