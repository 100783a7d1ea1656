import type { FastifyRequest, RouteOptions } from 'fastify'
import { listPath } from '../../apply/form/receipt-path.ts'
import type { Applying } from '../../apply/form/service.ts'
import type { Clock } from '../../core/clock.ts'
import { parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { sendFile } from '../../http/responses/file-response.ts'
import { sendFramedText } from '../../http/responses/text-frame.ts'
import type { Limits } from '../../limits.ts'
import { previewAssets } from '../../web/file-preview.ts'
import { filePreviewTexts } from '../../web/file-preview-texts.ts'
import type { Navigation } from '../../web/layout.ts'
import { sendPage } from '../../web/page-response.ts'
import { applicationListMarkup } from './applications-markup.ts'
import { ownApplicationsTexts as texts } from './applications-texts.ts'
import { readPosition } from './merged-lists.ts'
import { receiptHeading, receiptMarkup } from './receipt-markup.ts'
import type { Timeline } from './timeline-service.ts'

export interface OwnApplicationsPageDeps {
  applying: Pick<Applying, 'find' | 'openFile'>
  timeline: Timeline
  /** Whether unscanned files will be scanned. */
  hasScanner: boolean
  clock: Clock
  limits: Pick<Limits, 'previewTextBytes' | 'newReceiptSeconds'>
  navigation: Navigation
}

/** A candidate's applications: the list, and a receipt for each one sent here. */
export function ownApplicationsPages(deps: OwnApplicationsPageDeps): RouteOptions[] {
  const { applying, timeline, hasScanner, navigation, clock, limits } = deps
  const config = { auth: 'session', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const queryOf = (request: FastifyRequest) => new FormFields(searchOf(request.raw.url))
  const openFile = (request: FastifyRequest) => {
    const { applicationId, type } = request.params as { applicationId: string; type: string }
    return applying.openFile(request.session.candidateId, parseNumericId(applicationId), type)
  }

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
          navigation,
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
          navigation,
          body: receiptMarkup(sent, {
            isRepeated: queryOf(request).get('repeated') === '1',
            isNew: clock() - sent.submittedAt < limits.newReceiptSeconds * 1000,
            hasScanner,
            renamed: queryOf(request).get('renamed')?.split(',') ?? [],
          }),
          scripts: previewAssets,
          hasPreview: true,
        })
      },
    },
    {
      method: 'GET',
      url: `${listPath}/:applicationId/files/:type`,
      config,
      schema,
      handler: async (request, reply) =>
        sendFile(request, reply, { ...(await openFile(request)), isLengthTold: true, isForBrowser: true }),
    },
    {
      method: 'GET',
      url: `${listPath}/:applicationId/files/:type/text`,
      config,
      schema,
      handler: async (request, reply) => {
        const { file, open } = await openFile(request)
        // Only plain text is shown in a frame.
        if (file.contentType !== 'text/plain') throw new Problem('not-found')
        return sendFramedText(
          reply,
          { size: file.size, open },
          { maxBytes: limits.previewTextBytes, rest: filePreviewTexts.restNotShown },
        )
      },
    },
  ]
}
