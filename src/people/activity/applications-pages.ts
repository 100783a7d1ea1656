import type { FastifyReply, RouteOptions } from 'fastify'
import type { KeptApplications } from '../../apply/form/keeping-service.ts'
import { listPath, receiptPath } from '../../apply/form/receipt-path.ts'
import type { Applying } from '../../apply/form/service.ts'
import type { Clock } from '../../core/clock.ts'
import { parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import { hasNewEnding } from '../../files/file-kinds.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited } from '../../http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { receiveForm } from '../../http/requests/upload.ts'
import { sendFile } from '../../http/responses/file-response.ts'
import { problemStatus } from '../../http/responses/problem-status.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import { fileTypes } from '../../model/application.ts'
import { readsRecordedSince } from '../../model/application-read.ts'
import type { DocumentConversions } from '../../model/document.ts'
import { typeset } from '../../web/fields.ts'
import { sendFileFrame } from '../../web/file-frame.ts'
import { previewAssets } from '../../web/file-preview.ts'
import type { Navigation } from '../../web/layout.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
import { applicationListMarkup } from './applications-markup.ts'
import { ownApplicationsTexts as texts } from './applications-texts.ts'
import { readPosition } from './merged-lists.ts'
import { type ReceiptView, receiptHeading, receiptMarkup } from './receipt-markup.ts'
import { replacePathOf, withdrawPathOf } from './status-markup.ts'
import { statusTexts } from './status-texts.ts'
import type { Timeline } from './timeline-service.ts'

export interface OwnApplicationsPageDeps {
  applying: Pick<Applying, 'find' | 'openFile' | 'withdraw' | 'replaceFile' | 'withdrawnDays'>
  keeping: Pick<KeptApplications, 'of'>
  sessions: Sessions
  /** Limits uploads per candidate, successful or not. */
  uploads: RateLimit
  timeline: Timeline
  /** Whether unscanned files will be scanned. */
  hasScanner: boolean
  conversions: DocumentConversions
  clock: Clock
  limits: Pick<Limits, 'previewTextBytes' | 'newReceiptSeconds' | 'readDays' | 'fileBytes'>
  navigation: Navigation
}

type ReceiptCall = Call<'session', 'applicationId'>

/** A candidate's applications: the list, and a receipt for each one sent here. */
export function ownApplicationsPages(deps: OwnApplicationsPageDeps): RouteOptions[] {
  const {
    applying,
    keeping,
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
    applying.openFile(caller.candidateId, parseNumericId(params.applicationId), params.type)

  async function sendReceipt(call: ReceiptCall, problem?: Problem): Promise<FastifyReply> {
    const sent = await applying.find(call.caller.candidateId, parseNumericId(call.params.applicationId))
    const isNew = clock() - sent.submittedAt < limits.newReceiptSeconds * 1000
    const query = queryOf(call)
    const { applicationId: id } = sent
    const kept = await keeping.of(call.caller.candidateId, id)
    const done = doneOf(query.get('done'), sent.status === 'withdrawn')
    const isJustSent = isNew || done === 'replaced'
    return sendPage(call.reply, {
      status: problem === undefined ? 200 : problemStatus[problem.code],
      title: texts.receiptTitle,
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
        fault: problem && typeset(problem.errors[0]?.message ?? problem.detail),
        withdrawToken: sessions.formToken(call.reply, withdrawPathOf(id)),
        replaceToken: sessions.formToken(call.reply, replacePathOf(id)),
        withdrawnDays: applying.withdrawnDays,
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
        mostFields: 10,
        checkFields: fields => sessions.checkForm({ request: call.request, fields }, replacePathOf(id)),
        async take(_field, file, fields) {
          const type = fileTypes.find(each => each === fields.get('type'))
          if (type === undefined) throw new Problem('invalid-fields', statusTexts.noFile)
          const received = await applying.replaceFile(candidateId, id, type, file)
          if (hasNewEnding(file.name, received.fileName)) renamed = `&renamed=${type}`
          return received
        },
        // Storing is the last step of the form, so there is never anything to discard.
        discard: async () => {},
      })
      const received = files.get('file')
      if (received === undefined) throw new Problem('invalid-fields', statusTexts.noFile)
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
      const { entries, hasMore } = await timeline.page(call.caller.candidateId, before)
      return sendPage(call.reply, {
        title: texts.title,
        navigation,
        body: applicationListMarkup(entries, { hasMore, isContinued: before !== undefined, hasScanner }),
      })
    }),
    accountPage.get(`${listPath}/:applicationId`, call => sendReceipt(call)),
    backToReceipt(`${listPath}/:applicationId/withdraw`),
    accountPage.post(`${listPath}/:applicationId/withdraw`, async call => {
      const id = parseNumericId(call.params.applicationId) ?? 0
      sessions.checkForm(call, withdrawPathOf(id))
      const isFirst = await applying.withdraw(call.caller.candidateId, id)
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
      return sendFileFrame(call.reply, { ...file, open }, { ...limits, conversions, viewer })
    }),
  ]
}

/** What the address says was just done; only what is true. */
function doneOf(done: string | undefined, isWithdrawn: boolean): ReceiptView['done'] {
  if (isWithdrawn) return done === 'withdrawn' || done === 'withdrawn-before' ? done : undefined
  return done === 'replaced' || done === 'replaced-infected' ? done : undefined
}
