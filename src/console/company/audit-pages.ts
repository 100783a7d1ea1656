import { create as contentDisposition } from 'content-disposition'
import type { RouteOptions } from 'fastify'
import { olderPath, readAuditFilter } from '../../audit/filter-rules.ts'
import { csvCells, csvHead } from '../../audit/rendering.ts'
import type { AuditLog } from '../../audit/service.ts'
import type { Clock } from '../../core/clock.ts'
import { parseNumericId } from '../../core/ids.ts'
import { dayIn } from '../../core/time/time-zone.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { sendChunks } from '../../http/responses/chunked-response.ts'
import { actionForm, pageHead } from '../../web/components.ts'
import { byteOrderMark, csvLine } from '../../web/csv.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { accountsIn, auditMarkup } from './audit-markup.ts'
import { auditTexts as texts } from './audit-texts.ts'

const url = '/console/:advertiserId/audit'
const perPage = 50

/** Who changed or exported what at the company. For admins. */
export function consoleAuditPages(deps: {
  auditLog: AuditLog
  sessions: Sessions
  clock: Clock
}): RouteOptions[] {
  const { auditLog, sessions, clock } = deps

  return [
    adminPage.get(url, async ({ request, reply, caller }) => {
      const { advertiserId, timeZone } = caller
      const path = consolePath(advertiserId, 'audit')
      const query = new FormFields(searchOf(request.url))
      const { typed, filter } = readAuditFilter(name => query.get(name), texts.groups, timeZone)
      const before = parseNumericId(query.get('before') ?? '')
      const position = before === undefined ? undefined : { at: 0, scope: advertiserId, number: before }
      const found = await auditLog.list({ advertiserId }, filter, position, perPage + 1)
      const entries = found.slice(0, perPage)
      const action = `${path}/export`
      const exporting = actionForm({ action, token: sessions.formToken(reply, action), label: texts.export })
      return sendPage(reply, {
        title: texts.title,
        heading: pageHead(texts.title, entries.length > 0 && exporting),
        isWide: true,
        navigation: consoleNavigation(caller, 'audit'),
        body: html`<p class="lead">${texts.lead}</p>${auditMarkup({
          ...{ entries, names: await auditLog.namesOf(accountsIn(entries)), timeZone, path, typed },
          older: found.length > perPage ? olderPath(path, typed, entries.at(-1)?.number ?? 0) : undefined,
          isFirst: before === undefined,
        })}`,
      })
    }),
    adminPage.fresh.post(`${url}/export`, async call => {
      const { reply, caller } = call
      const { advertiserId, timeZone } = caller
      sessions.checkForm(call, `${consolePath(advertiserId, 'audit')}/export`)
      const scope = { advertiserId }
      await auditLog.record({ action: 'audit.export', scope, target: 'audit:0', after: { form: 'csv' } })
      reply.headers({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': contentDisposition(`audit-${advertiserId}-${dayIn(clock(), timeZone)}.csv`),
        'cache-control': 'private, no-store',
      })
      async function* lines() {
        let text = byteOrderMark + csvLine(csvHead)
        for await (const entry of auditLog.read(scope)) {
          text += csvLine(csvCells(entry))
          if (text.length < 16_384) continue
          yield Buffer.from(text)
          text = ''
        }
        yield Buffer.from(text)
      }
      return sendChunks(reply, lines())
    }),
  ]
}
