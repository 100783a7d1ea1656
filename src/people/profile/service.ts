import type { Clock } from '../../core/clock.ts'
import { invalidField } from '../../core/fields.ts'
import { isUuid, newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { BlobStore, ByteRange, FileReceiver, UploadedFile } from '../../files/ports.ts'
import { assertNotSwept } from '../../files/upload-age.ts'
import type { Limits } from '../../limits.ts'
import type { Candidate, Resume } from '../../model/candidate.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import { applyChange, type Changed, type ProfileChange } from './change.ts'
import type { ProfileLimits } from './check.ts'
import type { CandidateStore } from './ports.ts'

export interface ProfilesDeps {
  store: CandidateStore
  files: FileReceiver
  blobs: Pick<BlobStore, 'open'>
  clock: Clock
  limits: ProfileLimits & Pick<Limits, 'resumes' | 'cleanUpWindowSeconds'>
}

export type Profiles = ReturnType<typeof createProfiles>

export interface OpenedResume {
  resume: Resume
  open(range?: ByteRange): Promise<NodeJS.ReadableStream>
}

/** The upload field, at which all errors about a file are shown. */
const fileField = 'file'

/** The profile and resumes of a candidate, changed only by the candidate. */
export function createProfiles({ store, files, blobs, clock, limits }: ProfilesDeps) {
  async function find(candidateId: string): Promise<Candidate> {
    const candidate = await store.find(candidateId)
    if (candidate === undefined) throw new Problem('not-found')
    return candidate
  }

  /** Applies one change to the profile as it is now. Stores nothing if it has errors or is stale. */
  async function change(candidateId: string, wanted: ProfileChange): Promise<Changed> {
    const rules = { thisMonth: thisMonth(clock()), limits }
    const changed = await store.changeProfile(candidateId, stored => applyChange(stored, wanted, rules))
    if (changed === undefined) throw new Problem('not-found')
    return changed
  }

  /** Calls `decide` once the file has arrived, to add it or to recognise a repeated upload. */
  async function addResume(
    candidateId: string,
    file: UploadedFile,
    decide: (received: ReceivedFile, add: () => Promise<void>) => Promise<void> = (_, add) => add(),
  ): Promise<ReceivedFile> {
    const received = await files.receive(file, fileField)
    let isNeeded = false
    try {
      await decide(received, async () => {
        assertNotSwept([received], clock(), limits)
        // Stays true if the write fails with an unknown outcome.
        isNeeded = true
        isNeeded = await store.addResume(candidateId, { id: newUuid(), ...received }, limits.resumes)
        if (!isNeeded) throw tooMany(limits.resumes)
      })
    } finally {
      if (!isNeeded) await files.discard(received)
    }
    return received
  }

  async function findResume(candidateId: string, resumeId: string): Promise<Resume> {
    const resume = isUuid(resumeId) ? await store.findResume(candidateId, resumeId) : undefined
    if (resume === undefined) throw new Problem('not-found', 'This resume doesn’t exist.')
    return resume
  }

  return {
    find,
    change,
    listResumes: store.listResumes,
    findResume,
    addResume,

    async chooseDefault(candidateId: string, resumeId: string): Promise<void> {
      if (!(await store.chooseDefault(candidateId, resumeId))) {
        throw new Problem('not-found', 'This resume doesn’t exist.')
      }
    },

    /** The clean-up deletes the file later, unless an application uses it too. */
    async removeResume(candidateId: string, resumeId: string): Promise<void> {
      if (!(await store.removeResume(candidateId, resumeId, clock()))) {
        throw new Problem('not-found', 'This resume doesn’t exist. You may have just deleted it.')
      }
    },

    /** Opens a resume for its owner. */
    async openResume(candidateId: string, resumeId: string): Promise<OpenedResume> {
      const resume = await findResume(candidateId, resumeId)
      if (resume.scan === 'infected') {
        throw new Problem('not-found', 'We found a virus in this file, so it can’t be downloaded.')
      }
      return { resume, open: range => blobs.open(resume, range) }
    },
  }
}

function tooMany(most: number): Problem {
  return invalidField(
    fileField,
    'too-many',
    `You have ${most} resumes, which is the limit. Delete one first.`,
  )
}

/** The latest month that has begun anywhere on earth. */
function thisMonth(now: number): string {
  const hours = 14
  return new Date(now + hours * 3_600_000).toISOString().slice(0, 7)
}
