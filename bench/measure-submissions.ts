import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type BareSubmission, openBareSubmission, type SubmissionRows } from './bare-submission.ts'
import type { Bench } from './bench.ts'
import { openForBench } from './bench-services.ts'
import { addAgainstFloor, measure } from './comparison.ts'
import type { Step } from './connection.ts'
import { anyOf, askOnce, postRequest } from './load.ts'
import { watchGrowth } from './process-figures.ts'
import { type Contender, connections } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import { placeOf } from './sharing-world.ts'
import { asks, bare, type Subject } from './subject.ts'

const growthTargetMib = 150
const uploadsAtOnce = 50
const quickUploads = 5
const resumeBytes = 100_000
const largeBytes = 10 * 1024 * 1024
/** One per simultaneous client: a ledger row is locked while a submission commits. */
const advertiserCount = connections

/** The target of the submissions. */
export interface Board {
  /** Expires after some minutes. */
  token: string
  advertiserIds: number[]
  renewToken(): Promise<void>
}

/** A few hundred submissions are not enough: compiling the code was still a twelfth of the CPU time. */
const warmUpTimes = 3

/** Submissions through the intake API against the engine's own commits of the same rows and a bare file. */
export async function measureSubmissions(
  { report, pace }: Bench,
  subjects: readonly Subject[],
): Promise<void> {
  const resume = usualResume()
  const floors: BareSubmission[] = []
  try {
    const contenders: Contender[] = []
    for (const subject of subjects) {
      const board = await openBoard(subject)
      const floor = await openFloor(subject, board, resume)
      floors.push(floor)
      contenders.push(
        bare(subject, 'bare commits of a submission and a bare file', floor),
        asks(subject, 'submission', () => submission(board, resume, false)),
        asks(subject, 'submission with a key', () => submission(board, resume, true)),
      )
    }
    const turn = { ...pace.writing, firstMs: warmUpTimes * pace.writing.firstMs }
    const rounds = await measure(report, contenders, turn)
    for (const [index, { label }] of subjects.entries()) {
      const [floor = [], plain = [], keyed = []] = rounds.slice(index * 3)
      const against = `against a bare commit and file, ${label}`
      addAgainstFloor(report, `submission with a 100 kB resume ${against}`, plain, floor, '082')
      addAgainstFloor(report, `the same with an Idempotency-Key ${against}`, keyed, floor)
    }
  } finally {
    for (const floor of floors) await floor.close()
  }
}

/** On its own process, so that its growth is due to the uploads. */
export async function measureUploads(
  { report, pace }: Bench,
  subject: Subject,
  service: ServerProcess,
): Promise<void> {
  const board = await openBoard({ ...subject, service })
  const resume = resumeOf(largeBytes)
  const send = async () => {
    const { request } = submission(board, resume, false)
    const { status, body } = await askOnce(service.port, request, { keepBody: true })
    if (status !== 201) throw new Error(`an upload got ${status}: ${body}`)
  }
  await send()
  const growth = watchGrowth(service.pid)
  try {
    const uploads = pace.isQuick ? quickUploads : uploadsAtOnce
    await Promise.all(Array.from({ length: uploads }, send))
    report.add({
      name: `${uploads} uploads of 10 MiB at once, ${subject.label}: growth of the process`,
      value: growth.readMib(),
      unit: 'MiB',
      target: growthTargetMib,
      direction: 'max',
    })
  } finally {
    growth.stop()
  }
}

/** A new client, and advertisers to which it may send applications. */
export async function openBoard({
  settings,
  service,
}: Pick<Subject, 'settings' | 'service'>): Promise<Board> {
  await using services = await openForBench(settings)
  const advertiserIds: number[] = []
  for (let count = 0; count < advertiserCount; count++) {
    advertiserIds.push((await services.advertisers.add(`Advertiser ${count}`)).id)
  }
  const { client, secret } = await services.clients.add({
    id: `board-${randomUUID().slice(0, 8)}`,
    name: 'Bench board',
    redirectUris: [],
    agentId: null,
    requirePkce: false,
    scopes: ['w_applications'],
    advertiserIds,
  })
  const board: Board = {
    token: '',
    advertiserIds,
    async renewToken() {
      const answer = await fetch(`http://127.0.0.1:${service.port}/api/iam/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${client.id}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'w_applications' }),
      })
      board.token = ((await answer.json()) as { access_token: string }).access_token
    },
  }
  await board.renewToken()
  return board
}

/** One real submission, checked, is the model of the bare ones. */
async function openFloor(subject: Subject, board: Board, resume: Buffer): Promise<BareSubmission> {
  const { request } = submission(board, resume, false)
  const { status, body } = await askOnce(subject.service.port, request, { keepBody: true })
  if (status !== 201) throw new Error(`a submission on ${subject.label} got ${status}: ${body}`)
  const { id } = JSON.parse(body.toString()) as { id: number }
  return openBareSubmission(placeOf(subject.settings), {
    folder: join(subject.settings['DATA_DIR'] ?? '', 'bare'),
    file: resume,
    rows: await rowsOf(subject, id),
    advertiserId: () => anyOf(board.advertiserIds),
    connections,
  })
}

async function rowsOf({ settings }: Subject, id: number): Promise<SubmissionRows> {
  await using services = await openForBench(settings)
  const { reader } = services.database
  const rows = {
    applications: await reader.selectFrom('applications').selectAll().where('id', '=', id).execute(),
    application_files: await reader
      .selectFrom('application_files')
      .selectAll()
      .where('application_id', '=', id)
      .execute(),
    application_pieces: await reader
      .selectFrom('application_pieces')
      .selectAll()
      .where('id', '=', id)
      .execute(),
    application_terms: await reader
      .selectFrom('application_terms')
      .selectAll()
      .where('application_id', '=', id)
      .execute(),
  }
  const { application_files: files, application_pieces: pieces, application_terms: terms } = rows
  if (files[0]?.size !== resumeBytes || pieces.length !== 2 || terms.length === 0) {
    throw new Error('a submission did not leave behind what it should')
  }
  return rows
}

export function submission(
  { token, advertiserIds }: Pick<Board, 'token' | 'advertiserIds'>,
  resume: Buffer,
  hasKey: boolean,
): Step {
  const application = JSON.stringify({
    advertiserId: anyOf(advertiserIds),
    jobReference: 'REF-2026-0042',
    jobSeekerId: randomUUID(),
    contact: { email: 'casey.lee@example.com', firstName: 'Casey', lastName: 'Lee', phone: '0491 570 156' },
    primaryJobSeekingInfo: { jobTitle: 'Barista', companyName: 'Dock Espresso', isNewToWorkForce: false },
  })
  const boundary = randomUUID()
  const part = (head: string, type: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\nContent-Type: ${type}\r\n\r\n`
  const before = `${part('name="application"', 'application/json')}${application}\r\n${part('name="resume"; filename="Casey Lee.pdf"', 'application/pdf')}`
  const body = Buffer.concat([Buffer.from(before), resume, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const request = postRequest('/v1/intake/applications', body, {
    Authorization: `Bearer ${token}`,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    ...(hasKey ? { 'Idempotency-Key': randomUUID() } : {}),
  })
  return { request, status: 201, minBytes: 20, maxBytes: 2_000 }
}

export const usualResume = () => resumeOf(resumeBytes)

/** Most resumes are PDFs, which hardly compress either. */
function resumeOf(bytes: number): Buffer {
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes)]).subarray(0, bytes)
}
