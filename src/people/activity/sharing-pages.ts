import type { FastifyReply, RouteOptions } from 'fastify'
import type { OwnApplicationStore } from '../../apply/form/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { allCategories, bitsOf, categories } from '../../model/categories.ts'
import type { SharingHistory } from '../../share/prefill/ports.ts'
import type { ConsentStore } from '../../share/protocol/ports.ts'
import { notice } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import { mergedPage, readPosition } from './merged-lists.ts'
import {
  companiesMarkup,
  disclosuresMarkup,
  narrowPath,
  sharingPath,
  withdrawPath,
} from './sharing-markup.ts'
import { sharingTexts as texts } from './sharing-texts.ts'

interface SharingPageDeps {
  consents: ConsentStore
  history: Pick<SharingHistory, 'disclosures'>
  sent: Pick<OwnApplicationStore, 'holders' | 'list' | 'reads'>
  sessions: Sessions
  clock: Clock
  limits: Pick<Limits, 'disclosuresShown' | 'holdersShown' | 'consentDays' | 'readDays'>
}

/** "Who has my data": current consents, companies with applications, and the sharing history. */
export function sharingPages(deps: SharingPageDeps): RouteOptions[] {
  const { consents, history, sent, sessions, limits } = deps

  async function currentSharing({ reply, caller: { candidateId } }: Call<'session'>): Promise<Html> {
    const [listed, holders, reads] = await Promise.all([
      consents.listConsents(candidateId),
      sent.holders(candidateId, limits.holdersShown + 1),
      sent.reads(candidateId),
    ])
    return companiesMarkup({
      consents: listed,
      holders,
      limit: limits.holdersShown,
      reads,
      readDays: limits.readDays,
      withdrawToken: sessions.formToken(reply, withdrawPath),
      narrowToken: sessions.formToken(reply, narrowPath),
      consentMs: limits.consentDays * 86_400_000,
      now: deps.clock(),
    })
  }

  async function show(call: Call<'session'>): Promise<FastifyReply> {
    const { candidateId } = call.caller
    const query = new FormFields(searchOf(call.request.raw.url))
    const before = readPosition(query.get('before'))
    const isContinued = before !== undefined
    const [current, { entries, hasMore }] = await Promise.all([
      // Only the first page shows current sharing; the following pages show history.
      isContinued ? undefined : currentSharing(call),
      mergedPage({
        before,
        shown: limits.disclosuresShown,
        here: (from, most) => sent.list(candidateId, from, most),
        elsewhere: (from, most) => history.disclosures(candidateId, most, from),
        timeOf: ({ disclosedAt }) => disclosedAt,
      }),
    ])
    return sendPage(call.reply, {
      title: texts.title,
      navigation: accountNavigation(sharingPath),
      body: html`${query.has('withdrawn') && notice('good', texts.withdrawn)}${query.has('narrowed') && notice('good', texts.narrowed)}
<p>${texts.lead}</p>
${current}
${disclosuresMarkup(entries, { hasMore, isContinued })}
<p class="hint">${texts.deletion}</p>`,
    })
  }

  return [
    accountPage.get(sharingPath, show),
    accountPage.post(
      narrowPath,
      async call => {
        const fields = sessions.checkForm(call, narrowPath)
        const kept = fields.all('release')
        const removed = Number(fields.get('shown')) & ~bitsOf(categories.filter(each => kept.includes(each)))
        const grantId = fields.get('consent') ?? ''
        if (!(await consents.narrow(call.caller.candidateId, grantId, removed & allCategories))) {
          throw new Problem('not-found', texts.noSuchConsent)
        }
        return redirect(call.reply, `${sharingPath}?narrowed=1`)
      },
      { formPage: sharingPath },
    ),
    accountPage.post(
      withdrawPath,
      async call => {
        const grantId = sessions.checkForm(call, withdrawPath).get('consent') ?? ''
        const { candidateId } = call.caller
        if (!(await consents.withdraw(candidateId, grantId, deps.clock()))) {
          throw new Problem('not-found', texts.noSuchConsent)
        }
        return redirect(call.reply, `${sharingPath}?withdrawn=1`)
      },
      { formPage: sharingPath },
    ),
  ]
}
