import type { RouteOptions } from 'fastify'
import type { EndpointState } from '../../events/webhooks/ports.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { badge, notice, table } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { BoardStore } from '../board-store.ts'
import { operatorTab } from '../tab-pages.ts'
import type { BackupState, LateWebhook, SettingInForce } from './ports.ts'

/** Running processes and their settings, and what a fire would leave. */
export function operatorMachinePages(deps: {
  webhooks(): Promise<LateWebhook[]>
  backups(): Promise<BackupState>
  /** Records the backup in the audit log and starts it; undefined without BACKUP_URL. */
  startBackup: (() => Promise<void>) | undefined
  board: Pick<BoardStore, 'nodes'>
  restored(): Promise<{ restoredAt: EpochMs | undefined; heldMails: number }>
  settings: readonly SettingInForce[]
  sessions: Sessions
}): RouteOptions[] {
  const { sessions } = deps
  const noBackups = 'Backups are not automatic: set BACKUP_URL, or use your own tools and test a restore.'

  return [
    ...operatorTab(sessions, 'webhooks')('/operator/webhooks', {
      async show() {
        const webhooks = await deps.webhooks()
        return {
          title: 'Webhooks that are behind',
          body: html`${webhooks.length > 0 && html`<p>Endpoints that fail, were stopped or have events waiting. Their owners were told; “dossier webhook show &lt;id&gt;” shows the attempts.</p>`}${table(
            {
              caption: 'Webhook endpoints that are behind',
              empty: 'Every webhook endpoint is up to date.',
              rows: webhooks,
              columns: [
                ['Endpoint', ({ id }) => html`<code>${id}</code>`],
                ['Company or agent', ({ owner }) => owner],
                ['Host', ({ url }) => url],
                [
                  'State',
                  ({ state }) =>
                    badge(
                      state === 'failing' || state === 'stopped' ? 'warning' : 'neutral',
                      endpointStates[state],
                    ),
                ],
                ['Events waiting', ({ events }) => events],
                ['Oldest', ({ oldestAt }) => timeOrNone(oldestAt)],
                ['Next attempt', ({ nextTryAt }) => timeOrNone(nextTryAt)],
              ],
            },
          )}`,
        }
      },
    }),

    ...operatorTab(sessions, 'backups')('/operator/backups', {
      async show({ button, canChange }) {
        const { place, verified, sets } = await deps.backups()
        return {
          title: 'Backups',
          body: html`<p>${place === undefined ? noBackups : `Sets are made in ${place}.`}</p>
<h2>Last verified set</h2>
${verified.length === 0 ? html`<p class="quiet">No set has been made yet.</p>` : html`<ul>${verified.map(each => html`<li>${each.set} in ${each.place}, read back after it was written, ${timeElement(each.at)}</li>`)}</ul>`}
${place !== undefined && html`<h2>Sets</h2>${setsTable(sets)}`}
${canChange && place !== undefined && html`<p>Runs in the background and may take minutes.</p><div class="actions">${button({ action: '/operator/backups', label: 'Back up now', kind: 'first' })}</div>`}`,
        }
      },
      acts: {
        '': {
          command: 'backup',
          audit: 'backup.make',
          async run() {
            if (deps.startBackup === undefined) throw new Problem('not-found', noBackups)
            await deps.startBackup()
            return 'started'
          },
        },
      },
      done: { started: 'The backup has been started. Reload the page to see the new set.' },
    }),

    ...operatorTab(sessions, 'nodes')('/operator/nodes', {
      async show() {
        const [nodes, { restoredAt, heldMails }] = await Promise.all([deps.board.nodes(), deps.restored()])
        const held =
          heldMails === 0 ? 'No emails are held.' : `${heldMails} emails are held: see the page “Email”.`
        return {
          title: 'Processes',
          body: html`<p>Each running process reports to the database every few seconds.</p>
${table({
  caption: 'Running processes',
  empty: 'No process has reported in the last minute.',
  rows: nodes,
  columns: [
    ['Process', ({ id }) => html`<code>${id}</code>`],
    ['Release', ({ release }) => release],
    ['Last seen', ({ seenAt }) => timeElement(seenAt)],
  ],
})}
<h2>After a restore</h2>
<p>${restoredAt === undefined ? 'The database has never been restored to an earlier state.' : html`The database was restored to an earlier state, noticed at this time: ${timeElement(restoredAt)}. ${held}`}</p>`,
        }
      },
    }),

    ...operatorTab(sessions, 'settings')('/operator/settings', {
      show: () => ({
        title: 'Settings in force',
        body: html`<p>As this process read them at its start. Secrets are shown as “set”. Change them in the environment, then restart.</p>${table(
          {
            caption: 'Settings in force',
            rows: deps.settings,
            columns: [
              ['Setting', ({ name }) => html`<code class="whole">${name}</code>`],
              [
                'Value',
                ({ value, isDefault }) => html`${value}${isDefault && html` ${badge('neutral', 'Default')}`}`,
              ],
            ],
          },
        )}`,
      }),
    }),
  ]
}

const endpointStates: Record<EndpointState, string> = {
  new: 'New',
  active: 'Active',
  failing: 'Failing',
  paused: 'Paused',
  stopped: 'Stopped',
}

const timeOrNone = (at: EpochMs | null) => (at === null ? '–' : timeElement(at))

function setsTable(sets: BackupState['sets']): Html {
  if (sets === undefined)
    return notice(
      'warning',
      'The place of the backups cannot be read. The checklist on the home page says more.',
    )
  return table({
    caption: 'Backup sets',
    empty: 'There are no sets yet.',
    rows: sets,
    columns: [
      ['Set', ({ set }) => set],
      ['Rows', ({ rows }) => rows],
      ['Files', ({ files }) => files],
      [
        'State',
        ({ fault, rows }) =>
          fault ?? (rows === undefined ? badge('warning', 'Never finished') : badge('good', 'Complete')),
      ],
    ],
  })
}
