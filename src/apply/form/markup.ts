import type { FieldError } from '../../core/problems.ts'
import { sizeInWords } from '../../core/size-in-words.ts'
import { faultMessages, fileKinds } from '../../files/file-kinds.ts'
import type { PublicJobAd } from '../../jobs/ports.ts'
import type { Limits } from '../../limits.ts'
import type { LastApplication } from '../../model/application-status.ts'
import type { Resume } from '../../model/candidate.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { notice } from '../../web/components.ts'
import { errorSummary, needed, textArea, textField, tickBox, typeset } from '../../web/fields.ts'
import { flag, type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import { type ApplyForm, type FormLimits, formTexts, questionField } from './form.ts'
import { questionMarkup } from './question-markup.ts'
import { applyTexts as texts } from './texts.ts'

export interface ApplyMarkup {
  ad: PublicJobAd
  path: string
  form: ApplyForm
  hidden: Readonly<Record<string, string>>
  resumes: readonly Resume[]
  last: LastApplication | undefined
  /** Null: no end. */
  keptMonths: number | null
  limits: FormLimits & Pick<Limits, 'fileBytes' | 'resumes'>
  errors: readonly FieldError[]
  /** The questions have changed since the form was opened. */
  hasNewQuestions: boolean
  /** The company keeps applications for another time than when the form was opened. */
  hasNewPeriod: boolean
  /** The form was opened in an earlier session of the candidate. */
  hasNewSession: boolean
  /** Browsers do not keep chosen files when a form is shown again. */
  hasLostFiles: boolean
}

function lastMarkup({ submittedAt, isWithdrawn, withdrawnAt }: LastApplication): Html {
  if (!isWithdrawn) return texts.applied(timeElement(submittedAt))
  return texts.withdrawn(withdrawnAt !== null && timeElement(withdrawnAt))
}

export function applyMarkup(page: ApplyMarkup): Html {
  const { ad, path, hidden, errors, form, last } = page
  return html`${page.hasNewSession && nothingSent(texts.newSession)}
${page.hasNewQuestions && nothingSent(ad.screen === null ? texts.noQuestions : texts.newQuestions)}
${page.hasNewPeriod && nothingSent(texts.newPeriod)}
${errorSummary(errors, field => placeOf(page, field), texts.nothingSent)}
${page.hasLostFiles && html`<p class="notice" data-files-lost>${texts.lostFiles}</p>`}
<p>${texts.at(html`<a href="/jobs/${ad.id}">${isolateBidi(ad.title)}</a>`, isolateBidi(ad.advertiserName), isolateBidi(ad.location))}</p>
${last && html`<p class="notice">${lastMarkup(last)} <a href="/account/applications">${texts.seeSent}</a></p>`}
<p class="quiet">${texts.required(html`<span class="needed" aria-hidden="true">*</span>`)}</p>
<form method="post" action="${path}" enctype="multipart/form-data" novalidate data-apply data-texts="${scriptTexts(page)}">
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`)}
${contactMarkup(page)}
${workMarkup(page)}
${
  ad.screen !== null &&
  html`<section class="card"><h2>${texts.questions(isolateBidi(ad.advertiserName))}</h2>
${ad.screen.questions.map((question, index) => questionMarkup({ question, number: index + 1, answer: form.answers.get(question.id), errors, limits: page.limits }))}
</section>`
}
${letterMarkup(page)}
${documentsMarkup(page)}
<section class="card"><p>${texts.goesTo(isolateBidi(ad.advertiserName), ad.screen !== null)}</p>
<p>${texts.keeps(isolateBidi(ad.advertiserName), page.keptMonths)}</p>
<p class="actions"><button type="submit">${texts.send}</button> <a class="button second" href="/jobs/${ad.id}">${texts.cancel}</a></p></section>
</form>`
}

const nothingSent = (reason: string) =>
  notice('problem', html`<p><strong>${texts.nothingSent}</strong> ${reason}</p>`)

/** Texts that the script shows while the candidate types, identical to those that the server would return. */
function scriptTexts({ limits }: ApplyMarkup): string {
  return JSON.stringify({
    ...texts.script,
    notAnEmail: formTexts.notAnEmail,
    notAnAddress: formTexts.notAnAddress,
    tooLong: formTexts.tooLong('{most}', '{length}'),
    months: formTexts.months(limits.monthsInRole),
    monthsMost: limits.monthsInRole,
    noFile: formTexts.noFile,
    tooLarge: texts.tooLarge(sizeInWords(limits.fileBytes)),
    fileBytes: limits.fileBytes,
    empty: faultMessages.empty,
  })
}

const required = (text: string) => html`required data-empty="${text}"`
const most = (length: number) => html` data-most="${length}"`

function contactMarkup({ form, errors, limits }: ApplyMarkup): Html {
  return html`<section class="card"><h2>${texts.contact}</h2>
