import type { PublicJobAd } from '../../jobs/postings.ts'
import type { LastApplication } from '../../model/application-status.ts'
import type { Resume } from '../../model/candidate.ts'
import { privacyNoticeHref } from '../../model/privacy-notice.ts'
import { maxResumes } from '../../model/profile.ts'
import { longTextLength, nameLength, phoneLength } from '../../model/text-lengths.ts'
import { emailLength } from '../../platform/core/email.ts'
import { dateText } from '../../platform/core/locale.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { sizeInWords } from '../../platform/core/size-in-words.ts'
import { faultMessages, fileKinds } from '../../platform/documents/file-kinds.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { notice, remark } from '../../platform/web/components.ts'
import {
  errorSummary,
  fileField,
  needed,
  textArea,
  textField,
  tickBox,
  typeset,
} from '../../platform/web/fields.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { dayElement, timeElement } from '../../platform/web/time.ts'
import { monthsInRole } from '../draft-check.ts'
import type { Draft, Dropped } from './draft.ts'
import { draftMarkup, droppedMarkup, savedFilesMarkup } from './draft-markup.ts'
import type { EarlierAnswer } from './draft-service.ts'
import { type ApplyForm, fileQuestions, formTexts, questionField } from './form.ts'
import { labelOf, questionMarkup } from './question-markup.ts'

export interface ApplyMarkup {
  ad: PublicJobAd
  path: string
  form: ApplyForm
  hidden: Readonly<Record<string, string>>
  resumes: readonly Resume[]
  last: LastApplication | undefined
  /** Null: no end. */
  keptMonths: number | null
  /** The last day for which the company asks to keep the application for other jobs. */
  keepUntil: string | null
  limits: { fileBytes: number; draftDays: number }
  errors: readonly FieldError[]
  /** The questions have changed since the form was opened. */
  hasNewQuestions: boolean
  /** The company has changed how long it keeps applications since the form was opened. */
  hasNewPeriod: boolean
  /** The company no longer asks to keep it for other jobs until the same month. */
  hasNewKeeping: boolean
  /** The company has changed its privacy notice since the form was opened. */
  hasNewNotice: boolean
  hasNewAd: boolean
  boardPrivacyUrl: string | undefined
  /** The form was opened in an earlier session of the candidate. */
  hasNewSession: boolean
  /** Browsers do not keep chosen files when a form is shown again. */
  hasLostFiles: boolean
  /** The draft that this form was made from. */
  draft: Draft | undefined
  isJustSaved: boolean
  /** Another page has since saved or removed the draft. */
  draftConflict: 'newer' | 'gone' | undefined
  dropped: readonly Dropped[]
  /** Fields whose saved files are to be removed. */
  removed: readonly string[]
  /** Earlier answers to the same questions, by ID. */
  earlier: ReadonlyMap<string, EarlierAnswer>
  isSaving: boolean
}

function lastMarkup({ submittedAt, isWithdrawn, withdrawnAt }: LastApplication): Html | string {
  if (!isWithdrawn)
    return html`You applied for this job on ${timeElement(submittedAt)}. You can apply again; the company will see both applications.`
  return withdrawnAt === null
    ? 'You withdrew your application for this job. You can apply again.'
    : html`You withdrew your application for this job on ${timeElement(withdrawnAt)}. You can apply again.`
}

