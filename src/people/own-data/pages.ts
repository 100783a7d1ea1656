import type { FastifyReply, RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { FieldError } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited } from '../../http/rates/rate-limit.ts'
import { sendZip } from '../../http/responses/zip-response.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { boardName } from '../../web/board.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage, visitorPage } from '../../web/page-routes.ts'
import type { AccountLinks } from '../account/links-service.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import { callerOf, waitText } from '../account/sign-in-pages.ts'
import { dataBody, dataPath, downloadPath, goodbyeBody, removalBody, removePath } from './markup.ts'
import type { AccountRemoval } from './removal-service.ts'
import type { OwnData } from './service.ts'
import { ownDataTexts as texts } from './texts.ts'

const goodbyePath = '/goodbye'

interface OwnDataPageDeps {
  ownData: OwnData
  removal: AccountRemoval
  links: Pick<AccountLinks, 'accountRemovedMail' | 'attempt'>
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
    { reply, caller }: Call<'session'>,
    { status = 200, errors = [], isSure = false }: Partial<Trouble> = {},
  ): Promise<FastifyReply> {
    const { candidateId, email, isMember } = caller
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
        token: sessions.formToken(reply, removePath),
        errors,
        isSure,
      }),
    })
  }

  return [
    accountPage.get(dataPath, async ({ reply }) =>
      sendPage(reply, {
        title: texts.title,
        navigation: accountNavigation(dataPath),
        body: dataBody(sessions.formToken(reply, downloadPath)),
      }),
    ),
    accountPage.fresh.post(
      downloadPath,
      async call => {
        sessions.checkForm(call, downloadPath)
        const { candidateId } = call.caller
        const usage = await downloads.hit(candidateId)
        if (usage.isExceeded) throw rateLimited(usage)
        const day = new Date(clock()).toISOString().slice(0, 10)
        const { reply } = call
        return sendZip(reply, texts.archiveName(day), await ownData.pack(candidateId, boardName(reply)))
      },
      { formPage: dataPath },
    ),
    accountPage.get(removePath, call => showRemoval(call)),
    accountPage.post(
      removePath,
      async call => {
        const fields = sessions.checkForm(call, removePath)
        const isSure = fields.get('sure') === 'yes'
        // Checked before the password, so that a forgotten tick does not count as a guess.
        if (!isSure) {
          const errors = [{ field: 'sure', code: 'required', message: texts.notSure }]
          return showRemoval(call, { status: 422, errors })
        }
        const mails = links.accountRemovedMail(call.caller.email)
        const password = fields.get('password') ?? ''
        const attempt = { ...callerOf(call.request, sessions), password, mails }
        const result = await removal.remove(call.caller, attempt)
        if (result.outcome === 'removed') {
          sessions.end(call.reply)
          sessions.rememberBrowser(call.reply, '', 0)
          if (result.isFirst) links.attempt(mails)
          return redirect(call.reply, goodbyePath)
        }
        if (result.outcome === 'last-admin') return showRemoval(call, { status: 409, isSure })
        const isWait = result.outcome === 'wait'
        if (isWait) call.reply.header('retry-after', String(result.seconds))
        const message = isWait ? waitText(result.seconds) : texts.wrongPassword
        return showRemoval(call, {
          status: isWait ? 429 : 422,
          errors: [{ field: 'password', code: result.outcome, message }],
          isSure,
        })
      },
      { signedOutText: texts.signedOut },
    ),
    visitorPage.get(goodbyePath, async ({ reply }) =>
      sendPage(reply, {
        title: texts.goodbyeTitle,
        body: goodbyeBody(removal.retentionDays, boardName(reply)),
      }),
    ),
  ]
}
