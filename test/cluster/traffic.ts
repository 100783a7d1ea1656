import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type CallOptions, send } from '../harness/http.ts'
import { applicationOf, applicationPart, file, intakePath, multipart } from '../harness/intake.ts'
import type { Serving } from '../harness/serving.ts'
import { listPath } from '../harness/tenant.ts'
import { type Format, readList } from '../race/reading.ts'

/** Clients of several nodes that retry whenever a node or its database is unavailable. */

export interface Traffic {
  /** The current ones; a restarted node takes the place of the one that died. */
  nodes: Serving[]
  headers: Record<string, string>
  /** By the key under which each was sent. */
  acknowledged: Map<string, number>
  haveWritersEnded: boolean
  /** One of the clients has found a fault, and the others need not continue. */
  hasFailed: boolean
}

/** Until a response says more than "try again": from this node, or from each in turn. */
async function insist(
  traffic: Traffic,
  first: number,
  path: string,
  method: string,
  options: CallOptions,
  wander: boolean,
): Promise<Answer> {
  const { nodes } = traffic
  for (let attempt = 0; ; attempt += 1) {
    if (traffic.hasFailed) throw new Error('another client has found a fault')
    const node = nodes[(first + (wander ? attempt : 0)) % nodes.length] as Serving
    const answer = await send(node.baseUrl, path, method, options).catch(brokenOff)
    if (answer !== undefined && answer.status !== 503 && answer.status !== 409) return answer
    // Asking without a pause would only take processor time from the nodes that we wait for.
    await sleep(20)
  }
}

/** The only ways in which a request may end without a response: no process listens, or the process has died. */
function brokenOff(error: NodeJS.ErrnoException): undefined {
  assert.match(String(error.code), /^(ECONNREFUSED|ECONNRESET|EPIPE)$/, error.stack)
}

export const resumeText = (key: string) => `Resume of ${key}.`

interface Board {
  token: string
  advertiserId: number
}

/** Sends application after application, each with its key until it is accepted, every third with a file. */
export async function write(traffic: Traffic, board: Board, writer: number, count: number): Promise<void> {
  for (let serial = 0; serial < count; serial += 1) {
    const key = `writer-${writer}-${serial}`
    const answer = await submit(traffic, board, key, writer + serial)
    assert.equal(answer.status, 201, answer.text)
    traffic.acknowledged.set(key, answer.json().id)
  }
}

export function submit(traffic: Traffic, board: Board, key: string, node: number): Promise<Answer> {
  const { advertiserId, token } = board
  const application = applicationPart(applicationOf({ advertiserId, jobSeekerId: key }))
  const files = hasResume(key) ? [file('resume', 'resume.txt', resumeText(key))] : []
  const { body, type } = multipart([application, ...files])
  const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'idempotency-key': key }
  return insist(traffic, node, intakePath, 'POST', { headers, body }, true)
}

export const hasResume = (key: string) => Number(key.split('-').at(-1)) % 3 === 0

/** Asks for everything after its last application, until no more can come. */
export async function pollPages(
  traffic: Traffic,
  { node, wander, format, limit }: { node: number; wander: boolean; format: Format; limit: number },
): Promise<number[]> {
  const seen: number[] = []
  for (let turn = node; ; turn += wander ? 1 : 0) {
    const isLastLook = traffic.haveWritersEnded
    const path = `${listPath}?afterid=${seen.at(-1) ?? 0}&limit=${limit}`
    const headers = { ...traffic.headers, accept: `application/${format}` }
    const answer = await insist(traffic, turn, path, 'GET', { headers }, wander)
    assert.equal(answer.status, 200, answer.text)
    const page = readList(format, answer.text).map(({ id }) => id)
    seen.push(...page)
    if (page.length > 0) continue
    if (isLastLook) return seen
    await sleep(20)
  }
}

/**
 * Requests the whole list again and again, if desired with the tag of the last one, and from the nodes in turn. No list
 * may lack an application that was acknowledged before the request, or that an earlier list has shown.
 */
export async function pollWholeLists(
  traffic: Traffic,
  isConditional: boolean,
): Promise<{ seen: number[]; unchanged: number }> {
  let seen: number[] = []
  let unchanged = 0
  let tag: string | undefined
  for (let turn = 0; ; turn += 1) {
    const isLastLook = traffic.haveWritersEnded
    const had = seen.length
    const before = [...traffic.acknowledged.values()]
    const condition = isConditional && tag !== undefined ? { 'if-none-match': tag } : {}
    const answer = await insist(
      traffic,
      turn,
      listPath,
      'GET',
      { headers: { ...traffic.headers, ...condition } },
      true,
    )
    if (answer.status === 304) unchanged += 1
    else {
      assert.equal(answer.status, 200, answer.text)
      const list = readList('json', answer.text).map(({ id }) => id)
      assert.deepEqual(list.slice(0, seen.length), seen)
      seen = list
      tag = answer.headers.get('etag') ?? undefined
    }
    const shown = new Set(seen)
    assert.deepEqual(
      before.filter(id => !shown.has(id)),
      [],
    )
    const isSettled = isConditional ? answer.status === 304 : seen.length === had
    if (isLastLook && isSettled) return { seen, unchanged }
    await sleep(50)
  }
}

/** Downloads each file as soon as its application was acknowledged, from the nodes in turn. */
export async function downloadAll(traffic: Traffic): Promise<number> {
  const done = new Set<string>()
  for (;;) {
    const isLastLook = traffic.haveWritersEnded
    const fresh = [...traffic.acknowledged].filter(([key]) => hasResume(key) && !done.has(key))
    for (const [key, id] of fresh) {
      const options = { headers: traffic.headers }
      const answer = await insist(traffic, done.size, `${listPath}/resume/${id}`, 'GET', options, true)
      assert.deepEqual([answer.status, answer.text], [200, resumeText(key)])
      done.add(key)
    }
    if (isLastLook && fresh.length === 0) return done.size
    await sleep(20)
  }
}
