import type { FastifyReply, RouteOptions } from 'fastify'
import type { AnyFileType } from '../../model/application.ts'
import { screenFiles } from '../../model/questionnaire.ts'
import { longTextLength } from '../../model/text-lengths.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { isUuid, newUuid, parseNumericId } from '../../platform/core/ids.ts'
import { type FieldError, Problem } from '../../platform/core/problems.ts'
import { hasNewEnding } from '../../platform/documents/file-kinds.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { addressKey, type Limit, rateLimited, type Usage } from '../../platform/http/rates/rate-limit.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { receiveForm } from '../../platform/http/requests/upload.ts'
import type { Call } from '../../platform/http/routes.ts'
import { assetsIn } from '../../platform/web/assets.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { html } from '../../platform/web/html.ts'
import type { Navigation } from '../../platform/web/layout.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { accountPage } from '../../platform/web/page-routes.ts'
import { type Draft, DraftChanged, type Dropped, fieldsOf, formOfDraft } from './draft.ts'
import { readDraftMarkup } from './draft-markup.ts'
import type { Drafts } from './draft-service.ts'
import {
  type ApplyForm,
  adMark,
  applyFormBytes,
  type CheckedForm,
  checkApplyForm,
  fileFieldNames,
  fileTypeOf,
  prefilledForm,
  questionField,
  questionsMark,
  readApplyForm,
} from './form.ts'
import { applyMarkup } from './markup.ts'
import { confirmationPath } from './receipt-path.ts'
import type { ApplyForms, Offer } from './service.ts'

export const applyAssets = assetsIn(new URL('assets/', import.meta.url), { 'apply.js': {} })

export interface ApplyPageDeps {
  applyForm: ApplyForms
  sessions: Sessions
  navigation: Navigation
  /** Limits how many forms a candidate may send. */
  forms: Limit
  drafts: Drafts
  /** Limits how often a person, and the people of one network, may save. */
  saves: Limit
  savesOfNetwork: Limit
  clock: Clock
  limits: { fileBytes: number; draftDays: number }
}

interface Shown {
  form: ApplyForm
  isJustSaved?: boolean
  draftConflict?: 'newer' | 'gone' | undefined
  dropped?: readonly Dropped[]
  /** Fields whose saved files are to be removed. */
  removed?: readonly string[]
  /** The form was saved, not sent. */
  isSaving?: boolean
  formKey: string
  errors?: readonly FieldError[]
  hasNewQuestions?: boolean
  hasNewPeriod?: boolean
  hasNewKeeping?: boolean
  hasNewNotice?: boolean
  hasNewAd?: boolean
  hasNewSession?: boolean
  hasLostFiles?: boolean
  status?: number
}

type ApplyCall = Call<'session', 'jobAdId'>

/** The parts of a form read before its first file; `filled` only if the form was made for this candidate. */
interface Read {
  formKey: string
  filled?: Filled
}

interface Filled {
  form: ApplyForm
  checked: CheckedForm
  errors: readonly FieldError[]
  removed: readonly string[]
  hasNewQuestions: boolean
  hasNewPeriod: boolean
  hasNewKeeping: boolean
  hasNewNotice: boolean
  hasNewAd: boolean
  draftConflict: 'newer' | 'gone' | undefined
}

/** The ad, its questions, the company's privacy notice or its retention period have changed since the form was rendered. */
class OutdatedForm extends Error {}

/** The ad does not exist, or applications for it have closed. */
class NoOpenAd extends Error {}

const versionIn = (fields: FormFields): number => parseNumericId(fields.get('draft_version') ?? '') ?? 0

