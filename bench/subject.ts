import { type Account, counts, type World } from './fill.ts'
import { askOnce, getRequest, type OneAnswer } from './load.ts'
import type { ServerProcess } from './service.ts'

/** The service on one of the databases, filled and running. */
export interface Subject {
  label: 'SQLite' | 'PostgreSQL'
  settings: Record<string, string>
  world: World
  service: ServerProcess
  /** The database server's process, when it has one. */
  databasePid: number | undefined
}

export type Format = 'json' | 'xml'

export const pageSize = 100
const listPath = '/v1/advertiser/applications'
const oneApplication: Record<Format, string> = { json: '{"ID":', xml: '<JobApplication>' }

export function listRequest(account: Account, format: Format, search = ''): Buffer {
  return getRequest(`${listPath}${search}`, {
    Authorization: `SWS ${account.credential}`,
    Accept: `application/${format}`,
  })
}

/** A page from anywhere in the list that has all its 100 applications. */
export function randomPageRequest(account: Account, format: Format): Buffer {
  const position = Math.floor(Math.random() * (account.ids.length - pageSize))
  return listRequest(account, format, `?limit=${pageSize}&afterid=${account.ids[position]}`)
}

export function attachmentRequest({ neighbour, attachment }: World): Buffer {
  const headers = { Authorization: `SWS ${neighbour.credential}` }
  return getRequest(`${listPath}/resume/${attachment.applicationId}`, headers)
}

/** Pages of the usual kind, each one looked into: what is measured must be what it says it is. */
export async function samplePages(subject: Subject, account: Account, format: Format): Promise<Buffer[]> {
  const pages: Buffer[] = []
  for (let count = 0; count < 21; count++) {
    const answer = await askOnce(subject.service.port, randomPageRequest(account, format), { keepBody: true })
    assertApplications(answer, format, pageSize)
    pages.push(answer.body)
  }
  return pages.sort((a, b) => a.length - b.length)
}

export function assertWholeList(answer: OneAnswer): void {
  assertApplications(answer, 'json', counts.large)
}

function assertApplications({ status, body }: OneAnswer, format: Format, expected: number): void {
  const isWhole = body
    .subarray(-20)
    .toString()
    .endsWith(format === 'json' ? ']}}' : '</JobApplications>')
  const found = occurrences(body, oneApplication[format])
  if (status !== 200 || found !== expected || !isWhole) {
    throw new Error(`status ${status} with ${found} applications instead of 200 with ${expected}`)
  }
}

function occurrences(body: Buffer, text: string): number {
  const wanted = Buffer.from(text)
  let count = 0
  for (let at = body.indexOf(wanted); at !== -1; at = body.indexOf(wanted, at + wanted.length)) count++
  return count
}
