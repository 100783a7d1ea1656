import type { RouteOptions } from 'fastify'
import { auditList } from '../../platform/audit/list-markup.ts'
import { changeText } from '../../platform/audit/rendering.ts'
import type { AuditLog } from '../../platform/audit/service.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { html } from '../../platform/web/html.ts'
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
        caption: 'Entries of the audit log, newest first',
        emptyText: 'What operators, commands and tasks do will be listed.',
        columnsFor: async () => [
          ['Number', ({ number }) => number],
          ['Time', ({ at }) => zonedTime(at, timeZone)],
          [
            'By',
            ({ actorKind, actorId, proof }) =>
              html`<span class="whole">${actorKinds[actorKind] ?? actorKind}</span> ${actorId} <span class="quiet whole">(${proof})</span>`,
          ],
          ['Action', ({ action }) => html`<span class="whole">${action}</span>`],
          ['Target', ({ target }) => target],
          ['Before and after', entry => changeText(entry) || '–'],
        ],
      })
      return {
        title: 'Audit log',
        body: html`<p>What was done to the board: by operators, commands and tasks. Each company’s console has a log of its own. Names and addresses are not part of it.</p>
${markup}`,
      }
    },
  })
}

const actorKinds: Readonly<Record<string, string>> = {
  person: 'Person',
  operator: 'Operator',
  credential: 'Credential',
  client: 'Client',
  agent: 'Agent',
  command: 'Command line',
  task: 'Task',
}

/** Groups to choose from, by the first word of the action. */
export const auditGroups: Readonly<Record<string, string>> = {
  operator: 'Operators',
  person: 'Look-ups and erasures of people',
  report: 'Reported jobs',
  agent: 'Agents and their people',
  client: 'OAuth clients',
  webhook: 'Webhooks',
  account: 'Accounts',
  session: 'Sign-ins',
  factor: 'Second factors',
  applications: 'Imports of applications',
  file: 'Files',
  mail: 'Email',
  task: 'Background work',
  backup: 'Backups',
  board: 'IDs and restores',
  clock: 'The clock',
  audit: 'This log',
}
