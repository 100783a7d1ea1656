import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Logger } from 'pino'
import { readinessChecks, readinessWarnings, type Services } from './app.ts'
import { applyPages } from './apply/form/pages.ts'
import { questionMarkup } from './apply/form/question-markup.ts'
import { intakeRoutes } from './apply/intake/routes.ts'
import { applicationRoutes } from './collect/routes.ts'
import type { Config } from './config.ts'
import { accessPages } from './console/access/pages.ts'
import { applicationDetailPages } from './console/applications/detail-pages.ts'
import { applicationsPages } from './console/applications/pages.ts'
import { timeZonePages } from './console/applications/time-zone-pages.ts'
import { consoleWays } from './console/navigation-markup.ts'
import { invitationPages } from './console/people/invitation-pages.ts'
import { peoplePages } from './console/people/pages.ts'
import { jobAdPages } from './console/postings/job-ads-pages.ts'
import { screenPages } from './console/postings/questionnaires-pages.ts'
import { workplacePages } from './console/workplace-pages.ts'
import { Problem } from './core/problems.ts'
import { componentsRoutes } from './demo/components/pages.ts'
import { outboxRoutes } from './demo/outbox-pages.ts'
import { demoSiteRoutes } from './demo/site/pages.ts'
import { createBearerAuth } from './http/auth/bearer-auth.ts'
import { createConsoleAuth } from './http/auth/console-auth.ts'
import { type HeldFormLimits, heldFormOf } from './http/auth/held-form.ts'
import { createSessionAuth } from './http/auth/session-auth.ts'
import { createSessions, FormExpired, type Sessions } from './http/auth/sessions.ts'
import { createSwsAuth } from './http/auth/sws-auth.ts'
import type { Figures, HttpMetrics } from './http/observed/metrics.ts'
import { RateLimit } from './http/rates/rate-limit.ts'
import { searchOf } from './http/requests/form.ts'
import { createServer, type ProblemWriter, type Server, type ServerOptions } from './http/server.ts'
import { metricsRoute, serviceRoutes } from './http/service-routes.ts'
import { jobMarkup } from './jobs/markup.ts'
import { jobPages } from './jobs/pages.ts'
import { jobRoutes } from './jobs/routes.ts'
import { limits as limitTable } from './limits.ts'
import type { Principal } from './model/principal.ts'
import type { AccountLinks } from './people/account/links-service.ts'
import { accountNavigation } from './people/account/navigation-markup.ts'
import { accountRoutes } from './people/account/pages.ts'
import { securityRoutes } from './people/account/security-pages.ts'
import {
  askAgain,
  createSignInPage,
  type SendSignInPage,
  signInRoutes,
  waitText,
} from './people/account/sign-in-pages.ts'
import { ownApplicationsPages } from './people/activity/applications-pages.ts'
import { sharingPages } from './people/activity/sharing-pages.ts'
import type { Mailer } from './people/mail/ports.ts'
import { ownDataPages } from './people/own-data/pages.ts'
import { profilePages } from './people/profile/pages.ts'
import { resumePages } from './people/profile/resume-pages.ts'
import { oauthRoutes, sendOAuthProblem } from './share/authorize/routes.ts'
import { sharingRoutes } from './share/prefill/routes.ts'
import { AuthorizationRefusal } from './share/protocol/errors.ts'
import { deskFiles } from './site/docs/files-adapter.ts'
import { deskPages } from './site/docs/pages.ts'
import { homeRoutes } from './site/home/pages.ts'
import { assetRoutes } from './web/assets.ts'
import { sendHeldForm } from './web/held-form.ts'
import { sendProblemPage } from './web/page-response.ts'

/** The HTTP servers: which modules are behind which routes, and who is asked who calls. */

