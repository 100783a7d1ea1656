import type { FastifyReply, RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { isUuid, newUuid, parseNumericId } from '../../core/ids.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import { hasNewEnding } from '../../files/file-kinds.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited, type Usage } from '../../http/rates/rate-limit.ts'
import { receiveForm } from '../../http/requests/upload.ts'
import { problemStatus } from '../../http/responses/problem-status.ts'
import type { Call } from '../../http/routes.ts'
import type { Limits } from '../../limits.ts'
import type { FileType } from '../../model/application.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { html } from '../../web/html.ts'
import type { Navigation } from '../../web/layout.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
import {
  type ApplyForm,
  type CheckedForm,
  checkApplyForm,
  fileFieldNames,
  fileFields,
  prefilledForm,
  questionsMark,
  readApplyForm,
} from './form.ts'
import { applyMarkup } from './markup.ts'
import { sentPath } from './receipt-path.ts'
import type { Applying, Offer } from './service.ts'
import { applyTexts as texts } from './texts.ts'

export interface ApplyPageDeps {
  applying: Applying
  sessions: Sessions
  navigation: Navigation
  /** Limits how many forms a candidate may send. */
  forms: RateLimit
  clock: Clock
  limits: Pick<Limits, 'fileBytes' | 'applyFormBytes' | 'resumes'>
}

interface Shown {
  form: ApplyForm
  formKey: string
  errors?: readonly FieldError[]
  hasNewQuestions?: boolean
  hasNewPeriod?: boolean
  hasNewSession?: boolean
  hasLostFiles?: boolean
  status?: number
}

type ApplyCall = Call<'session', 'jobAdId'>

/** What was read of a form before its first file; `filled` only if the form was made for this candidate. */
interface Read {
  formKey: string
  filled?: Filled
}

interface Filled {
  form: ApplyForm
  checked: CheckedForm
  hasNewQuestions: boolean
  hasNewPeriod: boolean
}

/** The questions, or how long the company keeps applications, have changed since the form was rendered. */
class OutdatedForm extends Error {}

/** The ad does not exist, or applications for it have closed. */
class NoOpenAd extends Error {}

