import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../harness/http.ts'
import type { ServingHere as Serving } from '../harness/serving.ts'
import { listPath } from '../harness/tenant.ts'
import { parseXml, type XmlNode } from '../harness/xml.ts'

export type Format = 'json' | 'xml'

export interface Seen {
  id: number
  submittedAt: number
}

/** Throws if it is not well-formed. */
export function readList(format: Format, body: string): Seen[] {
  if (format === 'xml') {
    const list = child(parseXml(body), 'JobApplicationsList')
    return list.children.map(node => ({
      id: Number(child(node, 'ID').text),
      submittedAt: Date.parse(child(node, 'DateSubmitted').text),
    }))
  }
  const applications: { ID: number; DateSubmitted: string }[] =
    JSON.parse(body).JobApplications.JobApplicationsList
  return applications.map(({ ID, DateSubmitted }) => ({
    id: ID,
    submittedAt: Number(/^\/Date\((\d+)\+1000\)\/$/.exec(DateSubmitted)?.[1]),
  }))
}

function child(node: XmlNode, name: string): XmlNode {
  const found = node.children.find(candidate => candidate.name === name)
  if (found === undefined) throw new Error(`no ${name} in ${node.name}`)
  return found
}

interface PollOptions {
  format: Format
  limit: number
  headers: Record<string, string>
  haveWritersEnded(): boolean
}

/** A client that asks again and again for new applications, until no more can come. */
export async function poll(serving: Serving, options: PollOptions): Promise<Seen[]> {
  const seen: Seen[] = []
  for (;;) {
    const isLastLook = options.haveWritersEnded()
    const path = `${listPath}?afterid=${seen.at(-1)?.id ?? 0}&limit=${options.limit}`
    const headers = { ...options.headers, accept: `application/${options.format}` }
    const answer = await call(serving, path, { headers })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    const page = readList(options.format, answer.text)
    seen.push(...page)
    if (page.length > 0) continue
    if (isLastLook) return seen
    // Asking without a pause would only take processor time from the writers.
    await sleep(20)
  }
}

export interface Streamed {
  newestBefore: number
  seen: Seen[]
  newestOnceItHadBegun: number
}

/** The whole list, and the newest application just before the request and just after its response began. */
export async function stream(
  serving: Serving,
  format: Format,
  headers: Record<string, string>,
  readNewest: () => Promise<number>,
): Promise<Streamed> {
  const newestBefore = await readNewest()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${serving.baseUrl}${listPath}`, { headers: { ...headers, accept: `application/${format}` } })
      .on('response', resolve)
      .on('error', reject)
      .end()
  })
  const newestOnceItHadBegun = await readNewest()
  const body = await text(response)
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${body}`)
  return { newestBefore, seen: readList(format, body), newestOnceItHadBegun }
}