export interface PublicServerOptions {
  log: Logger
  metrics: HttpMetrics
  isDemo: boolean
  baseUrl(): string
  authUrl(): string
  welcome(): string
  onUntrustedProxy?: ServerOptions['onUntrustedProxy']
  /** From the signal to stop on, so that a balancer can be told first. */
  isStopping?(): boolean
  beforeRoutes?(app: FastifyInstance): Promise<void>
}

/** What the parts of the public server share. */
interface Assembly {
  config: Config
  services: Services
  options: PublicServerOptions
  sessions: Sessions
  links: AccountLinks
  sendSignInPage: SendSignInPage
  /** In a minute, unless it says otherwise. */
  rateLimit(name: string, most: number, windowSeconds?: number): RateLimit
  /** Failed authentications by address, whatever the door. */
  failures: RateLimit
}

export function createPublicServer(
  config: Config,
  services: Services,
  options: PublicServerOptions,
): Promise<Server> {
  const { limits } = config
  const { replica } = services.database
  if (replica !== undefined) options.metrics.watchReplica(replica.counts)
  const rateLimit = (name: string, most: number, windowSeconds = 60) =>
    new RateLimit({
      ...{ name, most, windowSeconds },
      clock: services.clock,
      maxKeys: limits.rateLimitKeys,
      shared: services.rateCounts,
    })
  const sessions = createSessions({
    isSecure: () => options.authUrl().startsWith('https:'),
    find: services.accounts.findSession,
    sessionSeconds: limits.sessionSeconds,
  })
  const failures = rateLimit('auth-failures', limits.authFailuresPerAddressPerMinute)
  const links = services.accountLinks({
    mailer: mailerOf(config, services, options),
    authUrl: options.authUrl,
  })
  const sendSignInPage = createSignInPage({ sessions, isMailOn: links.isOn })
  const assembly = { config, services, options, sessions, links, sendSignInPage, rateLimit, failures }
  const settings = serverOptions(config, options, authHooks(assembly))
  const problemWriters = { ...settings.problemWriters, page: problemPages(sessions, limits) }
  return createServer(
    {
      ...settings,
      problemWriters,
      viewerOf: sessions.viewerOf,
      name: 'public',
      onUntrustedProxy: options.onUntrustedProxy,
    },
    [
      ...homeRoutes({ ...options, sessions, canSignUp: options.isDemo || config.SMTP_URL !== undefined }),
      ...serviceRoutes({
        checks: readinessChecks(services),
        warnings: () => readinessWarnings(services),
        isStopping: options.isStopping ?? (() => false),
        onFailedCheck: (name, error) => options.log.error({ check: name, err: error }, 'not ready'),
        retryAfterSeconds: limits.retryAfterSeconds,
      }),
      ...assetRoutes(),
      ...signInAndAuthorization(assembly),
      ...candidatePages(assembly),
      ...consolePages(assembly),
      ...sharingRoutes({ sharing: services.sharing, baseUrl: options.baseUrl }),
      ...intakeRoutes({ intake: services.intake, limits }),
      ...applicationRoutes({
        applications: services.applications,
        baseUrl: options.baseUrl,
        wholeLists: services.slots('whole-list', limits.wholeListsPerCredential),
        limits,
      }),
      ...jobRoutes({ ...services, access: services.boardAccess, baseUrl: options.baseUrl, limits }),
      ...deskPages({ ...options, files: deskFiles, limits: { known: limitTable, values: limits } }),
      ...jobPages({ board: services.jobBoard, clock: services.clock, limits }),
      ...(options.isDemo ? demoPages(assembly) : []),
    ],
    options.beforeRoutes,
  )
}

