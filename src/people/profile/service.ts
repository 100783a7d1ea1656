import type { Candidate, Resume } from '../../model/candidate.ts'
import type { ListName, Lists } from '../../model/own-lists.ts'
import { maxResumes } from '../../model/profile.ts'
import type { BlobStore, ByteRange, UploadedFile } from '../../platform/blobs/ports.ts'
import type { FileReceiver } from '../../platform/blobs/receiving-service.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import { assertNotSwept } from '../../platform/blobs/upload-age.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { isUuid, newUuid } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { CandidateStore } from './candidate-store.ts'
import { applyChange, type Changed, type ProfileChange } from './change.ts'
import type { ProfileLimits } from './check.ts'

export interface ProfilesDeps {
  store: CandidateStore
  files: FileReceiver
  blobs: Pick<BlobStore, 'open'>
  clock: Clock
  limits: ProfileLimits
  lists: Pick<Lists, ListName>
}

export type Profiles = ReturnType<typeof createProfiles>

export interface OpenedResume {
  resume: Resume
  open(range?: ByteRange): Promise<NodeJS.ReadableStream>
}

/** The upload field, at which all errors about a file are shown. */
const fileField = 'file'

/** The profile and resumes of a candidate, changed only by the candidate. */
export function createProfiles({ store, files, blobs, clock, limits, lists }: ProfilesDeps) {
  async function find(candidateId: string): Promise<Candidate> {
    const candidate = await store.find(candidateId)
    if (candidate === undefined) throw new Problem('not-found')
    return candidate
  }

  /** Applies one change to the profile as it is now. Stores nothing if it has errors or is stale. */
  async function change(candidateId: string, wanted: ProfileChange): Promise<Changed> {
    const rules = { thisMonth: thisMonth(clock()), limits, lists }
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
        assertNotSwept([received], clock())
        // Stays true if the write fails with an unknown outcome.
        isNeeded = true
        isNeeded = await store.addResume(candidateId, { id: newUuid(), ...received }, maxResumes)
        if (!isNeeded) throw tooMany(maxResumes)
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

function tooMany(max: number): Problem {
  return invalidField(fileField, 'too-many', `You have ${max} resumes, which is the limit. Delete one first.`)
}

/** The latest month that has begun anywhere on earth. */
function thisMonth(now: number): string {
  const hours = 14
  return new Date(now + hours * 3_600_000).toISOString().slice(0, 7)
}
