import type { RouteOptions } from 'fastify'
import type { Limits } from '../../limits.ts'
import type { RetentionBounds } from '../../model/retention.ts'
import { dataTable } from '../../web/components.ts'
import { html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { publicPage } from '../../web/page-routes.ts'
import { periodInWords, aboutDataTexts as texts } from './texts.ts'

type Periods = Pick<
  Limits,
  | 'consentDays'
  | 'sessionSeconds'
  | 'unconfirmedAccountSeconds'
  | 'linkSeconds'
  | 'cleanUpWindowSeconds'
  | 'deliveryKeptDays'
  | 'readDays'
  | 'backupHours'
  | 'backupKeep'
>

interface Settings {
  /** Between the deletion of an account and the erasure of its applications. */
  retentionDays: number
  withdrawnDays: number
  retention: RetentionBounds
  /** Whether the service makes backups itself; others are the operator's to describe. */
  hasBackups: boolean
}

/** What is kept how long, from the settings in force: for people, and to be linked from a privacy notice. */
export function aboutDataPage(
  { retentionDays, withdrawnDays, retention, hasBackups }: Settings,
  limits: Periods,
): RouteOptions {
  const day = 86_400
  const after = (days: number) => (days === 0 ? undefined : periodInWords(days * day))
  const { rows } = texts
  const lines: readonly (readonly [{ what: string; whoSees: string }, string])[] = [
    [rows.profile, rows.profile.howLong],
    [rows.consents, rows.consents.howLong(periodInWords(limits.consentDays * day))],
    [rows.applications, rows.applications.howLong(retention, after(withdrawnDays), after(retentionDays))],
    [rows.disputes, rows.disputes.howLong],
    [rows.history, rows.history.howLong(periodInWords(limits.readDays * day))],
    [rows.emails, rows.emails.howLong(periodInWords(limits.deliveryKeptDays * day))],
    [rows.sessions, rows.sessions.howLong(periodInWords(limits.sessionSeconds))],
    [rows.unconfirmed, rows.unconfirmed.howLong(periodInWords(limits.unconfirmedAccountSeconds))],
    [rows.links, rows.links.howLong(periodInWords(limits.linkSeconds))],
    // A file is removed with the uploads of its day, and a day after it ended.
    [rows.files, rows.files.howLong(periodInWords(limits.cleanUpWindowSeconds + day))],
    // The oldest set goes when the next is made.
    ...(hasBackups
      ? [
          [
            rows.backups,
            rows.backups.howLong(periodInWords(limits.backupKeep * limits.backupHours * 3_600)),
          ] as const,
        ]
      : []),
  ]
  const table = dataTable(
    texts.caption,
    [{ label: texts.what }, { label: texts.howLong }, { label: texts.whoSees }],
    lines.map(([{ what, whoSees }, howLong]) => [
      html`<strong class="named">${what}</strong>`,
      howLong,
      whoSees,
    ]),
  )
  return publicPage.get('/about/data', ({ reply }) => {
    const { name, contactUrl, privacyUrl } = reply.server.board
    const links = [
      [privacyUrl, texts.privacy],
      [contactUrl, texts.contact],
    ].filter(([url]) => url !== undefined)
    return sendPage(reply, {
      title: texts.title,
      isWide: true,
      body: html`<p class="lead">${texts.lead(name)}</p>
${table}
<h2>${texts.rightsTitle}</h2>
<ul>${texts.rights.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>
<h2>${texts.cookiesTitle}</h2>
<p>${texts.cookies}</p>
${links.length > 0 && html`<h2>${texts.contactTitle}</h2><ul>${links.map(([url, label]) => html`<li><a href="${url}">${label}</a></li>`)}</ul>`}`,
    })
  })
}
