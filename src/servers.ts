import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Logger } from 'pino'
import { readinessChecks, type Services } from './app.ts'
import { applyPages } from './applications/apply-pages.ts'
import { intakeRoutes } from './applications/intake-routes.ts'
import { ownApplicationsPages } from './applications/own-applications-pages.ts'
import { applicationRoutes } from './applications/routes.ts'
import { accountNavigation } from './candidates/account-navigation.ts'
import { accountRoutes } from './candidates/account-pages.ts'
import { profilePages } from './candidates/profile-pages.ts'
import { resumePages } from './candidates/resume-pages.ts'
import { securityRoutes } from './candidates/security-pages.ts'
import { sharingPages } from './candidates/sharing-pages.ts'
import { createSignInPage, signInRoutes } from './candidates/sign-in-pages.ts'
import type { Config } from './config.ts'
import { Problem } from './core/problems.ts'
import { outboxRoutes } from './demo/outbox-pages.ts'
import { demoSiteRoutes } from './demo/site-pages.ts'
import { createBearerAuth } from './http/bearer-auth.ts'
import { searchOf } from './http/form.ts'
import type { HttpMetrics } from './http/metrics.ts'
import { RateLimit } from './http/rate-limit.ts'
import { createServer, type Server, type ServerOptions } from './http/server.ts'
import { metricsRoute, serviceRoutes } from './http/service-routes.ts'
import { createSessionAuth } from './http/session-auth.ts'
import { createSessions, type Sessions } from './http/sessions.ts'
import { createSwsAuth } from './http/sws-auth.ts'
import { jobPages } from './jobs/pages.ts'
import { jobRoutes } from './jobs/routes.ts'
import type { Mailer } from './mail/ports.ts'
import { AuthorizationRefusal } from './oauth/errors.ts'
import { oauthRoutes, sendOAuthProblem } from './oauth/routes.ts'
import { sharingRoutes } from './sharing/routes.ts'
import { assetRoutes } from './web/assets.ts'
import { sendProblemPage } from './web/page-response.ts'

/** The HTTP servers: which modules are behind which routes, and who is asked who calls. */

export interface PublicServerOptions {
  log: Logger
  metrics: HttpMetrics
  isDemo: boolean
  baseUrl(): string
  authUrl(): string
  welcome(): string
  beforeRoutes?(app: FastifyInstance): Promise<void>
}

/** What the parts of the public server share. */
interface Assembly {
  config: Config
  services: Services
  options: PublicServerOptions
  sessions: Sessions
  rateLimit(name: string, perMinute: number): RateLimit
  /** Failed authentications by address, whatever the door. */
  failures: RateLimit
}

export function createPublicServer(
  config: Config,
  services: Services,
  options: PublicServerOptions,
): Promise<Server> {
  const { limits } = config
  const rateLimit = (name: string, perMinute: number) =>
    new RateLimit(name, perMinute, services.clock, limits.rateLimitKeys)
  const sessions = createSessions({
    isSecure: () => options.authUrl().startsWith('https:'),
    find: services.accounts.findSession,
    sessionSeconds: limits.sessionSeconds,
  })
  const failures = rateLimit('auth-failures', limits.authFailuresPerAddressPerMinute)
  const assembly = { config, services, options, sessions, rateLimit, failures }
  return createServer(
    { ...serverOptions(config, options, authHooks(assembly)), name: 'public' },
    [
      ...serviceRoutes({
        checks: readinessChecks(services),
        onFailedCheck: (name, error) => options.log.error({ check: name, err: error }, 'not ready'),
        retryAfterSeconds: limits.retryAfterSeconds,
        welcome: options.welcome,
      }),
      ...assetRoutes(),
      ...signInAndAuthorization(assembly),
      ...candidatePages(assembly),
      ...sharingRoutes({ sharing: services.sharing, baseUrl: options.baseUrl }),
      ...intakeRoutes({ intake: services.intake, limits }),
      ...applicationRoutes({ applications: services.applications, baseUrl: options.baseUrl, limits }),
      ...jobRoutes({ ...services, access: services.intakeAccess, baseUrl: options.baseUrl, limits }),
      ...jobPages({ board: services.jobBoard, clock: services.clock, limits }),
      ...(options.isDemo ? demoPages(assembly) : []),
    ],
    options.beforeRoutes,
  )
}

function authHooks({ config, services, sessions, rateLimit, failures }: Assembly): ServerOptions['auth'] {
  const { limits } = config
  const version2 = { requests: rateLimit('v2', limits.v2PerMinute), failures }
  return {
    sws: createSwsAuth({
      authenticate: value => authenticateForVersion1(services, value),
      requests: rateLimit('v1', limits.v1PerMinute),
      failures,
    }),
    'profile-token': createBearerAuth({
      ...version2,
      authenticate: services.tokenCheck.profile,
      accept: (request, token) => {
        request.profileToken = token
      },
      rateKey: token => token.hash,
    }),
    'client-token': createBearerAuth({
      ...version2,
      authenticate: services.tokenCheck.client,
      accept: (request, token) => {
        request.clientToken = token
      },
      rateKey: token => token.clientId,
    }),
    'intake-token': createBearerAuth({
      authenticate: services.tokenCheck.intake,
      accept: (request, token) => {
        request.intakeToken = token
      },
      rateKey: token => token.clientId,
      requests: rateLimit('intake', limits.intakePerMinute),
      failures,
    }),
    session: createSessionAuth(sessions),
  }
}