/** The form for one ad. It contains a key, and all requests with the same key are the same application. */
export function applyPages(deps: ApplyPageDeps): RouteOptions[] {
  const { applying, sessions, forms, clock } = deps
  const limits = { ...applying.limits, ...deps.limits }
  const url = '/jobs/:jobAdId/apply'

  async function offerOf({ caller, params }: ApplyCall): Promise<Offer | undefined> {
    const id = parseNumericId(params.jobAdId)
    return id === undefined ? undefined : applying.offer(caller.candidateId, id)
  }

  const monthsMark = ({ keptMonths }: Offer) => String(keptMonths ?? '')
  const pathOf = ({ ad }: Offer) => `/jobs/${ad.id}/apply`

  async function show({ reply, caller }: ApplyCall, offer: Offer, shown: Shown): Promise<FastifyReply> {
    const { ad, resumes, keptMonths } = offer
    const last = await applying.lastFor(caller.candidateId, ad.id)
    const { form, formKey, errors = [], status = 200 } = shown
    const {
      hasNewQuestions = false,
      hasNewPeriod = false,
      hasNewSession = false,
      hasLostFiles = false,
    } = shown
    const path = pathOf(offer)
    return sendPage(reply, {
      status,
      title: texts.title(ad.title),
      navigation: deps.navigation,
      scripts: ['apply.js'],
      body: applyMarkup({
        ad,
        path,
        form,
        hidden: {
          form_token: sessions.formToken(reply, path, formKey),
          form_key: formKey,
          candidate: caller.candidateId,
          questions: questionsMark(ad.screen),
          kept_months: monthsMark(offer),
        },
        resumes,
        last,
        keptMonths,
        limits,
        errors,
        hasNewQuestions,
        hasNewPeriod,
        hasNewSession,
        hasLostFiles,
      }),
    })
  }

  /** Answers closed and unknown ads with 404 and links to other pages. */
  function sendNoAd(reply: FastifyReply, offer: Offer | undefined): FastifyReply {
    const title = offer === undefined ? texts.noAd.title : texts.noAd.closedTitle
    return sendPage(reply, {
      status: 404,
      title,
      navigation: deps.navigation,
      body: html`<section class="card"><p>${
        offer === undefined
          ? texts.noAd.text
          : texts.noAd.closed(isolateBidi(offer.ad.advertiserName), isolateBidi(offer.ad.title))
      }</p>
<p class="actions"><a class="button" href="/jobs">${texts.noAd.jobs}</a>
<a class="button second" href="/account/applications">${texts.noAd.applications}</a></p></section>`,
    })
  }

  /** Reads the whole request and fills `read` as soon as the text fields have arrived. */
  async function receive(
    { request, caller }: ApplyCall,
    { usage, offer, read }: { usage: Usage; offer: Offer | undefined; read: Read },
  ) {
    const answers = offer?.ad.screen?.questions.map(({ options }) => Math.max(1, options.length)) ?? []
    const renamed: FileType[] = []
    const { files, checked: sent } = await receiveForm(request, {
      fileFields: fileFieldNames,
      fileBytes: limits.fileBytes,
      // Far more than is accepted, so that a candidate who pastes too much gets the form back with the exact excess.
      fieldBytes: limits.longTextLength * 10,
      textBytes: limits.applyFormBytes,
      // About twenty fields besides the answers, plus answers to questions removed since the form was opened.
      mostFields: 500 + answers.reduce((sum, count) => sum + count, 0),
      checkFields(fields) {
        const formKey = fields.get('form_key') ?? ''
        read.formKey = formKey
        if (usage.isExceeded) throw rateLimited(usage)
        if (offer === undefined || !offer.isOpen) throw new NoOpenAd()
        // Never show a candidate what another candidate typed on the same computer.
        if (fields.get('candidate') !== caller.candidateId) throw new Problem('form-expired')
        const { screen } = offer.ad
        const form = readApplyForm(fields, screen)
        const { checked, errors } = checkApplyForm(form, applying.contextOf(offer))
        const hasNewQuestions = fields.get('questions') !== questionsMark(screen)
        const hasNewPeriod = (fields.get('kept_months') ?? '') !== monthsMark(offer)
        read.filled = { form, checked, hasNewQuestions, hasNewPeriod }
        // Not a held form: that has lost its files, and would be sent without them before the candidate can choose them again.
        sessions.checkShownForm(request, fields.get('form_token'), pathOf(offer), formKey)
        if (hasNewQuestions || hasNewPeriod) throw new OutdatedForm()
        if (errors.length > 0) throw new Problem('invalid-fields', undefined, { errors })
        return { formKey, ad: offer.ad, form: checked }
      },
      async take(field, file, { form }) {
        const received = await applying.receive(field, file, form.resume)
        if (hasNewEnding(file.name, received.fileName)) renamed.push(fileFields[field])
        return received
      },
      discard: applying.discard,
    })
    return { sent: { ...sent, uploads: files }, renamed }
  }

  /** Shows the form again if the error is about what was entered; rethrows any other error. */
  function showAgain(
    call: ApplyCall,
    { offer, filled, sentKey, error }: { offer: Offer; filled: Filled; sentKey: string; error: unknown },
  ): Promise<FastifyReply> {
    const { form, hasNewQuestions, hasNewPeriod } = filled
    const formKey = isUuid(sentKey) ? sentKey : newUuid()
    const again = { form, formKey, hasNewPeriod, hasLostFiles: true }
    if (error instanceof OutdatedForm) {
      return show(call, offer, { ...again, hasNewQuestions, status: 422 })
    }
    if (!(error instanceof Problem)) throw error
    const { code, errors } = error
    const status = problemStatus[code]
    if (code === 'form-expired') {
      return show(call, offer, { ...again, hasNewQuestions, hasNewSession: true, status })
    }
    const isAboutForm = ['invalid-fields', 'payload-too-large'].includes(code) && errors.length > 0
    if (!isAboutForm) throw error
    return show(call, offer, { ...again, errors, status })
  }

  return [
    accountPage.get(url, async call => {
      const [offer, candidate] = await Promise.all([
        offerOf(call),
        applying.applicant(call.caller.candidateId),
      ])
      if (offer === undefined || !offer.isOpen) return sendNoAd(call.reply, offer)
      const form = prefilledForm(candidate, offer.resumes, clock())
      return show(call, offer, { form, formKey: newUuid() })
    }),
    accountPage.upload(url, async call => {
      const { candidateId } = call.caller
      const usage = await forms.hit(candidateId)
      forms.writeHeaders(call.reply, usage)
      const offer = usage.isExceeded ? undefined : await offerOf(call)
      const read: Read = { formKey: '' }
      try {
        const { sent, renamed } = await receive(call, { usage, offer, read })
        const { kind, applicationId } = await applying.send(candidateId, sent)
        return redirect(call.reply, sentPath(applicationId, { isRepeated: kind === 'repeated', renamed }))
      } catch (error) {
        // If the form was sent before, show that application, even if form, ad or session are no longer valid.
        const earlier = await applying.findSent(candidateId, read.formKey)
        if (earlier !== undefined) return redirect(call.reply, sentPath(earlier, { isRepeated: true }))
        if (error instanceof NoOpenAd) return sendNoAd(call.reply, offer)
        const { filled, formKey: sentKey } = read
        if (offer === undefined || filled === undefined) throw error
        return showAgain(call, { offer, filled, sentKey, error })
      }
    }),
  ]
}
