import type { RouteOptions } from 'fastify'
import { parseNumericId } from '../../core/ids.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { viewerPage } from '../../web/page-routes.ts'
import { sendOperatorPage } from '../acting-pages.ts'
import type { BoardStore } from '../ports.ts'
import { auditMarkup } from './markup.ts'
import { auditTexts as texts } from './texts.ts'

const most = 100

/** The board's chain of the audit log. */
export function operatorAuditPages({ board }: { board: Pick<BoardStore, 'entries'> }): RouteOptions[] {
  return [
    viewerPage.get('/operator/audit', async ({ request, reply }) => {
      const before = parseNumericId(new FormFields(searchOf(request.raw.url)).get('before') ?? '')
      const body = auditMarkup(await board.entries(before, most), { before, most })
      return sendOperatorPage(reply, { tab: 'audit', title: texts.title, body })
    }),
  ]
}
