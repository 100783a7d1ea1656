import { create as contentDisposition } from 'content-disposition'
import type { RouteOptions } from 'fastify'
import type { AuditAction } from '../../platform/audit/acts.ts'
import { auditList } from '../../platform/audit/list-markup.ts'
import type { AuditEntry } from '../../platform/audit/ports.ts'
import { changeText, csvCells, csvHead } from '../../platform/audit/rendering.ts'
import type { AuditLog } from '../../platform/audit/service.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { dayIn } from '../../platform/core/time/time-zone.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { sendChunks } from '../../platform/http/responses/chunked-response.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { pageHead } from '../../platform/web/components.ts'
import { byteOrderMark, csvLine } from '../../platform/web/csv.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { zonedTime } from '../../platform/web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

const title = 'Audit log'
const perPage = 50

/** The audit log: who changed or exported what at the company. For admins. */
export function consoleAuditPages(deps: {
  auditLog: AuditLog
  /** Names of the accounts that still exist, by ID. */
  accountNames(candidateIds: readonly string[]): Promise<Map<string, string>>
  sessions: Sessions
  clock: Clock
}): RouteOptions[] {
  const { auditLog, clock } = deps
  const tab = consoleTab(deps.sessions, 'audit', { view: 'admin', proof: 'fresh' })

  return tab('/console/:advertiserId/audit', {
    async show({ caller: { advertiserId, timeZone }, query, button }) {
      const path = consolePath(advertiserId, 'audit')
      const { isEmpty, markup } = await auditList(auditLog, query, {
        chain: { ownerId: advertiserId },
        path,
        perPage,
        timeZone,
        groups: auditGroups,
        caption: 'Entries, newest first',
        emptyText: 'What people and programs change here will be listed.',
        async columnsFor(entries) {
          const names = await deps.accountNames(accountsIn(entries))
          return [
            ['When', ({ at }) => zonedTime(at, timeZone)],
            [
              'Who',
              entry =>
                html`${actorText(entry, names)}<br><span class="quiet">${[entry.proof, entry.address].filter(each => each !== null).join(' · ')}</span>`,
            ],
            ['What', ({ action }) => actionNames[action] ?? action],
            ['Which', entry => html`<span class="quiet">${targetText(entry, names)}</span>`],
            ['Before and after', entry => html`<span class="quiet">${changeText(entry)}</span>`],
          ]
        },
      })
      const exporting = button({ action: `${path}/export`, label: 'Export as CSV' })
      return {
        title,
        heading: pageHead(title, !isEmpty && exporting),
        body: html`<p class="lead">Who changed or exported what at your company. Entries are kept as recorded and cannot be changed here.</p>
${markup}`,
      }
    },
    acts: {
      export: {
        async run({ reply, caller: { advertiserId, timeZone } }) {
          await auditLog.record({
            action: 'audit.export',
            scope: { ownerId: advertiserId },
            target: 'audit:0',
            after: { form: 'csv' },
          })
          reply.headers({
            'content-type': 'text/csv; charset=utf-8; header=present',
            'content-disposition': contentDisposition(
              `audit-${advertiserId}-${dayIn(clock(), timeZone)}.csv`,
            ),
            'cache-control': 'private, no-store',
          })
          async function* lines() {
            let text = byteOrderMark + csvLine(csvHead)
            for await (const entry of auditLog.read({ ownerId: advertiserId })) {
              text += csvLine(csvCells(entry))
              if (text.length < 16_384) continue
              yield Buffer.from(text)
              text = ''
            }
            yield Buffer.from(text)
          }
          return { download: sendChunks(reply, lines()) }
        },
      },
    },
  })
}

/** The accounts whose names a page shows. */
const accountsIn = (entries: readonly AuditEntry[]): string[] => [
  ...new Set(
    entries.flatMap(({ actorKind, actorId, target }) => [
      ...(actorKind === 'person' ? [actorId] : []),
      ...(target.startsWith('person:') ? [target.slice('person:'.length)] : []),
    ]),
  ),
]

/** The names of accounts, by their IDs. */
type Names = ReadonlyMap<string, string>

const nameOf = (id: string, names: Names): Html | string => {
  const name = names.get(id)
  return name === undefined ? 'A deleted account' : isolateBidi(name)
}

