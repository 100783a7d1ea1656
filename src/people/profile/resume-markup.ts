import { sizeInWords } from '../../core/size-in-words.ts'
import type { Limits } from '../../limits.ts'
import type { Resume } from '../../model/candidate.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, badge, breadcrumb, emptyState, notice, pageHead } from '../../web/components.ts'
import { filePreview } from '../../web/file-preview.ts'
import { type Html, html } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { timeElement } from '../../web/time.ts'
import { resumeTexts as texts } from './resume-texts.ts'

export const resumePaths = {
  list: '/account/resumes',
  upload: '/account/resumes/upload',
  default: '/account/resumes/default',
  delete: '/account/resumes/delete',
  of: <const Id extends string>(resumeId: Id) => `/account/resumes/${resumeId}` as const,
  file: <const Id extends string>(resumeId: Id) => `/account/resumes/file/${resumeId}` as const,
  text: <const Id extends string>(resumeId: Id) => `/account/resumes/file/${resumeId}/text` as const,
  removal: (resumeId: string) => `/account/resumes/delete?resume=${resumeId}`,
} as const

interface ResumesMarkup {
  /** Newest first. */
  resumes: readonly Resume[]
  uploadToken: string
  /** Makes repeated submissions of the form one resume. */
  uploadKey: string
  defaultToken: string
  limits: Pick<Limits, 'fileBytes' | 'resumes'>
  /** Whether unscanned files will be scanned. */
  hasScanner: boolean
  done: string | undefined
  fault: string | undefined
}

export function resumesMarkup(page: ResumesMarkup): Html {
  const { resumes, limits, done, fault } = page
  return html`${done !== undefined && notice('good', done)}
${fault !== undefined && notice('problem', html`<p><a href="#file">${fault}</a></p>`)}
<p>${texts.lead}</p>
${
  resumes.length === 0
    ? emptyState({ title: texts.noneTitle, text: texts.none })
    : html`<p class="quiet">${texts.count(resumes.length)}</p>
<ul class="rows" aria-label="${texts.listLabel}">${resumes.map(resume => resumeMarkup(resume, page))}</ul>`
}
<section class="card"><h2>${texts.upload}</h2>
${
  resumes.length >= limits.resumes
    ? html`<p id="file">${texts.tooMany(limits.resumes)}</p>`
    : uploadMarkup(page, fault)
}
</section>`
}

function resumeMarkup(
  resume: Resume,
  { defaultToken, hasScanner }: Pick<ResumesMarkup, 'defaultToken' | 'hasScanner'>,
): Html {
  const { id, fileName, scan } = resume
  const isInfected = scan === 'infected'
  const name = isolateBidi(fileName)
  return html`<li>${icon('document')}<div><div class="line">${
    isInfected
      ? html`<strong>${name}</strong>`
      : html`<a class="row-link" href="${resumePaths.of(id)}">${name}</a>`
  } ${badges(resume, hasScanner)}</div>
${factsMarkup(resume, hasScanner)}
<div class="actions tight">
${!isInfected && html`<a href="${resumePaths.file(id)}">${texts.download(fileName)}</a>`}
${defaultMarkup(resume, defaultToken)}
<a href="${resumePaths.removal(id)}">${texts.delete(fileName)}</a></div></div></li>`
}

function badges({ isDefault, scan }: Resume, hasScanner: boolean): Html {
  return html`${isDefault && badge('good', texts.badges.default)} ${scan === 'infected' && badge('danger', texts.badges.infected)}${
    scan === 'unscanned' && hasScanner && badge('warning', texts.badges.checking)
  }${scan === 'not-judged' && hasScanner && badge('warning', texts.badges.notJudged)}`
}

function factsMarkup({ size, uploadedAt, scan }: Resume, hasScanner: boolean): Html {
  const words = scan === 'unscanned' ? hasScanner && texts.willBeScanned : texts.scanWords[scan]
  const verdict = scan === 'infected' ? html`<span class="fault">${words}</span>` : words
  return html`<span class="hint">${texts.facts(sizeInWords(size), timeElement(uploadedAt), verdict)}</span>`
}

function defaultMarkup({ id, fileName, isDefault }: Resume, token: string): Html | false {
  return (
    !isDefault &&
    actionForm({
      action: resumePaths.default,
      token,
      fields: { resume: id },
      label: texts.makeDefault,
      describedAs: texts.makeDefaultOf(fileName),
      kind: 'link',
    })
  )
}

function uploadMarkup({ uploadToken, uploadKey, limits }: ResumesMarkup, fault: string | undefined): Html {
  const isWrong = fault !== undefined
  return html`<form method="post" action="${resumePaths.upload}" enctype="multipart/form-data" novalidate>
<input type="hidden" name="form_token" value="${uploadToken}">
<input type="hidden" name="form_key" value="${uploadKey}" autocomplete="off">
<div class="field"><label for="file">${texts.file}</label>
<span class="hint" id="file-hint">${texts.fileHint(sizeInWords(limits.fileBytes))}</span>
<input type="file" id="file" name="file" required accept=".pdf,.doc,.docx,.rtf,.txt"${isWrong && html` aria-invalid="true"`} aria-describedby="file-hint${isWrong && ' file-fault'}">
${isWrong && html`<span class="fault" id="file-fault">${fault}</span>`}</div>
<p class="actions"><button type="submit">${texts.send}</button></p>
</form>`
}

export function resumeHeading({ id, fileName }: Resume): Html {
  return pageHead(
    isolateBidi(fileName),
    html`<a class="button second" href="${resumePaths.removal(id)}">${texts.delete(fileName)}</a>`,
    breadcrumb([{ href: resumePaths.list, label: texts.title }]),
  )
}

/** The preview of one resume. */
export function resumePreviewMarkup(
  resume: Resume,
  { defaultToken, hasScanner }: { defaultToken: string; hasScanner: boolean },
): Html {
  const { id, fileName, contentType, size, scan, isDefault } = resume
  return html`<div class="preview-facts"><div class="line">${badges(resume, hasScanner)}</div>
${factsMarkup(resume, hasScanner)}
${isDefault ? html`<span class="hint">${texts.isDefault}</span>` : defaultMarkup(resume, defaultToken)}</div>
${
  scan === 'infected'
    ? notice('problem', texts.infected)
    : filePreview({
        name: fileName,
        contentType,
        href: resumePaths.file(id),
        textHref: resumePaths.text(id),
        size,
      })
}`
}

export function removalMarkup({ id, fileName, isDefault }: Resume, formToken: string): Html {
  return html`<section class="card"><p>${texts.removal(fileName)}</p>
${isDefault && html`<p>${texts.removalOfDefault}</p>`}
<form class="actions" method="post" action="${resumePaths.delete}">
<input type="hidden" name="form_token" value="${formToken}"><input type="hidden" name="resume" value="${id}">
<button class="danger" type="submit">${texts.remove}</button>
<a class="button second" href="${resumePaths.list}">${texts.keep}</a></form></section>`
}
