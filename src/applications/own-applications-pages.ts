import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { parseNumericId } from '../core/ids.ts'
import { FormFields, searchOf } from '../http/form.ts'
import type { Navigation } from '../web/layout.ts'
import { sendPage } from '../web/page-response.ts'
import type { Applying } from './applying.ts'
import { applicationListMarkup, listPath, readPosition, receiptMarkup } from './receipt-markup.ts'

export interface OwnApplicationsPageDeps {
  applying: Applying
  navigation(request: FastifyRequest, reply: FastifyReply): Navigation
}

/** What a candidate has sent here: the list, and each as a receipt. */
export function ownApplicationsPages({ applying, navigation }: OwnApplicationsPageDeps): RouteOptions[] {
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
        const { applications, hasMore } = await applying.list(request.session.candidateId, before)
        return sendPage(reply, {
          title: 'Your applications',
          navigation: navigation(request, reply),
          body: applicationListMarkup(applications, { hasMore, isContinued: before !== undefined }),
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
          title: 'Your application',
          navigation: navigation(request, reply),
          body: receiptMarkup(sent, queryOf(request).get('repeated') === '1'),
        })
      },
    },
  ]
}