function actorText({ actorKind, actorId }: AuditEntry, names: Names): Html | string {
  if (actorKind === 'person') return nameOf(actorId, names)
  // Companies never see the operator's names.
  if (['operator', 'command', 'task'].includes(actorKind))
    return html`<span class="whole">${actorKinds[actorKind]}</span>`
  return html`${actorKinds[actorKind]} <code>${actorId}</code>`
}

function targetText({ target, actorKind, actorId }: AuditEntry, names: Names): Html | string {
  const [kind = '', id = ''] = target.split(/:(.*)/s)
  if (kind !== 'person') return html`${kind} <code>${id}</code>`
  return actorKind === 'person' && actorId === id ? 'this account' : nameOf(id, names)
}

const actorKinds: Readonly<Record<string, string>> = {
  person: 'Person',
  operator: 'Operator of this service',
  credential: 'Credential',
  client: 'OAuth client',
  agent: 'Agent',
  command: 'Operator’s command line',
  task: 'Background work',
}

/** Groups to choose from, by the first word of the action. */
export const auditGroups: Readonly<Record<string, string>> = {
  company: 'Company settings',
  member: 'People and roles',
  invitation: 'Invitations',
  credential: 'Credentials',
  agent: 'Agents',
  client: 'OAuth clients',
  webhook: 'Webhooks',
  'job-ad': 'Job ads',
  questionnaire: 'Questionnaires',
  application: 'Applications',
  applications: 'Exports and decisions taken back',
  account: 'Accounts',
  session: 'Sign-ins',
  factor: 'Second factors',
  audit: 'This log',
}

/** Names for actions whose own name is not clear enough. */
const actionNames: Partial<Record<AuditAction, string>> & Readonly<Record<string, string>> = {
  'company.add': 'Added the company',
  'company.status': 'Changed the state of the company',
  'company.time-zone': 'Changed the time zone',
  'company.answer-days': 'Changed the days without an answer',
  'company.keep-months': 'Changed how long candidates may let applications be kept for other jobs',
  'company.logo': 'Changed the logo',
  'company.dates': 'Corrected dates of applications',
  'company.retention': 'Changed the retention period',
  'company.telling': 'Changed what candidates are told',
  'company.privacy': 'Changed the privacy notice',
  'member.join': 'Joined the company',
  'member.role': 'Changed a role',
  'member.remove': 'Removed a person',
  'invitation.send': 'Sent an invitation',
  'invitation.withdraw': 'Withdrew an invitation',
  'credential.issue': 'Created a credential',
  'credential.revoke': 'Revoked a credential',
  'agent.authorise': 'Authorised an agent',
  'agent.progress': 'Changed whether an agent may report progress',
  'agent.withdraw': 'Withdrew an authorisation',
  'client.allow': 'Allowed a job board',
  'client.forbid': 'Forbade a job board',
  'webhook.add': 'Added a webhook endpoint',
  'webhook.change': 'Changed a webhook endpoint',
  'webhook.remove': 'Removed a webhook endpoint',
  'webhook.rotate': 'Replaced a webhook key',
  'webhook.retire': 'Retired a webhook key',
  'job-ad.add': 'Created a job ad',
  'job-ad.change': 'Changed a job ad',
  'job-ad.status': 'Opened or closed a job ad',
  'job-ad.hold': 'Held a job ad',
  'job-ad.release': 'Released or approved a job ad',
  'questionnaire.add': 'Created a questionnaire',
  'questionnaire.change': 'Changed a questionnaire',
  'questionnaire.status': 'Opened or closed a questionnaire',
  'application.status': 'Changed the status of an application',
  'application.hold': 'Placed a hold',
  'application.release': 'Released a hold',
  'application.erase': 'Erased an application',
  'applications.export': 'Exported applications',
  'applications.progress': 'Reported the progress of applications',
  'applications.take-back': 'Took decisions back',
  'account.email': 'Changed their email address',
  'account.password': 'Changed their password',
  'account.delete': 'Deleted their account',
  'session.start': 'Signed in',
  'session.end': 'Signed out',
  'session.failures': 'Noted failed sign-ins',
  'audit.export': 'Exported this log',
}
