import type { Clock } from '../../core/clock.ts'
import { invalidField } from '../../core/fields.ts'
import { isUuid, newUuid } from '../../core/ids.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import type { BlobStore, ByteRange, FileReceiver, UploadedFile } from '../../files/ports.ts'
import type { Candidate, Resume } from '../../model/candidate.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import { checkProfileForm, type ProfileLimits } from './check.ts'
import type { ProfileForm } from './form.ts'
import type { CandidateStore } from './ports.ts'

export interface ProfilesDeps {
  store: CandidateStore
  files: FileReceiver
  blobs: Pick<BlobStore, 'open'>
  clock: Clock
  limits: ProfileLimits & { resumes: number }
}

export type Profiles = ReturnType<typeof createProfiles>

export interface OpenedResume {
  resume: Resume
  open(range?: ByteRange): Promise<NodeJS.ReadableStream>
}

/** The field of the upload form that everything wrong with a file is told at. */
const fileField = 'file'

/** What a candidate keeps with us, and nobody but the candidate changes. */
export function createProfiles({ store, files, blobs, clock, limits }: ProfilesDeps) {
  async function find(candidateId: string): Promise<Candidate> {
    const candidate = await store.find(candidateId)
    if (candidate === undefined) throw new Problem('not-found')
    return candidate
  }

  /** Returns what is wrong, field by field; nothing is saved then. */
  async function save(candidateId: string, form: ProfileForm): Promise<FieldError[]> {
    const { profile: current } = await find(candidateId)
    const { errors, checked } = checkProfileForm(form, { current, thisMonth: thisMonth(clock()), limits })
    if (errors.length > 0) return errors
    if (!(await store.saveProfile(candidateId, checked))) throw new Problem('not-found')
    return []
  }

  /** `decide` knows, once it is known what has arrived, whether that is to be added or is there already. */
  async function addResume(
    candidateId: string,
    file: UploadedFile,
    decide: (received: ReceivedFile, add: () => Promise<void>) => Promise<void> = (_, add) => add(),
  ): Promise<ReceivedFile> {
    const received = await files.receive(file, fileField)
    let isNeeded = false
    try {
      await decide(received, async () => {
        // Also when it is not known how this ended.
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
    if (resume === undefined) throw new Problem('not-found', 'You have no such resume.')
    return resume
  }

  return {
    find,
    save,
    listResumes: store.listResumes,
    findResume,
    addResume,

    async chooseDefault(candidateId: string, resumeId: string): Promise<void> {
      if (!(await store.chooseDefault(candidateId, resumeId))) {
        throw new Problem('not-found', 'You have no such resume.')
      }
    },

    /** The file itself goes with the clean-up, unless an application holds it, too. */
    async removeResume(candidateId: string, resumeId: string): Promise<void> {
      if (!(await store.removeResume(candidateId, resumeId, clock()))) {
        throw new Problem('not-found', 'You have no such resume. If you have just deleted it, it is gone.')
      }
    },

    /** For its owner. */
    async openResume(candidateId: string, resumeId: string): Promise<OpenedResume> {
      const resume = await findResume(candidateId, resumeId)
      if (resume.scan === 'infected') {
        throw new Problem('not-found', 'A virus was found in this file, so it is not handed out to anybody.')
      }
      return { resume, open: range => blobs.open(resume, range) }
    },
  }
}

function tooMany(most: number): Problem {
  return invalidField(fileField, 'too-many', `You have ${most} resumes, which is the most. Delete one first.`)
}

/** The month that has begun anywhere on earth. */
function thisMonth(now: number): string {
  const hours = 14
  return new Date(now + hours * 3_600_000).toISOString().slice(0, 7)
}