<p class="hint">${texts.contactHint}</p>
<div class="fields">
${textField({ name: 'firstName', label: needed(texts.firstName), value: form.firstName, errors, attributes: html`autocomplete="given-name" ${required(formTexts.firstName)}${most(limits.nameLength)}` })}
${textField({ name: 'lastName', label: needed(texts.lastName), value: form.lastName, errors, attributes: html`autocomplete="family-name" ${required(formTexts.lastName)}${most(limits.nameLength)}` })}
${textField({ name: 'email', label: needed(texts.email), value: form.email, errors, attributes: html`type="email" autocomplete="email" ${required(formTexts.email)}${most(limits.emailLength)}` })}
${textField({ name: 'phone', label: texts.phone, value: form.phone, errors, attributes: html`type="tel" autocomplete="tel"${most(limits.phoneLength)}` })}
</div></section>`
}

function workMarkup({ form, errors, limits }: ApplyMarkup): Html {
  const choice = (value: string, label: string) => radio('work', value, label, form.work === value)
  return html`<section class="card"><h2>${texts.work}</h2>
<fieldset class="choices"><legend>${texts.workQuestion}</legend>
${choice('none', texts.workNone)}
${choice('job', texts.workJob)}
${choice('new', texts.workNew)}
</fieldset>
<div class="fields" data-work>
${textField({ name: 'jobTitle', label: texts.jobTitle, value: form.jobTitle, errors, attributes: html`autocomplete="organization-title"${most(limits.nameLength)}` })}
${textField({ name: 'company', label: texts.company, value: form.company, errors, attributes: html`autocomplete="organization"${most(limits.nameLength)}` })}
${textField({ name: 'months', label: texts.months, value: form.months, errors, attributes: html`inputmode="numeric" data-months` })}
</div></section>`
}

/** Above the documents, because everything typed must come before the first file: see below. */
function letterMarkup({ form, errors, limits }: ApplyMarkup): Html {
  return html`<section class="card"><h2>${texts.coverLetter}</h2>
${textArea({ name: 'coverLetterText', label: texts.letterOptional, hint: texts.letterHint, value: form.coverLetterText, errors, attributes: html`rows="8" data-count${most(limits.longTextLength)}` })}
</section>`
}

/**
 * Places every choice before the first file field: browsers send fields in this order, so that all choices are known
 * when the first file arrives.
 */
function documentsMarkup({ form, resumes, errors, limits }: ApplyMarkup): Html {
  const fault = errors.find(({ field }) => field === 'resume')
  // The error summary links to the first resume that can be chosen.
  const first = resumes.find(({ scan }) => scan !== 'infected')?.id
  const kinds = texts.kinds(sizeInWords(limits.fileBytes))
  return html`<section class="card"><h2>${texts.documents}</h2>
<fieldset class="choices" role="radiogroup" aria-required="true"${fault !== undefined && html` aria-invalid="true" aria-describedby="resume-fault"`}><legend>${needed(texts.resume)}</legend>
${fault !== undefined && html`<span class="fault" id="resume-fault">${typeset(fault.message)}</span>`}
${resumes.map(resume => resumeChoice(resume, form.resume, resume.id === first))}
${radio('resume', 'none', texts.noResume, form.resume === 'none')}
${radio('resume', 'upload', resumes.length === 0 ? texts.firstUpload : texts.anotherUpload, form.resume === 'upload', first === undefined)}
<div class="under-tick">${
    resumes.length < limits.resumes
      ? tickBox({ name: 'keepResume', label: texts.keepResume, isTicked: form.keepResume, errors })
      : html`<p class="hint">${texts.notKept(limits.resumes)}</p>`
  }${fileField({ name: 'resumeFile', label: texts.resumeFile, hint: kinds, errors })}</div>
</fieldset>
${fileField({ name: 'coverLetter', label: texts.coverLetterOptional, hint: kinds, errors })}
${fileField({ name: 'selectionCriteria', label: texts.criteriaOptional, hint: kinds, errors })}
</section>`
}

function resumeChoice(
  { id, fileName, size, uploadedAt, scan, isDefault }: Resume,
  chosen: string,
  isFirst: boolean,
): Html {
  const facts = html`<span class="hint">${texts.resumeFacts(sizeInWords(size), timeElement(uploadedAt))}</span>`
  if (scan === 'infected') {
    return html`<label class="choice"><input type="radio" name="resume" value="${id}" disabled> <span>${isolateBidi(fileName)}
<span class="fault">${texts.infected}</span></span></label>`
  }
  const label = html`${isolateBidi(fileName)}${isDefault && html` <span class="badge">${texts.isDefault}</span>`}${facts}`
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
<input type="file" id="${name}" name="${name}" accept="${fileKinds.map(kind => `.${kind}`).join(',')}"${fault !== undefined && html` aria-invalid="true"`} aria-describedby="${name}-hint${fault !== undefined && ` ${name}-fault`}">
${fault !== undefined && html`<span class="fault" id="${name}-fault">${typeset(fault.message)}</span>`}</div>`
}

/** Names the field in the error summary, where several fields may have the same message. */
function placeOf({ ad }: ApplyMarkup, field: string): string | undefined {
  const places: Record<string, string> = {
    resume: texts.resume,
    resumeFile: texts.resume,
    coverLetter: texts.coverLetter,
    coverLetterText: texts.coverLetter,
    selectionCriteria: texts.criteria,
    jobTitle: texts.jobTitle,
    company: texts.company,
    months: texts.months,
  }
  const number = ad.screen?.questions.findIndex(({ id }) => questionField(id) === field) ?? -1
  return number === -1 ? places[field] : texts.question(number + 1)
}
