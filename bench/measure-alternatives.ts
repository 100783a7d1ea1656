import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { addAgainstPeer, measure } from './comparison.ts'
import type { Step } from './connection.ts'
import type { Account } from './fill.ts'
import { asking, askOnce, postRequest } from './load.ts'
import { openBoard, submission, usualResume } from './measure-submissions.ts'
import { installOnDemand } from './on-demand.ts'
import type { Contender } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import { around, asks, asksFor, pageSize, randomPages, type Subject, usualPage } from './subject.ts'

export const postGraphileVersion = '5.1.5'
export const multipartVersion = '10.1.7'
/** A little below the lowest ratio of the last runs, so that a loss shows. */
const postGraphileTarget = 12
const multipartTargets = { SQLite: 0.33, PostgreSQL: 0.17 }
/** PostGraphile has no page in memory, so these are as good as all of them. */
const walkedPages = 200

/** What people would use if there were no service: a package that serves tables, and a few lines that store a file. */
export async function measureAlternatives(bench: Bench, subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects)
    if (subject.label === 'PostgreSQL') await measurePostGraphile(bench, subject)
  await measureMultipart(bench, subjects)
}

/** Pages of the same rows, over the same tables. */
async function measurePostGraphile({ report, pace, startScript }: Bench, subject: Subject): Promise<void> {
  report.say(`PostGraphile ${postGraphileVersion}`)
  const installed = await installOnDemand('postgraphile', postGraphileVersion)
  if (installed === undefined) {
    report.say('PostGraphile cannot be installed: lists are not measured against it')
    return
  }
  const { large } = subject.world
  const args = [installed, subject.settings['DATABASE_URL'] ?? '']
  const production = { NODE_ENV: 'production', GRAPHILE_ENV: 'production' }
  const theirs = await startScript('postgraphile-server', args, production)
  const pages = await walk(theirs, large)
  const { length } = await usualPage(subject, large, 'json')
  let serial = 0
  const contenders: Contender[] = [
    asksFor(subject, 'random pages', randomPages(large, 'json'), around(length)),
    asks(subject, 'PostGraphile', () => pages[serial++ % pages.length] as Step, theirs),
  ]
  const [ours = [], others = []] = await measure(report, contenders, pace.reading)
  const name = `page of 100, JSON, against PostGraphile, ${subject.label}`
  addAgainstPeer(report, name, ours, others, postGraphileTarget)
  await theirs.stop()
}

const pageQuery = `query Page($advertiser: BigInt!, $after: Cursor) {
  allApplications(condition: { advertiserId: $advertiser }, first: ${pageSize}, after: $after, orderBy: [PRIMARY_KEY_ASC]) {
    nodes {
      rowId submittedAt email firstName lastName phone jobSeekerId jobReference
      applicationFilesByAdvertiserIdAndApplicationId { nodes { type sha256 size scan uploadedAt } }
      applicationScreenByAdvertiserIdAndApplicationId { sha256 size }
    }
    pageInfo { endCursor }
  }
}`

/** Only PostGraphile knows its cursors: reads pages one after the other, checks them, and repeats them later. */
async function walk({ port }: ServerProcess, { advertiserId, ids }: Account): Promise<Step[]> {
  const steps: Step[] = []
  let after: string | null = null
  const count = Math.min(walkedPages, Math.floor(ids.length / pageSize))
  while (steps.length < count) {
    const body = JSON.stringify({ query: pageQuery, variables: { advertiser: String(advertiserId), after } })
    const request = postRequest('/graphql', body, {
      'Content-Type': 'application/json',
      Accept: 'application/json',
    })
    const answer = await askOnce(port, request, { keepBody: true })
    const { data, errors }: Answered = JSON.parse(answer.body.toString())
    const { nodes = [], pageInfo } = data?.allApplications ?? {}
    const wanted = ids.slice(steps.length * pageSize, (steps.length + 1) * pageSize)
    if (nodes.map(({ rowId }) => Number(rowId)).join() !== wanted.join()) {
      throw new Error(`PostGraphile answered ${answer.status}: ${JSON.stringify(errors ?? nodes[0])}`)
    }
    steps.push({ request, status: 200, ...around(answer.body.length) })
    after = pageInfo?.endCursor ?? null
  }
  return steps
}

interface Answered {
  data?: { allApplications?: { nodes: { rowId: string }[]; pageInfo: { endCursor: string } } }
  errors?: unknown
}

/** The same form with the same resume. */
async function measureMultipart(
  { report, pace, folder, startScript }: Bench,
  subjects: readonly Subject[],
): Promise<void> {
  const installed = await installOnDemand('@fastify/multipart', multipartVersion)
  if (installed === undefined) {
    report.say('@fastify/multipart cannot be installed: submissions are not measured against it')
    return
  }
  const files = join(folder, 'multipart')
  await mkdir(files, { recursive: true })
  const theirs = await startScript('upload-server', [installed, files])
  const resume = usualResume()
  const form = { token: '', advertiserIds: [1] }
  const contenders: Contender[] = [
    {
      name: '@fastify/multipart to disk',
      load: asking({ port: theirs.port, next: () => submission(form, resume, false) }),
      serverPid: theirs.pid,
    },
  ]
  for (const subject of subjects) {
    const board = await openBoard(subject)
    contenders.push(asks(subject, 'submission', () => submission(board, resume, false)))
  }
  const [others = [], ...ours] = await measure(report, contenders, pace.writing)
  for (const [index, { label }] of subjects.entries()) {
    const name = `submission with a 100 kB resume against @fastify/multipart to disk, ${label}`
    addAgainstPeer(report, name, ours[index] ?? [], others, multipartTargets[label])
  }
  await theirs.stop()
}
