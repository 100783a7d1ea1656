import type { RouteOptions } from 'fastify'
import { auditList } from '../../platform/audit/list-markup.ts'
import { changeText } from '../../platform/audit/rendering.ts'
import type { AuditLog } from '../../platform/audit/service.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { html } from '../../platform/web/html.ts'
import { t } from '../../platform/web/t.ts'
import { zonedTime } from '../../platform/web/time.ts'
import { operatorTab } from '../tab-pages.ts'

const perPage = 100

/** The board's chain of the audit log: IDs only. */
export function operatorAuditPages(deps: {
  auditLog: Pick<AuditLog, 'list'>
  timeZone: string
  sessions: Sessions
}): RouteOptions[] {
  const { auditLog, timeZone } = deps
  return operatorTab(deps.sessions, 'audit')('/operator/audit', {
    async show({ query }) {
      const { markup } = await auditList(auditLog, query, {
        chain: 'board',
        path: '/operator/audit',
        perPage,
        timeZone,
        groups: auditGroups,
        caption: t`Entries of the audit log, newest first`,
        emptyText: t`What operators, commands and tasks do will be listed.`,
        columnsFor: async () => [
          [t`Number`, ({ number }) => number],
          [t`Time`, ({ at }) => zonedTime(at, timeZone)],
          [
            t`By`,
            ({ actorKind, actorId, proof }) =>
              html`<span class="whole">${actorKinds[actorKind] ?? actorKind}</span> ${actorId} <span class="quiet whole">(${proof})</span>`,
          ],
          [t`Action`, ({ action }) => html`<span class="whole">${action}</span>`],
          [t`Target`, ({ target }) => target],
          [t`Before and after`, entry => changeText(entry) || '–'],
        ],
      })
      return {
        title: t`Audit log`,
        body: html`<p>${t`What was done to the board: by operators, commands and tasks. Each company’s console has a log of its own. Names and addresses are not part of it.`}</p>
${markup}`,
      }
    },
  })
}

const actorKinds: Readonly<Record<string, string>> = {
  person: t`Person`,
  operator: t`Operator`,
  credential: t`Credential`,
  client: t`Client`,
  agent: t`Agent`,
  command: t`Command line`,
  task: t`Task`,
}

/** Groups to choose from, by the first word of the action. */
export const auditGroups: Readonly<Record<string, string>> = {
  operator: t`Operators`,
  person: t`Look-ups and erasures of people`,
  report: t`Reported jobs`,
  agent: t`Agents and their people`,
  client: t`OAuth clients`,
  webhook: t`Webhooks`,
  account: t`Accounts`,
  session: t`Sign-ins`,
  factor: t`Second factors`,
  applications: t`Imports of applications`,
  file: t`Files`,
  mail: t`Email`,
  task: t`Background work`,
  backup: t`Backups`,
  board: t`IDs and restores`,
  clock: t`The clock`,
  audit: t`This log`,
}
