import type { RouteOptions } from 'fastify'
import type { OwnApplicationStore } from '../../apply/form/own-application-store.ts'
import { allCategories, bitsOf, categories } from '../../model/categories.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { notice } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import type { PageCall } from '../../platform/web/tab.ts'
import type { ConsentStore } from '../../share/grants/consent-store.ts'
import { accountTab } from '../account/tab-pages.ts'
import { mergedPage, readPosition } from './merged-lists.ts'
import type { SharingHistory } from './sharing-history-store.ts'
import { companiesMarkup, disclosuresMarkup, reportedMarkup, sharingPath } from './sharing-markup.ts'

/** Limit: Disclosures on one page of the list; a link leads to older ones. */
const disclosuresShown = 50
/** Limit: Companies listed on the page of a candidate's applications, the latest first. */
const holdersShown = 50
/** Limit: Applications listed with what their website says about them, the latest; a link leads to all. */
const reportedShown = 20

interface SharingPageDeps {
  consents: ConsentStore
  history: Pick<SharingHistory, 'disclosures' | 'received' | 'reported'>
  sent: Pick<OwnApplicationStore, 'holders' | 'list' | 'reads' | 'endKeeping'>
  sessions: Sessions
  clock: Clock
  /** The operator's time zone. */
  timeZone: string
  limits: { consentDays: number; readDays: number }
}

/** "Who has my data": current consents, companies with applications, and the sharing history. */
export function sharingPages(deps: SharingPageDeps): RouteOptions[] {
  const { consents, history, sent, sessions, limits } = deps

  async function currentSharing(call: PageCall<'session'>): Promise<Html> {
    const { candidateId } = call.caller
    const [listed, holders, reads, received, reported] = await Promise.all([
      consents.listConsents(candidateId),
      sent.holders(candidateId, holdersShown + 1),
      sent.reads(candidateId),
      history.received(candidateId),
      history.reported(candidateId, reportedShown + 1),
    ])
    const companies = companiesMarkup({
      consents: listed,
      holders,
      limit: holdersShown,
      reads,
      received,
      readDays: limits.readDays,
      button: call.button,
      form: call.form,
      consentMs: limits.consentDays * 86_400_000,
      now: deps.clock(),
      timeZone: deps.timeZone,
    })
    return html`${companies}${reportedMarkup(reported, reportedShown)}`
  }

  return accountTab(sessions, sharingPath, { formPage: sharingPath })(sharingPath, {
    async show(call) {
      const { candidateId } = call.caller
      const before = readPosition(call.value('before'))
      const isContinued = before !== undefined
      const [current, { entries, hasMore }] = await Promise.all([
        // Only the first page shows current sharing; the following pages show history.
        isContinued ? undefined : currentSharing(call),
        mergedPage({
          before,
          shown: disclosuresShown,
          here: (from, max) => sent.list(candidateId, from, max),
          elsewhere: (from, max) => history.disclosures(candidateId, max, from),
          timeOf: ({ disclosedAt }) => disclosedAt,
        }),
      ])
      return {
        title: 'Who has my data',
        body: html`${call.value('withdrawn') !== '' && notice('good', withdrawn)}${call.value('ended') !== '' && notice('good', 'The company may no longer keep this application for other jobs.')}${call.value('narrowed') !== '' && notice('good', 'Saved. They no longer see what you cleared; what they received before is listed below.')}
<p>No one sees your profile unless you allow it. Here is everyone you’ve shared with, and everything you’ve shared.</p>
${current}
${disclosuresMarkup(entries, { hasMore, isContinued })}
<p class="hint">To download or delete everything stored here, go to <a href="/account/data">Your data</a>.</p>`,
      }
    },
    acts: {
      narrow: {
        async run({ caller, fields, value }) {
          const kept = fields.all('release')
          const removed = Number(value('shown')) & ~bitsOf(categories.filter(each => kept.includes(each)))
          const { candidateId } = caller
          if (!(await consents.narrow(candidateId, value('consent'), removed & allCategories, deps.clock())))
            throw new Problem('not-found', noSuchConsent)
          return { location: `${sharingPath}?narrowed=1` }
        },
      },
      'end-keeping': {
        async run({ caller, value }) {
          const id = parseNumericId(value('application'))
          if (id === undefined || !(await sent.endKeeping(caller.candidateId, id, deps.clock())))
            throw new Problem('not-found', noSuchConsent)
          return { location: `${sharingPath}?ended=1` }
        },
      },
      withdraw: {
        async run({ caller, value }) {
          if (!(await consents.withdraw(caller.candidateId, value('consent'), deps.clock())))
            throw new Problem('not-found', noSuchConsent)
          return { location: `${sharingPath}?withdrawn=1` }
        },
      },
    },
  })
}

const withdrawn = html`<p>Withdrawn. They can no longer see your profile. What they received before is listed below; ask the company itself to delete it.</p>
<p>If you change your mind, apply on their website again, and we’ll ask you again.</p>`

const noSuchConsent = 'This consent doesn’t exist, or you have already withdrawn it.'
