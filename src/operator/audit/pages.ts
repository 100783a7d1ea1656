import type { RouteOptions } from 'fastify'
import { olderPath, readAuditFilter } from '../../audit/filter-rules.ts'
import type { AuditLog } from '../../audit/service.ts'
import { parseNumericId } from '../../core/ids.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { boardScope } from '../../model/audit.ts'
import { viewerPage } from '../../web/page-routes.ts'
import { sendOperatorPage } from '../acting-pages.ts'
import { operatorPath } from '../navigation-markup.ts'
import { auditMarkup } from './markup.ts'
import { auditTexts as texts } from './texts.ts'

const perPage = 100

/** The board's chain of the audit log. */
export function operatorAuditPages(deps: {
  auditLog: Pick<AuditLog, 'list'>
  timeZone: string
}): RouteOptions[] {
  const { auditLog, timeZone } = deps
  const path = operatorPath('audit')
  return [
    viewerPage.get('/operator/audit', async ({ request, reply }) => {
      const query = new FormFields(searchOf(request.url))
      const { typed, filter } = readAuditFilter(name => query.get(name), texts.groups, timeZone)
      const before = parseNumericId(query.get('before') ?? '')
      const position = before === undefined ? undefined : { at: 0, scope: boardScope, number: before }
      const found = await auditLog.list('board', filter, position, perPage + 1)
      const entries = found.slice(0, perPage)
      const body = auditMarkup({
        ...{ entries, timeZone, path, typed, isFirst: before === undefined },
        older: found.length > perPage ? olderPath(path, typed, entries.at(-1)?.number ?? 0) : undefined,
      })
      return sendOperatorPage(reply, { tab: 'audit', title: texts.title, body })
    }),
  ]
}
