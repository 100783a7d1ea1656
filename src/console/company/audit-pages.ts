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
import { t } from '../../platform/web/t.ts'
import { zonedTime } from '../../platform/web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

const title = t`Audit log`
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
        chain: advertiserId,
        path,
        perPage,
        timeZone,
        groups: auditGroups,
        caption: t`Entries, newest first`,
        emptyText: t`What people and programs change here will be listed.`,
        async columnsFor(entries) {
          const names = await deps.accountNames(accountsIn(entries))
          return [
            [t`When`, ({ at }) => zonedTime(at, timeZone)],
            [
              t`Who`,
              entry =>
                html`${actorText(entry, names)}<br><span class="quiet">${[entry.proof, entry.address].filter(each => each !== null).join(' · ')}</span>`,
            ],
            [t`What`, ({ action }) => actionNames[action] ?? action],
            [t`Which`, entry => html`<span class="quiet">${targetText(entry, names)}</span>`],
            [t`Before and after`, entry => html`<span class="quiet">${changeText(entry)}</span>`],
          ]
        },
      })
      const exporting = button({ action: `${path}/export`, label: t`Export as CSV` })
      return {
        title,
        heading: pageHead(title, !isEmpty && exporting),
        body: html`<p class="lead">${t`Who changed or exported what at your company. Entries are kept as recorded and cannot be changed here.`}</p>
${markup}`,
      }
    },
    acts: {
      export: {
        async run({ reply, caller: { advertiserId, timeZone } }) {
          await auditLog.record({
            action: 'audit.export',
            scope: advertiserId,
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
            for await (const entry of auditLog.read(advertiserId)) {
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
  return name === undefined ? t`A deleted account` : isolateBidi(name)
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
  return actorKind === 'person' && actorId === id ? t`this account` : nameOf(id, names)
}

const actorKinds: Readonly<Record<string, string>> = {
  person: t`Person`,
  operator: t`Operator of this service`,
  credential: t`Credential`,
  client: t`OAuth client`,
  agent: t`Agent`,
  command: t`Operator’s command line`,
  task: t`Background work`,
}

/** Groups to choose from, by the first word of the action. */
export const auditGroups: Readonly<Record<string, string>> = {
  company: t`Company settings`,
  member: t`People and roles`,
  invitation: t`Invitations`,
  credential: t`Credentials`,
  agent: t`Agents`,
  client: t`OAuth clients`,
  webhook: t`Webhooks`,
  'job-ad': t`Job ads`,
  questionnaire: t`Questionnaires`,
  application: t`Applications`,
  applications: t`Exports and decisions taken back`,
  account: t`Accounts`,
  session: t`Sign-ins`,
  factor: t`Second factors`,
  audit: t`This log`,
}

/** Names for actions whose own name is not clear enough. */
const actionNames: Partial<Record<AuditAction, string>> & Readonly<Record<string, string>> = {
  'company.add': t`Added the company`,
  'company.status': t`Changed the state of the company`,
  'company.time-zone': t`Changed the time zone`,
  'company.answer-days': t`Changed the days without an answer`,
  'company.keep-months': t`Changed how long candidates may let applications be kept for other jobs`,
  'company.logo': t`Changed the logo`,
  'company.dates': t`Corrected dates of applications`,
  'company.retention': t`Changed the retention period`,
  'company.telling': t`Changed what candidates are told`,
  'company.privacy': t`Changed the privacy notice`,
  'member.join': t`Joined the company`,
  'member.role': t`Changed a role`,
  'member.remove': t`Removed a person`,
  'invitation.send': t`Sent an invitation`,
  'invitation.withdraw': t`Withdrew an invitation`,
  'credential.issue': t`Created a credential`,
  'credential.revoke': t`Revoked a credential`,
  'agent.authorise': t`Authorised an agent`,
  'agent.progress': t`Changed whether an agent may report progress`,
  'agent.withdraw': t`Withdrew an authorisation`,
  'client.allow': t`Allowed a job board`,
  'client.forbid': t`Forbade a job board`,
  'webhook.add': t`Added a webhook endpoint`,
  'webhook.change': t`Changed a webhook endpoint`,
  'webhook.remove': t`Removed a webhook endpoint`,
  'webhook.rotate': t`Replaced a webhook key`,
  'webhook.retire': t`Retired a webhook key`,
  'job-ad.add': t`Created a job ad`,
  'job-ad.change': t`Changed a job ad`,
  'job-ad.status': t`Opened or closed a job ad`,
  'job-ad.hold': t`Held a job ad`,
  'job-ad.release': t`Released or approved a job ad`,
  'questionnaire.add': t`Created a questionnaire`,
  'questionnaire.change': t`Changed a questionnaire`,
  'questionnaire.status': t`Opened or closed a questionnaire`,
  'application.status': t`Changed the status of an application`,
  'application.hold': t`Placed a hold`,
  'application.release': t`Released a hold`,
  'application.erase': t`Erased an application`,
  'applications.export': t`Exported applications`,
  'applications.progress': t`Reported the progress of applications`,
  'applications.take-back': t`Took decisions back`,
  'account.email': t`Changed their email address`,
  'account.password': t`Changed their password`,
  'account.delete': t`Deleted their account`,
  'session.start': t`Signed in`,
  'session.end': t`Signed out`,
  'session.failures': t`Noted failed sign-ins`,
  'audit.export': t`Exported this log`,
}
