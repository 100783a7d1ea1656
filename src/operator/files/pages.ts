import type { RouteOptions } from 'fastify'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { table } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { BoardStore } from '../board-store.ts'
import { operatorTab } from '../tab-pages.ts'

const maxInfected = 50
const maxDamaged = 20

/** Files without a verdict, with a virus, or missing: numbers and IDs, no names. */
export function operatorFilePages(deps: {
  board: Pick<BoardStore, 'unjudged' | 'infected'>
  hasScanner: boolean
  examine(): Promise<{ checked: number; damaged: string[] }>
  /** Records the rescan in the audit log and starts it, without waiting for its end. */
  rescan(): Promise<void>
  sessions: Sessions
}): RouteOptions[] {
  const { board, hasScanner } = deps
  const noScanner = 'There is no scanner: set CLAMD_URL. Files are delivered without a verdict.'

  return operatorTab(deps.sessions, 'files')('/operator/files', {
    async show({ request, button, canChange }) {
      const [unjudged, infected, examined] = await Promise.all([
        hasScanner ? board.unjudged() : [],
        board.infected(maxInfected),
        request.url.endsWith('?look=missing') ? deps.examine() : undefined,
      ])
      return {
        title: 'Files',
        body: html`<h2 class="first">Not scanned yet</h2>
${
  hasScanner
    ? table({
        caption: 'Files without a verdict',
        empty: 'Every file has a verdict.',
        rows: unjudged,
        columns: [
          ['Files of', ({ of }) => (of === 'application' ? 'Applications' : 'Accounts')],
          [
            'Reason',
            ({ reason }) =>
              reason === 'waiting'
                ? 'Waiting for the scanner'
                : 'The scanner doesn’t judge it: too large, encrypted or damaged',
          ],
          ['Files', ({ count }) => count],
          ['Oldest', ({ oldestAt }) => timeElement(oldestAt)],
        ],
      })
    : html`<p>${noScanner}</p>`
}
${canChange && hasScanner && html`<div class="actions">${button({ action: '/operator/files/scan', label: 'Scan again' })}</div>`}
<h2>With a virus</h2>
${infected.length > 0 && html`<p>Their content was discarded. The newest applications with such a file:</p>`}${table(
  {
    caption: 'Applications with a virus',
    empty: 'No virus was found.',
    rows: infected,
    columns: [
      ['Company', ({ advertiserId }) => advertiserId],
      ['Application', ({ applicationId }) => applicationId],
    ],
  },
)}
<h2>Missing or damaged</h2>
${
  examined === undefined
    ? html`<p>Compares every file in the database with the store. This may take minutes.</p><p><a class="button second" href="/operator/files?look=missing">Look for missing files</a></p>`
    : damagedMarkup(examined)
}`,
      }
    },
    acts: {
      scan: {
        command: 'work',
        audit: 'file.scan',
        async run() {
          if (!hasScanner) throw new Problem('not-found', noScanner)
          await deps.rescan()
          return 'started'
        },
      },
    },
    done: { started: 'The scanner is asked again. Reload the page to see its verdicts.' },
  })
}

function damagedMarkup({ checked, damaged }: { checked: number; damaged: string[] }): Html {
  if (damaged.length === 0) return html`<p>All ${checked} files are there.</p>`
  return html`<p>${damaged.length} of ${checked} files are missing or damaged. Restore them from a backup. The first ones:</p>
<ul>${damaged.slice(0, maxDamaged).map(blob => html`<li><code>${blob}</code></li>`)}</ul>`
}
