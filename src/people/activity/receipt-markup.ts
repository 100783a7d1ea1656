import type { Keeping } from '../../apply/form/keeping-service.ts'
import type { SentApplication, SentFile } from '../../apply/form/ports.ts'
import { listPath, receiptPath } from '../../apply/form/receipt-path.ts'
import { logoUrl } from '../../core/brand/logo.ts'
import { sizeInWords } from '../../core/size-in-words.ts'
import { kindOfName } from '../../files/file-kinds.ts'
import type { PrimaryJobSeekingInfo, ResultQuestion } from '../../model/application.ts'
import { answerInWords } from '../../model/questionnaire.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { avatar, breadcrumb, notice, pageHead } from '../../web/components.ts'
import { previewBox } from '../../web/file-preview.ts'
import { type Html, html } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { dayElement } from '../../web/time.ts'
import { ownApplicationsTexts as texts } from './applications-texts.ts'
import { readsMarkup, replacementMarkup, statusMarkup, withdrawalMarkup } from './status-markup.ts'
import { statusTexts } from './status-texts.ts'

/** Omits the size of an infected file, because its content was discarded. */
export function fileFacts({ size, scan }: SentFile, hasScanner: boolean): Html {
  if (scan === 'infected') return html`<span class="fault">${texts.scanWords.infected}</span>`
  const words = scan === 'unscanned' ? hasScanner && texts.willBeScanned : texts.scanWords[scan]
  return html`<span class="hint">${sizeInWords(size)}${words !== false && `, ${words}`}</span>`
}

export const receiptHeading: Html = pageHead(
  texts.receiptTitle,
  false,
  breadcrumb([{ href: listPath, label: texts.title }]),
)

export interface ReceiptView {
  isRepeated: boolean
  isNew: boolean
  /** Whether a read would still be on record. */
  canBeUnread: boolean
  /** How long it is kept. */
  kept: Keeping | undefined
  hasScanner: boolean
  /** Types of the files whose ending was changed when they were stored. */
  renamed: readonly string[]
  /** What was just done. */
  done?: 'withdrawn' | 'withdrawn-before' | 'replaced' | 'replaced-infected' | undefined
  /** What is wrong with a document that was sent to replace one. */
  fault?: string | undefined
  withdrawToken: string
  replaceToken: string
  withdrawnDays: number
  limits: { readDays: number; fileBytes: number }
}

/** Shows what the candidate sent. The result of the questionnaire is only for the company. */
export function receiptMarkup(sent: SentApplication, view: ReceiptView): Html {
  const { isRepeated, isNew, kept, renamed, done, fault, canBeUnread } = view
  return html`${isRepeated && notice('info', texts.repeated)}
${fault !== undefined && notice('problem', fault)}
${done !== undefined && doneNotice(done)}
${!isRepeated && fault === undefined && done === undefined && isNew && sent.status === 'new' && notice('good', texts.arrived(sent.advertiserName))}
${virusMarkup(sent)}
${renamedMarkup(sent.files.filter(({ type }) => renamed.includes(type)))}
<section class="card"><h2 class="asker">${avatar(sent.advertiserName, logoUrl(sent.logoHash))}<span>${isolateBidi(sent.jobTitle)}</span></h2>
<p>${isolateBidi(sent.advertiserName)}, ${isolateBidi(sent.jobLocation)}</p>
${kept && (kept.isOnHold || sent.erasureDueAt === null) && html`<p>${keptMarkup(kept)}</p>`}
<p><a href="/jobs/${sent.jobAdId}">${texts.seeJob}</a></p></section>
${statusMarkup(kept?.isOnHold ? { ...sent, erasureDueAt: null } : sent, view)}
${readsMarkup(sent, { readDays: view.limits.readDays, canBeUnread })}
${sent.erasedAt === null && contentMarkup(sent, view)}
${withdrawalMarkup(sent, { token: view.withdrawToken, withdrawnDays: view.withdrawnDays })}
<p class="actions"><a class="button second" href="${listPath}">${texts.all}</a> <a href="/jobs">${texts.moreJobs}</a></p>`
}

function doneNotice(done: NonNullable<ReceiptView['done']>): Html {
  if (done === 'withdrawn') return notice('good', statusTexts.withdrawn)
  if (done === 'withdrawn-before') return notice('info', statusTexts.withdrawnBefore)
  if (done === 'replaced') return notice('good', statusTexts.replaced)
  return notice('problem', statusTexts.replacedInfected)
}

