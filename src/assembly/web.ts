import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createSessions } from '../http/auth/sessions.ts'
import type { HttpMetrics } from '../http/observed/metrics.ts'
import { RateLimit } from '../http/rates/rate-limit.ts'
import type { ServerOptions } from '../http/server.ts'
import { createSignInPage } from '../people/account/sign-in-pages.ts'
import type { Mailer } from '../people/mail/ports.ts'
import { createConversions } from '../storage/documents/conversions.ts'
import { openBoard } from '../web/board.ts'
import type { AccountModule } from './accounts.ts'
import type { Platform } from './platform.ts'

export interface PublicServerOptions {
  log: Logger
  metrics: HttpMetrics
  isDemo: boolean
  baseUrl(): string
  authUrl(): string
  welcome(): string
  /** True from the signal to stop, so that load balancers notice early. */
  isStopping?(): boolean
  onUntrustedProxy?: ServerOptions['onUntrustedProxy']
  beforeRoutes?(app: FastifyInstance): Promise<void>
}

export type Web = ReturnType<typeof openWeb>

/** Everything that the routes of the public server share. */
export function openWeb(
  { config, clock, log, limits, rateCounts, slots, sentForms }: Platform,
  { accounts, accountLinks, passkeys: openPasskeys }: AccountModule,
  { isDemo, baseUrl, authUrl, welcome }: PublicServerOptions,
  mailer: Mailer | undefined,
) {
  /** Per minute by default. */
  const rateLimit = (name: string, max: number, windowSeconds = 60) =>
    new RateLimit({
      ...{ name, max, windowSeconds },
      clock,
      maxKeys: limits.rateLimitKeys,
      shared: rateCounts,
    })
  const sessions = createSessions({
    isSecure: () => authUrl().startsWith('https:'),
    find: accounts.findSession,
    sessionSeconds: limits.sessionSeconds,
  })
  const links = accountLinks(mailer, isDemo)
  const passkeys = openPasskeys(authUrl)
  return {
    config,
    clock,
    log,
    limits,
    slots,
    sentForms,
    isDemo,
    baseUrl,
    authUrl,
    welcome,
    mailer,
    sessions,
    ...openBoard(config),
    links,
    passkeys,
    sendSignInPage: createSignInPage({ sessions, passkeys, isMailOn: links.isOn }),
    rateLimit,
    conversions: createConversions({
      limits,
      onRefused: refusal => log.info({ refusal }, 'a document could not be shown'),
    }),
    /** Failed authentications by address, for all kinds of callers together. */
    failures: rateLimit('auth-failures', limits.authFailuresPerAddressPerMinute),
  }
}
