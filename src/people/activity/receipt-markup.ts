import type { SentApplication, SentFile } from '../../apply/form/own-application.ts'
import type { RetentionOfOne } from '../../apply/form/own-retention-service.ts'
import { listPath, receiptPath } from '../../apply/form/receipt-path.ts'
import type { AdVersion } from '../../model/ad-version.ts'
import type { PrimaryJobSeekingInfo, ResultQuestion } from '../../model/application.ts'
import { privacyNoticeHref } from '../../model/privacy-notice.ts'
import { answerInWords, answerTypeOf } from '../../model/questionnaire.ts'
import { logoUrl } from '../../platform/core/brand/logo.ts'
import { sizeInWords } from '../../platform/core/size-in-words.ts'
import { kindNames, kindOfName } from '../../platform/documents/file-kinds.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { avatar, notice } from '../../platform/web/components.ts'
import { previewBox } from '../../platform/web/file-preview.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { icon } from '../../platform/web/icons.ts'
import { dayElement, timeElement } from '../../platform/web/time.ts'
import { endKeepingButton } from './sharing-markup.ts'
import { fileLabel, readsMarkup, replacementMarkup, statusMarkup, withdrawalMarkup } from './status-markup.ts'

/** Omits the size of an infected file, because its content was discarded. */
export function fileFacts({ size, scan }: SentFile, hasScanner: boolean): Html {
  if (scan === 'infected') return html`<span class="fault">${scanWords.infected}</span>`
  const words = scan === 'unscanned' ? hasScanner && 'not checked for viruses yet' : scanWords[scan]
  return html`<span class="hint">${sizeInWords(size)}${words !== false && `, ${words}`}</span>`
}

export interface ReceiptView extends Forms {
  isRepeated: boolean
  isNew: boolean
  /** Whether a read would still be on record. */
  canBeUnread: boolean
  /** How long the application is kept. */
  kept: RetentionOfOne | undefined
  hasScanner: boolean
  /** Types of the files whose extension was changed when they were stored. */
  renamed: readonly string[]
  /** Whether the page confirms what was just done. */
  isDone: boolean
  /** Whether a replacement document was rejected. */
  isRefused: boolean
  withdrawnDays: number
  adVersionMarkup(ad: AdVersion): Html
  limits: { readDays: number; fileBytes: number }
}

/** Shows what the candidate sent. Only the company sees the result of the questionnaire. */
export function receiptMarkup(sent: SentApplication, view: ReceiptView): Html {
  const { isRepeated, isNew, kept, renamed, isDone, isRefused, canBeUnread } = view
  return html`${isRepeated && notice('info', html`<p><strong>You had already sent this form.</strong> There is one application, shown here. Changes you made to the form afterwards are not included. To send another application, open the job again.</p>`)}
${!isRepeated && !isRefused && !isDone && isNew && sent.status === 'new' && notice('good', html`<p>Application sent to ${isolateBidi(sent.advertiserName)}. This is what you sent.</p>`)}
${virusMarkup(sent)}
${renamedMarkup(sent.files.filter(({ type }) => renamed.includes(type)))}
<section class="card"><h2 class="asker">${avatar(sent.advertiserName, logoUrl(sent.logoHash))}<span>${isolateBidi(sent.jobTitle)}</span></h2>
<p>${isolateBidi(sent.advertiserName)}, ${isolateBidi(sent.jobLocation)}</p>
${kept && (kept.isOnHold || sent.erasureDueAt === null) && html`<p>${keptMarkup(kept)}</p>`}
${kept && kept.keptUntil !== null && keepMarkup(sent, kept.keptUntil, view)}
${sent.privacyNotice && html`<p><a href="${privacyNoticeHref(sent.advertiserId, sent.privacyNotice)}" target="_blank" rel="noopener noreferrer">Privacy notice of the company</a> <span class="hint">version ${sent.privacyNotice.version}, since ${timeElement(sent.privacyNotice.createdAt)}</span></p>`}
<p><a href="/jobs/${sent.jobAdId}">View job</a></p></section>
${statusMarkup(kept?.isOnHold ? { ...sent, erasureDueAt: null } : sent, view)}
${readsMarkup(sent, { readDays: view.limits.readDays, canBeUnread })}
${sent.seenAd && view.adVersionMarkup(sent.seenAd)}
${sent.erasedAt === null && contentMarkup(sent, view)}
${withdrawalMarkup(sent, view)}
<p class="actions"><a class="button second" href="${listPath}">All your applications</a> <a href="/jobs">More jobs</a></p>`
}

