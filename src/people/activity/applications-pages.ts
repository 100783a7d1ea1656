import type { FastifyReply, RouteOptions } from 'fastify'
import type { Drafts } from '../../apply/form/draft-service.ts'
import type { ListedApplication } from '../../apply/form/own-application.ts'
import type { OwnRetention } from '../../apply/form/own-retention-service.ts'
import { discardDraftPath, listPath, receiptPath } from '../../apply/form/receipt-path.ts'
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
import { type Limit, rateLimited } from '../../platform/http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { receiveForm } from '../../platform/http/requests/upload.ts'
import { sendFile } from '../../platform/http/responses/file-response.ts'
import { problemStatus } from '../../platform/http/responses/problem-status.ts'
import type { Call } from '../../platform/http/routes.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { avatar, badge, emptyState, pager } from '../../platform/web/components.ts'
import { typeset } from '../../platform/web/fields.ts'
import { sendFileFrame } from '../../platform/web/file-frame.ts'
import { previewAssets } from '../../platform/web/file-preview.ts'
import { formsOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { icon } from '../../platform/web/icons.ts'
import type { Navigation } from '../../platform/web/layout.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { accountPage } from '../../platform/web/page-routes.ts'
import { t } from '../../platform/web/t.ts'
import { timeElement } from '../../platform/web/time.ts'
import { discardMarkup, draftsMarkup } from './draft-markup.ts'
import { positionText, readPosition } from './merged-lists.ts'
import { fileFacts, type ReceiptView, receiptHeading, receiptMarkup } from './receipt-markup.ts'
import type { StartedApplication } from './sharing-history.ts'
import { fileLabel, replacePathOf, statusBadge, withdrawPathOf } from './status-markup.ts'
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
  navigation: Navigation
}

type ReceiptCall = Call<'session', 'applicationId'>

