import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { FieldError } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited } from '../../http/rates/rate-limit.ts'
import { sendZip } from '../../http/responses/zip-response.ts'
import type { Limits } from '../../limits.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import type { AccountLinks } from '../account/links-service.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import { callerOf, waitText } from '../account/sign-in-pages.ts'
import { dataBody, dataPath, downloadPath, goodbyeBody, removalBody, removePath } from './markup.ts'
import type { AccountRemoval } from './removal-service.ts'
import type { OwnData } from './service.ts'
import { ownDataTexts as texts } from './texts.ts'

const goodbyePath = '/goodbye'
const config = { auth: 'session', errors: 'page', isOnAuthUrl: true } as const

interface OwnDataPageDeps {
  ownData: OwnData
  removal: AccountRemoval
  links: Pick<AccountLinks, 'tellAccountRemoved'>
  sessions: Sessions
  /** Limits downloads per candidate. */
  downloads: RateLimit
  clock: Clock
  limits: Pick<Limits, 'recipientsShown'>
}

interface Trouble {
  status: number
  errors: FieldError[]
  isSure: boolean
}

/** The pages on which a candidate downloads or deletes all of their data. */
export function ownDataPages(deps: OwnDataPageDeps): RouteOptions[] {
  const { ownData, removal, links, sessions, downloads, clock, limits } = deps

  async function showRemoval(
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, errors = [], isSure = false }: Partial<Trouble> = {},
  ): Promise<FastifyReply> {
    const { candidateId, email, isMember } = request.session
    return sendPage(reply, {
      status,
      title: texts.removeTitle,
      navigation: accountNavigation(dataPath),
      body: removalBody({
        outlook: await removal.outlook(candidateId),
        retentionDays: removal.retentionDays,
        shown: limits.recipientsShown,
        isMember,
        email,
        token: sessions.formToken(request, reply, removePath),
        errors,
        isSure,
      }),
    })
  }

  return [
    {
      method: 'GET',
      url: dataPath,
      config,
      schema: { hide: true },
      handler: async (request, reply) =>
        sendPage(reply, {
          title: texts.title,
          navigation: accountNavigation(dataPath),
          body: dataBody(sessions.formToken(request, reply, downloadPath)),
        }),
    },
    {
      method: 'POST',
      url: downloadPath,
      config: { ...config, body: 'form', formPage: dataPath },
      schema: { hide: true },
      async handler(request, reply) {
        sessions.checkForm(request, downloadPath)
        const { candidateId } = request.session
        const usage = await downloads.hit(candidateId)
        if (usage.isExceeded) throw rateLimited(usage)
        const day = new Date(clock()).toISOString().slice(0, 10)
        return sendZip(reply, texts.archiveName(day), await ownData.pack(candidateId))
      },
    },
    {
      method: 'GET',
      url: removePath,
      config,
      schema: { hide: true },
      handler: (request, reply) => showRemoval(request, reply),
    },
    {
      method: 'POST',
      url: removePath,
      config: { ...config, body: 'form', signedOutText: texts.signedOut },
      schema: { hide: true },
      async handler(request, reply) {
        const fields = sessions.checkForm(request, removePath)
        const isSure = fields.get('sure') === 'yes'
        // Checked before the password, so that a forgotten tick does not count as a guess.
        if (!isSure) {
          const errors = [{ field: 'sure', code: 'required', message: texts.notSure }]
          return showRemoval(request, reply, { status: 422, errors })
        }
        const attempt = { ...callerOf(request, sessions), password: fields.get('password') ?? '' }
        const result = await removal.remove(request.session, attempt)
        if (result.outcome === 'removed') {
          sessions.end(reply)
          sessions.rememberBrowser(reply, '', 0)
          if (result.isFirst) links.tellAccountRemoved(request.session.email)
          return redirect(reply, goodbyePath)
        }
        if (result.outcome === 'last-admin') return showRemoval(request, reply, { status: 409, isSure })
        const isWait = result.outcome === 'wait'
        if (isWait) reply.header('retry-after', String(result.seconds))
        const message = isWait ? waitText(result.seconds) : texts.wrongPassword
        return showRemoval(request, reply, {
          status: isWait ? 429 : 422,
          errors: [{ field: 'password', code: result.outcome, message }],
          isSure,
        })
      },
    },
    {
      method: 'GET',
      url: goodbyePath,
      config: { auth: 'public', errors: 'page', isOnAuthUrl: true },
      schema: { hide: true },
      handler: async (_request, reply) =>
        sendPage(reply, { title: texts.goodbyeTitle, body: goodbyeBody(removal.retentionDays) }),
    },
  ]
}
