import type { DraftStore } from '../../apply/form/draft-store.ts'
import { FileLost } from '../../platform/blobs/faults.ts'
import type { BlobStore } from '../../platform/blobs/ports.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import type { Log } from '../../platform/core/log.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { SessionStore } from '../account/session-store.ts'
import type { Disclosure } from '../activity/sharing-history.ts'
import type { SharingHistory } from '../activity/sharing-history-store.ts'
import type { FactorStore } from '../factors/factor-store.ts'
import type { IdentityStore } from '../identities/identity-store.ts'
import type { CandidateStore } from '../profile/candidate-store.ts'
import {
  accountEntry,
  appEntry,
  applicationEntry,
  attachmentPath,
  consentEntry,
  disclosureEntry,
  draftEntry,
  draftPath,
  identityEntry,
  linkEntry,
  membershipEntry,
  type Packed,
  packedNotes,
  passkeyEntry,
  readmeText,
  resumeEntry,
  resumePath,
  sessionEntry,
  startedEntry,
} from './document-service.ts'
import type { OwnAccount, OwnDataStore, OwnSentApplication, OwnStartedApplication } from './own-data-store.ts'

/** Limit: Rows read at once for the download of a person's data: some hundred kilobytes. */
const ownDataPage = 100

/** One file of the archive. Read it before requesting the next one. */
export interface PackedFile {
  path: string
  at: EpochMs
  content: NodeJS.ReadableStream | AsyncIterable<string>
  /** Set for uploaded files, whose content must have exactly this many bytes. */
  size?: number
}

export type OwnData = ReturnType<typeof createOwnData>