export function applyMarkup(page: ApplyMarkup): Html {
  const { ad, path, hidden, errors, form, last } = page
  return html`${page.hasNewSession && nothingSent('You’ve signed in again since you opened this form. Everything you typed is still here. Please send it again.')}
${page.hasNewQuestions && nothingSent(ad.screen === null ? 'The company has removed its questions since you opened this page. Please send the form again without them.' : 'The company has changed its questions since you opened this page. Please check the new questions below, then send the form again.')}
${page.hasNewPeriod && nothingSent('The company has changed how long it keeps applications since you opened this page. You’ll find the period above the button. If you agree, please send the form again.')}
${page.hasNewKeeping && nothingSent('The month until which the company may keep your application for other jobs has changed since you opened this page. You’ll find the question above the button, if it still asks. Please answer it again, then send the form.')}
${page.hasNewAd && nothingSent(html`The company has changed the job ad since you opened this page. Please read the <a href="/jobs/${ad.id}" target="_blank" rel="noopener">current ad</a>, then send the form again.`)}
${page.hasNewNotice && nothingSent('The company has changed its privacy notice since you opened this page. You’ll find it above the button. Please read it, then send the form again.')}
${page.draftConflict && conflictMarkup(page, page.draftConflict)}
${errorSummary(errors, field => placeOf(page, field), page.isSaving ? 'Not saved yet.' : 'Not sent yet.')}
${page.hasLostFiles && remark('Browsers don’t keep chosen files when a form is shown again. If you chose any, please choose them again below. Everything else is still here.', html`data-files-lost`)}
<p><a href="/jobs/${ad.id}">${isolateBidi(ad.title)}</a> at <strong>${isolateBidi(ad.advertiserName)}</strong>, ${isolateBidi(ad.location)}</p>
${last && remark(html`${lastMarkup(last)} <a href="/account/applications">See what you sent</a>`)}
${page.draft && !page.draftConflict && draftMarkup(page.draft, page)}
${droppedMarkup(page.dropped)}
<p class="quiet">Fields marked with <span class="needed" aria-hidden="true">*</span><span class="visually-hidden">a star</span> are required.</p>
<form method="post" action="${path}" enctype="multipart/form-data" novalidate data-apply data-texts="${scriptTexts(page)}">
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`)}
<button type="submit" hidden>Send application</button>
${contactMarkup(page)}
${workMarkup(page)}
${
  ad.screen !== null &&
  html`<section class="card"><h2>Questions from ${isolateBidi(ad.advertiserName)}</h2>
${ad.screen.questions.map((question, index) => html`${questionMarkup({ question, number: index + 1, answer: form.answers.get(question.id), errors })}${earlierMarkup(page, question.id)}`)}
</section>`
}
${letterMarkup(page)}
${documentsMarkup(page)}
<section class="card"><p>We’ll send ${isolateBidi(ad.advertiserName)} your contact details, ${ad.screen !== null && 'your answers, '}the job details you chose to include, and the documents you selected. You can see what you sent under <em>Applications</em>.</p>
<p>${keptInWords(page)}</p>
${page.keepUntil !== null && keepMarkup(page, page.keepUntil)}
${privacyMarkup(page)}
<p class="hint" data-draft role="status">${page.draft ? html`Saved on ${timeElement(page.draft.savedAt)}.` : 'Not saved yet.'}</p>
<p class="hint">A draft is kept for ${page.limits.draftDays} days after you last saved it. The company gets nothing until you send it. Files are saved with the button.</p>
<p class="actions"><button type="submit">Send application</button> <button class="second" type="submit" formaction="${path}/draft" formnovalidate>Save for later</button> <a class="button second" href="/jobs/${ad.id}">Cancel</a></p></section>
</form>`
}

function conflictMarkup({ path, draft, isSaving }: ApplyMarkup, conflict: 'newer' | 'gone'): Html {
  const reason =
    conflict === 'gone'
      ? 'The draft was discarded on another page, or its time has passed. What you typed is still here, without the files that were saved with it.'
      : html`The draft was saved from another page or device${draft && html`, on ${timeElement(draft.savedAt)}`}. What you typed here is below. <a href="${path}" target="_blank" rel="noopener">Open the saved draft</a> to compare.`
  const next =
    conflict === 'newer' && isSaving
      ? 'Save again to replace it.'
      : isSaving
        ? 'Save again to keep it as a new draft.'
        : 'Send again to send what is here.'
  return notice(
    'problem',
    html`<p><strong>${isSaving ? 'Not saved yet.' : 'Not sent yet.'}</strong> ${reason} ${next}</p>`,
  )
}

/** A button that fills the field when pressed, below the earlier answer. */
function earlierMarkup({ path, earlier, form }: ApplyMarkup, questionId: string): Html | false {
  const found = earlier.get(questionId)
  if (found === undefined || String(found.answer) === String(form.answers.get(questionId) ?? '')) return false
  const { answer, words, advertiserName, submittedAt } = found
  const text = words.join(', ')
  return html`<p class="hint"><button class="link" type="submit" name="use" value="${questionId}" formaction="${path}/draft" formnovalidate data-use="${JSON.stringify({ field: questionField(questionId), values: [answer].flat() })}">Use your answer of ${dayElement(submittedAt)} to ${isolateBidi(advertiserName)}</button>: ${isolateBidi(text.length > 300 ? `${text.slice(0, 300)}…` : text)}</p>`
}

function keptInWords({ ad, keptMonths: months }: ApplyMarkup): Html {
  const company = isolateBidi(ad.advertiserName)
  if (months === null)
    return html`${company} hasn’t set how long it keeps applications. You can withdraw yours at any time.`
  const period = months === 1 ? '1 month' : `${months} months`
  return html`${company} keeps your application for ${period}. You can withdraw it at any time.`
}

/** The consent is optional, and never ticked beforehand. */
function keepMarkup({ ad, form, errors }: ApplyMarkup, until: string): Html {
  return tickBox({
    name: 'keepForOthers',
    label: html`${isolateBidi(ad.advertiserName)} may keep my application for other jobs until ${dateText(Date.parse(until), { month: 'long', year: 'numeric', timeZone: 'UTC' })}`,
    hint: 'Optional. It makes no difference to this application, and you can take it back at any time.',
    isTicked: form.keepForOthers,
    errors,
  })
}

function privacyMarkup({ ad, boardPrivacyUrl }: ApplyMarkup): Html | false {
  const { advertiserId, advertiserName, privacyNotice } = ad
  const link = (href: string, text: Html | string) =>
    html`<a href="${href}" target="_blank" rel="noopener noreferrer">${text}</a>`
  const links = [
    privacyNotice &&
      link(
        privacyNoticeHref(advertiserId, privacyNotice),
        html`Privacy notice of ${isolateBidi(advertiserName)}`,
      ),
    boardPrivacyUrl !== undefined && link(boardPrivacyUrl, 'Privacy notice of this job board'),
  ].filter(each => each !== null && each !== false)
  return links.length > 0 && html`<ul class="plain">${links.map(each => html`<li>${each}</li>`)}</ul>`
}

const nothingSent = (reason: Html | string) =>
  notice('problem', html`<p><strong>Not sent yet.</strong> ${reason}</p>`)

/** Texts that the script shows while the candidate types, identical to the server's. */
function scriptTexts({ limits }: ApplyMarkup): string {
  return JSON.stringify({
    count: '{length} of {most} characters',
    sending: 'Sending your application. Please keep this page open.',
    progress: 'Upload progress',
    sent: '{loaded} of {total} MB',
    allSent: 'Uploaded. We’re checking your application.',
    stillHere: 'Everything you entered is still here.',
    lost: 'The connection was lost before we got a response.',
    saveAfter: 5_000,
    saving: 'Saving your draft. Please keep this page open.',
    savedAt: 'Saved at {time}.',
    savedWithoutFiles:
      'Saved at {time}, without the files that you chose: press “Save for later” to save those.',
    notSaved: 'Not saved yet.',
    couldNotSave: 'Could not save: {reason}',
    noConnection: 'there is no connection. We’ll try again.',
    tryLater: 'the service is busy. We’ll try again.',
    notTaken: 'We couldn’t accept the form.',
    sendAgain: 'Please send it again. You won’t apply twice.',
    signedOut: 'You’re no longer signed in. {link}, then come back and send the form.',
    signInAgain: 'Sign in again in another tab',
    notAnEmail: formTexts.notAnEmail,
    notAnAddress: formTexts.notAnAddress,
    tooLong: formTexts.tooLong('{most}', '{length}'),
    months: formTexts.months(monthsInRole),
    monthsMost: monthsInRole,
    noFile: formTexts.noFile,
    noAnswerFile: formTexts.noAnswerFile,
    tooLarge: `The file must be ${sizeInWords(limits.fileBytes)} or smaller.`,
    fileBytes: limits.fileBytes,
    empty: faultMessages.empty,
  })
}

const required = (text: string) => html`required data-empty="${text}"`
const max = (length: number) => html` data-most="${length}"`

function contactMarkup({ form, errors }: ApplyMarkup): Html {
  return html`<section class="card"><h2>Contact details</h2>