/** A candidate's applications: the list, and a receipt for each one sent here. */
export function ownApplicationsPages(deps: OwnApplicationsPageDeps): RouteOptions[] {
  const {
    applyForm,
    ownRetention,
    drafts,
    timeline,
    hasScanner,
    navigation,
    clock,
    limits,
    conversions,
    sessions,
    uploads,
  } = deps
  const queryOf = ({ request }: Call<'session'>) => new FormFields(searchOf(request.raw.url))
  const openFile = ({ caller, params }: Call<'session', 'applicationId' | 'type'>) =>
    applyForm.openFile(caller.candidateId, parseNumericId(params.applicationId), params.type)

  async function sendReceipt(call: ReceiptCall, problem?: Problem): Promise<FastifyReply> {
    const sent = await applyForm.find(call.caller.candidateId, parseNumericId(call.params.applicationId))
    const isNew = clock() - sent.submittedAt < newReceiptSeconds * 1000
    const query = queryOf(call)
    const { applicationId: id } = sent
    const kept = await ownRetention.of(call.caller.candidateId, id)
    const done = doneOf(query.get('done'), sent.status === 'withdrawn')
    const fault = problem && typeset(problem.errors[0]?.message ?? problem.detail)
    const errors = fault === undefined ? [] : [{ field: 'file', code: 'rejected', message: fault }]
    const isJustSent = isNew || done === 'replaced'
    return sendPage(call.reply, {
      status: problem === undefined ? 200 : problemStatus[problem.code],
      title: t`Your application`,
      heading: receiptHeading,
      navigation,
      body: receiptMarkup(sent, {
        isRepeated: query.get('repeated') === '1',
        isNew,
        canBeUnread: sent.submittedAt >= readsRecordedSince(clock(), limits),
        kept,
        hasScanner,
        renamed: (isJustSent && query.get('renamed')?.split(',')) || [],
        done,
        fault,
        ...formsOf(sessions, call.reply, { values: {}, errors }),
        withdrawnDays: applyForm.withdrawnDays,
        adVersionMarkup: deps.adVersionMarkup,
        limits,
      }),
      scripts: previewAssets,
      hasPreview: true,
    })
  }

  /** Redirects a candidate who was signed out when they sent the form and has signed in since. */
  const backToReceipt = <const Url extends `${string}/:applicationId/${string}`>(url: Url) =>
    accountPage.get(url, async ({ request, reply }) =>
      redirect(reply, request.url.replace(/\/\w+(?:\?.*)?$/s, '')),
    )

  async function replace(call: ReceiptCall): Promise<FastifyReply> {
    const { candidateId } = call.caller
    const usage = await uploads.hit(candidateId)
    uploads.writeHeaders(call.reply, usage)
    if (usage.isExceeded) throw rateLimited(usage)
    const id = parseNumericId(call.params.applicationId) ?? 0
    let renamed = ''
    try {
      const { files } = await receiveForm(call.request, {
        fileFields: ['file'],
        fileBytes: limits.fileBytes,
        fieldBytes: 4096,
        textBytes: 16_384,
        maxFields: 10,
        checkFields: fields => sessions.checkForm({ request: call.request, fields }, replacePathOf(id)),
        async take(_field, file, fields) {
          const type = fileTypes.find(each => each === fields.get('type'))
          if (type === undefined) throw new Problem('invalid-fields', t`Choose a file.`)
          const received = await applyForm.replaceFile(candidateId, id, type, file)
          if (hasNewEnding(file.name, received.fileName)) renamed = `&renamed=${type}`
          return received
        },
        // Storing is the last step of the form, so there is never anything to discard.
        discard: async () => {},
      })
      const received = files.get('file')
      if (received === undefined) throw new Problem('invalid-fields', t`Choose a file.`)
      const done = received.scan === 'infected' ? 'replaced-infected' : 'replaced'
      return redirect(call.reply, `${receiptPath(id)}?done=${done}${renamed}`)
    } catch (error) {
      const isAboutFile =
        error instanceof Problem && ['invalid-fields', 'payload-too-large'].includes(error.code)
      if (!isAboutFile) throw error
      return sendReceipt(call, error)
    }
  }

  return [
    accountPage.get(listPath, async call => {
      const before = readPosition(queryOf(call).get('before'))
      const { candidateId } = call.caller
      const [{ entries, hasMore }, own] = await Promise.all([
        timeline.page(candidateId, before),
        before === undefined ? drafts.list(candidateId) : [],
      ])
      const isDiscarded = queryOf(call).get('done') === 'discarded'
      const list = applicationListMarkup(entries, { hasMore, isContinued: before !== undefined, hasScanner })
      return sendPage(call.reply, {
        title: t`Your applications`,
        navigation,
        body: html`${draftsMarkup(own, { isDiscarded })}${list}`,
      })
    }),
    accountPage.get(discardDraftPath, async call => {
      const id = queryOf(call).get('draft')
      if (id === undefined) return redirect(call.reply, listPath)
      const draft = await drafts.own(call.caller.candidateId, id)
      return sendPage(call.reply, {
        title: t`Discard this draft?`,
        navigation,
        body: discardMarkup(draft, formsOf(sessions, call.reply).form),
      })
    }),
    accountPage.post(discardDraftPath, async call => {
      const fields = sessions.checkForm(call, discardDraftPath)
      await drafts.discard(call.caller.candidateId, fields.get('draft') ?? '')
      return redirect(call.reply, `${listPath}?done=discarded`)
    }),
    accountPage.get(`${listPath}/:applicationId`, call => sendReceipt(call)),
    backToReceipt(`${listPath}/:applicationId/withdraw`),
    accountPage.post(`${listPath}/:applicationId/withdraw`, async call => {
      const id = parseNumericId(call.params.applicationId) ?? 0
      sessions.checkForm(call, withdrawPathOf(id))
      const isFirst = await applyForm.withdraw(call.caller.candidateId, id)
      return redirect(call.reply, `${receiptPath(id)}?done=${isFirst ? 'withdrawn' : 'withdrawn-before'}`)
    }),
    backToReceipt(`${listPath}/:applicationId/documents`),
    accountPage.upload(`${listPath}/:applicationId/documents`, replace),
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

/** What the address says was just done; only what is true. */
function doneOf(done: string | undefined, isWithdrawn: boolean): ReceiptView['done'] {
  if (isWithdrawn) return done === 'withdrawn' || done === 'withdrawn-before' ? done : undefined
  return done === 'replaced' || done === 'replaced-infected' ? done : undefined
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
      : html`<p class="quiet">${t`Every job you’ve applied for, here and on other websites, newest first.`}</p>
${!isContinued && !hasMore && html`<p class="quiet">${entries.length === 1 ? t`1 application` : t`${entries.length} applications`}</p>`}
<ul class="rows" aria-label="${t`Applications`}">${entries.map(entry =>
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
    ? emptyState({ title: t`End of list`, text: t`There are no older applications.` })
    : emptyState({
        title: t`No applications yet`,
        text: t`You haven’t applied for a job yet. Your applications are listed here, so you can look them up when a company calls.`,
        action: { href: '/jobs', label: t`Browse open jobs` },
      })
}

function sentMarkup(application: ListedApplication, hasScanner: boolean): Html {
  const { applicationId, jobTitle, advertiserName, logoHash, submittedAt, firstReadAt, erasedAt, files } =
    application
  const sent = timeElement(submittedAt)
  return html`<li>${avatar(advertiserName, logoUrl(logoHash))}<div><div class="line"><a class="row-link" href="${receiptPath(applicationId)}">${isolateBidi(jobTitle)}</a> ${stateBadge(application, hasScanner)}</div>
<span>${t`at ${isolateBidi(advertiserName)}`}</span>
<span class="hint">${erasedAt === null && firstReadAt !== null ? t`sent on ${sent}, first read on ${timeElement(firstReadAt)}, reference number ${applicationId}` : t`sent on ${sent}, reference number ${applicationId}`}</span>
${
  files.length > 0 &&
  html`<ul class="files">${files.map(file => html`<li>${icon('document')}<span>${fileLabel(file.type)}: ${isolateBidi(file.fileName)}</span>${fileFacts(file, hasScanner)}</li>`)}</ul>`
}</div></li>`
}

function stateBadge(application: ListedApplication, hasScanner: boolean): Html {
  const { files } = application
  if (files.some(({ scan }) => scan === 'infected')) return badge('danger', t`Virus found in a file`)
  if (hasScanner && files.some(({ scan }) => scan === 'unscanned')) return badge('warning', t`Checking files`)
  if (hasScanner && files.some(({ scan }) => scan === 'not-judged'))
    return badge('warning', t`A file can’t be checked`)
  return statusBadge(application.status)
}

function startedMarkup(application: StartedApplication): Html {
  const { positionTitle, advertiserName, logoHash, clientName, createdAt, completedAt, state } = application
  const begun = timeElement(createdAt)
  const website = isolateBidi(clientName)
  const isDone = completedAt !== null
  return html`<li>${avatar(advertiserName ?? clientName, logoUrl(logoHash))}<div><div class="line"><strong>${isolateBidi(positionTitle ?? t`A job`)}</strong> ${
    state !== null ? statusBadge(state) : isDone ? badge('good', t`Submitted`) : badge('neutral', t`Started`)
  }</div>
<span>${advertiserName === null ? t`on the website of ${website}` : t`at ${isolateBidi(advertiserName)}, on the website of ${website}`}</span>
<span class="hint">${isDone ? t`started on ${begun}, submitted on ${timeElement(completedAt)}` : t`started on ${begun}, not submitted yet`}</span></div></li>`
}
