import { Browser, doorOf } from '../test/harness/oauth.ts'
import type { Bench } from './bench.ts'
import type { Step } from './connection.ts'
import { askOnce, drawnFrom, getRequest } from './load.ts'
import { authorize } from './measure-authorization.ts'
import { feedRequest, issue } from './measure-events.ts'
import { idlePoll } from './measure-polls.ts'
import { lengthOfAnswer, prefill } from './measure-prefill.ts'
import { openBoard, submission, usualResume } from './measure-submissions.ts'
import { addPageWorld, useSecondFactor } from './page-world.ts'
import { asAuthorizationServer, openSharingWorld, type Person } from './sharing-world.ts'
import {
  around,
  attachmentLengths,
  attachmentRequest,
  randomPages,
  type Subject,
  usualPage,
} from './subject.ts'

export interface MixedStep extends Step {
  kind: string
}

interface Kind {
  name: string
  next(): Step
}

/** Requests of all kinds, in fixed shares. */
export interface Mix {
  next(): MixedStep
  /** What expires in a long soak. */
  renew(): Promise<void>
}

/** Of a hundred requests. */
export const soakShares: Readonly<Record<string, number>> = {
  'idle poll (304)': 50,
  'page of 100, JSON': 18,
  'page of the feed': 15,
  'attachment of 1 MiB': 4,
  'submission with a 100 kB resume': 2,
  'full flow': 4,
  prefill: 4,
  'page of the console': 3,
}

/** `counts`: how many of each kind come before the same order begins again. */
export async function openMix(
  { cleanup }: Bench,
  subject: Subject,
  counts: Readonly<Record<string, number>>,
): Promise<Mix> {
  const { service, world } = subject
  const { port } = service
  const sharing = await cleanup.own(openSharingWorld(subject), opened => opened.writer.close())
  const server = asAuthorizationServer(subject, sharing)
  const prefillBytes = await lengthOfAnswer(subject, sharing)
  const page = await usualPage(subject, world.large, 'json')
  const board = await openBoard(subject)
  const feed = await openFeed(subject, board.advertiserIds[0] ?? 0)
  const resume = usualResume()
  let serial = 0
  const person = () => sharing.people[serial++ % sharing.people.length] as Person
  const pages = randomPages(world.large, 'json')
  const kinds: Kind[] = [
    { name: 'page of 100, JSON', next: drawnFrom(port, pages, around(page.length)).next },
    { name: 'page of the feed', next: feed.next },
    {
      name: 'attachment of 1 MiB',
      next: drawnFrom(port, [attachmentRequest(world)], attachmentLengths).next,
    },
    { name: 'submission with a 100 kB resume', next: () => submission(board, resume, true) },
    { name: 'full flow', next: () => authorize(server) },
    { name: 'prefill', next: () => prefill(subject, person(), prefillBytes) },
    { name: 'page of the console', next: await consolePages(subject) },
  ]
  // After the page world, which adds an application to the list that is polled.
  const poll = await idlePoll(subject)
  kinds.unshift({ name: 'idle poll (304)', next: () => poll })
  const deck = shuffled(
    kinds.flatMap(kind => Array.from({ length: Math.round(counts[kind.name] ?? 0) }, () => kind)),
  )
  let position = 0
  return {
    next() {
      const { name, next } = deck[position++ % deck.length] as Kind
      return { ...next(), kind: name }
    },
    async renew() {
      await board.renewToken()
      await feed.renew()
    },
  }
}

/** Reads what has happened since the last renewal: up to a page, because submissions go on. */
async function openFeed(subject: Subject, advertiserId: number) {
  const credential = await issue(subject, advertiserId)
  const lengths = { status: 200, minBytes: 60, maxBytes: 200_000 }
  let step: Step = { request: feedRequest({ credential }, ''), ...lengths }
  return {
    next: () => step,
    async renew() {
      const request = feedRequest({ credential }, '')
      const { body } = await askOnce(subject.service.port, request, { keepBody: true })
      const { cursor } = JSON.parse(body.toString())
      step = { request: feedRequest({ credential }, `?limit=100&cursor=${cursor}`), ...lengths }
    },
  }
}

/** As an admin of the advertiser with the large list. */
async function consolePages(subject: Subject): Promise<() => Step> {
  const { port } = subject.service
  const { email, password, parameters } = await addPageWorld(subject)
  const browser = new Browser(doorOf({ baseUrl: `http://127.0.0.1:${port}` }))
  await browser.signIn(email, password)
  await useSecondFactor(subject.settings)
  const console = `/console/${parameters['advertiserId']}`
  const applications = `${console}/applications`
  const headers = { Accept: 'text/html', Cookie: `dossier-session=${browser.session}` }
  const requests = [
    console,
    applications,
    `${applications}?q=smith`,
    `${console}/jobs`,
    `${applications}/${parameters['applicationId']}`,
  ].map(path => getRequest(path, headers))
  return drawnFrom(port, requests, { minBytes: 2_000, maxBytes: 300_000 }).next
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map(value => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}