<p class="hint">From your profile. Changes here apply only to this application.</p>
<div class="fields">
${textField({ name: 'firstName', label: needed('First name'), value: form.firstName, errors, attributes: html`autocomplete="given-name" ${required(formTexts.firstName)}${max(nameLength)}` })}
${textField({ name: 'lastName', label: needed('Last name'), value: form.lastName, errors, attributes: html`autocomplete="family-name" ${required(formTexts.lastName)}${max(nameLength)}` })}
${textField({ name: 'email', label: needed('Email address'), value: form.email, errors, attributes: html`type="email" autocomplete="email" ${required(formTexts.email)}${max(emailLength)}` })}
${textField({ name: 'phone', label: 'Phone', value: form.phone, errors, attributes: html`type="tel" autocomplete="tel"${max(phoneLength)}` })}
</div></section>`
}

function workMarkup({ form, errors }: ApplyMarkup): Html {
  const choice = (value: string, label: string) => radio('work', value, label, form.work === value)
  return html`<section class="card"><h2>Your current or latest job</h2>
<fieldset class="choices"><legend>Include it in your application?</legend>
${choice('none', 'Don’t include it')}
${choice('job', 'Include this job')}
${choice('new', 'I’m new to the workforce')}
</fieldset>
<div class="fields" data-work>
${textField({ name: 'jobTitle', label: 'Job title', value: form.jobTitle, errors, attributes: html`autocomplete="organization-title"${max(nameLength)}` })}
${textField({ name: 'company', label: 'Company', value: form.company, errors, attributes: html`autocomplete="organization"${max(nameLength)}` })}
${textField({ name: 'months', label: 'Months in this job', value: form.months, errors, attributes: html`inputmode="numeric" data-months` })}
</div></section>`
}

/** Above the documents, because all text must be typed before the first file: see below. */
function letterMarkup({ form, errors }: ApplyMarkup): Html {
  return html`<section class="card"><h2>Cover letter</h2>