/** Exports everything about a candidate. Holds at most one page of rows or one chunk of a file in memory. */
export function createOwnData(deps: {
  store: OwnDataStore
  candidates: Pick<CandidateStore, 'listResumes'>
  drafts: Pick<DraftStore, 'list'>
  history: Pick<SharingHistory, 'disclosures'>
  sessions: Pick<SessionStore, 'list'>
  factors: Pick<FactorStore, 'find'>
  identities: Pick<IdentityStore, 'list'>
  blobs: Pick<BlobStore, 'open'>
  clock: Clock
  log: Log
}) {
  const { store, candidates, drafts, history, sessions, factors, blobs, clock, log } = deps

  async function secondFactors(candidateId: string) {
    const { totp, passkeys, codesLeft } = await factors.find(candidateId)
    const app = totp === undefined ? [] : [appEntry(totp)]
    const all = [...app, ...passkeys.map(passkeyEntry)]
    return all.map(entry => ({ ...entry, unusedRecoveryCodes: codesLeft }))
  }
  const max = ownDataPage

  async function existing(candidateId: string): Promise<OwnAccount> {
    const account = await store.account(candidateId)
    if (account === undefined) throw new Problem('not-found', 'This account has been deleted.')
    return account
  }

  /** Reads page after page, each starting after the last row of the previous one. */
  async function* pagesOf<T>(read: (last: T | undefined) => Promise<T[]>): AsyncGenerator<T[]> {
    let page: T[] = []
    do {
      page = await read(page.at(-1))
      yield page
    } while (page.length === max)
  }

  const applicationsOf = (candidateId: string) =>
    pagesOf<OwnSentApplication>(last => store.applications(candidateId, last, max))

  /** Yields the content of a file; a file without content is explained in the document instead. */
  async function* contentOf(
    file: ReceivedFile,
    path: string,
    onPacked: (packed: Packed) => void,
  ): AsyncGenerator<PackedFile> {
    if (file.scan === 'infected' || file.blob === null) return onPacked({ note: packedNotes.infected })
    let content: NodeJS.ReadableStream
    try {
      content = await blobs.open(file)
    } catch (error) {
      // If the file store is unavailable, fail: an archive without any files would look complete.
      if (!(error instanceof FileLost)) throw error
      log.error({ err: error }, 'a file is missing from the export of an account')
      return onPacked({ note: packedNotes.unreadable })
    }
    onPacked({ path })
    yield { path, at: file.uploadedAt, content, size: file.size }
  }

  async function* pack(account: OwnAccount, board: string): AsyncGenerator<PackedFile> {
    const { candidateId, email } = account
    const madeAt = clock()
    const packed = new Map<string, Packed>()
    yield { path: 'README.txt', at: madeAt, content: textOf(readmeText(board, email, madeAt)) }
    for (const [index, resume] of (await candidates.listResumes(candidateId)).entries()) {
      yield* contentOf(resume, resumePath(index + 1, resume), where => packed.set(resume.id, where))
    }
    for await (const page of applicationsOf(candidateId)) {
      for (const { applicationId, files } of page) {
        for (const file of files) {
          const key = `${applicationId} ${file.type}`
          yield* contentOf(file, attachmentPath(applicationId, file), where => packed.set(key, where))
        }
      }
    }
    for (const [index, { id, files }] of (await drafts.list(candidateId)).entries()) {
      for (const file of files)
        yield* contentOf(file, draftPath(index + 1, file), where => packed.set(`${id} ${file.field}`, where))
    }
    // Last, because only now is it known which files were readable.
    yield { path: 'data.json', at: madeAt, content: documentOf(candidateId, madeAt, packed) }
  }

  async function* documentOf(
    candidateId: string,
    madeAt: EpochMs,
    packed: ReadonlyMap<string, Packed>,
  ): AsyncGenerator<string> {
    const packedOf = (key: string) => packed.get(key) ?? { note: packedNotes.newer }
    // Read again: if the account has been deleted since, the archive is incomplete and must fail.
    const { email, emailConfirmedAt, ...rest } = await existing(candidateId)
    const account = accountEntry({ email, emailConfirmedAt, ...rest }, madeAt)
    yield JSON.stringify(account, null, 2).replace(/\n\}$/, '')
    yield* listOf('resumes', once(await candidates.listResumes(candidateId)), resume =>
      resumeEntry(resume, packedOf(resume.id)),
    )
    yield* listOf('applications', applicationsOf(candidateId), application =>
      applicationEntry(application, file => packedOf(`${application.applicationId} ${file.type}`)),
    )
    yield* listOf('drafts', once(await drafts.list(candidateId)), draft =>
      draftEntry(draft, file => packedOf(`${draft.id} ${file.field}`)),
    )
    yield* listOf(
      'startedApplications',
      pagesOf<OwnStartedApplication>(last => store.startedApplications(candidateId, last, max)),
      startedEntry,
    )
    const reports = emailConfirmedAt === null ? [] : await store.reports(email)
    yield* listOf('reportedJobs', once(reports), ({ reportedAt, ...report }) => ({
      ...report,
      reported: new Date(reportedAt).toISOString(),
    }))
    yield* listOf('consents', once(await store.consents(candidateId)), consentEntry)
    yield* listOf(
      'disclosures',
      pagesOf<Disclosure>(last =>
        history.disclosures(candidateId, max, last && { at: last.disclosedAt, id: last.id }),
      ),
      disclosureEntry,
    )
    yield* listOf('sessions', once(await sessions.list(candidateId, madeAt)), sessionEntry)
    yield* listOf('secondFactors', once(await secondFactors(candidateId)), entry => entry)
    yield* listOf('linkedSignIns', once(await deps.identities.list(candidateId)), identityEntry)
    yield* listOf('workplaces', once(await store.memberships(candidateId)), membershipEntry)
    yield* listOf('openLinks', once(await store.links(candidateId, madeAt)), linkEntry)
    await existing(candidateId)
    yield '\n}\n'
  }

  return {
    /** Yields the files of the archive one by one. A reader that stops early closes the open file. */
    async pack(candidateId: string, board: string): Promise<AsyncGenerator<PackedFile>> {
      return pack(await existing(candidateId), board)
    },
  }
}

async function* textOf(text: string): AsyncGenerator<string> {
  yield text
}

async function* once<T>(items: T[]): AsyncGenerator<T[]> {
  yield items
}

/** Streams a JSON property whose value is an array. */
async function* listOf<T>(
  name: string,
  pages: AsyncIterable<T[]>,
  entryOf: (item: T) => object,
): AsyncGenerator<string> {
  yield `,\n  ${JSON.stringify(name)}: [`
  let separator = '\n    '
  for await (const page of pages) {
    for (const item of page) {
      yield separator + JSON.stringify(entryOf(item), null, 2).replaceAll('\n', '\n    ')
      separator = ',\n    '
    }
  }
  yield separator.startsWith(',') ? '\n  ]' : ']'
}
