import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { WorldName } from '../demo/world-names.ts'
import { createSignInPage } from '../people/account/sign-in-pages.ts'
import type { Mailer } from '../people/mail/ports.ts'
import { createConversions } from '../platform/documents/conversions.ts'
import { createSessions } from '../platform/http/auth/sessions.ts'
import type { HttpMetrics } from '../platform/http/observed/metrics.ts'
import { RateLimit } from '../platform/http/rates/rate-limit.ts'
import type { ServerOptions } from '../platform/http/server.ts'
import { openBoard } from '../platform/web/board.ts'
import { boardPages } from '../site/board-markup.ts'
import type { AccountModule } from './accounts.ts'
import type { Platform } from './platform.ts'

/** Limit: Addresses that a rate limit counts separately; further ones share one count. Bounds memory. */
const rateLimitKeys = 100_000

export interface PublicServerOptions {
  log: Logger
  metrics: HttpMetrics
  isDemo: boolean
  demoWorld?: WorldName
  baseUrl(): string
  authUrl(): string
  welcome(): string
  /** True from the signal to stop, so that load balancers notice early. */
  isStopping?(): boolean
  onUntrustedProxy?: ServerOptions['onUntrustedProxy']
  beforeRoutes?(app: FastifyInstance): Promise<void>
}

export type Web = ReturnType<typeof openWeb>

/** Services that the public server's routes share. */
export function openWeb(
  { config, clock, log, limits, rateCounts, hourlyLimit, slots, sentForms }: Platform,
  { accounts, accountLinks, emailCodes, passkeys: openPasskeys, providers }: AccountModule,
  { isDemo, demoWorld = 'australia', baseUrl, authUrl, welcome }: PublicServerOptions,
  mailer: Mailer | undefined,
) {
  /** A limit per minute. */
  const rateLimit = (name: string, max: number) =>
    new RateLimit({
      name,
      max,
      clock,
      maxKeys: rateLimitKeys,
      shared: rateCounts,
    })
  const sessions = createSessions({
    isSecure: () => authUrl().startsWith('https:'),
    find: accounts.findSession,
    sessionSeconds: limits.sessionSeconds,
  })
  const links = accountLinks(mailer, isDemo)
  const passkeys = openPasskeys(authUrl)
  const codes = emailCodes(mailer)
  return {
    config,
    clock,
    log,
    limits,
    slots,
    sentForms,
    isDemo,
    demoWorld,
    baseUrl,
    authUrl,
    welcome,
    mailer,
    sessions,
    ...openBoard(config, boardPages),
    links,
    codes,
    passkeys,
    sendSignInPage: createSignInPage({
      sessions,
      passkeys,
      providers,
      isMailOn: links.isOn,
      hasCodes: codes !== undefined,
    }),
    rateLimit,
    hourlyLimit,
    conversions: createConversions({
      onRefused: refusal => log.info({ refusal }, 'a document could not be shown'),
    }),
    /** Failed authentications per address, for all kinds of callers together. */
    failures: rateLimit('auth-failures', limits.authFailuresPerAddressPerMinute),
  }
}