function authHooks(assembly: Assembly): ServerOptions['auth'] {
  const { config, services, sessions, sendSignInPage, rateLimit, failures } = assembly
  const { limits } = config
  const session = createSessionAuth({ sessions, askToSignIn: askAgain(sendSignInPage), limits })
  const version2 = { requests: rateLimit('v2', limits.v2PerMinute), failures }
  return {
    sws: createSwsAuth({
      authenticate: value => authenticateForVersion1(services, value),
      requests: rateLimit('v1', limits.v1PerMinute),
      failures,
      onCall: services.usage.countCall,
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
    session,
    console: createConsoleAuth({ session, find: services.members.find }),
  }
}

function signInAndAuthorization(assembly: Assembly): RouteOptions[] {
  const { config, services, options, sessions, links, sendSignInPage, rateLimit, failures } = assembly
  const { limits } = config
  const { accounts, authorization, tokens } = services
  const pages = { accounts, links, sessions, isDemo: options.isDemo, ...limits }
  const formTargetOf = (continueTo: string) => waitingClient(services, continueTo)
  return [
    ...signInRoutes({ ...pages, sendSignInPage, isMailOn: links.isOn, formTargetOf }),
    ...accountRoutes({
      ...pages,
      formTargetOf,
      forms: rateLimit('account-forms', limits.accountFormsPerAddressPerMinute),
    }),
    ...securityRoutes({ ...pages, forms: rateLimit('new-addresses', limits.newAddressesPerMinute) }),
    ...ownDataPages({
      ...services,
      removal: services.accountRemoval,
      links,
      sessions,
      downloads: rateLimit('own-data', limits.ownDataPerHour, 3600),
      limits,
    }),
    ...oauthRoutes({
      authorization,
      tokens,
      sessions,
      issuer: options.authUrl,
      askToSignIn: sendSignInPage,
      clock: services.clock,
      codes: rateLimit('codes', limits.codesPerMinute),
      requests: rateLimit('token', limits.tokenPerMinute),
      failuresOfClient: rateLimit('auth-failures-of-client', limits.authFailuresPerClientPerMinute),
      failuresOfAddress: failures,
    }),
  ]
}

/** A form whose token was refused is offered again with what was typed; whatever else goes wrong is told. */
function problemPages(sessions: Sessions, limits: HeldFormLimits): ProblemWriter {
  return (request, reply, problem, status) => {
    const held = problem instanceof FormExpired ? heldFormOf(request, limits) : undefined
    if (held === undefined) {
      return sendProblemPage(request, reply, problem, status, consoleWays(request))
    }
    const token = sessions.heldToken(request, reply, held.action)
    return sendHeldForm(reply, { held, token, status })
  }
}

/** The client behind an authorization request, for the pages that stand before it. */
async function waitingClient({ authorization }: Services, continueTo: string) {
  if (!continueTo.startsWith('/api/iam/oauth2/authorize?')) return undefined
  try {
    const { target, client } = await authorization.check(searchOf(continueTo))
    return { formTarget: target.redirectUri, clientName: client.name }
  } catch (error) {
    if (error instanceof AuthorizationRefusal) return undefined
    throw error
  }
}

function candidatePages({ config, services, sessions, rateLimit }: Assembly): RouteOptions[] {
  const { limits } = config
  const { profiles, consents, sharingHistory: history, clock, applying } = services
  const hasScanner = config.CLAMD_URL !== undefined
  const navigation = accountNavigation('/account/applications')
  return [
    ...profilePages({ profiles, sessions, limits }),
    ...resumePages({
      profiles,
      sessions,
      sentForms: services.sentForms,
      uploads: rateLimit('resume-uploads', limits.resumeUploadsPerHour, 3600),
      limits,
      hasScanner,
    }),
    ...sharingPages({ consents, history, sent: services.ownApplications, sessions, clock, limits }),
    ...applyPages({
      applying,
      sessions,
      navigation,
      forms: rateLimit('applications', limits.applicationsPerHour, 3600),
      clock,
      limits,
    }),
    ...ownApplicationsPages({ applying, timeline: services.timeline, hasScanner, navigation, clock, limits }),
  ]
}

/** What an advertiser's people see. */
function consolePages({ config, services, options, sessions, rateLimit }: Assembly): RouteOptions[] {
  const { baseUrl, authUrl, isDemo } = options
  const { limits } = config
  const { members, sentForms } = services
  const invitations = services.invitations({ mailer: mailerOf(config, services, options), authUrl })
  const forms = rateLimit('invitations', limits.invitationsPerHour, 3600)
  const exports = services.slots('export', limits.exportsPerSession)
  return [
    ...workplacePages({ members }),
    ...invitationPages({ invitations, members, accounts: services.accounts, waitText, sessions, limits }),
    ...peoplePages({ members, invitations, sentForms, sessions, forms, isDemo, limits }),
    ...accessPages({ ...services, sessions, baseUrl }),
    ...jobAdPages({ ...services, lists: services.postingLists, sessions, jobMarkup, limits }),
    ...screenPages({ ...services, lists: services.postingLists, sessions, questionMarkup, limits }),
    ...applicationsPages({ ...services, exports, limits }),
    ...timeZonePages({ ...services, sessions, defaultZone: config.TIME_ZONE }),
    ...applicationDetailPages({ ...services, limits }),
  ]
}

function demoPages({ config, services, options, sessions }: Assembly): RouteOptions[] {
  const { clock, outbox } = services
  return [
    ...outboxRoutes({ outbox }),
    ...componentsRoutes(),
    ...demoSiteRoutes({ ...options, fetch, clock, sessions, limits: config.limits }),
  ]
}

/** None when there is no mail server: what needs mails is then switched off, and says so. */
export function mailerOf(
  config: Config,
  services: Services,
  { isDemo, authUrl }: Pick<PublicServerOptions, 'isDemo' | 'authUrl'>,
): Mailer | undefined {
  if (isDemo) return services.outbox.mailer
  const { SMTP_URL: url, MAIL_FROM } = config
  if (url === undefined) return undefined
  // Loaded with the first mail, when the address that we are reached by is known, too.
  const load = async () => {
    const { createSmtpMailer } = await import('./people/mail/smtp-adapter.ts')
    const from = MAIL_FROM ?? `no-reply@${new URL(authUrl()).hostname}`
    return createSmtpMailer({ url, from, connectMs: config.limits.mailConnectMs })
  }
  let smtp: Promise<Mailer> | undefined
  const loaded = () => {
    smtp ??= load()
    return smtp
  }
  return {
    send: async mail => (await loaded()).send(mail),
    check: async () => (await loaded()).check(),
  }
}

/** An agent's token stands in the place of an SWS credential; whatever is none may still be a credential of that form. */
function authenticateForVersion1({ tokenCheck, credentials }: Services, value: string): Promise<Principal> {
  if (!tokenCheck.isToken(value)) return credentials.authenticate(value)
  return tokenCheck.agent(value).catch(error => {
    if (!(error instanceof Problem && error.code === 'invalid-credential')) throw error
    return credentials.authenticate(value)
  })
}

const nobody = async () => {
  throw new Error('the admin port has public routes only')
}

type AdminServerOptions = Pick<PublicServerOptions, 'log' | 'metrics' | 'baseUrl' | 'authUrl'>

export function createAdminServer(
  config: Config,
  options: AdminServerOptions,
  figures: Figures = options.metrics.registry,
): Promise<Server> {
  const tokens = { 'profile-token': nobody, 'client-token': nobody, 'intake-token': nobody }
  const auth = { ...tokens, sws: nobody, session: nobody, console: nobody }
  const settings = serverOptions(config, { ...options, isDemo: false }, auth)
  return createServer({ ...settings, viewerOf: () => undefined, name: 'admin' }, [metricsRoute(figures)])
}

function serverOptions(
  config: Config,
  { log, metrics, baseUrl, authUrl, isDemo }: AdminServerOptions & Pick<PublicServerOptions, 'isDemo'>,
  auth: ServerOptions['auth'],
): Omit<ServerOptions, 'name' | 'viewerOf'> {
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
