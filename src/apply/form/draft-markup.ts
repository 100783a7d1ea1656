import { sizeInWords } from '../../platform/core/size-in-words.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { notice, valueList } from '../../platform/web/components.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { Draft, DraftFile, Dropped } from './draft.ts'
import { discardPath } from './receipt-path.ts'

const keptUntil = ({ savedAt, expiresAt }: Draft) =>
  html`Saved on ${timeElement(savedAt)}. We keep it until ${timeElement(expiresAt)}, and only you can see it.`

const discardLink = ({ id }: Draft) => html`<a href="${discardPath(id)}">Discard this draft</a>`

/** Notice above a form that was made from a draft. */
export function draftMarkup(draft: Draft, { isJustSaved }: { isJustSaved: boolean }): Html {
  return notice(
    isJustSaved ? 'good' : 'info',
    html`<p><strong>${isJustSaved ? 'Draft saved.' : 'This is your draft.'}</strong> ${keptUntil(draft)} You’ll find it under <a href="/account/applications">Applications</a>, also on another device. ${discardLink(draft)}</p>`,
  )
}

/** Saved answers and files that are no longer asked for. */
export function droppedMarkup(dropped: readonly Dropped[]): Html | false {
  return (
    dropped.length > 0 &&
    notice(
      'warning',
      html`<p>The company has changed its questions since you saved this draft. These answers don’t fit any longer and won’t be sent:</p>
${droppedList(dropped)}`,
    )
  )
}

const droppedList = (dropped: readonly Dropped[]) =>
  html`<ul>${dropped.map(({ question, words }) => html`<li>${isolateBidi(question === '' ? 'Files' : question)}: ${words.map((text, index) => html`${index > 0 && ', '}${isolateBidi(text)}`)}</li>`)}</ul>`

/** The files of the draft, above the fields that replace them. */
export function savedFilesMarkup(
  files: readonly DraftFile[],
  removed: readonly string[],
  labelOf: (field: string) => Html | string,
): Html | false {
  return (
    files.length > 0 &&
    html`<fieldset class="choices" id="saved-files"><legend>Saved with your draft</legend>
<p class="hint">To replace one of these files, choose another below.</p>
${files.map(
  ({ field, fileName, size, scan }) =>
    html`<label class="choice"><input type="checkbox" name="removeFile" value="${field}" ${flag('checked', removed.includes(field))}> <span>Remove ${labelOf(field)}: ${isolateBidi(fileName)} ${
      scan === 'infected'
        ? html`<span class="fault">A virus was found in this file, so we didn’t keep it and can’t send it.</span>`
        : html`<span class="hint">${sizeInWords(size)}</span>`
    }</span></label>`,
)}</fieldset>`
  )
}

/** A draft that can’t be sent, because its ad is closed or no longer exists. */
export function readDraftMarkup(draft: Draft, reason: Html): Html {
  const { content, files } = draft
  const lines: [string, string][] = [
    ['First name', content.firstName],
    ['Last name', content.lastName],
    ['Email address', content.email],
    ['Phone', content.phone],
    ['Job title', content.jobTitle],
    ['Company', content.company],
    ['Months in this job', content.months],
    ['Cover letter', content.coverLetterText],
    ...content.answers.map(({ question, words }): [string, string] => [question, words.join('\n')]),
    ['Files', files.map(({ fileName }) => fileName).join('\n')],
  ]
  return html`${notice('warning', html`<p>${reason}</p>`)}
<section class="card"><p>${keptUntil(draft)}</p>
${valueList(
  lines.filter(([, text]) => text !== '').map(([label, text]) => [label, isolateBidi(text)] as const),
)}
<p class="actions"><a class="button" href="/jobs">See open jobs</a> ${discardLink(draft)}</p></section>`
}
