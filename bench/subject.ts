import type { Format } from '../src/model/v1/rendering.ts'
import type { Step } from './connection.ts'
import { type Account, attachmentBytes, type SizeName, type World } from './fill.ts'
import { asking, askOnce, drawnFrom, getRequest, type Load, type OneAnswer } from './load.ts'
import type { Contender } from './rounds.ts'
import type { ServerProcess } from './service.ts'

/** The service on one of the databases, filled and running. */
export interface Subject {
  label: 'SQLite' | 'PostgreSQL'
  settings: Record<string, string>
  world: World
  service: ServerProcess
  /** The database server's process, if it has one. */
  databasePid: number | undefined
}

export interface Lengths {
  minBytes: number
  maxBytes: number
}

export const pageSize = 100
export const listPath = '/v1/advertiser/applications'
const oneApplication: Record<Format, string> = { json: '{"ID":', xml: '<JobApplication>' }
/** Enough that hardly any page is requested while it is still in memory from the last time. */
const drawnPages = 20_000
/** How far the length of a page of 100 may be from the usual one. */
const pageTolerance = 0.15

export const sizeText = (account: Account) => account.ids.length.toLocaleString('en')

export function listRequest(
  account: Account,
  format: Format,
  search = '',
  headers: Record<string, string> = {},
): Buffer {
  return getRequest(`${listPath}${search}`, {
    Authorization: `SWS ${account.credential}`,
    Accept: `application/${format}`,
    ...headers,
  })
}

/** The address of a random page of the list that has all its 100 applications. */
export function randomSearch(account: Account): string {
  const position = Math.floor(Math.random() * (account.ids.length - pageSize))
  return `?limit=${pageSize}&afterid=${account.ids[position]}`
}

export function randomPages(
  account: Account,
  format: Format,
  headers: Record<string, string> = {},
): Buffer[] {
  return Array.from({ length: drawnPages }, () =>
    listRequest(account, format, randomSearch(account), headers),
  )
}

export function attachmentRequest({ neighbour, attachment }: World): Buffer {
  const headers = { Authorization: `SWS ${neighbour.credential}` }
  return getRequest(`${listPath}/resume/${attachment.applicationId}`, headers)
}

export const attachmentLengths: Lengths = { minBytes: attachmentBytes, maxBytes: attachmentBytes }

/** The page of median length among some samples, each one checked. */
export async function usualPage({ service }: Subject, account: Account, format: Format): Promise<Buffer> {
  const pages: Buffer[] = []
  for (let count = 0; count < 21; count++) {
    const request = listRequest(account, format, randomSearch(account))
    const answer = await askOnce(service.port, request, { keepBody: true })
    assertApplications(answer, format)
    pages.push(answer.body)
  }
  return pages.sort((a, b) => a.length - b.length)[10] as Buffer
}

export function around(length: number): Lengths {
  return { minBytes: length * (1 - pageTolerance), maxBytes: length * (1 + pageTolerance) }
}

function assertApplications({ status, body }: OneAnswer, format: Format): void {
  const isWhole = body
    .subarray(-20)
    .toString()
    .endsWith(format === 'json' ? ']}}' : '</JobApplications>')
  const found = occurrences(body, oneApplication[format])
  if (status !== 200 || found !== pageSize || !isWhole) {
    throw new Error(`status ${status} with ${found} applications instead of 200 with ${pageSize}`)
  }
}

function occurrences(body: Buffer, text: string): number {
  const wanted = Buffer.from(text)
  let count = 0
  for (let at = body.indexOf(wanted); at !== -1; at = body.indexOf(wanted, at + wanted.length)) count++
  return count
}

/** A participant that sends these requests to one of the subject's servers, repeatedly. */
export function asksFor(
  subject: Subject,
  what: string,
  requests: readonly Buffer[],
  lengths: Lengths,
  server: ServerProcess = subject.service,
): Contender {
  return asks(subject, what, drawnFrom(server.port, requests, lengths).next, server)
}

export function asks(
  { label, service, databasePid }: Subject,
  what: string,
  next: () => Step,
  server: ServerProcess = service,
): Contender {
  return {
    name: `${what}, ${label}`,
    load: asking({ port: server.port, next }),
    serverPid: server.pid,
    behindPid: databasePid,
  }
}

/** The engine itself, without a server of ours: this process does the work. */
export const bare = ({ label, databasePid }: Subject, what: string, { load }: { load: Load }): Contender => ({
  name: `${what}, ${label}`,
  load,
  behindPid: databasePid,
})

export const sizeNames: readonly SizeName[] = ['small', 'middle', 'large', 'huge']
