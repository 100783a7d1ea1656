import { createHash, randomBytes } from 'node:crypto'
import { reasonOf } from '../../platform/core/reason.ts'
import { type Exchange, readable, requestText, responseText } from './apply-exchange.ts'

/** Limit: How long our own clients, such as the demo, wait for a response. */
export const clientAnswerMs = 15_000

/**
 * A client of this service as an integrator would write one: it knows only the public URLs, its ID and its secret. The
 * demo's careers page and "dossier perform" use it.
 */
export interface ApplyClientOptions {
  fetch: typeof fetch
  /** Both URLs have no trailing slash. */
  baseUrl: string
  authUrl: string
  clientId: string
  clientSecret: string
  redirectUri: string
  /** Timeout of one request. */
  timeoutMs: number
  /** Called after each step, with secrets shortened. */
  onExchange(exchange: Exchange): void
}

export interface Choice {
  id: string
  description: string
}

export interface Prefill {
  id: string
  applicantInfo: {
    firstName: string
    lastName: string
    emailAddress: string
    phoneNumber: string | null
    currentLocation: Choice | null
    highestQualification: Choice | null
    skills: string[]
    salaryAndVisaByCountry: Record<
      string,
      {
        description: string | null
        hasWorkingVisa: boolean | null
        minimumSalaryValue: number | null
        salaryType: string | null
      }
    >
    workHistory: {
      jobTitle: string
      companyName: string
      industry: Choice | null
      achievements: string | null
      from: string
      to: string | null
    }[]
  }
  resume: { link: string } | null
  complete: string
}

export interface PrefillRequest {
  advertiserId: string
  applicationFormUrl: string
  positionTitle?: string
  positionUri?: string
  positionReference?: string
  countryCode?: string
  postalCode?: string
}

export interface DownloadedResume {
  fileName: string
  size: number
  /** File type according to its first bytes. */
  kind: string
}

/** A step that the service rejected, or that got no response. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
}

/** RFC 7636: proves that the client that redeems the code also requested it. */
export function newPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export type ApplyClient = ReturnType<typeof createApplyClient>