/** The form for one ad. It contains a key, and all requests with the same key are the same application. */
export function applyPages(deps: ApplyPageDeps): RouteOptions[] {
  const { applyForm, sessions, forms, drafts, saves, savesOfNetwork, clock } = deps
  const { limits } = deps
  const url = '/jobs/:jobAdId/apply'

  async function offerOf({ caller, params }: ApplyCall): Promise<Offer | undefined> {
    const id = parseNumericId(params.jobAdId)
    return id === undefined ? undefined : applyForm.offer(caller.candidateId, id)
  }

  const monthsMark = ({ keptMonths }: Offer) => String(keptMonths ?? '')
  const noticeMark = ({ ad }: Offer) => String(ad.privacyNotice?.version ?? '')
  const pathOf = ({ ad }: Offer) => `/jobs/${ad.id}/apply`

  async function show({ reply, caller }: ApplyCall, offer: Offer, shown: Shown): Promise<FastifyReply> {
    const { ad, resumes, keptMonths, keepUntil } = offer
    const last = await applyForm.lastFor(caller.candidateId, ad.id)
    const { form, formKey, errors = [], status = 200, draftConflict } = shown
    const draft = offer.draft?.id === formKey ? offer.draft : undefined
    const {
      hasNewQuestions = false,
      hasNewPeriod = false,
      hasNewKeeping = false,
      hasNewNotice = false,
      hasNewAd = false,
      hasNewSession = false,
      hasLostFiles = false,
    } = shown
    const path = pathOf(offer)
    return sendPage(reply, {
      status,
      title: `Apply: ${ad.title}`,
      navigation: deps.navigation,
      scripts: [applyAssets.url('apply.js')],
      body: applyMarkup({
        ad,
        path,
        form,
        hidden: {
          form_token: sessions.formToken(reply, path, formKey),
          form_key: formKey,
          draft_version: String(draft?.version ?? 0),
          candidate: caller.candidateId,
          questions: questionsMark(ad.screen),
          kept_months: monthsMark(offer),
          keep_until: keepUntil ?? '',
          privacy_notice: noticeMark(offer),
          ad: adMark(ad),
        },
        resumes,
        last,
        keptMonths,
        keepUntil,
        limits,
        errors,
        hasNewQuestions,
        hasNewPeriod,
        hasNewKeeping,
        hasNewNotice,
        hasNewAd,
        boardPrivacyUrl: reply.server.board.privacyUrl,
        hasNewSession,
        hasLostFiles,
        draft,
        isJustSaved: shown.isJustSaved ?? false,
        draftConflict,
        dropped: shown.dropped ?? [],
        removed: shown.removed ?? [],
        earlier: await drafts.earlierAnswers(caller.candidateId, ad.screen),
        isSaving: shown.isSaving ?? false,
      }),
    })
  }

  /** Responds to closed and unknown ads with 404 and links to other pages. */
  function sendNoAd(reply: FastifyReply, offer: Offer | undefined): FastifyReply {
    const title = offer === undefined ? 'Job not found' : 'Applications have closed'
    return sendPage(reply, {
      status: 404,
      title,
      navigation: deps.navigation,
      body: html`<section class="card"><p>${
        offer === undefined
          ? 'The link may be mistyped, or the company may have removed the job.'
          : html`${isolateBidi(offer.ad.advertiserName)} has closed <strong>${isolateBidi(offer.ad.title)}</strong>, or its closing date has passed.`
      }</p>
<p class="actions"><a class="button" href="/jobs">See open jobs</a>
<a class="button second" href="/account/applications">See your applications</a></p></section>`,
    })
  }

  /** Bounds of a request. */
  function boundsOf(offer: Offer | undefined) {
    const answers = offer?.ad.screen?.questions.map(({ options }) => Math.max(1, options.length)) ?? []
    return {
      fileFields: fieldsOf(offer?.ad.screen ?? null),
      // Includes fields of questions that were removed since the form was opened.
      maxFiles: fileFieldNames.length + screenFiles,
      fileBytes: limits.fileBytes,
      // Far more than is accepted, so that a candidate who pastes too much gets the form back with the exact excess.
      fieldBytes: longTextLength * 10,
      textBytes: applyFormBytes,
      // About twenty fields besides the answers, plus answers to questions removed since the form was opened.
      maxFields: 500 + answers.reduce((sum, count) => sum + count, 0),
    }
  }

  /** Fills `read` and checks for whom the form was made. */
  function readForm({ request, caller }: ApplyCall, offer: Offer, read: Read, fields: FormFields): Filled {
    const formKey = fields.get('form_key') ?? ''
    read.formKey = formKey
    // Never show a candidate the input of another candidate on the same computer.
    if (fields.get('candidate') !== caller.candidateId) throw new Problem('form-expired')
    const { screen } = offer.ad
    const typed = readApplyForm(fields, screen)
    const { checked, errors } = checkApplyForm(typed, applyForm.contextOf(offer))
    const hasNewQuestions = fields.get('questions') !== questionsMark(screen)
    const hasNewPeriod = (fields.get('kept_months') ?? '') !== monthsMark(offer)
    const hasNewKeeping = typed.keepForOthers && fields.get('keep_until') !== (offer.keepUntil ?? '')
    const hasNewNotice = (fields.get('privacy_notice') ?? '') !== noticeMark(offer)
    // A form from release 0.1.0 has no field about the ad.
    const hasNewAd = (fields.get('ad') ?? adMark(offer.ad)) !== adMark(offer.ad)
    const changes = { hasNewQuestions, hasNewPeriod, hasNewKeeping, hasNewNotice, hasNewAd }
    // A consent covers only the month that its form named.
    const form = { ...typed, keepForOthers: typed.keepForOthers && !hasNewKeeping }
    const draftConflict = conflictOf(offer, fields)
    const removed = fields.all('removeFile')
    const filled = { form, checked, errors, removed, ...changes, draftConflict }
    read.filled = filled
    // Not for a held form, which has lost its files and would be sent without them before the candidate can choose them
    // again.
    sessions.checkShownForm(request, fields.get('form_token'), pathOf(offer), formKey)
    return filled
  }

  /** Whether the draft was saved or removed since this form was rendered from it. */
  function conflictOf({ draft }: Offer, fields: FormFields): Filled['draftConflict'] {
    const version = versionIn(fields)
    if (draft?.id === fields.get('form_key')) return draft?.version === version ? undefined : 'newer'
    return version > 0 ? 'gone' : undefined
  }

  /** Reads the whole request and fills `read` as soon as the text fields have arrived. */
  async function receive(
    call: ApplyCall,
    { usage, offer, read }: { usage: Usage; offer: Offer | undefined; read: Read },
  ) {
    const screen = offer?.ad.screen ?? null
    const renamed: AnyFileType[] = []
    const { files, checked: sent } = await receiveForm(call.request, {
      ...boundsOf(offer),
      checkFields(fields) {
        read.formKey = fields.get('form_key') ?? ''
        if (usage.isExceeded) throw rateLimited(usage)
        if (offer === undefined || !offer.isOpen) throw new NoOpenAd()
        const { checked, errors, form: _, removed, ...changes } = readForm(call, offer, read, fields)
        if (Object.values(changes).some(Boolean)) throw new OutdatedForm()
        if (errors.length > 0) throw new Problem('invalid-fields', undefined, { errors })
        const { ad, keepUntil, draft: saved } = offer
        const files = saved?.files.filter(({ field }) => !removed.includes(field)) ?? []
        const draft = saved?.id === read.formKey ? { ...saved, files } : undefined
        return { formKey: read.formKey, ad, form: checked, keepUntil, draft }
      },
      async take(field, file, { form }) {
        const received = await applyForm.receive(field, file, form.resume)
        if (hasNewEnding(file.name, received.fileName)) renamed.push(fileTypeOf(field, screen))
        return received
      },
      discard: applyForm.discard,
    })
    return { sent: { ...sent, uploads: files }, renamed }
  }

  /** Saves the form, complete or not; returns the outcome. */
  async function save(call: ApplyCall, offer: Offer, read: Read) {
    const { candidateId } = call.caller
    const { files: uploads, checked } = await receiveForm(call.request, {
      ...boundsOf(offer),
      checkFields(fields) {
        const { form, removed, hasNewQuestions } = readForm(call, offer, read, fields)
        if (!isUuid(read.formKey)) throw new Problem('form-expired')
        const before = hasNewQuestions && offer.draft?.id === read.formKey ? offer.draft.content.answers : []
        return { form, removed, before, version: versionIn(fields), use: fields.get('use') }
      },
      take: (field, file) => drafts.receive(field, file),
      discard: applyForm.discard,
    })
    const { form, use, ...rest } = checked
    const { ad } = offer
    const found =
      use === undefined ? undefined : (await drafts.earlierAnswers(candidateId, ad.screen)).get(use)
    const answers =
      use === undefined || found === undefined ? form.answers : new Map(form.answers).set(use, found.answer)
    const draft = { formKey: read.formKey, ad, form: { ...form, answers }, uploads, ...rest }
    return { saved: await drafts.save(candidateId, draft), use: found && use }
  }

  /** Shows the form again if the error concerns the input; rethrows any other error. */
  function showAgain(
    call: ApplyCall,
    {
      offer,
      filled,
      sentKey,
      error,
      isSaving = false,
    }: { offer: Offer; filled: Filled; sentKey: string; error: unknown; isSaving?: boolean },
  ): Promise<FastifyReply> {
    const { checked: _, errors: __, hasNewQuestions, ...rest } = filled
    // IDs of removed drafts are not reused: they may be recorded as discarded.
    const formKey = isUuid(sentKey) && filled.draftConflict !== 'gone' ? sentKey : newUuid()
    const again = { ...rest, formKey, hasLostFiles: true, isSaving }
    if (error instanceof OutdatedForm || error instanceof DraftChanged) {
      return show(call, offer, { ...again, hasNewQuestions, status: 422 })
    }
    if (!(error instanceof Problem)) throw error
    const { code, errors, status } = error
    if (code === 'form-expired') {
      return show(call, offer, { ...again, hasNewQuestions, hasNewSession: true, status })
    }
    const isAboutForm = ['invalid-fields', 'payload-too-large'].includes(code) && errors.length > 0
    if (!isAboutForm) throw error
    return show(call, offer, { ...again, errors, status })
  }

  /** A draft stays readable after its ad is closed or removed. */
  async function sendReadable({ reply }: ApplyCall, draft: Draft, offer: Offer | undefined) {
    const name = isolateBidi(draft.advertiserName)
    return sendPage(reply, {
      title: `Draft: ${draft.jobTitle}`,
      navigation: deps.navigation,
      body: readDraftMarkup(
        draft,
        offer === undefined
          ? html`This job at ${name} is no longer on this board, so you can’t send this draft.`
          : html`${name} has closed this job, or its closing date has passed, so you can’t send this draft.`,
      ),
    })
  }

  async function saveDraft(call: ApplyCall): Promise<FastifyReply> {
    const { request, reply, caller } = call
    await savesOfNetwork.take(reply, addressKey(request.ip))
    await saves.take(reply, caller.candidateId)
    const isScript = request.headers.accept === 'application/json'
    const offer = await offerOf(call)
    if (offer === undefined) return sendNoAd(reply, undefined)
    const read: Read = { formKey: '' }
    let error: unknown
    try {
      const { saved, use } = await save(call, offer, read)
      if (saved.kind === 'sent')
        return redirect(reply, confirmationPath(saved.applicationId, { isRepeated: true }))
      if (saved.kind === 'saved') {
        const { version, savedAt } = saved
        if (isScript) return reply.send({ version, savedAt })
        const place = use === undefined ? '' : `#${questionField(use)}`
        return redirect(reply, `${pathOf(offer)}?done=saved${place}`)
      }
      if (read.filled && saved.kind !== 'too-many') read.filled.draftConflict = saved.kind
      error = new OutdatedForm()
    } catch (thrown) {
      error = thrown
    }
    if (read.filled === undefined) throw error
    const { filled, formKey } = read
    // Read the draft again if the page reports a conflict, because saving then replaces the other page's version.
    const now = (filled.draftConflict && (await offerOf(call))) ?? offer
    const sentKey = filled.draftConflict === 'newer' ? (now.draft?.id ?? formKey) : formKey
    const changes = { hasNewQuestions: false, hasNewPeriod: false, hasNewKeeping: false, hasNewNotice: false }
    const quiet = { ...filled, ...changes, hasNewAd: false }
    return showAgain(call, { offer: now, filled: quiet, sentKey, error, isSaving: true })
  }

  return [
    accountPage.get(`${url}/draft`, async ({ reply, params }) =>
      redirect(reply, `/jobs/${parseNumericId(params.jobAdId) ?? 0}/apply`),
    ),
    accountPage.upload(`${url}/draft`, saveDraft),
    accountPage.get(url, async call => {
      const [offer, candidate] = await Promise.all([
        offerOf(call),
        applyForm.applicant(call.caller.candidateId),
      ])
      if (offer === undefined || !offer.isOpen) {
        const id = parseNumericId(call.params.jobAdId) ?? 0
        const draft = offer?.draft ?? (await drafts.find(call.caller.candidateId, id))
        return draft === undefined ? sendNoAd(call.reply, offer) : sendReadable(call, draft, offer)
      }
      const { draft, ad } = offer
      if (draft === undefined) {
        const form = prefilledForm(candidate, offer.resumes, clock())
        return show(call, offer, { form, formKey: newUuid() })
      }
      const isJustSaved = new FormFields(searchOf(call.request.url)).get('done') === 'saved'
      return show(call, offer, { ...formOfDraft(draft, ad.screen), formKey: draft.id, isJustSaved })
    }),
    accountPage.upload(url, async call => {
      const { candidateId } = call.caller
      const usage = await forms.hit(candidateId)
      forms.writeHeaders(call.reply, usage)
      const offer = usage.isExceeded ? undefined : await offerOf(call)
      const read: Read = { formKey: '' }
      try {
        const { sent, renamed } = await receive(call, { usage, offer, read })
        const outcome = await applyForm.send(candidateId, sent)
        // Respond as if the ad did not exist: candidates cannot find a held ad.
        if (outcome.kind === 'held') return sendNoAd(call.reply, undefined)
        const { kind, applicationId } = outcome
        return redirect(
          call.reply,
          confirmationPath(applicationId, { isRepeated: kind === 'repeated', renamed }),
        )
      } catch (error) {
        // If the form was sent before, show that application, even if form, ad or session are no longer valid.
        const earlier = await applyForm.findSent(candidateId, read.formKey)
        if (earlier !== undefined)
          return redirect(call.reply, confirmationPath(earlier, { isRepeated: true }))
        if (error instanceof NoOpenAd) return sendNoAd(call.reply, offer)
        const { filled, formKey: sentKey } = read
        if (offer === undefined || filled === undefined) throw error
        if (!(error instanceof DraftChanged)) return showAgain(call, { offer, filled, sentKey, error })
        // The ad has changed while the form was being sent.
        const now = (await offerOf(call)) ?? offer
        filled.draftConflict = now.draft?.id === sentKey ? 'newer' : 'gone'
        return showAgain(call, { offer: now, filled, sentKey, error })
      }
    }),
  ]
}
