/** Shared by the tests of the apply form: a candidate with a browser, who fills it in and sends it. */
import assert from 'node:assert/strict'
import { open } from '../harness/database.ts'
import { type Form, formTo, wordsOf } from '../harness/html-form.ts'
import { type Answer, call, harbour } from '../harness/http.ts'
import { bodyOf, boundary, cookiesOf, type Part } from '../harness/multipart.ts'
import { Browser, doorOf } from '../harness/oauth.ts'
import { storedBlobs } from '../harness/s3.ts'
import type { Service } from '../harness/service.ts'
import type { Services } from '../harness/services.ts'

export const harbourId = 10000001
/** An ad of the demo with all five types of question, and one with none. */
export const baristaAd = 31
export const roasterAd = 32

export const applyPath = (jobAdId: number) => `/jobs/${jobAdId}/apply`
export const listPath = '/account/applications'

/** Answers that pass. */
export const goodAnswers = {
  'question-7001': '90013',
  'question-7002': ['90021', '90023'],
  'question-7003': '90031',
  'question-7004': 'Purge, dose, taste.\r\nThen finer.',
}

export const signedIn = (service: Service, email: string) => Browser.signedIn(doorOf(service), email)

export async function openForm(browser: Browser, jobAdId: number): Promise<Form> {
  const page = await browser.get(applyPath(jobAdId))
  assert.equal(page.status, 200, page.text)
  return formTo(applyPath(jobAdId), page.text)
}

export const fieldOf = (form: Form, name: string) => form.fields.find(([field]) => field === name)?.[1]

export interface FormFile {
  name: string
  content: Buffer | string
}

/** Fields that replace or extend those of the form; a list repeats its field. */
export interface Filling {
  fields?: Record<string, string | readonly string[]>
  files?: Record<string, FormFile>
}

export function partsOf(form: Form, { fields = {}, files = {} }: Filling): Part[] {
  const kept = form.fields.filter(([name]) => fields[name] === undefined)
  const given = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map(each => [name, each] as [string, string]),
  )
  return [
    ...[...kept, ...given].map(([name, content]) => ({ name, content })),
    // Browsers send every file field, chosen or not.
    ...[...new Set(['resumeFile', 'coverLetter', 'selectionCriteria', ...Object.keys(files)])].map(name => ({
      name,
      fileName: files[name]?.name ?? '',
      content: files[name]?.content ?? '',
    })),
  ]
}

export interface Sent {
  status: number
  location: string | null
  text: string
  headers: Headers
}

/** Sends the bytes unchanged; the browser of the harness sends text only. */
export async function sendBody(
  service: Service,
  browser: Browser,
  path: string,
  body: Buffer,
): Promise<Sent> {
  const answer = await fetch(service.baseUrl + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookiesOf(browser), 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: new Uint8Array(body),
  })
  const { status, headers } = answer
  return { status, headers, location: headers.get('location'), text: await answer.text() }
}

export const sendForm = (service: Service, browser: Browser, form: Form, filling: Filling = {}) =>
  sendBody(service, browser, form.action, bodyOf(partsOf(form, filling)))

/** Fills in the form of this ad and sends it; returns the ID of the application. */
export async function apply(
  service: Service,
  browser: Browser,
  jobAdId: number,
  filling: Filling = {},
): Promise<number> {
  return sentId(await sendForm(service, browser, await openForm(browser, jobAdId), filling))
}

export function sentId({ status, headers, text }: Pick<Answer, 'status' | 'headers' | 'text'>): number {
  assert.equal(status, 303, text)
  const location = headers.get('location')
  const [, id] = /^\/account\/applications\/(\d+)(\?repeated=1|\?renamed=[\w,]+)?$/.exec(location ?? '') ?? []
  assert.ok(id !== undefined, `sent to ${location}`)
  return Number(id)
}

/** As version 1 delivers it. */
export async function deliveredToHarbour(service: Service, applicationId: number) {
  const path = `/v1/advertiser/applications?afterid=${applicationId - 1}&beforeid=${applicationId + 1}&include=primaryjobseekinginfo`
  const [application] = (await call(service, path, { headers: harbour })).json().JobApplications
    .JobApplicationsList
  return application
}

/** The lines of the error summary in order: the target of each and its text. */
export function summaryOf(page: string): [field: string, message: string][] {
  const [, alert = ''] = /<div class="problem" role="alert"[^>]*>(.*?)<\/div>/s.exec(page) ?? []
  return [...alert.matchAll(/<a href="#([^"]*)">(.*?)<\/a>/g)].map(([, field = '', message = '']) => [
    field,
    wordsOf(message),
  ])
}

/** Every file of the blob store, incomplete ones included. */
export async function filesKept(service: Service): Promise<string[]> {
  return storedBlobs(service.settings ?? {}).names()
}

/** The same database from this process, for what the advertiser or the scanner does meanwhile. */
export async function behindTheScenes<Result>(
  service: Service,
  act: (services: Services) => Promise<Result>,
): Promise<Result> {
  assert.ok(service.settings !== undefined, 'this test needs a service of its own')
  const services = await open(service.settings)
  try {
    return await act(services)
  } finally {
    await services.close()
  }
}
