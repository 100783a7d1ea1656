import type { Bench } from './bench.ts'
import type { Step } from './connection.ts'
import { asking, drawnFrom, getRequest, type Target } from './load.ts'
import { exchange, type Pair } from './measure-authorization.ts'
import { bare304, idlePoll } from './measure-polls.ts'
import { type Board, openBoard, submission, usualResume } from './measure-submissions.ts'
import { askAtRate, latenciesOf, type Window } from './open-loop.ts'
import { connections } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import {
  around,
  attachmentLengths,
  attachmentRequest,
  randomPages,
  type Subject,
  usualPage,
} from './subject.ts'

/** Share of the rate that the same connections reach in a closed loop. */
export const shareOfMost = 0.5
/** Submissions a second that go on beside polls and pages. */
export const submissionsBeside = 10
/** The p99 with submissions beside them, against the p99 without. */
const targetBeside = 2

interface Operation {
  name: string
  label: Subject['label']
  target: Target
  prepare?(): Promise<void>
  /** Measured while submissions go on, too, in turn with a floor beside the same submissions. */
  beside?: { submissions: Target; floor: Target; floorName: string }
}

/** Latencies of requests at half of the highest rate, including the slowest. */
export async function measureTails(
  { report, pace }: Bench,
  floor: ServerProcess,
  subjects: readonly Subject[],
  pairs: readonly Pair[],
): Promise<void> {
  const operations: Operation[] = []
  for (const [index, subject] of subjects.entries()) {
    operations.push(...(await operationsOf(subject, floor, (pairs[index] as Pair).ours)))
  }
  for (const [name, ofEach] of Map.groupBy(operations, operation => operation.name)) {
    report.say(`at a fixed rate: ${name}`)
    for (const { label, target, prepare, beside } of ofEach) {
      await prepare?.()
      const { requests, seconds } = await asking(target)({
        connections,
        warmUpMs: pace.brief.firstMs,
        measureMs: pace.brief.measureMs,
        watch: [],
      })
      await prepare?.()
      const rate = Math.max(1, Math.round((requests / seconds) * shareOfMost))
      if (beside === undefined) {
        report.addTail({ name, label, rate, ...latenciesOf([await askAtRate(target, rate, pace.tailMs)]) })
        continue
      }
      const submissions = { target: beside.submissions, perSecond: submissionsBeside }
      const [alone, ours, bare]: [Window[], Window[], Window[]] = [[], [], []]
      for (let round = 0; round < pace.beside.rounds; round++) {
        alone.push(await askAtRate(target, rate, pace.beside.ms))
        ours.push(await askAtRate(target, rate, pace.beside.ms, [submissions]))
        bare.push(await askAtRate(beside.floor, rate, pace.beside.ms, [submissions]))
      }
      const [quiet, tail, floorTail] = [latenciesOf(alone), latenciesOf(ours), latenciesOf(bare)]
      report.addTail({ name, label, rate, ...quiet })
      report.addTail({ name: `${name} with submissions`, label, rate, ...tail })
      report.addTail({ name: `${beside.floorName} with submissions`, label, rate, ...floorTail })
      report.add({
        name: `${name} at half load, ${label}: p99 with submissions against without`,
        value: tail.p99,
        unit: 'ms',
        floor: quiet.p99,
        ratio: tail.p99 / quiet.p99,
        target: targetBeside,
        direction: 'max',
      })
    }
  }
}

async function operationsOf(
  subject: Subject,
  floor: ServerProcess,
  server: Pair['ours'],
): Promise<Operation[]> {
  const { label, service, world } = subject
  const { port } = service
  const { length } = await usualPage(subject, world.large, 'json')
  const poll = await idlePoll(subject)
  const board = await openBoard(subject)
  const submissions: Target = { port, next: submitting(board) }
  const empty = bare304()
  return [
    {
      name: 'idle poll (304)',
      label,
      target: { port, next: () => poll },
      prepare: board.renewToken,
      beside: {
        submissions,
        floor: { port: floor.port, next: () => empty },
        floorName: '304 of a bare server',
      },
    },
    {
      name: 'page of 100, JSON',
      label,
      target: drawnFrom(port, randomPages(world.large, 'json'), around(length)),
      prepare: board.renewToken,
      beside: {
        submissions,
        floor: drawnFrom(floor.port, [getRequest('/json')], around(length)),
        floorName: 'page of a bare server',
      },
    },
    {
      name: 'attachment of 1 MiB',
      label,
      target: drawnFrom(port, [attachmentRequest(world)], attachmentLengths),
    },
    {
      name: 'token exchange',
      label,
      target: { port, next: () => exchange(server, server.codes.take()) },
      prepare: () => server.codes.refill(),
    },
    { name: 'submission with a 100 kB resume', label, target: submissions, prepare: board.renewToken },
  ]
}

function submitting(board: Board): () => Step {
  const resume = usualResume()
  return () => submission(board, resume, false)
}