/** The submitted content; an erasure leaves none of it. */
function contentMarkup(sent: SentApplication, view: ReceiptView): Html {
  const { hasScanner } = view
  return html`<section class="card"><h2>Contact details</h2>
<dl class="values facts"><div><dt>Name</dt><dd>${sent.contact.firstName} ${sent.contact.lastName}</dd></div>
<div class="whole"><dt>Email address</dt><dd>${sent.contact.email}</dd></div>
<div><dt>Phone</dt><dd>${sent.contact.phone === '' ? 'none given' : sent.contact.phone}</dd></div></dl></section>
${sent.primaryJobSeekingInfo && workMarkup(sent.primaryJobSeekingInfo)}
${
  sent.questions.length > 0 &&
  html`<section class="card"><h2>Your answers</h2><dl class="values">${sent.questions.map(answerMarkup)}</dl></section>`
}
<section class="card"><h2>Documents</h2>
${sent.files.length === 0 && html`<p class="quiet">You didn’t send any documents.</p>`}
${sent.files.length > 0 && html`<ul class="plain">${sent.files.map(file => documentMarkup(sent.applicationId, file, hasScanner))}</ul>`}
${replacementMarkup(sent, view)}</section>`
}

function keptMarkup({ until, isOnHold }: RetentionOfOne): Html | string {
  if (isOnHold) return 'Your application is kept because of a dispute, beyond the usual period.'
  return until === null
    ? 'The company hasn’t set how long it keeps your application.'
    : html`The company keeps your application until ${dayElement(Date.parse(until))}.`
}

function keepMarkup(
  { applicationId, advertiserName }: SentApplication,
  until: string,
  { button }: Forms,
): Html {
  return html`<p>${isolateBidi(advertiserName)} may keep your application for other jobs until ${dayElement(Date.parse(until))}.</p>
${endKeepingButton(button, applicationId, 'your application')}`
}

/** Names the files whose extension did not match their content. */
function renamedMarkup(files: readonly SentFile[]): Html | false {
  const lines = files.map(({ type, fileName }) => {
    const kind = kindOfName(fileName)
    return (
      kind &&
      html`<p>We sent your ${fileLabel(type).toLowerCase()} as <strong>${isolateBidi(fileName)}</strong>, because the file is ${kindNames[kind]}.</p>`
    )
  })
  return files.length > 0 && notice('info', html`${lines}`)
}

function virusMarkup({ files, advertiserName, jobAdId }: SentApplication): Html | false {
  const infected = files.filter(({ scan }) => scan === 'infected')
  const company = isolateBidi(advertiserName)
  const names = infected.map(
    ({ type, fileName }, index) =>
      html`${index > 0 && ' and '}${fileLabel(type).toLowerCase()} <strong>${isolateBidi(fileName)}</strong>`,
  )
  const found =
    infected.length === 1
      ? html`We found a virus in your ${names}. ${company} has your application, but not the content of this file, and we didn’t keep it.`
      : html`We found a virus in your ${names}. ${company} has your application, but not the content of these files, and we didn’t keep it.`
  return (
    infected.length > 0 &&
    notice(
      'problem',
      html`<p>${found}</p>
<p><a href="/jobs/${jobAdId}/apply">Apply again with a clean copy</a></p>`,
    )
  )
}

function documentMarkup(applicationId: number, file: SentFile, hasScanner: boolean): Html {
  const { type, fileName, contentType, size, scan } = file
  const href = `${receiptPath(applicationId)}/files/${type}`
  const shown = { name: fileName, contentType, href, textHref: `${href}/text`, size }
  return html`<li class="row">${icon('document')}<div>${fileLabel(type)}: ${isolateBidi(fileName)}${fileFacts(file, hasScanner)}</div>
${
  scan !== 'infected' &&
  html`<a class="button second small" href="${href}" download>${icon('download')}Download<span class="visually-hidden"> ${fileName}</span></a>
<details><summary>Preview<span class="visually-hidden"> of ${fileName}</span></summary>${previewBox(shown)}</details>`
}</li>`
}

function workMarkup(info: PrimaryJobSeekingInfo): Html {
  const { jobTitle, companyName, timeInRoleMonths, isNewToWorkForce } = info
  return html`<section class="card"><h2>Your current or latest job</h2><dl class="values facts">
${jobTitle !== undefined && html`<div><dt>Job title</dt><dd>${jobTitle}</dd></div>`}
${companyName !== undefined && html`<div><dt>Company</dt><dd>${companyName}</dd></div>`}
${timeInRoleMonths !== undefined && html`<div><dt>Months in this job</dt><dd>${timeInRoleMonths}</dd></div>`}
${isNewToWorkForce && html`<div><dt>Experience</dt><dd>New to the workforce</dd></div>`}</dl></section>`
}

function answerMarkup(question: ResultQuestion): Html {
  const { kind, text, answers } = question
  const type = answerTypeOf(question)
  const given = answers
    .filter(({ selected }) => selected)
    .map(answer => (kind === 'date' ? dayElement(Date.parse(answer.text)) : answerInWords(type, answer.text)))
  return html`<dt>${text}</dt>${
    given.length === 0
      ? html`<dd class="quiet">Not answered</dd>`
      : given.map(answer => html`<dd>${answer}</dd>`)
  }`
}

const scanWords: Record<Exclude<SentFile['scan'], 'unscanned'>, string> = {
  clean: 'no virus found',
  'not-judged': 'can’t be checked for viruses: the company may not be able to open it',
  infected: 'virus found: the company doesn’t receive its content',
}