${textArea({ name: 'coverLetterText', label: 'Type or paste your letter (optional)', hint: 'It’s sent as a text file. If you choose a file under Documents as well, we send that file and not this text.', value: form.coverLetterText, errors, attributes: html`rows="8" data-count${max(longTextLength)}` })}
</section>`
}

/**
 * Places every choice before the first file field: browsers send fields in this order, so that all choices are known
 * when the first file arrives.
 */
function documentsMarkup({ ad, form, resumes, errors, limits, draft, removed }: ApplyMarkup): Html {
  const fault = errors.find(({ field }) => field === 'resume')
  // The error summary links to the first resume that can be chosen.
  const first = resumes.find(({ scan }) => scan !== 'infected')?.id
  const isSaved = (name: string) =>
    draft?.files.some(({ field, scan }) => field === name && scan !== 'infected') ?? false
  const hint = `PDF, Word (doc or docx), RTF or plain text, up to ${sizeInWords(limits.fileBytes)}.`
  return html`<section class="card"><h2>Documents</h2>
${savedFilesMarkup(draft?.files ?? [], removed, field => fileNames[field] ?? 'Answer')}
<fieldset class="choices" role="radiogroup" aria-required="true"${fault !== undefined && html` aria-invalid="true" aria-describedby="resume-fault"`}><legend>${needed('Resume')}</legend>
${fault !== undefined && html`<span class="fault" id="resume-fault">${typeset(fault.message)}</span>`}
${resumes.map(resume => resumeChoice(resume, form.resume, resume.id === first))}
${radio('resume', 'none', 'No resume', form.resume === 'none')}
${radio('resume', 'upload', resumes.length === 0 ? 'Upload a resume' : 'Upload another resume', form.resume === 'upload', first === undefined)}
<div class="under-tick">${
    resumes.length < maxResumes
      ? tickBox({ name: 'keepResume', label: 'Save it to my resumes', isTicked: form.keepResume, errors })
      : html`<p class="hint">You already have ${maxResumes} resumes, the maximum, so this one will be used for this application only.</p>`
  }${fileField({ name: 'resumeFile', label: 'Resume file', hint, kinds: fileKinds, errors, isSaved: isSaved('resumeFile') })}</div>
</fieldset>
${fileField({ name: 'coverLetter', label: 'Cover letter file (optional)', hint, kinds: fileKinds, errors })}
${fileField({ name: 'selectionCriteria', label: 'Answers to selection criteria (optional)', hint, kinds: fileKinds, errors })}
${fileQuestions(ad.screen).map(({ question, number, field }) => fileField({ name: field, label: labelOf({ question, number }), hint, kinds: fileKinds, errors, isRequired: question.isRequired && !isSaved(field) }))}
</section>`
}

const fileNames: Record<string, string> = {
  resumeFile: 'Resume',
  coverLetter: 'Cover letter',
  selectionCriteria: 'Selection criteria',
}

function resumeChoice(
  { id, fileName, size, uploadedAt, scan, isDefault }: Resume,
  chosen: string,
  isFirst: boolean,
): Html {
  const facts = html`<span class="hint">${sizeInWords(size)}, uploaded on ${timeElement(uploadedAt)}</span>`
  if (scan === 'infected') {
    return html`<label class="choice"><input type="radio" name="resume" value="${id}" disabled> <span>${isolateBidi(fileName)}
<span class="fault">A virus was found in this file, so it can’t be sent.</span></span></label>`
  }
  const label = html`${isolateBidi(fileName)}${isDefault && html` <span class="badge">Default</span>`}${facts}`
  return radio('resume', id, label, chosen === id, isFirst)
}

function radio(name: string, value: string, label: Html | string, isChosen: boolean, isFirst = false): Html {
  return html`<label class="choice"><input type="radio"${isFirst && html` id="${name}"`} name="${name}" value="${value}" ${flag('checked', isChosen)}> <span>${label}</span></label>`
}

/** Names the field in the error summary, where several fields may have the same message. */
function placeOf({ ad }: ApplyMarkup, field: string): string | undefined {
  const places: Record<string, string> = {
    resume: 'Resume',
    resumeFile: 'Resume',
    coverLetter: 'Cover letter',
    coverLetterText: 'Cover letter',
    selectionCriteria: 'Selection criteria',
    jobTitle: 'Job title',
    company: 'Company',
    months: 'Months in this job',
  }
  const number = ad.screen?.questions.findIndex(({ id }) => questionField(id) === field) ?? -1
  return number === -1 ? places[field] : `Question ${number + 1}`
}
