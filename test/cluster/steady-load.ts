import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from '../harness/database.ts'
import {
  addBoard,
  applicationOf,
  applicationPart,
  intakePath,
  intakeToken,
  multipart,
} from '../harness/intake.ts'
import { doorOf } from '../harness/oauth.ts'
import { listPath, prepareTenant, type Tenant } from '../harness/tenant.ts'

/** An advertiser, and a job board that brings applications to it. */
export interface Board extends Tenant {
  secret: string
}

export function prepareBoard(database: TestDatabase): Promise<Board> {
  return prepareTenant(database, async (services, { advertiserId }) => {
    const { secret } = await addBoard(services, advertiserId)
    return { secret }
  })
}

export interface LoadOutcome {
  requests: number
  /** Any outcome but the expected response: another status, or a broken connection. */
  failures: string[]
  /** The applications that were acknowledged. */
  ids: number[]
}

export interface Load {
  /** Resolves after this many further responses. */
  answered(count: number): Promise<void>
  stop(): Promise<LoadOutcome>
}

const readers = 3
const senders = 3

/**
 * Readers and job boards that keep their connections, one request at a time on each, and never retry: a failure counts.
 * Some of the connections idle between two requests for longer than others.
 */
export async function startLoad(baseUrl: string, board: Board): Promise<Load> {
  const { port } = new URL(baseUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: readers + senders })
  const client = { id: 'board', secret: board.secret, redirectUri: '' }
  const token = await intakeToken(doorOf({ baseUrl }), client)
  const outcome: LoadOutcome = { requests: 0, failures: [], ids: [] }
  let isRunning = true

  function send(method: string, path: string, headers: Record<string, string>, body?: Buffer) {
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, method, path, headers, agent }
      request(options, async (response: IncomingMessage) => {
        try {
          resolve({ status: response.statusCode ?? 0, text: await text(response) })
        } catch (error) {
          reject(error)
        }
      })
        .on('error', reject)
        .end(body)
    })
  }

  async function read(): Promise<void> {
    const answer = await send('GET', `${listPath}?limit=10`, board.headers)
    if (answer.status !== 200) throw new Error(`GET ${answer.status} ${answer.text}`)
    JSON.parse(answer.text)
  }

  async function apply(): Promise<void> {
    const application = applicationOf({ advertiserId: board.advertiserId, jobSeekerId: randomUUID() })
    const { body, type } = multipart([applicationPart(application)])
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': type,
      'content-length': String(body.length),
      'idempotency-key': randomUUID(),
    }
    const answer = await send('POST', intakePath, headers, body)
    if (answer.status !== 201) throw new Error(`POST ${answer.status} ${answer.text}`)
    outcome.ids.push(JSON.parse(answer.text).id)
  }

  async function keepOn(step: () => Promise<void>, pauseMs: number): Promise<void> {
    while (isRunning) {
      try {
        await step()
      } catch (error) {
        outcome.failures.push(`${step.name}: ${(error as Error).message}`)
      }
      outcome.requests++
      await sleep(pauseMs)
    }
  }

  const loops = Promise.all([
    ...Array.from({ length: readers }, (_, index) => keepOn(read, 40 * 4 ** index)),
    ...Array.from({ length: senders }, (_, index) => keepOn(apply, 50 * 3 ** index)),
  ])
  return {
    async answered(count) {
      const enough = outcome.requests + count
      while (outcome.requests < enough) await sleep(20)
    },
    async stop() {
      isRunning = false
      await loops
      agent.destroy()
      return outcome
    },
  }
}