function signInAndAuthorization(assembly: Assembly): RouteOptions[] {
  const { config, services, options, sessions, rateLimit, failures } = assembly
  const { limits } = config
  const { accounts, authorization, tokens } = services
  const links = services.accountLinks({
    mailer: mailerOf(config, services, options),
    authUrl: options.authUrl,
  })
  const sendSignInPage = createSignInPage({ sessions, isMailOn: links.isOn })
  const pages = { accounts, links, sessions, isDemo: options.isDemo, ...limits }
  const formTargetOf = (continueTo: string) => waitingClient(services, continueTo)
  return [
    ...signInRoutes({ ...pages, sendSignInPage, isMailOn: links.isOn, formTargetOf }),
    ...accountRoutes({ ...pages, forms: rateLimit('account-forms', limits.accountFormsPerAddressPerMinute) }),
    ...securityRoutes({ ...pages, forms: rateLimit('new-addresses', limits.newAddressesPerMinute) }),
    ...oauthRoutes({
      authorization,
      tokens,
      sessions,
      issuer: options.authUrl,
      askToSignIn: sendSignInPage,
      requests: rateLimit('token', limits.tokenPerMinute),
      failuresOfClient: rateLimit('auth-failures-of-client', limits.authFailuresPerClientPerMinute),
      failuresOfAddress: failures,
    }),
  ]
}

/** The client behind an authorization request, for the sign-in page that stands before it. */
async function waitingClient({ authorization }: Services, continueTo: string) {
  try {
    const { target, client } = await authorization.check(searchOf(continueTo))
    return { formTarget: target.redirectUri, clientName: client.name }
  } catch (error) {
    if (error instanceof AuthorizationRefusal) return undefined
    throw error
  }
}

function candidatePages({ config, services, sessions }: Assembly): RouteOptions[] {
  const { limits } = config
  const { profiles, consents, sharingHistory: history, clock, applying } = services
  const perHour = (name: string, most: number) => new RateLimit(name, most, clock, limits.rateLimitKeys, 3600)
  const navigation = (request: FastifyRequest, reply: FastifyReply) =>
    accountNavigation(sessions, request, reply, '/account/applications')
  return [
    ...profilePages({ profiles, sessions, limits }),
    ...resumePages({
      profiles,
      sessions,
      uploads: perHour('resume-uploads', limits.resumeUploadsPerHour),
      limits,
    }),
    ...sharingPages({ consents, history, sessions, clock, limits }),
    ...applyPages({
      applying,
      sessions,
      navigation,
      forms: perHour('applications', limits.applicationsPerHour),
      clock,
      limits,
    }),
    ...ownApplicationsPages({ applying, navigation }),
  ]
}

function demoPages({ config, services, options, sessions }: Assembly): RouteOptions[] {
  const { clock, outbox } = services
  return [
    ...outboxRoutes({ outbox }),
    ...demoSiteRoutes({ ...options, fetch, clock, sessions, limits: config.limits }),
  ]
}

/** None when there is no mail server: what needs mails is then switched off, and says so. */
function mailerOf(
  config: Config,
  services: Services,
  { isDemo, authUrl }: PublicServerOptions,
): Mailer | undefined {
  if (isDemo) return services.outbox.mailer
  const { SMTP_URL: url, MAIL_FROM } = config
  if (url === undefined) return undefined
  // Loaded with the first mail, when the address that we are reached by is known, too.
  const load = async () => {
    const { createSmtpMailer } = await import('./mail/smtp.ts')
    const from = MAIL_FROM ?? `no-reply@${new URL(authUrl()).hostname}`
    return createSmtpMailer({ url, from, connectMs: config.limits.mailConnectMs })
  }
  let smtp: Promise<Mailer> | undefined
  return {
    async send(mail) {
      smtp ??= load()
      await (await smtp).send(mail)
    },
  }
}

/** An agent's token stands in the place of an SWS credential; whatever is none may still be a credential of that form. */
async function authenticateForVersion1({ tokenCheck, credentials }: Services, value: string) {
  if (!tokenCheck.isToken(value)) return credentials.authenticate(value)
  try {
    return await tokenCheck.agent(value)
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'invalid-credential')) throw error
    return credentials.authenticate(value)
  }
}

const nobody = async () => {
  throw new Error('the admin port has public routes only')
}

export function createAdminServer(config: Config, options: PublicServerOptions): Promise<Server> {
  const auth = {
    sws: nobody,
    'profile-token': nobody,
    'client-token': nobody,
    'intake-token': nobody,
    session: nobody,
  }
  const settings = serverOptions(config, { ...options, isDemo: false }, auth)
  return createServer({ ...settings, name: 'admin' }, [metricsRoute(options.metrics)])
}

function serverOptions(
  config: Config,
  { log, metrics, baseUrl, authUrl, isDemo }: PublicServerOptions,
  auth: ServerOptions['auth'],
): Omit<ServerOptions, 'name'> {
  return {
    log,
    metrics,
    baseUrl,
    authUrl,
    auth,
    problemWriters: { page: sendProblemPage, oauth: sendOAuthProblem },
    trustedProxies: config.TRUSTED_PROXIES,
    isLoopbackOnly: isDemo,
    limits: config.limits,
  }
}