export function createApplyClient(options: ApplyClientOptions) {
  const { baseUrl, authUrl, clientId, clientSecret, redirectUri } = options
  const tokenUrl = `${authUrl}/api/iam/oauth2/token`
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`

  async function call<T>(
    step: Pick<Exchange, 'title' | 'why'>,
    request: { method: string; url: string; headers: Record<string, string>; body?: string },
    read: (response: Response) => Promise<{ value: T; shown: string }>,
  ): Promise<T> {
    const { method, url, headers, body } = request
    const asked = requestText(method, url, Object.entries(headers), body)
    try {
      const response = await options.fetch(url, {
        method,
        headers,
        // Following a redirect would send the token elsewhere.
        redirect: 'error',
        signal: AbortSignal.timeout(options.timeoutMs),
        ...(body === undefined ? {} : { body }),
      })
      if (!response.ok) {
        const text = await response.text()
        options.onExchange({ ...step, request: asked, response: responseText(response, readable(text)) })
        throw new StepFailure(`${step.title}: the service answered ${response.status}${reasonIn(text)}.`)
      }
      const { value, shown } = await read(response)
      options.onExchange({ ...step, request: asked, response: responseText(response, shown) })
      return value
    } catch (error) {
      if (error instanceof StepFailure) throw error
      options.onExchange({ ...step, request: asked })
      throw new StepFailure(`${step.title}: no usable response (${reasonOf(error)}).`)
    }
  }

  async function token(
    step: Pick<Exchange, 'title' | 'why'>,
    fields: Record<string, string>,
  ): Promise<string> {
    const headers = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams(fields).toString()
    return call(step, { method: 'POST', url: tokenUrl, headers, body }, async response => {
      const text = await response.text()
      const { access_token } = JSON.parse(text) as { access_token?: unknown }
      if (typeof access_token !== 'string') throw new Error('it has no access_token')
      return { value: access_token, shown: readable(text) }
    })
  }

  /** Rejects URLs outside the service, so that a response cannot direct a token elsewhere. */
  function ownAddress(url: string): string {
    if (URL.parse(url)?.origin !== new URL(baseUrl).origin) {
      throw new StepFailure(`${url} is not on ${baseUrl}, so no token is sent there.`)
    }
    return url
  }

  return {
    authorizeUrl(request: { state: string; advertiserId: string; challenge?: string | undefined }): string {
      const { state, advertiserId, challenge } = request
      const parameters = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'r_profile_apply',
        state,
        advertiser_id: advertiserId,
        ...(challenge === undefined ? {} : { code_challenge: challenge, code_challenge_method: 'S256' }),
      })
      return `${authUrl}/api/iam/oauth2/authorize?${parameters}`
    },

    redeem: (code: string, verifier?: string): Promise<string> =>
      token(
        {
          title: 'Redeem the code for a token',
          why: "The code works once, for a few minutes, and only with the client's secret; expires_in is the lifetime of the token in seconds.",
        },
        {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          ...(verifier === undefined ? {} : { code_verifier: verifier }),
        },
      ),

    prefill: (accessToken: string, request: PrefillRequest): Promise<Prefill> =>
      call(
        {
          title: 'Request the prefill',
          why: 'It returns what the candidate released for this advertiser, and appears in their sharing history.',
        },
        {
          method: 'POST',
          url: `${baseUrl}/v2/applications/prefilled`,
          headers: {
            accept: 'application/json',
            authorization: `Bearer ${accessToken}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(request, null, 2),
        },
        async response => {
          const text = await response.text()
          const prefill = JSON.parse(text) as Prefill
          if (!(prefill.applicantInfo instanceof Object)) throw new Error('it has no applicantInfo')
          return { value: prefill, shown: readable(text) }
        },
      ),

    downloadResume: async (accessToken: string, link: string): Promise<DownloadedResume> =>
      call(
        {
          title: 'Fetch the resume',
          why: 'The link works with the same token; it is unique to this consent and reveals nothing about the candidate.',
        },
        {
          method: 'GET',
          url: ownAddress(link),
          headers: { accept: 'application/octet-stream', authorization: `Bearer ${accessToken}` },
        },
        async response => {
          const { size, beginning } = await measure(response)
          const fileName = fileNameIn(response.headers.get('content-disposition') ?? '')
          const kind = kindOf(beginning)
          return { value: { fileName, size, kind }, shown: `(${size} bytes: ${kind})` }
        },
      ),

    clientToken: (): Promise<string> =>
      token(
        {
          title: "Get the client's own token",
          why: 'Completion is reported by the client and not by the candidate, so it needs a token without candidate and scope.',
        },
        { grant_type: 'client_credentials' },
      ),

    complete: async (accessToken: string, url: string, completedAt: Date): Promise<void> =>
      call(
        {
          title: 'Report completion',
          why: 'The candidate then sees it as submitted; repeating the call is harmless.',
        },
        {
          method: 'POST',
          url: ownAddress(url),
          headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
          body: JSON.stringify({ completionDate: completedAt.toISOString() }),
        },
        async response => {
          await response.arrayBuffer()
          return { value: undefined, shown: '' }
        },
      ),
  }
}

/** Extracts the reason of an error from OAuth JSON or problem details. */
function reasonIn(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown>
    const words = [body['error'] ?? body['code'], body['error_description'] ?? body['detail']]
    const reasons = words.filter(word => typeof word === 'string')
    return reasons.length === 0 ? '' : `, ${reasons.join(': ').replace(/\.$/, '')}`
  } catch {
    // The text is not JSON; the status is reported anyway.
    return ''
  }
}

/** Counts the bytes while streaming, without holding the file. */
async function measure(response: Response): Promise<{ size: number; beginning: Buffer }> {
  let size = 0
  let beginning = Buffer.alloc(0)
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (beginning.length < 8) beginning = Buffer.concat([beginning, chunk.subarray(0, 8)]).subarray(0, 8)
  }
  const announced = response.headers.get('content-length')
  if (announced !== null && Number(announced) !== size) {
    throw new Error(`${size} bytes came instead of ${announced}`)
  }
  return { size, beginning }
}

const kinds: [beginning: Buffer, name: string][] = [
  [Buffer.from('%PDF-'), 'a PDF document'],
  [Buffer.from('PK\x03\x04'), 'a Word document (docx)'],
  [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'a Word document (doc)'],
  [Buffer.from('{\\rtf'), 'an RTF document'],
]

function kindOf(beginning: Buffer): string {
  const known = kinds.find(([bytes]) => beginning.subarray(0, bytes.length).equals(bytes))
  return known?.[1] ?? 'plain text'
}

function fileNameIn(disposition: string): string {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1]
  const decoded = extended === undefined ? undefined : decodedOf(extended)
  if (decoded !== undefined) return decoded
  const [, quoted, bare] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(disposition) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? bare?.trim() ?? 'resume'
}

/** Undefined if the escapes are not valid UTF-8. */
function decodedOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
