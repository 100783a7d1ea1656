import type { Resume } from '../candidates/ports.ts'
import type { EpochMs } from '../core/clock.ts'
import type { FieldError } from '../core/problems.ts'
import { sizeInWords } from '../core/size-in-words.ts'
import { faultMessages, fileKinds } from '../files/file-kinds.ts'
import type { PublicJobAd } from '../jobs/ports.ts'
import { errorSummary, needed, textField } from '../web/fields.ts'
import { flag, type Html, html } from '../web/html.ts'
import { theirs } from '../web/their-words.ts'
import { timeElement } from '../web/time.ts'
import { type ApplyForm, type FormLimits, formTexts, questionField } from './apply-form.ts'
import { questionMarkup } from './question-markup.ts'

export interface ApplyMarkup {
  ad: PublicJobAd
  path: string
  form: ApplyForm
  hidden: Readonly<Record<string, string>>
  resumes: readonly Resume[]
  appliedAt: EpochMs | undefined
  limits: FormLimits & { fileBytes: number }
  errors: readonly FieldError[]
  /** The questions are others than those that were answered. */
  hasNewQuestions: boolean
  /** The form was made for an earlier session of the candidate. */
  hasNewSession: boolean
  /** Browsers forget chosen files when a form comes back. */
  hasLostFiles: boolean
}

export function applyMarkup(page: ApplyMarkup): Html {
  const { ad, path, hidden, errors, form, appliedAt } = page
  return html`${page.hasNewSession && newSession}
${page.hasNewQuestions && (ad.screen === null ? noQuestions : newQuestions)}
${errorSummary(errors, field => placeOf(page, field), 'Nothing was sent yet.')}
${page.hasLostFiles && html`<p class="notice" data-files-lost>Browsers forget chosen files when a form comes back. If you had chosen any, please choose them again below; everything else is still here.</p>`}
<p><a href="/jobs/${ad.id}">${theirs(ad.title)}</a> at <strong>${theirs(ad.advertiserName)}</strong>, ${theirs(ad.location)}</p>
${appliedAt !== undefined && html`<p class="notice">You applied for this job on ${timeElement(appliedAt)}. You can apply again: the advertiser gets both. <a href="/account/applications">See what you sent</a></p>`}
<p class="quiet">Fields marked with <span class="needed" aria-hidden="true">*</span><span class="for-readers">a star</span> are required.</p>
<form method="post" action="${path}" enctype="multipart/form-data" data-apply data-texts="${scriptTexts(page)}">
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`)}
${contactMarkup(page)}
${workMarkup(page)}
${
  ad.screen !== null &&
  html`<section class="card"><h2>Questions from ${theirs(ad.advertiserName)}</h2>
${ad.screen.questions.map((question, index) => questionMarkup({ question, number: index + 1, answer: form.answers.get(question.id), errors, limits: page.limits }))}
</section>`
}
${documentsMarkup(page)}
<section class="card"><p>This goes to ${theirs(ad.advertiserName)}: your contact details, your answers and the documents you
chose. You can look at what you sent under <em>Applications</em>.</p>
<p class="actions"><button type="submit">Send application</button> <a class="button second" href="/jobs/${ad.id}">Cancel</a></p></section>
</form>`
}

const nothingSent = (reason: string) =>
  html`<div class="problem" role="alert"><p><strong>Nothing was sent yet.</strong> ${reason}</p></div>`

const newSession = nothingSent(
  'You have signed in again since you opened this form. What you typed is still here: please send it again.',
)
const newQuestions = nothingSent(
  'The advertiser has changed the questions since you opened this page. They are shown as they are now: please look through them, and send the form again.',
)
const noQuestions = nothingSent(
  'The advertiser has taken away the questions since you opened this page. Please send the form again without them.',
)

/** What the script says while somebody types, word for word what the form would say when it comes back. */
function scriptTexts({ limits }: ApplyMarkup): string {
  return JSON.stringify({
    notAnEmail: formTexts.notAnEmail,
    notAnAddress: formTexts.notAnAddress,
    tooLong: formTexts.tooLong('{most}', '{length}'),
    months: formTexts.months(limits.monthsInRole),
    monthsMost: limits.monthsInRole,
    noFile: formTexts.noFile,
    tooLarge: `The file may have ${sizeInWords(limits.fileBytes)} at most.`,
    fileBytes: limits.fileBytes,
    empty: faultMessages.empty,
  })
}

const required = (text: string) => html`required data-empty="${text}"`
const most = (length: number) => html` data-most="${length}"`

function contactMarkup({ form, errors, limits }: ApplyMarkup): Html {
  return html`<section class="card"><h2>Contact details</h2>
