import type { RouteOptions } from 'fastify'
import type { Drafts } from '../../apply/form/draft-service.ts'
import type { ListedApplication } from '../../apply/form/own-application.ts'
import type { OwnRetention } from '../../apply/form/own-retention-service.ts'
import { listPath, receiptPath } from '../../apply/form/receipt-path.ts'
import type { ApplyForms } from '../../apply/form/service.ts'
import type { AdVersion } from '../../model/ad-version.ts'
import { fileTypes } from '../../model/application.ts'
import { readsRecordedSince } from '../../model/application-read.ts'
import { logoUrl } from '../../platform/core/brand/logo.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { DocumentConversions } from '../../platform/documents/document.ts'
import { hasNewEnding } from '../../platform/documents/file-kinds.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { Limit } from '../../platform/http/rates/rate-limit.ts'
import { sendFile } from '../../platform/http/responses/file-response.ts'
import type { Call } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { avatar, badge, emptyState, pager } from '../../platform/web/components.ts'
import { sendFileFrame } from '../../platform/web/file-frame.ts'
import { previewAssets } from '../../platform/web/file-preview.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { icon } from '../../platform/web/icons.ts'
import { storeOneFile } from '../../platform/web/one-file.ts'
import { accountPage } from '../../platform/web/page-routes.ts'
import { info, refusal } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import { accountTab } from '../account/tab-pages.ts'
import { discardMarkup, draftsMarkup } from './draft-markup.ts'
import { positionText, readPosition } from './merged-lists.ts'
import { fileFacts, receiptMarkup } from './receipt-markup.ts'
import type { StartedApplication } from './sharing-history.ts'
import { fileLabel, statusBadge } from './status-markup.ts'
import type { Timeline, TimelineEntry } from './timeline-service.ts'

/** Limit: How long the receipt of an application says that it was just sent. */
const newReceiptSeconds = 600

export interface OwnApplicationsPageDeps {
  applyForm: Pick<ApplyForms, 'find' | 'openFile' | 'withdraw' | 'replaceFile' | 'withdrawnDays'>
  ownRetention: Pick<OwnRetention, 'of'>
  drafts: Pick<Drafts, 'list' | 'own' | 'discard'>
  sessions: Sessions
  /** Limits uploads per candidate, successful or not. */
  uploads: Limit
  timeline: Timeline
  /** Whether unscanned files will be scanned. */
  hasScanner: boolean
  /** Renders the ad that an application was sent for. */
  adVersionMarkup(ad: AdVersion): Html
  conversions: DocumentConversions
  clock: Clock
  limits: { readDays: number; fileBytes: number }
}

/** A candidate's applications: the list, and a receipt for each application sent here. */
export function ownApplicationsPages(deps: OwnApplicationsPageDeps): RouteOptions[] {
  const { applyForm, drafts, timeline, hasScanner, clock, limits, conversions } = deps
  const tab = accountTab(deps.sessions, listPath)
  const openFile = ({ caller, params }: Call<'session', 'applicationId' | 'type'>) =>
    applyForm.openFile(caller.candidateId, parseNumericId(params.applicationId), params.type)
  /** Returns the page for a candidate who was signed out when they sent the form and has signed in since. */
  const ask = async ({ params }: Call<'session', 'applicationId'>) => ({
    location: receiptPath(parseNumericId(params.applicationId) ?? 0),
  })

  return [
    ...tab(listPath, {
      async show({ caller: { candidateId }, value }) {
        const before = readPosition(value('before'))
        const isContinued = before !== undefined
        const [{ entries, hasMore }, own] = await Promise.all([
          timeline.page(candidateId, before),
          isContinued ? [] : drafts.list(candidateId),
        ])
        return {
          title: 'Your applications',
          body: html`${draftsMarkup(own)}${applicationListMarkup(entries, { hasMore, isContinued, hasScanner })}`,
        }
      },
      acts: {
        'drafts/discard': {
          async ask({ caller, query, form }) {
            const id = query.get('draft')
            if (id === undefined) return { location: listPath }
            const draft = await drafts.own(caller.candidateId, id)
            return { title: 'Discard this draft?', body: discardMarkup(draft, form) }
          },
          async run({ caller, value }) {
            await drafts.discard(caller.candidateId, value('draft'))
            return 'discarded'
          },
        },
      },
      done: { discarded: 'Draft discarded.' },
    }),
    ...tab(`${listPath}/:applicationId`, {
      async show({ caller: { candidateId }, params, state, value, form, ownForm, button }) {
        const sent = await applyForm.find(candidateId, parseNumericId(params.applicationId))
        const done = sent.status === 'withdrawn' ? withdrawnNotices : replacedNotices
        const isNew = clock() - sent.submittedAt < newReceiptSeconds * 1000
        return {
          title: 'Your application',
          crumbs: [{ href: listPath, label: 'Your applications' }],
          failed: 'The document wasn’t sent.',
          done,
          body: receiptMarkup(sent, {
            isRepeated: value('repeated') === '1',
            isNew,
            canBeUnread: sent.submittedAt >= readsRecordedSince(clock(), limits),
            kept: await deps.ownRetention.of(candidateId, sent.applicationId),
            hasScanner,
            renamed: isNew || value('done') === 'replaced' ? value('renamed').split(',') : [],
            isDone: Object.hasOwn(done, value('done')),
            isRefused: state.errors.length > 0,
            form,
            ownForm,
            button,
            withdrawnDays: applyForm.withdrawnDays,
            adVersionMarkup: deps.adVersionMarkup,
            limits,
          }),
          scripts: previewAssets,
          hasPreview: true,
        }
      },
      acts: {
        withdraw: {
          ask,
          async run({ caller, params }) {
            const id = parseNumericId(params.applicationId) ?? 0
            return (await applyForm.withdraw(caller.candidateId, id)) ? 'withdrawn' : 'withdrawn-before'
          },
        },
        documents: {
          ask,
          async upload(call) {
            const { candidateId } = call.caller
            await deps.uploads.take(call.reply, candidateId)
            const id = parseNumericId(call.params.applicationId) ?? 0
            return storeOneFile(call, limits.fileBytes, async (file, fields) => {
              const type = fileTypes.find(each => each === fields.get('type'))
              if (type === undefined) throw new Problem('invalid-fields', 'Choose a file.')
              const { scan, fileName } = await applyForm.replaceFile(candidateId, id, type, file)
              const done = scan === 'infected' ? 'replaced-infected' : 'replaced'
              const renamed = hasNewEnding(file.name, fileName) ? `&renamed=${type}` : ''
              return { location: `${receiptPath(id)}?done=${done}${renamed}` }
            })
          },
        },
      },
    }),
    accountPage.get(`${listPath}/:applicationId/files/:type`, async call => {
      const file = await openFile(call)
      return sendFile(call.request, call.reply, { ...file, isLengthTold: true, isForBrowser: true })
    }),
    accountPage.get(`${listPath}/:applicationId/files/:type/text`, async call => {
      const { file, open } = await openFile(call)
      const viewer = call.caller.candidateId
      return sendFileFrame(call.reply, { ...file, open }, { conversions, viewer })
    }),
  ]
}

