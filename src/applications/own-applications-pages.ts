import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { parseNumericId } from '../core/ids.ts'
import { FormFields, searchOf } from '../http/form.ts'
import type { Navigation } from '../web/layout.ts'
import { sendPage } from '../web/page-response.ts'
import type { Applying } from './applying.ts'
import { applicationListMarkup } from './own-applications-markup.ts'
import { ownApplicationsTexts as texts } from './own-applications-texts.ts'
import { listPath, receiptHeading, receiptMarkup } from './receipt-markup.ts'
import { readPosition, type Timeline } from './timeline.ts'

export interface OwnApplicationsPageDeps {
  applying: Pick<Applying, 'find'>
  timeline: Timeline
  hasScanner: boolean
  navigation(request: FastifyRequest, reply: FastifyReply): Navigation
}

/** What a candidate has applied for: the list, and each that was sent here as a receipt. */
export function ownApplicationsPages(deps: OwnApplicationsPageDeps): RouteOptions[] {
  const { applying, timeline, hasScanner, navigation } = deps
  const config = { auth: 'session', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const queryOf = (request: FastifyRequest) => new FormFields(searchOf(request.raw.url))

  return [
    {
      method: 'GET',
      url: listPath,
      config,
      schema,
      handler: async (request, reply) => {
        const before = readPosition(queryOf(request).get('before'))
        const { entries, hasMore } = await timeline.page(request.session.candidateId, before)
        return sendPage(reply, {
          title: texts.title,
          navigation: navigation(request, reply),
          body: applicationListMarkup(entries, { hasMore, isContinued: before !== undefined, hasScanner }),
        })
      },
    },
    {
      method: 'GET',
      url: `${listPath}/:applicationId`,
      config,
      schema,
      handler: async (request, reply) => {
        const { applicationId } = request.params as { applicationId: string }
        const sent = await applying.find(request.session.candidateId, parseNumericId(applicationId))
        return sendPage(reply, {
          title: texts.receiptTitle,
          heading: receiptHeading,
          navigation: navigation(request, reply),
          body: receiptMarkup(sent, queryOf(request).get('repeated') === '1'),
        })
      },
    },
  ]
}
