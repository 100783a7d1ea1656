import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import type { SentApplication } from '../../apply/form/own-application.ts'
import { formsOf } from '../../platform/web/forms.ts'
import { html } from '../../platform/web/html.ts'
import { defaultLimits } from '../../settings-limits.ts'
import { applicationListMarkup } from './applications-pages.ts'
import { receiptMarkup } from './receipt-markup.ts'

test('right-to-left names do not reorder the text beside them', () => {
  const turned = (text: string) => `${text}\u2069\u202E`
  const sent: SentApplication = {
    applicationId: 1,
    submittedAt: 0,
    advertiserId: 10000001,
    jobAdId: 2,
    jobTitle: turned('Cook'),
    jobLocation: turned('Perth'),
    advertiserName: turned('Dock'),
    contact: { firstName: 'Mary', lastName: turned('Nguyen'), email: 'mary@example.com', phone: '' },
    files: [{ type: 'resume', fileName: turned('cv'), contentType: 'text/plain', size: 0, scan: 'infected' }],
    hasAnswers: false,
    hasWork: false,
    primaryJobSeekingInfo: undefined,
    questions: [],
    status: 'new',
    erasedAt: null,
    firstReadAt: 5,
    logoHash: 'abc',
    erasureDueAt: null,
    privacyNotice: null,
    seenAd: null,
    history: [],
    reads: [],
  }
  const entry = { kind: 'here', at: 0, id: '1', here: sent } as const
  const shown = { hasMore: false, isContinued: false, hasScanner: true }
  const list = applicationListMarkup([entry], shown).text
  assert.match(list, /<bdi>Cook<\/bdi>.*<span>at <bdi>Dock<\/bdi><\/span>.*Resume: <bdi>cv<\/bdi>/s)
  assert.match(
    list,
    /<img class="avatar" src="[^"]*abc[^"]*".*sent on <time.*, first read on <time.*, reference number 1</s,
  )
  const forms = {
    canBeUnread: true,
    isDone: false,
    isRefused: false,
    ...formsOf({ formToken: () => '' }, {} as FastifyReply),
    adVersionMarkup: () => html``,
    withdrawnDays: 30,
    limits: defaultLimits,
  }
  const kept = { until: '2027-11-14', isOnHold: false, keptUntil: null }
  const shownAs = { ...forms, kept, isRepeated: false, isNew: true, hasScanner: true, renamed: ['resume'] }
  const receipt = receiptMarkup(sent, shownAs).text
  assert.match(receipt, /<p><bdi>Dock<\/bdi>, <bdi>Perth<\/bdi><\/p>/)
  assert.match(receipt, /resume <strong><bdi>cv<\/bdi><\/strong>\. <bdi>Dock<\/bdi> has/)
  // Shown once, right after sending.
  assert.match(receipt, /class="notice good".*Application sent to <bdi>Dock/s)
  const later = receiptMarkup(sent, { ...shownAs, isNew: false, renamed: [] }).text
  assert.match(later, /<bdi>Dock<\/bdi> has received your application and hasn’t opened it yet/)
  assert.doesNotMatch(later, /class="notice/)
  assert.match(later, /First read.*No one has read it yet/s)
  const old = receiptMarkup(
    { ...sent, status: 'seen', firstReadAt: null },
    { ...shownAs, canBeUnread: false },
  ).text
  assert.match(old, /has opened your application.*No one has read it in the last 365 days/s)
  assert.doesNotMatch(old, /First read|yet/)
  // Text alone on its line needs no isolation.
  for (const page of [list, receipt.replaceAll(/<dd>[^<]*/g, '')]) assert.doesNotMatch(page, /[\u2069\u202E]/)
})
