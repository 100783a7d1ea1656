import { randomUUID } from 'node:crypto'
import { demoCandidates } from '../src/demo/world/world.ts'
import { hashSecret, newSecret } from '../src/platform/core/secrets.ts'
import { formTo } from '../test/harness/html-form.ts'
import { bodyOf } from '../test/harness/multipart.ts'
import type { Step } from './connection.ts'
import { askOnce, getRequest, postRequest } from './load.ts'
import { connections } from './rounds.ts'
import { openRowWriter, type Place } from './row-writer.ts'

/** Open forms at the begin of a turn: more than are sent in it. */
const formsPerTurn = 1_500
/** So many that none applies for the same job again and again. */
const candidateCount = 2_000
const dayMs = 86_400_000

/** Signed-in candidates, each with the form of a job open. */
export interface ApplyingWorld {
  /** Opens forms on the real page, with their tokens and keys. */
  refill(): Promise<void>
  /** Sends one of them. */
  send(): Step
}

/**
 * Adds companies with a job each, and candidates with a session, beside a service that has just started. Only columns
 * that every release has are written, because the service may be that of another checkout.
 */
export async function openApplyingWorld(port: number, place: Place, resume: Buffer): Promise<ApplyingWorld> {
  const now = Date.now()
  // One company per simultaneous candidate: its ledger row is locked while an application commits.
  const advertiserIds = Array.from({ length: connections }, (_, index) => 70_000_001 + index)
  const candidates = Array.from({ length: candidateCount }, () => ({
    id: randomUUID(),
    session: newSecret('session'),
  }))
  const [model] = demoCandidates
  const writer = await openRowWriter(place)
  try {
    await writer.insert(
      'advertisers',
      advertiserIds.map(id => ({ id, name: `Company ${id}`, status: 'active', created_at: now })),
    )
    await writer.insert(
      'advertiser_ledger',
      advertiserIds.map(id => ({ advertiser_id: id, last_submitted_at: 0, version: 0 })),
    )
    await writer.insert(
      'job_ads',
      advertiserIds.map(id => ({
        advertiser_id: id,
        id,
        title: 'Barista',
        location: 'Hobart',
        description: 'Coffee, every day.',
        reference: 'REF-2026-0042',
        status: 'open',
        created_at: now,
        updated_at: now,
        search_text: '',
      })),
    )
    await writer.insert(
      'candidates',
      candidates.map(({ id }, index) => ({
        id,
        email: `candidate.${index}@example.com`,
        email_confirmed_at: now,
        password_hash: 'unused',
        first_name: 'Casey',
        last_name: 'Lee',
        profile: JSON.stringify(model?.profile),
        created_at: now,
      })),
    )
    await writer.insert(
      'sessions',
      candidates.map(({ id, session }) => ({
        hash: hashSecret(session),
        id: randomUUID(),
        candidate_id: id,
        browser: 'Firefox on Linux',
        created_at: now,
        last_used_at: now,
        expires_at: now + dayMs,
      })),
    )
    await writer.settle()
  } finally {
    await writer.close()
  }

  let opened = 0
  /** Returns how to send it: the bodies of all of them would fill the memory. */
  async function openForm(): Promise<() => Step> {
    const turn = opened++
    const path = `/jobs/${advertiserIds[turn % advertiserIds.length]}/apply`
    const cookie = { Cookie: `dossier-session=${candidates[turn % candidates.length]?.session}` }
    const page = await askOnce(port, getRequest(path, cookie), { keepBody: true })
    const { fields } = formTo(path, page.body.toString())
    const kept = fields.filter(([name]) => name !== 'resume').map(([name, content]) => ({ name, content }))
    return () => {
      const boundary = randomUUID()
      const body = bodyOf(
        [
          ...kept,
          { name: 'resume', content: 'upload' },
          { name: 'resumeFile', fileName: 'Casey Lee.pdf', type: 'application/pdf', content: resume },
          // Browsers send every file field, chosen or not.
          ...['coverLetter', 'selectionCriteria'].map(name => ({ name, fileName: '', content: '' })),
        ],
        boundary,
      )
      const type = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }
      const request = postRequest(path, body, { ...cookie, ...type })
      return { request, status: 303, minBytes: 0, maxBytes: 2_000 }
    }
  }

  const forms: (() => Step)[] = []
  return {
    async refill() {
      while (forms.length < formsPerTurn) {
        forms.push(...(await Promise.all(Array.from({ length: connections }, openForm))))
      }
    },
    send() {
      const form = forms.pop()
      if (form === undefined) throw new Error(`more than ${formsPerTurn} forms were sent in one turn`)
      return form()
    },
  }
}
