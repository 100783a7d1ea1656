import { readFile } from 'node:fs/promises'
import type { RouteOptions } from 'fastify'
import { withTimeout } from '../core/async/with-timeout.ts'
import { Type } from '../core/input/json-schema.ts'
import type { Log } from '../core/log.ts'
import { Problem, type ProblemCatalogue, type ProblemCode } from '../core/problems.ts'
import { contentResponse, documentProblems } from './documents.ts'
import type { Figures } from './observed/metrics.ts'
import { route } from './routes.ts'

const documentFile = new URL('../../../spec/openapi.json', import.meta.url)

/** Each check rejects with the reason. */
export type ReadinessChecks = Record<string, () => Promise<void>>

export interface ServiceRouteOptions {
  problems: ProblemCatalogue
  checks: ReadinessChecks
  /** Conditions that need the operator's attention while the node serves. */
  warnings(): Promise<Warning[]>
  /** True from the signal to stop: the node is not ready, but still serves. */
  isStopping(): boolean
  log: Log
  retryAfterSeconds: number
}

const warnings = ['backup', 'clock', 'disk', 'mail', 'scanner', 'webhooks'] as const
export type Warning = (typeof warnings)[number]

const Health = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false })
const Readiness = Type.Object(
  {
    status: Type.Literal('ok'),
    warnings: Type.Array(Type.Union(warnings.map(name => Type.Literal(name))), {
      description:
        'What the operator should look at while the node serves: an overdue backup, a clock that differs from that of the database or is in doubt, a disk that is nearly full, emails that are not sent, files that are not scanned, webhooks that are not signed. `dossier doctor` says more.',
    }),
  },
  { additionalProperties: false },
)

/** Routes for health, documentation and problem codes. */
export function serviceRoutes(options: ServiceRouteOptions): RouteOptions[] {
  let document: Promise<string> | undefined
  const isReady = shareForASecond(() => findFailedChecks(options))
  const shared = shareForASecond(options.warnings)
  const { problems } = options

  return [
    route({
      method: 'GET',
      url: '/openapi.json',
      auth: 'public',
      config: { isCompressed: true },
      schema: {
        summary: 'This document',
        operationId: 'openapi',
        tags: ['Service'],
        response: {
          200: contentResponse('OpenAPI 3.1.', {
            'application/json': Type.Object({ openapi: Type.String() }),
          }),
          ...documentProblems(problems, []),
        },
      },
      handle: async ({ reply }) => {
        document ??= readFile(documentFile, 'utf8')
        return reply.header('content-type', 'application/json; charset=utf-8').send(await document)
      },
    }),
    route({
      method: 'GET',
      url: '/problems/:code',
      auth: 'public',
      schema: {
        summary: 'What a problem code means',
        operationId: 'problem',
        tags: ['Service'],
        params: Type.Object({
          code: Type.String({ description: 'The last part of the `type` of a problem.' }),
        }),
        response: {
          200: contentResponse('The explanation.', { 'text/plain': Type.String() }),
          303: {
            description: 'For browsers: the explanation in the developer documentation.',
            type: 'null',
            headers: { Location: { description: 'An address on this service.', type: 'string' } },
          },
          ...documentProblems(problems, ['not-found']),
        },
      },
      handle: ({ request, reply, params: { code } }) => {
        if (!Object.hasOwn(problems, code))
          throw new Problem(
            'not-found',
            'There is no such problem code. spec/problems.md and /docs/errors list them.',
          )
        reply.header('vary', 'accept')
        if (request.headers.accept?.startsWith('text/html')) {
          return reply.redirect(`/docs/errors#${code}`, 303)
        }
        return reply.header('content-type', 'text/plain; charset=utf-8').send(explain(code as ProblemCode))
      },
    }),
    route({
      method: 'GET',
      url: '/health/live',
      auth: 'public',
      schema: {
        summary: 'Is the process alive?',
        operationId: 'live',
        tags: ['Service'],
        response: {
          200: contentResponse('The process is alive.', { 'application/json': Health }),
          ...documentProblems(problems, []),
        },
      },
      handle: ({ reply }) => reply.header('cache-control', 'no-store').send({ status: 'ok' }),
    }),
    route({
      method: 'GET',
      url: '/health/ready',
      auth: 'public',
      schema: {
        summary: 'Is the node ready to serve? Checks database, migrations and file store.',
        operationId: 'ready',
        tags: ['Service'],
        response: {
          200: contentResponse('The node is ready.', { 'application/json': Readiness }),
          ...documentProblems(problems, ['shutting-down']),
        },
      },
      handle: async ({ reply }) => {
        if (options.isStopping()) {
          const { retryAfterSeconds } = options
          throw new Problem('shutting-down', undefined, { retryAfterSeconds })
        }
        const warned = shared()
        warned.catch(() => {})
        const failed = await isReady()
        if (failed.length > 0) {
          throw new Problem('unavailable', `Not ready: ${failed.join(', ')}.`, {
            retryAfterSeconds: options.retryAfterSeconds,
          })
        }
        return reply.header('cache-control', 'no-store').send({ status: 'ok', warnings: await warned })
      },
    }),
  ]

  function explain(code: ProblemCode): string {
    const { title, help, status } = problems[code]
    return `${code} (HTTP ${status})\n\n${title}.\n${help}\n`
  }
}

export function metricsRoute(figures: Figures): RouteOptions {
  return route({
    method: 'GET',
    url: '/metrics',
    auth: 'public',
    handle: async ({ reply }) =>
      reply.header('content-type', figures.contentType).send(await figures.metrics()),
  })
}

async function findFailedChecks({ checks, log }: ServiceRouteOptions): Promise<string[]> {
  const names = Object.keys(checks)
  const results = await Promise.allSettled(Object.values(checks).map(check => inTime(check())))
  return names.filter((name, index) => {
    const result = results[index]
    if (result?.status !== 'rejected') return false
    log.error({ check: name, err: result.reason }, 'not ready')
    return true
  })
}

/** Load balancers check often and wait briefly, so a silent database must not delay the answer. */
const checkMs = 1500

async function inTime(check: Promise<void>): Promise<void> {
  let isOver = false
  const checked = check.finally(() => {
    isOver = true
  })
  await withTimeout(checkMs, checked)
  if (!isOver) {
    checked.catch(() => {})
    throw new Error('no answer in time')
  }
}

/** Shares one result for a second, because anyone may call this and each check costs a query and a file access. */
function shareForASecond<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    if (answer === undefined) {
      answer = ask()
      setTimeout(() => {
        answer = undefined
      }, 1000).unref()
    }
    return answer
  }
}
