import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { newUuid, parseNumericId } from '../core/ids.ts'
import { type FieldError, Problem } from '../core/problems.ts'
import type { ReceivedFile } from '../files/received-file.ts'
import type { FormFields } from '../http/form.ts'
import { problemStatus } from '../http/problem-status.ts'
import { type RateLimit, rateLimited } from '../http/rate-limit.ts'
import type { Sessions } from '../http/sessions.ts'
import { receiveForm } from '../http/upload.ts'
import { html } from '../web/html.ts'
import type { Navigation } from '../web/layout.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import {
  type ApplyForm,
  type CheckedForm,
  checkApplyForm,
  type FileField,
  fileFields,
  prefilledForm,
  questionsMark,
  readApplyForm,
} from './apply-form.ts'
import { applyMarkup } from './apply-markup.ts'
import type { Applying, Offer } from './applying.ts'
import { receiptPath } from './receipt-markup.ts'

export interface ApplyPageDeps {
  applying: Applying
  sessions: Sessions
  navigation(request: FastifyRequest, reply: FastifyReply): Navigation
  /** Forms that one candidate sends. */
  forms: RateLimit
  clock: Clock
  limits: { fileBytes: number }
}

interface Shown {
  form: ApplyForm
  formKey: string
  errors?: readonly FieldError[]
  hasNewQuestions?: boolean
  hasLostFiles?: boolean
  status?: number
}

/** What was read of a form before its first file. */
interface Read {
  form: ApplyForm
  formKey: string
  checked: CheckedForm
}

/** The questions are others than those that the form was made with. */
class OutdatedForm extends Error {}

/** The advertiser takes no more applications. */
class ClosedAd extends Error {}