/** Notices of the outcome that the URL names. */
const withdrawnNotices = {
  withdrawn: 'Application withdrawn.',
  'withdrawn-before': info('This application was already withdrawn or erased.'),
}
const replacedNotices = {
  replaced: 'Document sent. The company gets the new file.',
  'replaced-infected': refusal(
    'We found a virus in the new file, so the company doesn’t get its content. Send a clean copy.',
  ),
}

interface Shown {
  hasMore: boolean
  isContinued: boolean
  /** Whether unscanned files will be scanned. */
  hasScanner: boolean
}

/** Lists applications, newest first. */
export function applicationListMarkup(
  entries: readonly TimelineEntry[],
  { hasMore, isContinued, hasScanner }: Shown,
): Html {
  const last = entries.at(-1)
  return html`${
    last === undefined
      ? noneMarkup(isContinued)
      : html`<p class="quiet">Every job you’ve applied for, here and on other websites, newest first.</p>
${!isContinued && !hasMore && html`<p class="quiet">${entries.length === 1 ? '1 application' : `${entries.length} applications`}</p>`}
<ul class="rows" aria-label="Applications">${entries.map(entry =>
          entry.kind === 'here' ? sentMarkup(entry.here, hasScanner) : startedMarkup(entry.elsewhere),
        )}</ul>`
  }
${pager({
  newest: isContinued ? listPath : undefined,
  older: hasMore && last !== undefined ? `${listPath}?before=${positionText(last)}` : undefined,
})}`
}

function noneMarkup(isContinued: boolean): Html {
  return isContinued
    ? emptyState({ title: 'End of list', text: 'There are no older applications.' })
    : emptyState({
        title: 'No applications yet',
        text: 'You haven’t applied for a job yet. Your applications are listed here, so you can look them up when a company calls.',
        action: { href: '/jobs', label: 'Browse open jobs' },
      })
}

function sentMarkup(application: ListedApplication, hasScanner: boolean): Html {
  const { applicationId, jobTitle, advertiserName, logoHash, submittedAt, firstReadAt, erasedAt, files } =
    application
  const sent = timeElement(submittedAt)
  return html`<li>${avatar(advertiserName, logoUrl(logoHash))}<div><div class="line"><a class="row-link" href="${receiptPath(applicationId)}">${isolateBidi(jobTitle)}</a> ${stateBadge(application, hasScanner)}</div>
<span>at ${isolateBidi(advertiserName)}</span>
<span class="hint">${erasedAt === null && firstReadAt !== null ? html`sent on ${sent}, first read on ${timeElement(firstReadAt)}, reference number ${applicationId}` : html`sent on ${sent}, reference number ${applicationId}`}</span>
${
  files.length > 0 &&
  html`<ul class="files">${files.map(file => html`<li>${icon('document')}<span>${fileLabel(file.type)}: ${isolateBidi(file.fileName)}</span>${fileFacts(file, hasScanner)}</li>`)}</ul>`
}</div></li>`
}

function stateBadge(application: ListedApplication, hasScanner: boolean): Html {
  const { files } = application
  if (files.some(({ scan }) => scan === 'infected')) return badge('danger', 'Virus found in a file')
  if (hasScanner && files.some(({ scan }) => scan === 'unscanned')) return badge('warning', 'Checking files')
  if (hasScanner && files.some(({ scan }) => scan === 'not-judged'))
    return badge('warning', 'A file can’t be checked')
  return statusBadge(application.status)
}

function startedMarkup(application: StartedApplication): Html {
  const { positionTitle, advertiserName, logoHash, clientName, createdAt, completedAt, state } = application
  const begun = timeElement(createdAt)
  const website = isolateBidi(clientName)
  const isDone = completedAt !== null
  return html`<li>${avatar(advertiserName ?? clientName, logoUrl(logoHash))}<div><div class="line"><strong>${isolateBidi(positionTitle ?? 'A job')}</strong> ${
    state !== null ? statusBadge(state) : isDone ? badge('good', 'Submitted') : badge('neutral', 'Started')
  }</div>
<span>${advertiserName === null ? html`on the website of ${website}` : html`at ${isolateBidi(advertiserName)}, on the website of ${website}`}</span>
<span class="hint">${isDone ? html`started on ${begun}, submitted on ${timeElement(completedAt)}` : html`started on ${begun}, not submitted yet`}</span></div></li>`
}
