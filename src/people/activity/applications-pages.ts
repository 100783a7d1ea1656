import type { RouteOptions } from 'fastify'
import { listPath } from '../../apply/form/receipt-path.ts'
import type { Applying } from '../../apply/form/service.ts'
import type { Clock } from '../../core/clock.ts'
import { parseNumericId } from '../../core/ids.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { sendFile } from '../../http/responses/file-response.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { DocumentConversions } from '../../model/document.ts'
import { sendFileFrame } from '../../web/file-frame.ts'
import { previewAssets } from '../../web/file-preview.ts'
import type { Navigation } from '../../web/layout.ts'
import { sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
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
  conversions: DocumentConversions
  clock: Clock
  limits: Pick<Limits, 'previewTextBytes' | 'newReceiptSeconds'>
  navigation: Navigation
}

/** A candidate's applications: the list, and a receipt for each one sent here. */
export function ownApplicationsPages(deps: OwnApplicationsPageDeps): RouteOptions[] {
  const { applying, timeline, hasScanner, navigation, clock, limits, conversions } = deps
  const queryOf = ({ request }: Call<'session'>) => new FormFields(searchOf(request.raw.url))
  const openFile = ({ caller, params }: Call<'session', 'applicationId' | 'type'>) =>
    applying.openFile(caller.candidateId, parseNumericId(params.applicationId), params.type)

  return [
    accountPage.get(listPath, async call => {
      const before = readPosition(queryOf(call).get('before'))
      const { entries, hasMore } = await timeline.page(call.caller.candidateId, before)
      return sendPage(call.reply, {
        title: texts.title,
        navigation,
        body: applicationListMarkup(entries, { hasMore, isContinued: before !== undefined, hasScanner }),
      })
    }),
    accountPage.get(`${listPath}/:applicationId`, async call => {
      const sent = await applying.find(call.caller.candidateId, parseNumericId(call.params.applicationId))
      const isNew = clock() - sent.submittedAt < limits.newReceiptSeconds * 1000
      return sendPage(call.reply, {
        title: texts.receiptTitle,
        heading: receiptHeading,
        navigation,
        body: receiptMarkup(sent, {
          isRepeated: queryOf(call).get('repeated') === '1',
          isNew,
          hasScanner,
          renamed: (isNew && queryOf(call).get('renamed')?.split(',')) || [],
        }),
        scripts: previewAssets,
        hasPreview: true,
      })
    }),
    accountPage.get(`${listPath}/:applicationId/files/:type`, async call => {
      const file = await openFile(call)
      return sendFile(call.request, call.reply, { ...file, isLengthTold: true, isForBrowser: true })
    }),
    accountPage.get(`${listPath}/:applicationId/files/:type/text`, async call => {
      const { file, open } = await openFile(call)
      const viewer = call.caller.candidateId
      return sendFileFrame(call.reply, { ...file, open }, { ...limits, conversions, viewer })
    }),
  ]
}
