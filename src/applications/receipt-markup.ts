import { sizeInWords } from '../core/size-in-words.ts'
import { type Html, html } from '../web/html.ts'
import { theirs } from '../web/their-words.ts'
import { timeElement } from '../web/time.ts'
import type { ListedApplication, Position, SentApplication, SentFile } from './applying-ports.ts'
import type { FileType, PrimaryJobSeekingInfo, ScreenQuestion } from './rules.ts'

export const listPath = '/account/applications'

export const receiptPath = (applicationId: number, isRepeated = false) =>
  `${listPath}/${applicationId}${isRepeated ? '?repeated=1' : ''}`

const fileLabels: Record<FileType, string> = {
  resume: 'Resume',
  coverLetter: 'Cover letter',
  selectionCriteria: 'Selection criteria',
}

const scanWords: Record<SentFile['scan'], string> = {
  unscanned: 'not checked for viruses yet',
  clean: 'no virus found',
  infected: 'a virus was found: the advertiser gets no content of it',
}

/** The content of an infected file is gone, so that its size says nothing. */
function fileFacts({ size, scan }: SentFile): Html {
  return scan === 'infected'
    ? html`<span class="fault">${scanWords[scan]}</span>`
    : html`<span class="hint">${sizeInWords(size)}, ${scanWords[scan]}</span>`
}

/** What was sent, in the candidate's own words; how the questionnaire came out is not for the candidate. */
export function receiptMarkup(sent: SentApplication, isRepeated: boolean): Html {
  return html`${isRepeated ? repeatedNotice : html`<p class="notice" role="status">Your application is with ${theirs(sent.advertiserName)}. This is what you sent.</p>`}
${virusMarkup(sent)}
<section class="card"><h2>${theirs(sent.jobTitle)}</h2>
<p>${theirs(sent.advertiserName)}, ${theirs(sent.jobLocation)}</p>
<dl class="values"><dt>Sent</dt><dd>${timeElement(sent.submittedAt)}</dd>
<dt>Reference number</dt><dd>${sent.applicationId}</dd></dl></section>
<section class="card"><h2>Contact details</h2>
<dl class="values"><dt>Name</dt><dd>${sent.contact.firstName} ${sent.contact.lastName}</dd>
<dt>E-mail address</dt><dd>${sent.contact.email}</dd>
<dt>Phone</dt><dd>${sent.contact.phone === '' ? 'none given' : sent.contact.phone}</dd></dl></section>
<section class="card"><h2>Documents</h2>
${
  sent.files.length === 0
    ? html`<p class="quiet">You sent no documents.</p>`
    : html`<dl class="values">${sent.files.map(file => html`<dt>${fileLabels[file.type]}</dt><dd>${file.fileName}${fileFacts(file)}</dd>`)}</dl>`
}</section>
${sent.primaryJobSeekingInfo && workMarkup(sent.primaryJobSeekingInfo)}
${
  sent.questions.length > 0 &&
  html`<section class="card"><h2>Your answers</h2><dl class="values">${sent.questions.map(answerMarkup)}</dl></section>`
}
<p class="actions"><a class="button second" href="${listPath}">All your applications</a> <a href="/jobs">More jobs</a></p>`
}

const repeatedNotice = html`<div class="notice" role="status"><p><strong>This form had been sent already.</strong> There is one application, and it is as
you see it here; what was changed in the form since then is not in it. To send another one, open the job again.</p></div>`

function virusMarkup({ files, advertiserName, jobAdId }: SentApplication): Html | false {
  const infected = files.filter(({ scan }) => scan === 'infected')
  const names = infected.map(
    ({ type, fileName }, index) =>
      html`${index > 0 && ' and '}${fileLabels[type].toLowerCase()} <strong>${theirs(fileName)}</strong>`,
  )
  return (
    infected.length > 0 &&
    html`<div class="problem" role="alert"><p>A virus was found in your ${names}. ${theirs(advertiserName)} has your application, but gets no content of
${infected.length === 1 ? 'this file' : 'these files'}, and we have not kept it.</p>
<p><a href="/jobs/${jobAdId}/apply">Apply again with a clean copy</a></p></div>`
  )
}

function workMarkup(info: PrimaryJobSeekingInfo): Html {
  const { jobTitle, companyName, timeInRoleMonths, isNewToWorkForce } = info
  return html`<section class="card"><h2>Your current or latest job</h2><dl class="values">
${jobTitle !== undefined && html`<dt>Job title</dt><dd>${jobTitle}</dd>`}
${companyName !== undefined && html`<dt>Company</dt><dd>${companyName}</dd>`}
${timeInRoleMonths !== undefined && html`<dt>Months in this job</dt><dd>${timeInRoleMonths}</dd>`}
${isNewToWorkForce && html`<dt>Experience</dt><dd>New to the workforce</dd>`}</dl></section>`
}

function answerMarkup({ text, answers }: ScreenQuestion): Html {
  const given = answers.filter(({ selected }) => selected).map(answer => answer.text)
  return html`<dt>${text}</dt>${
    given.length === 0
      ? html`<dd class="quiet">Not answered</dd>`
      : given.map(answer => html`<dd>${answer}</dd>`)
  }`
}

/** Newest first. */
export function applicationListMarkup(
  applications: readonly ListedApplication[],
  { hasMore, isContinued }: { hasMore: boolean; isContinued: boolean },
): Html {
  const last = applications.at(-1)
  if (last === undefined) {
    return html`<section class="card"><p>${isContinued ? 'Nothing older.' : 'You have not applied for a job here yet. Whatever you send is listed here, so that you can look it up when the advertiser calls.'}</p>
<p class="actions"><a class="button" href="/jobs">Look at the open jobs</a></p></section>`
  }
  return html`<ul class="plain card">${applications.map(listedMarkup)}</ul>
${isContinued && html`<p><a href="${listPath}">Newest first</a></p>`}
${hasMore && html`<p><a href="${listPath}?before=${positionText(last)}">Older</a></p>`}`
}

function listedMarkup(application: ListedApplication): Html {
  const { applicationId, jobTitle, advertiserName, submittedAt, files } = application
  return html`<li><a href="${receiptPath(applicationId)}"><strong>${theirs(jobTitle)}</strong></a>
<span>at ${theirs(advertiserName)}</span>
<span class="hint">sent on ${timeElement(submittedAt)}, reference number ${applicationId}</span>
${
  files.length > 0 &&
  html`<ul class="files">${files.map(file => html`<li>${fileLabels[file.type]}: ${theirs(file.fileName)}${fileFacts(file)}</li>`)}</ul>`
}</li>`
}

const positionText = ({ submittedAt, applicationId }: Position) => `${submittedAt}.${applicationId}`

/** Where the page before ended; whatever cannot be read begins anew. */
export function readPosition(text: string | undefined): Position | undefined {
  const [, at, id] = /^(\d{1,15})\.([1-9]\d{0,15})$/.exec(text ?? '') ?? []
  const position = { submittedAt: Number(at), applicationId: Number(id) }
  return id !== undefined && Number.isSafeInteger(position.applicationId) ? position : undefined
}
