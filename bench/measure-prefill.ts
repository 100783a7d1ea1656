import { type BarePrefill, openBarePrefill, type PrefillFields } from './bare-prefill.ts'
import type { Bench } from './bench.ts'
import { addAgainstFloor, measure } from './comparison.ts'
import type { Step } from './connection.ts'
import { asking, askOnce, postRequest } from './load.ts'
import { type Contender, connections } from './rounds.ts'
import { type Person, placeOf, type SharingWorld } from './sharing-world.ts'
import type { Subject } from './subject.ts'

const targets = { SQLite: 0.8, PostgreSQL: 0.7 }

export interface SharingSubject {
  subject: Subject
  sharing: SharingWorld
}

let serial = 0

/** A new form each time, and so a new application each time. */
function newFields(): PrefillFields {
  const number = ++serial
  return {
    applicationFormUrl: `https://ats.example.com/careers/apply/${number}`,
    positionTitle: 'Night Shift Supervisor',
    positionUri: `https://ats.example.com/careers/${number % 400}`,
    positionReference: `REF-2026-${number % 400}`,
    countryCode: 'AU',
    postalCode: '2000',
  }
}

/** Prefills against the engine's own durable commits of the same rows. */
export async function measurePrefill(
  { report, pace }: Bench,
  subjects: readonly SharingSubject[],
): Promise<void> {
  const floors: BarePrefill[] = []
  try {
    const contenders: Contender[] = []
    for (const { subject, sharing } of subjects) {
      const floor = await openFloor(subject, sharing)
      floors.push(floor)
      const behindPid = subject.databasePid
      const bytes = await lengthOfAnswer(subject, sharing)
      contenders.push(
        { name: `bare commits of a prefill, ${subject.label}`, load: floor.load, behindPid },
        {
          name: `prefill, ${subject.label}`,
          load: asking({
            port: subject.service.port,
            next: () => prefill(subject, anyOf(sharing.people), bytes),
          }),
          serverPid: subject.service.pid,
          behindPid,
        },
      )
    }
    const rounds = await measure(report, contenders, pace.writing)
    for (const [index, { subject }] of subjects.entries()) {
      const [bare = [], ours = []] = rounds.slice(index * 2)
      const { label } = subject
      addAgainstFloor(report, `prefill against bare commits, ${label}`, ours, bare, targets[label])
    }
  } finally {
    for (const floor of floors) await floor.close()
  }
}

function openFloor({ settings, world }: Subject, { client, people }: SharingWorld): Promise<BarePrefill> {
  const source = {
    clientId: client.id,
    advertiserId: world.large.advertiserId,
    person: () => anyOf(people),
    fields: newFields,
  }
  return openBarePrefill(placeOf(settings), source, connections)
}

/** Checks one of them: it must release everything there is. */
export async function lengthOfAnswer(subject: Subject, { people }: SharingWorld): Promise<number> {
  const { request } = prefill(subject, anyOf(people), 0)
  const { status, body } = await askOnce(subject.service.port, request, { keepBody: true })
  const answer = JSON.parse(body.toString())
  if (status !== 200 || !answer.applicantInfo?.phoneNumber || !answer.resume?.link) {
    throw new Error(`a prefill on ${subject.label} got ${status}: ${body}`)
  }
  return body.length
}

export function prefill({ world }: Subject, { token }: Person, bytes: number): Step {
  const body = JSON.stringify({ advertiserId: String(world.large.advertiserId), ...newFields() })
  const request = postRequest('/v2/applications/prefilled', body, {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json',
  })
  return { request, status: 200, minBytes: bytes, maxBytes: bytes }
}

function anyOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T
}
