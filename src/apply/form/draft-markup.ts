import { sizeInWords } from '../../platform/core/size-in-words.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { notice, valueList } from '../../platform/web/components.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { t } from '../../platform/web/t.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { Draft, DraftFile, Dropped } from './draft.ts'
import { discardPath } from './receipt-path.ts'

const keptUntil = ({ savedAt, expiresAt }: Draft) =>
  t`Saved on ${timeElement(savedAt)}. We keep it until ${timeElement(expiresAt)}, and only you can see it.`

const discardLink = ({ id }: Draft) => html`<a href="${discardPath(id)}">${t`Discard this draft`}</a>`

/** Notice above a form that was made from a draft. */
export function draftMarkup(draft: Draft, { isJustSaved }: { isJustSaved: boolean }): Html {
  return notice(
    isJustSaved ? 'good' : 'info',
    html`<p><strong>${isJustSaved ? t`Draft saved.` : t`This is your draft.`}</strong> ${keptUntil(draft)} ${t`You’ll find it under ${html`<a href="/account/applications">${t`Applications`}</a>`}, also on another device.`} ${discardLink(draft)}</p>`,
  )
}

/** Saved answers and files that are no longer asked for. */
export function droppedMarkup(dropped: readonly Dropped[]): Html | false {
  return (
    dropped.length > 0 &&
    notice(
      'warning',
      html`<p>${t`The company has changed its questions since you saved this draft. These answers don’t fit any longer and won’t be sent:`}</p>
${droppedList(dropped)}`,
    )
  )
}

const droppedList = (dropped: readonly Dropped[]) =>
  html`<ul>${dropped.map(({ question, words }) => html`<li>${isolateBidi(question === '' ? t`Files` : question)}: ${words.map((text, index) => html`${index > 0 && ', '}${isolateBidi(text)}`)}</li>`)}</ul>`

/** The files of the draft, above the fields that replace them. */
export function savedFilesMarkup(
  files: readonly DraftFile[],
  removed: readonly string[],
  labelOf: (field: string) => Html | string,
): Html | false {
  return (
    files.length > 0 &&
    html`<fieldset class="choices" id="saved-files"><legend>${t`Saved with your draft`}</legend>
<p class="hint">${t`To replace one of these files, choose another below.`}</p>
${files.map(
  ({ field, fileName, size, scan }) =>
    html`<label class="choice"><input type="checkbox" name="removeFile" value="${field}" ${flag('checked', removed.includes(field))}> <span>${t`Remove ${labelOf(field)}: ${isolateBidi(fileName)}`} ${
      scan === 'infected'
        ? html`<span class="fault">${t`A virus was found in this file, so we didn’t keep it and can’t send it.`}</span>`
        : html`<span class="hint">${sizeInWords(size)}</span>`
    }</span></label>`,
)}</fieldset>`
  )
}

/** A draft that can’t be sent, because its ad is closed or no longer exists. */
export function readDraftMarkup(draft: Draft, reason: Html): Html {
  const { content, files } = draft
  const lines: [string, string][] = [
    [t`First name`, content.firstName],
    [t`Last name`, content.lastName],
    [t`Email address`, content.email],
    [t`Phone`, content.phone],
    [t`Job title`, content.jobTitle],
    [t`Company`, content.company],
    [t`Months in this job`, content.months],
    [t`Cover letter`, content.coverLetterText],
    ...content.answers.map(({ question, words }): [string, string] => [question, words.join('\n')]),
    [t`Files`, files.map(({ fileName }) => fileName).join('\n')],
  ]
  return html`${notice('warning', html`<p>${reason}</p>`)}
<section class="card"><p>${keptUntil(draft)}</p>
${valueList(
  lines.filter(([, text]) => text !== '').map(([label, text]) => [label, isolateBidi(text)] as const),
)}
<p class="actions"><a class="button" href="/jobs">${t`See open jobs`}</a> ${discardLink(draft)}</p></section>`
}