/** The form for one ad. It is made with a key, and whatever comes with this key is the same application. */
export function applyPages(deps: ApplyPageDeps): RouteOptions[] {
  const { applying, sessions, forms, clock } = deps
  const limits = { ...applying.limits, fileBytes: deps.limits.fileBytes }
  const session = { auth: 'session', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const url = '/jobs/:jobAdId/apply'

  async function offerOf(request: FastifyRequest): Promise<Offer | undefined> {
    const { jobAdId } = request.params as { jobAdId: string }
    const id = parseNumericId(jobAdId)
    return id === undefined ? undefined : applying.offer(request.session.candidateId, id)
  }

  const pathOf = ({ ad }: Offer) => `/jobs/${ad.id}/apply`

  function show(request: FastifyRequest, reply: FastifyReply, offer: Offer, shown: Shown): FastifyReply {
    const { ad, resumes, appliedAt } = offer
    const { form, formKey, errors = [], hasNewQuestions = false, hasLostFiles = false, status = 200 } = shown
    const path = pathOf(offer)
    return sendPage(reply, {
      status,
      title: `Apply: ${ad.title}`,
      navigation: deps.navigation(request, reply),
      script: 'apply.js',
      body: applyMarkup({
        ad,
        path,
        form,
        hidden: {
          form_token: sessions.formToken(request, reply, path, formKey),
          form_key: formKey,
          questions: questionsMark(ad.screen),
        },
        resumes,
        appliedAt,
        limits,
        errors,
        hasNewQuestions,
        hasLostFiles,
      }),
    })
  }

  /** Closed and unknown alike are answered with 404, and with a way on. */
  function sendNoAd(request: FastifyRequest, reply: FastifyReply, offer: Offer | undefined): FastifyReply {
    const title = offer === undefined ? 'There is no such job' : 'This job takes no more applications'
    return sendPage(reply, {
      status: 404,
      title,
      navigation: deps.navigation(request, reply),
      body: html`<section class="card">${
        offer === undefined
          ? html`<p>The address may be mistyped, or the advertiser has taken the ad away.</p>`
          : html`<p>${offer.ad.advertiserName} has closed <strong>${offer.ad.title}</strong>, or its closing date has passed.</p>`
      }
<p class="actions"><a class="button" href="/jobs">Look at the open jobs</a>
<a class="button second" href="/account/applications">Your applications</a></p></section>`,
    })
  }

  /** Reads the whole request. `onRead` is told the text fields as soon as they are there. */
  async function receive(request: FastifyRequest, offer: Offer, onRead: (read: Read) => void) {
    const { screen } = offer.ad
    const questions = screen?.questions ?? []
    let checked: CheckedForm | undefined
    const { files } = await receiveForm<ReceivedFile>(request, {
      fileFields: Object.keys(fileFields),
      fileBytes: limits.fileBytes,
      // Far more than is taken, so that whoever pastes too much gets the form back, and is told by how much.
      fieldBytes: limits.longTextLength * 10,
      mostFields: 20 + questions.reduce((sum, { options }) => sum + Math.max(1, options.length), 0),
      checkFields(fields: FormFields) {
        const formKey = fields.get('form_key') ?? ''
        sessions.checkFormToken(request, fields.get('form_token'), pathOf(offer), formKey)
        const form = readApplyForm(fields, screen)
        const result = checkApplyForm(form, applying.contextOf(offer))
        checked = result.checked
        onRead({ form, formKey, checked })
        if (!offer.isOpen) throw new ClosedAd()
        if (fields.get('questions') !== questionsMark(screen)) throw new OutdatedForm()
        if (result.errors.length > 0) {
          throw new Problem('invalid-fields', undefined, { errors: result.errors })
        }
      },
      take: (field, file) => applying.receive(field as FileField, file, (checked as CheckedForm).resume),
      discard: applying.discard,
    })
    return files as ReadonlyMap<FileField, ReceivedFile>
  }

  /** Whatever is wrong with what was entered brings the form back with it; anything else is none of the form. */
  function showAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    { offer, read, error }: { offer: Offer; read: Read; error: unknown },
  ): FastifyReply {
    const again = { form: read.form, formKey: read.formKey, hasLostFiles: true }
    if (error instanceof ClosedAd) return sendNoAd(request, reply, offer)
    if (error instanceof OutdatedForm) {
      return show(request, reply, offer, { ...again, hasNewQuestions: true, status: 422 })
    }
    const isAboutForm =
      error instanceof Problem && ['invalid-fields', 'payload-too-large'].includes(error.code)
    if (!isAboutForm || error.errors.length === 0) throw error
    return show(request, reply, offer, { ...again, errors: error.errors, status: problemStatus[error.code] })
  }

  return [
    {
      method: 'GET',
      url,
      config: session,
      schema,
      handler: async (request, reply) => {
        const offer = await offerOf(request)
        if (offer === undefined || !offer.isOpen) return sendNoAd(request, reply, offer)
        const form = prefilledForm(offer.candidate, offer.resumes, clock())
        return show(request, reply, offer, { form, formKey: newUuid() })
      },
    },
    {
      method: 'POST',
      url,
      config: { ...session, body: 'upload' },
      schema,
      handler: async (request, reply) => {
        const { candidateId } = request.session
        const usage = forms.hit(candidateId)
        forms.writeHeaders(reply, usage)
        if (usage.isExceeded) throw rateLimited(usage)
        const offer = await offerOf(request)
        if (offer === undefined) return sendNoAd(request, reply, offer)
        let read: Read | undefined
        try {
          const uploads = await receive(request, offer, found => {
            read = found
          })
          const { formKey, checked: form } = read as Read
          const { ad } = offer
          const { kind, applicationId } = await applying.send(candidateId, { formKey, ad, form, uploads })
          return redirect(reply, receiptPath(applicationId, kind === 'repeated'))
        } catch (error) {
          if (read === undefined) throw error
          // Sent before, and changed since: what was sent stays, and nothing that is wrong now matters.
          const earlier = await applying.findSent(candidateId, read.formKey)
          if (earlier !== undefined) return redirect(reply, receiptPath(earlier, true))
          return showAgain(request, reply, { offer, read, error })
        }
      },
    },
  ]
}
