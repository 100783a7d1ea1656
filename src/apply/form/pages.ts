import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { isUuid, newUuid, parseNumericId } from '../../core/ids.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import { hasNewEnding } from '../../files/file-kinds.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited, type Usage } from '../../http/rates/rate-limit.ts'
import type { FormFields } from '../../http/requests/form.ts'
import { receiveForm } from '../../http/requests/upload.ts'
import { problemStatus } from '../../http/responses/problem-status.ts'
import type { FileType } from '../../model/application.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import { theirs } from '../../web/bidi.ts'
import { html } from '../../web/html.ts'
import type { Navigation } from '../../web/layout.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import {
  type ApplyForm,
  type CheckedForm,
  checkApplyForm,
  type FileField,
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
  /** Forms that one candidate sends. */
  forms: RateLimit
  clock: Clock
  limits: { fileBytes: number; applyFormBytes: number; resumes: number }
}

interface Shown {
  form: ApplyForm
  formKey: string
  errors?: readonly FieldError[]
  hasNewQuestions?: boolean
  hasNewSession?: boolean
  hasLostFiles?: boolean
  status?: number
}

/** What was read of a form before its first file: all of it if the form was made for this candidate. */
interface Read {
  formKey?: string
  filled?: Filled
}

interface Filled {
  form: ApplyForm
  checked: CheckedForm
  hasNewQuestions: boolean
}

/** The questions are others than those that the form was made with. */
class OutdatedForm extends Error {}

/** There is no such ad, or it takes no more applications. */
class NoOpenAd extends Error {}

/** The form for one ad. It is made with a key, and whatever comes with this key is the same application. */
export function applyPages(deps: ApplyPageDeps): RouteOptions[] {
  const { applying, sessions, forms, clock } = deps
  const limits = { ...applying.limits, ...deps.limits }
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
    const { form, formKey, errors = [], status = 200 } = shown
    const { hasNewQuestions = false, hasNewSession = false, hasLostFiles = false } = shown
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
          form_token: sessions.formToken(request, reply, path, formKey),
          form_key: formKey,
          candidate: request.session.candidateId,
          questions: questionsMark(ad.screen),
        },
        resumes,
        appliedAt,
        limits,
        errors,
        hasNewQuestions,
        hasNewSession,
        hasLostFiles,
      }),
    })
  }

  /** Closed and unknown alike are answered with 404, and with a way on. */
  function sendNoAd(reply: FastifyReply, offer: Offer | undefined): FastifyReply {
    const title = offer === undefined ? texts.noAd.title : texts.noAd.closedTitle
    return sendPage(reply, {
      status: 404,
      title,
      navigation: deps.navigation,
      body: html`<section class="card"><p>${
        offer === undefined
          ? texts.noAd.text
          : texts.noAd.closed(theirs(offer.ad.advertiserName), theirs(offer.ad.title))
      }</p>
<p class="actions"><a class="button" href="/jobs">${texts.noAd.jobs}</a>
<a class="button second" href="/account/applications">${texts.noAd.applications}</a></p></section>`,
    })
  }

  /** Reads the whole request; `read` has the text fields as soon as they are there. */
  async function receive(
    request: FastifyRequest,
    { usage, offer, read }: { usage: Usage; offer: Offer | undefined; read: Read },
  ) {
    const answers = offer?.ad.screen?.questions.map(({ options }) => Math.max(1, options.length)) ?? []
    const renamed: FileType[] = []
    const { files } = await receiveForm<ReceivedFile>(request, {
      fileFields: Object.keys(fileFields),
      fileBytes: limits.fileBytes,
      // Far more than is taken, so that whoever pastes too much gets the form back, and is told by how much.
      fieldBytes: limits.longTextLength * 10,
      textBytes: limits.applyFormBytes,
      // Beside the answers some twenty, and those to questions that are gone since the form was opened.
      mostFields: 500 + answers.reduce((sum, most) => sum + most, 0),
      checkFields(fields: FormFields) {
        const formKey = fields.get('form_key') ?? ''
        read.formKey = formKey
        if (usage.isExceeded) throw rateLimited(usage)
        if (offer === undefined || !offer.isOpen) throw new NoOpenAd()
        // Nobody is offered as their own what somebody else has typed at the same computer.
        if (fields.get('candidate') !== request.session.candidateId) throw new Problem('form-expired')
        const { screen } = offer.ad
        const form = readApplyForm(fields, screen)
        const { checked, errors } = checkApplyForm(form, applying.contextOf(offer))
        const hasNewQuestions = fields.get('questions') !== questionsMark(screen)
        read.filled = { form, checked, hasNewQuestions }
        sessions.checkFormToken(request, fields.get('form_token'), pathOf(offer), formKey)
        if (hasNewQuestions) throw new OutdatedForm()
        if (errors.length > 0) throw new Problem('invalid-fields', undefined, { errors })
      },
      async take(field, file) {
        const { checked } = read.filled as Filled
        const received = await applying.receive(field as FileField, file, checked.resume)
        if (hasNewEnding(file.name, received.fileName)) renamed.push(fileFields[field as FileField])
        return received
      },
      discard: applying.discard,
    })
    return { uploads: files as ReadonlyMap<FileField, ReceivedFile>, renamed }
  }

  /** Whatever is wrong with what was entered brings the form back with it; anything else is none of the form. */
  function showAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    { offer, read, error }: { offer: Offer; read: Required<Read>; error: unknown },
  ): FastifyReply {
    const { form, hasNewQuestions } = read.filled
    const formKey = isUuid(read.formKey) ? read.formKey : newUuid()
    const again = { form, formKey, hasLostFiles: true }
    if (error instanceof OutdatedForm) {
      return show(request, reply, offer, { ...again, hasNewQuestions, status: 422 })
    }
    if (!(error instanceof Problem)) throw error
    const { code, errors } = error
    const status = problemStatus[code]
    if (code === 'form-expired') {
      return show(request, reply, offer, { ...again, hasNewQuestions, hasNewSession: true, status })
    }
    const isAboutForm = ['invalid-fields', 'payload-too-large'].includes(code) && errors.length > 0
    if (!isAboutForm) throw error
    return show(request, reply, offer, { ...again, errors, status })
  }

  return [
    {
      method: 'GET',
      url,
      config: session,
      schema,
      handler: async (request, reply) => {
        const offer = await offerOf(request)
        if (offer === undefined || !offer.isOpen) return sendNoAd(reply, offer)
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
        const usage = await forms.hit(candidateId)
        forms.writeHeaders(reply, usage)
        const offer = usage.isExceeded ? undefined : await offerOf(request)
        const read: Read = {}
        try {
          const { uploads, renamed } = await receive(request, { usage, offer, read })
          const { ad } = offer as Offer
          const { formKey, filled } = read as Required<Read>
          const sent = { formKey, ad, form: filled.checked, uploads }
          const { kind, applicationId } = await applying.send(candidateId, sent)
          return redirect(reply, sentPath(applicationId, { isRepeated: kind === 'repeated', renamed }))
        } catch (error) {
          // Sent before: what was sent stays, whatever is wrong now with the form, the ad or the session.
          const earlier = await applying.findSent(candidateId, read.formKey ?? '')
          if (earlier !== undefined) return redirect(reply, sentPath(earlier, { isRepeated: true }))
          if (error instanceof NoOpenAd) return sendNoAd(reply, offer)
          if (offer === undefined || read.filled === undefined) throw error
          return showAgain(request, reply, { offer, read: read as Required<Read>, error })
        }
      },
    },
  ]
}
