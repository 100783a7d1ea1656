import { type BarePrefill, openBarePrefill, type PrefillFields } from './bare-prefill.ts'
import type { Bench } from './bench.ts'
import { addAgainstFloor, measure } from './comparison.ts'
import type { Step } from './connection.ts'
import { anyOf, askOnce, postRequest } from './load.ts'
import { type Contender, connections } from './rounds.ts'
import { type Person, placeOf, type SharingWorld } from './sharing-world.ts'
import { asks, bare, type Subject } from './subject.ts'

export interface SharingSubject {
  subject: Subject
  sharing: SharingWorld
}

/** A service, with the advertiser that prefilled applications go to. */
type Recipient = Pick<Subject, 'label' | 'service'> & { world: { large: { advertiserId: number } } }

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
      const bytes = await lengthOfAnswer(subject, sharing)
      contenders.push(
        bare(subject, 'bare commits of a prefill', floor),
        asks(subject, 'prefill', () => prefill(subject, anyOf(sharing.people), bytes)),
      )
    }
    const rounds = await measure(report, contenders, pace.writing)
    for (const [index, { subject }] of subjects.entries()) {
      const [floor = [], ours = []] = rounds.slice(index * 2)
      const { label } = subject
      addAgainstFloor(report, `prefill against bare commits, ${label}`, ours, floor, '082')
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
export async function lengthOfAnswer(subject: Recipient, { people }: SharingWorld): Promise<number> {
  const { request } = prefill(subject, anyOf(people), 0)
  const { status, body } = await askOnce(subject.service.port, request, { keepBody: true })
  const answer = JSON.parse(body.toString())
  if (status !== 200 || !answer.applicantInfo?.phoneNumber || !answer.resume?.link) {
    throw new Error(`a prefill on ${subject.label} got ${status}: ${body}`)
  }
  return body.length
}

export function prefill({ world }: Pick<Recipient, 'world'>, { token }: Person, bytes: number): Step {
  const body = JSON.stringify({ advertiserId: String(world.large.advertiserId), ...newFields() })
  const request = postRequest('/v2/applications/prefilled', body, {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json',
  })
  return { request, status: 200, minBytes: bytes, maxBytes: bytes }
}
