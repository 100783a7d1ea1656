import type { BlobStore } from '../applications/ports.ts'
import type { Clock } from '../core/clock.ts'
import { safeFileName } from '../core/file-name.ts'
import { isUuid, newUuid } from '../core/ids.ts'
import { type FieldError, Problem } from '../core/problems.ts'
import {
  type ArchiveCheck,
  contentTypes,
  detectKind,
  type FileKind,
  faultMessages,
  nameOfKind,
} from './file-kinds.ts'
import type { Candidate, CandidateStore, Resume } from './ports.ts'
import { checkProfileForm, type ProfileLimits } from './profile-check.ts'
import type { ProfileForm } from './profile-form.ts'

export interface ProfilesDeps {
  store: CandidateStore
  blobs: Pick<BlobStore, 'put' | 'open'>
  checkArchive: ArchiveCheck
  clock: Clock
  limits: ProfileLimits & { resumes: number }
}

export type Profiles = ReturnType<typeof createProfiles>

export interface OpenedResume {
  resume: Resume
  open(): Promise<NodeJS.ReadableStream>
}

/** The field of the upload form that everything wrong with a file is told at. */
const fileField = 'file'

/** What a candidate keeps with us, and nobody but the candidate changes. */
export function createProfiles({ store, blobs, checkArchive, clock, limits }: ProfilesDeps) {
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

  async function addResume(
    candidateId: string,
    file: { name: string; content: AsyncIterable<Uint8Array> },
  ): Promise<void> {
    // Asked before the file is read, and again when it is added: others may be under way.
    if ((await store.listResumes(candidateId)).length >= limits.resumes) throw tooMany(limits.resumes)
    let kind: FileKind | undefined
    const blob = await blobs.put(file.content, async content => {
      const detected = await detectKind(content, checkArchive)
      if ('fault' in detected) throw fileProblem(detected.fault, faultMessages[detected.fault])
      kind = detected.kind
    })
    if (kind === undefined) throw new Error('the blob store did not check the file')
    const resume = {
      id: newUuid(),
      fileName: safeFileName(nameOfKind(safeFileName(file.name), kind)),
      contentType: contentTypes[kind],
      ...blob,
      scan: 'unscanned' as const,
      uploadedAt: clock(),
    }
    if (!(await store.addResume(candidateId, resume, limits.resumes))) throw tooMany(limits.resumes)
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

    /** The file itself stays until a later clean-up: an application may hold the same one. */
    async removeResume(candidateId: string, resumeId: string): Promise<void> {
      if (!(await store.removeResume(candidateId, resumeId))) {
        throw new Problem('not-found', 'You have no such resume.')
      }
    },

    /** For its owner. */
    async openResume(candidateId: string, resumeId: string): Promise<OpenedResume> {
      const resume = await findResume(candidateId, resumeId)
      if (resume.scan === 'infected') {
        throw new Problem('not-found', 'A virus was found in this file, so it is not handed out to anybody.')
      }
      return { resume, open: () => blobs.open({ sha256: resume.sha256, size: resume.size }) }
    },
  }
}

function fileProblem(code: string, message: string): Problem {
  return new Problem('invalid-fields', message, { errors: [{ field: fileField, code, message }] })
}

function tooMany(most: number): Problem {
  return fileProblem('too-many', `You have ${most} resumes, which is the most. Delete one first.`)
}

/** The month that has begun anywhere on earth. */
function thisMonth(now: number): string {
  const hours = 14
  return new Date(now + hours * 3_600_000).toISOString().slice(0, 7)
}
