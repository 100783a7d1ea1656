import { sizeInWords } from '../core/size-in-words.ts'
import { type Html, html } from '../web/html.ts'
import { timeElement } from '../web/time.ts'
import type { Resume } from './ports.ts'

const scanWords: Record<Resume['scan'], string> = {
  unscanned: 'not checked for viruses yet',
  clean: 'no virus found',
  infected: 'a virus was found: nobody gets this file. Delete it, and upload a clean copy.',
}

interface ResumesMarkup {
  /** Newest first. */
  resumes: readonly Resume[]
  uploadToken: string
  defaultToken: string
  limits: { fileBytes: number; resumes: number }
  notice: string | undefined
  fault: string | undefined
}

export function resumesMarkup({
  resumes,
  uploadToken,
  defaultToken,
  limits,
  notice,
  fault,
}: ResumesMarkup): Html {
  return html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
${fault !== undefined && html`<div class="problem" role="alert"><p><a href="#file">${fault}</a></p></div>`}
<section class="card"><h2>Resumes on file</h2>
${
  resumes.length === 0
    ? html`<p>There is no resume here yet. Upload one, and you can share it with a tick when you apply somewhere.</p>`
    : html`<p class="hint">The default resume is the one that goes out when you allow it.</p>
<ul class="plain">${resumes.map(resume => resumeMarkup(resume, defaultToken))}</ul>`
}
</section>
<section class="card"><h2>Upload a resume</h2>
${
  resumes.length >= limits.resumes
    ? html`<p id="file">You have ${limits.resumes} resumes, which is the most. Delete one to upload another.</p>`
    : uploadMarkup(uploadToken, limits.fileBytes, fault)
}
</section>`
}

function resumeMarkup(resume: Resume, defaultToken: string): Html {
  const { id, fileName, size, uploadedAt, scan, isDefault } = resume
  const isInfected = scan === 'infected'
  return html`<li><strong>${fileName}</strong>${isDefault && html` <span class="badge">Default</span>`}
<span class="hint">${sizeInWords(size)}, uploaded on ${timeElement(uploadedAt)}, ${isInfected ? html`<span class="fault">${scanWords[scan]}</span>` : scanWords[scan]}</span>
<div class="actions tight">
${!isInfected && html`<a href="/account/resumes/file/${id}">Download<span class="for-readers"> ${fileName}</span></a>`}
${
  !isDefault &&
  html`<form class="inline" method="post" action="/account/resumes/default">
<input type="hidden" name="form_token" value="${defaultToken}"><input type="hidden" name="resume" value="${id}">
<button class="link" type="submit">Make default<span class="for-readers">: ${fileName}</span></button></form>`
}
<a href="/account/resumes/delete?resume=${id}">Delete<span class="for-readers"> ${fileName}</span></a></div></li>`
}

function uploadMarkup(formToken: string, fileBytes: number, fault: string | undefined): Html {
  const isWrong = fault !== undefined
  return html`<form method="post" action="/account/resumes/upload" enctype="multipart/form-data">
<input type="hidden" name="form_token" value="${formToken}">
<div class="field"><label for="file">File</label>
<span class="hint" id="file-hint">PDF, Word (doc or docx), RTF or plain text, ${sizeInWords(fileBytes)} at most.</span>
${isWrong && html`<span class="fault" id="file-fault">${fault}</span>`}
<input type="file" id="file" name="file" required accept=".pdf,.doc,.docx,.rtf,.txt"${isWrong && html` aria-invalid="true"`} aria-describedby="file-hint${isWrong && ' file-fault'}"></div>
<p class="actions"><button type="submit">Upload</button></p>
</form>`
}

export function removalMarkup({ id, fileName, isDefault }: Resume, formToken: string): Html {
  return html`<section class="card"><p><strong>${fileName}</strong> will be gone from your account, and whoever you
shared it with cannot download it any more. Applications that you have sent keep their copy.</p>
${isDefault && html`<p>It is your default resume. The newest of the others takes its place.</p>`}
<form class="actions" method="post" action="/account/resumes/delete">
<input type="hidden" name="form_token" value="${formToken}"><input type="hidden" name="resume" value="${id}">
<button class="danger" type="submit">Delete this resume</button>
<a class="button second" href="/account/resumes">Keep it</a></form></section>`
}