<p class="hint">From your profile. What you change here changes this application alone.</p>
<div class="fields">
${textField({ name: 'firstName', label: needed('First name'), value: form.firstName, errors, attributes: html`autocomplete="given-name" ${required(formTexts.firstName)}${most(limits.nameLength)}` })}
${textField({ name: 'lastName', label: needed('Last name'), value: form.lastName, errors, attributes: html`autocomplete="family-name" ${required(formTexts.lastName)}${most(limits.nameLength)}` })}
${textField({ name: 'email', label: needed('E-mail address'), value: form.email, errors, attributes: html`type="email" autocomplete="email" ${required(formTexts.email)}${most(limits.emailLength)}` })}
${textField({ name: 'phone', label: 'Phone', value: form.phone, errors, attributes: html`type="tel" autocomplete="tel"${most(limits.phoneLength)}` })}
</div></section>`
}

function workMarkup({ form, errors, limits }: ApplyMarkup): Html {
  const choice = (value: string, label: string) => radio('work', value, label, form.work === value)
  return html`<section class="card"><h2>Your current or latest job</h2>
<fieldset class="choices"><legend>Tell the advertiser about it?</legend>
${choice('none', 'Leave it out')}
${choice('job', 'Include what stands below')}
${choice('new', 'I am new to the workforce')}
</fieldset>
<div class="fields" data-work>
${textField({ name: 'jobTitle', label: 'Job title', value: form.jobTitle, errors, attributes: html`autocomplete="organization-title"${most(limits.nameLength)}` })}
${textField({ name: 'company', label: 'Company', value: form.company, errors, attributes: html`autocomplete="organization"${most(limits.nameLength)}` })}
${textField({ name: 'months', label: 'Months in this job', value: form.months, errors, attributes: html`inputmode="numeric" data-months` })}
</div></section>`
}

/** Whatever is chosen stands before the first file: browsers keep to this order, and a file comes to what is known. */
function documentsMarkup({ form, resumes, errors, limits }: ApplyMarkup): Html {
  const fault = errors.find(({ field }) => field === 'resume')
  // The summary leads to the first that can be chosen.
  const first = resumes.find(({ scan }) => scan !== 'infected')?.id
  const kinds = `PDF, Word (doc or docx), RTF or plain text, ${sizeInWords(limits.fileBytes)} at most.`
  return html`<section class="card"><h2>Documents</h2>
<fieldset class="choices" role="radiogroup" aria-required="true"${fault !== undefined && html` aria-invalid="true" aria-describedby="resume-fault"`}><legend>${needed('Resume')}</legend>
${fault !== undefined && html`<span class="fault" id="resume-fault">${fault.message}</span>`}
${resumes.map(resume => resumeChoice(resume, form.resume, resume.id === first))}
${radio('resume', 'none', 'Send no resume', form.resume === 'none')}
${radio('resume', 'upload', resumes.length === 0 ? 'Upload a resume' : 'Upload another', form.resume === 'upload', first === undefined)}
<div class="under-tick">${fileField({ name: 'resumeFile', label: 'Resume file', hint: kinds, errors })}</div>
</fieldset>
${fileField({ name: 'coverLetter', label: 'Cover letter (optional)', hint: kinds, errors })}
${fileField({ name: 'selectionCriteria', label: 'Answers to selection criteria (optional)', hint: kinds, errors })}
</section>`
}

function resumeChoice(
  { id, fileName, size, uploadedAt, scan, isDefault }: Resume,
  chosen: string,
  isFirst: boolean,
): Html {
  const facts = html`<span class="hint">${sizeInWords(size)}, uploaded on ${timeElement(uploadedAt)}</span>`
  if (scan === 'infected') {
    return html`<label class="choice"><input type="radio" name="resume" value="${id}" disabled> <span>${theirs(fileName)}
<span class="fault">A virus was found in this file: it cannot be sent.</span></span></label>`
  }
  const label = html`${theirs(fileName)}${isDefault && html` <span class="badge">Default</span>`}${facts}`
  return radio('resume', id, label, chosen === id, isFirst)
}

function radio(name: string, value: string, label: Html | string, isChosen: boolean, isFirst = false): Html {
  return html`<label class="choice"><input type="radio"${isFirst && html` id="${name}"`} name="${name}" value="${value}" ${flag('checked', isChosen)}> <span>${label}</span></label>`
}

function fileField({
  name,
  label,
  hint,
  errors,
}: {
  name: string
  label: string
  hint: string
  errors: readonly FieldError[]
}): Html {
  const fault = errors.find(({ field }) => field === name)
  return html`<div class="field"><label for="${name}">${label}</label>
<span class="hint" id="${name}-hint">${hint}</span>
${fault !== undefined && html`<span class="fault" id="${name}-fault">${fault.message}</span>`}
<input type="file" id="${name}" name="${name}" accept="${fileKinds.map(kind => `.${kind}`).join(',')}"${fault !== undefined && html` aria-invalid="true"`} aria-describedby="${name}-hint${fault !== undefined && ` ${name}-fault`}"></div>`
}

/** Tells apart, in the summary, what has the same thing wrong with it. */
function placeOf({ ad }: ApplyMarkup, field: string): string | undefined {
  const places: Record<string, string> = {
    resume: 'Resume',
    resumeFile: 'Resume',
    coverLetter: 'Cover letter',
    selectionCriteria: 'Selection criteria',
    jobTitle: 'Job title',
    company: 'Company',
    months: 'Months in this job',
  }
  const number = ad.screen?.questions.findIndex(({ id }) => questionField(id) === field) ?? -1
  return number === -1 ? places[field] : `Question ${number + 1}`
}
