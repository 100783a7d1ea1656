import type { Resume } from '../../model/candidate.ts'
import { maxResumes } from '../../model/profile.ts'
import { sizeInWords } from '../../platform/core/size-in-words.ts'
import { fileKinds } from '../../platform/documents/file-kinds.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { badge, breadcrumb, emptyState, notice, pageHead } from '../../platform/web/components.ts'
import { filePreview } from '../../platform/web/file-preview.ts'
import { type Forms, fileInput } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { icon } from '../../platform/web/icons.ts'
import { timeElement } from '../../platform/web/time.ts'

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

interface ResumesMarkup extends Pick<Forms, 'form' | 'button'> {
  /** Newest first. */
  resumes: readonly Resume[]
  limits: { fileBytes: number }
  /** Whether unscanned files will be scanned. */
  hasScanner: boolean
}

export function resumesMarkup(page: ResumesMarkup): Html {
  const { resumes } = page
  return html`<p>Keep several, such as one for each kind of work. Your default resume is preselected when another website asks for your profile; you can choose another one there, and when you apply here.</p>
${
  resumes.length === 0
    ? emptyState({
        title: 'No resume yet',
        text: 'Upload one, and you can share it with one click when you apply.',
      })
    : html`<p class="quiet">${resumes.length === 1 ? '1 resume' : `${resumes.length} resumes`}</p>
<ul class="rows" aria-label="Resumes">${resumes.map(resume => resumeMarkup(resume, page))}</ul>`
}
<section class="card"><h2>Upload a resume</h2>
${
  resumes.length >= maxResumes
    ? html`<p id="file">You have ${maxResumes} resumes, which is the limit. Delete one to upload another.</p>`
    : page.form({
        action: resumePaths.upload,
        isInCard: true,
        isUpload: true,
        isOnce: true,
        fields: [
          fileInput({
            name: 'file',
            label: 'File',
            hint: `PDF, Word (doc or docx), RTF or plain text, up to ${sizeInWords(page.limits.fileBytes)}.`,
            kinds: fileKinds,
            isRequired: true,
          }),
        ],
        label: 'Upload resume',
      })
}
</section>`
}

function resumeMarkup(
  resume: Resume,
  { button, hasScanner }: Pick<ResumesMarkup, 'button' | 'hasScanner'>,
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
${!isInfected && html`<a href="${resumePaths.file(id)}">Download<span class="visually-hidden"> ${fileName}</span></a>`}
${defaultMarkup(resume, button)}
<a href="${resumePaths.removal(id)}">${deleteLabel(fileName)}</a></div></div></li>`
}

function badges({ isDefault, scan }: Resume, hasScanner: boolean): Html {
  return html`${isDefault && badge('good', 'Default')} ${scan === 'infected' && badge('danger', 'Virus found')}${
    scan === 'unscanned' && hasScanner && badge('warning', 'Checking')
  }${scan === 'not-judged' && hasScanner && badge('warning', 'Can’t be checked')}`
}

function factsMarkup({ size, uploadedAt, scan }: Resume, hasScanner: boolean): Html {
  const words = scan === 'unscanned' ? hasScanner && 'not checked for viruses yet' : scanWords[scan]
  const verdict = scan === 'infected' ? html`<span class="fault">${words}</span>` : words
  return html`<span class="hint">${sizeInWords(size)}, uploaded on ${timeElement(uploadedAt)}${verdict !== false && html`, ${verdict}`}</span>`
}

function defaultMarkup({ id, fileName, isDefault }: Resume, button: Forms['button']): Html | false {
  return (
    !isDefault &&
    button({
      action: resumePaths.default,
      fields: { resume: id },
      label: 'Make default',
      describedAs: `Make default: ${fileName}`,
      kind: 'link',
    })
  )
}

export function resumeHeading({ id, fileName }: Resume): Html {
  return pageHead(
    isolateBidi(fileName),
    html`<a class="button second" href="${resumePaths.removal(id)}">${deleteLabel(fileName)}</a>`,
    breadcrumb([{ href: resumePaths.list, label: 'Your resumes' }]),
  )
}

/** The preview of one resume. */
export function resumePreviewMarkup(
  resume: Resume,
  { button, hasScanner }: Pick<ResumesMarkup, 'button' | 'hasScanner'>,
): Html {
  const { id, fileName, contentType, size, scan, isDefault } = resume
  return html`<div class="preview-facts"><div class="line">${badges(resume, hasScanner)}</div>
${factsMarkup(resume, hasScanner)}
${isDefault ? html`<span class="hint">This is your default resume: it is shared when you allow it.</span>` : defaultMarkup(resume, button)}</div>
${
  scan === 'infected'
    ? notice(
        'problem',
        'We found a virus in this file, so we don’t show or share it. Delete it and upload a clean copy.',
      )
    : filePreview({
        name: fileName,
        contentType,
        href: resumePaths.file(id),
        textHref: resumePaths.text(id),
        size,
      })
}`
}

export const removalMarkup = ({ id, fileName, isDefault }: Resume, form: Forms['form']): Html =>
  html`<section class="card"><p><strong>${isolateBidi(fileName)}</strong> will be removed from your account, and websites you shared it with can no longer download it. Applications you have sent keep their copy.</p>
${isDefault && html`<p>This is your default resume. The newest of your other resumes becomes the default.</p>`}
${form({
  action: resumePaths.delete,
  isInCard: true,
  hidden: { resume: id },
  label: 'Delete resume',
  kind: 'danger',
  beside: html`<a class="button second" href="${resumePaths.list}">Keep resume</a>`,
})}</section>`

const deleteLabel = (fileName: string) => html`Delete<span class="visually-hidden"> ${fileName}</span>`

const scanWords: Record<Exclude<Resume['scan'], 'unscanned'>, string> = {
  clean: 'no virus found',
  'not-judged':
    'can’t be checked for viruses, so we don’t share it with other websites. Upload another copy, without a password or as a PDF.',
  infected: 'virus found, so we don’t share this file. Delete it and upload a clean copy.',
}
