/**
 * Shared by the contract tests: reads a list, a date, a problem and an XML tree in the words of the contract, so that
 * each test states only one fact.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type Answer, call, harbour, raw } from '../harness/http.ts'
import type { Service } from '../harness/service.ts'
import { parseXml, type XmlNode } from '../harness/xml.ts'

export const listPath = '/v1/advertiser/applications'
export const kinds = ['resume', 'coverletter', 'selectioncriteria', 'screen'] as const
/** A well-formed ID that no test database reaches. */
export const unknownId = '9007199254740000'
/** Why a test that needs settings or the command line cannot run against an external service. */
export const external = process.env['TEST_BASE_URL'] ? 'needs a service of its own' : false

export interface Attachment {
  DateUploaded: string
  HasVirus: boolean | null
  Hash: string
  Href: string
  Size: number
  Type: string
}
export interface Application {
  ID: number
  DateSubmitted: string
  Email: string
  FirstName: string
  LastName: string
  Phone: string
  JobSeekerID: string
  JobReference?: string
  Attachments: Attachment[]
  PrimaryJobSeekingInfo?: Record<string, unknown>
}
export interface Listing {
  AdvertiserID: number
  AfterDate: string | null
  AfterID: string | null
  BeforeDate: string | null
  BeforeID: string | null
  AgentID: number | null
  JobApplicationsList: Application[]
}
export type RequestHeaders = Record<string, string>

export function listing(answer: Answer): Listing {
  assert.equal(answer.status, 200, answer.text)
  return answer.json().JobApplications
}

export async function read(service: Service, query = '', as: RequestHeaders = harbour): Promise<Listing> {
  return listing(await call(service, listPath + query, { headers: as }))
}

/** Every application of the advertiser, with everything that the list can carry. */
export async function everything(service: Service, as: RequestHeaders = harbour): Promise<Application[]> {
  return (await read(service, '?include=primaryjobseekinginfo', as)).JobApplicationsList
}

/** Every attachment of the advertiser; screens are attachments too, but not files. */
export async function attachments(service: Service, as: RequestHeaders = harbour): Promise<Attachment[]> {
  return (await everything(service, as)).flatMap(application => application.Attachments)
}

export async function files(service: Service, as: RequestHeaders = harbour): Promise<Attachment[]> {
  return (await attachments(service, as)).filter(attachment => attachment.Type !== 'screen')
}

export function ids(applications: readonly Application[]): number[] {
  return applications.map(application => application.ID)
}

export function pick<T>(items: readonly T[], wanted: (item: T) => boolean, what: string): T {
  const found = items.find(wanted)
  assert.ok(found !== undefined, `the demo world has ${what}`)
  return found
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const jsonDate = /^\/Date\((-?\d+)\+1000\)\/$/

/** Milliseconds since the epoch of a date as version 1 writes it in JSON. */
export function milliseconds(date: string): number {
  assert.match(date, jsonDate)
  return Number(jsonDate.exec(date)?.[1])
}

/** A time as version 1 writes it in XML: UTC+10:00 all year. */
export function aest(time: number): string {
  return new Date(time + 36_000_000).toISOString().replace('Z', '+10:00')
}

/** A time, cut to the second, in the format of the date filters. */
export function filterDate(time: number): string {
  return aest(time).slice(0, 19)
}

const itemNames: Record<string, string> = { JobApplicationsList: 'JobApplication', Attachments: 'Attachment' }

/** The XML that the contract requires for a value of the JSON list. */
export function asXml(name: string, value: unknown): XmlNode {
  const node: XmlNode = { name, attributes: {}, children: [], text: '' }
  if (value === null) return { ...node, attributes: { 'xsi:nil': 'true' } }
  if (Array.isArray(value)) {
    return { ...node, children: value.map(item => asXml(itemNames[name] ?? 'unexpected', item)) }
  }
  if (typeof value === 'object') {
    return { ...node, children: Object.entries(value).map(([key, child]) => asXml(key, child)) }
  }
  const text = String(value)
  return { ...node, text: jsonDate.test(text) ? aest(milliseconds(text)) : text }
}

/** Parsed XML without insignificant parts: white space between elements and namespace declarations. */
export function tree(text: string): XmlNode {
  const strip = (node: XmlNode): XmlNode => ({
    name: node.name,
    attributes: Object.fromEntries(
      Object.entries(node.attributes).filter(([key]) => !key.startsWith('xmlns')),
    ),
    children: node.children.map(strip),
    text: node.children.length > 0 ? node.text.trim() : node.text,
  })
  return strip(parseXml(text))
}

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  requestId: string
}

/** Asserts that the answer is this problem, complete and consistent, and returns it. */
export function problem(service: Service, answer: Answer, status: number, code: string): Problem {
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json(;|$)/)
  const body = answer.json()
  const keys = Object.keys(body).filter(key => key !== 'errors')
  assert.deepEqual(keys.sort(), ['code', 'detail', 'requestId', 'status', 'title', 'type'])
  assert.equal(body.code, code)
  assert.equal(body.status, status)
  assert.equal(body.type, `${service.baseUrl}/problems/${code}`)
  assert.equal(body.requestId, answer.headers.get('x-request-id'))
  assert.ok(body.title.length > 0 && body.detail.length > 0, answer.text)
  return body
}

/** A GET as bytes, which fetch would normalise: target and headers are sent unchanged. */
export function plainRequest(service: Service, target: string, headers: RequestHeaders = {}): string {
  const fields = { Host: new URL(service.baseUrl).host, Connection: 'close', ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return [`GET ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

/**
 * Sends bytes unchanged and reads the response; headers required in every response are checked here. The text keeps its
 * chunk framing, if any: problems have none.
 */
export async function send(service: Service, bytes: string | Buffer): Promise<Answer> {
  const response = await raw(service, bytes)
  const end = response.indexOf('\r\n\r\n')
  assert.ok(end > 0, `a whole response head came: ${JSON.stringify(response.slice(0, 200))}`)
  const [statusLine = '', ...fields] = response.slice(0, end).split('\r\n')
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon), field.slice(colon + 1).trim()]
    }),
  )
  assert.match(statusLine, /^HTTP\/1\.1 \d{3} /)
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9_.-]{1,64}$/)
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  const text = response.slice(end + 4)
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text,
    bytes: Buffer.from(text),
    json: () => JSON.parse(text),
  }
}