/** What was sent; nothing of it is left after an erasure. */
function contentMarkup(sent: SentApplication, view: ReceiptView): Html {
  const { hasScanner, fault, limits, replaceToken: token, canBeUnread } = view
  const kinds = texts.kinds(sizeInWords(limits.fileBytes))
  return html`<section class="card"><h2>${texts.contact}</h2>
<dl class="values facts"><div><dt>${texts.name}</dt><dd>${sent.contact.firstName} ${sent.contact.lastName}</dd></div>
<div class="whole"><dt>${texts.email}</dt><dd>${sent.contact.email}</dd></div>
<div><dt>${texts.phone}</dt><dd>${sent.contact.phone === '' ? texts.noPhone : sent.contact.phone}</dd></div></dl></section>
${sent.primaryJobSeekingInfo && workMarkup(sent.primaryJobSeekingInfo)}
${
  sent.questions.length > 0 &&
  html`<section class="card"><h2>${texts.answers}</h2><dl class="values">${sent.questions.map(answerMarkup)}</dl></section>`
}
<section class="card"><h2>${texts.documents}</h2>
${sent.files.length === 0 && html`<p class="quiet">${texts.noDocuments}</p>`}
${sent.files.length > 0 && html`<ul class="plain">${sent.files.map(file => documentMarkup(sent.applicationId, file, hasScanner))}</ul>`}
${replacementMarkup(sent, { token, fault, kinds, canBeUnread })}</section>`
}

function keptMarkup({ until, isOnHold }: Keeping): Html | string {
  if (isOnHold) return texts.keptForDispute
  return until === null ? texts.keptWithoutEnd : texts.keptUntil(dayElement(Date.parse(until)))
}

/** Names the files whose ending did not match their content. */
function renamedMarkup(files: readonly SentFile[]): Html | false {
  const lines = files.map(({ type, fileName }) => {
    const kind = kindOfName(fileName)
    return kind && html`<p>${texts.renamed(type, kind, fileName)}</p>`
  })
  return files.length > 0 && notice('info', html`${lines}`)
}

function virusMarkup({ files, advertiserName, jobAdId }: SentApplication): Html | false {
  const infected = files.filter(({ scan }) => scan === 'infected')
  const names = infected.map(({ type, fileName }, index) => texts.infectedFile(type, fileName, index === 0))
  return (
    infected.length > 0 &&
    notice(
      'problem',
      html`${texts.virus(names, advertiserName, infected.length === 1)}
<p><a href="/jobs/${jobAdId}/apply">${texts.applyAgain}</a></p>`,
    )
  )
}

function documentMarkup(applicationId: number, file: SentFile, hasScanner: boolean): Html {
  const { type, fileName, contentType, size, scan } = file
  const href = `${receiptPath(applicationId)}/files/${type}`
  const shown = { name: fileName, contentType, href, textHref: `${href}/text`, size }
  return html`<li class="row">${icon('document')}<div>${texts.file(type, fileName)}${fileFacts(file, hasScanner)}</div>
${
  scan !== 'infected' &&
  html`<a class="button second small" href="${href}" download>${icon('download')}${texts.download(fileName)}</a>
<details><summary>${texts.show(fileName)}</summary>${previewBox(shown)}</details>`
}</li>`
}

function workMarkup(info: PrimaryJobSeekingInfo): Html {
  const { jobTitle, companyName, timeInRoleMonths, isNewToWorkForce } = info
  return html`<section class="card"><h2>${texts.job}</h2><dl class="values facts">
${jobTitle !== undefined && html`<div><dt>${texts.jobTitle}</dt><dd>${jobTitle}</dd></div>`}
${companyName !== undefined && html`<div><dt>${texts.company}</dt><dd>${companyName}</dd></div>`}
${timeInRoleMonths !== undefined && html`<div><dt>${texts.months}</dt><dd>${timeInRoleMonths}</dd></div>`}
${isNewToWorkForce && html`<div><dt>${texts.experience}</dt><dd>${texts.isNew}</dd></div>`}</dl></section>`
}

function answerMarkup({ type, text, answers }: ResultQuestion): Html {
  const given = answers.filter(({ selected }) => selected).map(answer => answerInWords(type, answer.text))
  return html`<dt>${text}</dt>${
    given.length === 0
      ? html`<dd class="quiet">${texts.notAnswered}</dd>`
      : given.map(answer => html`<dd>${answer}</dd>`)
  }`
}
