import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noLog, recordLog } from '../../../test/harness/log.ts'
import { emptyProfile } from '../../model/profile.ts'
import { FileLost } from '../../platform/blobs/faults.ts'
import type { Log } from '../../platform/core/log.ts'
import { Problem } from '../../platform/core/problems.ts'
import { packedNotes } from './document-service.ts'
import { createOwnData } from './service.ts'

const account = {
  candidateId: 'mary',
  email: 'mary@example.com',
  emailConfirmedAt: null,
  createdAt: 0,
  firstName: 'Mary',
  lastName: 'Moss',
  profile: emptyProfile,
  muted: 0,
  mailRefusedAt: null,
}
const resume = {
  id: 'one',
  isDefault: true,
  fileName: 'resume.pdf',
  contentType: 'application/pdf',
  blob: '20261115/00/a',
  sha256: '',
  size: 1,
  scan: 'clean' as const,
  uploadedAt: 0,
}

/** The archive of a candidate with one resume, which cannot be opened. */
async function archiveWhen(fault: Error, log: Log = noLog): Promise<string> {
  const none = async () => []
  const ownData = createOwnData({
    store: {
      account: async () => account,
      reports: none,
      recipients: none,
      advertisersAppliedTo: none,
      applications: none,
      startedApplications: none,
      consents: none,
      memberships: none,
      links: none,
    },
    candidates: { listResumes: async () => [resume] },
    drafts: { list: none },
    history: { disclosures: none },
    sessions: { list: none },
    factors: { find: async () => ({ totp: undefined, passkeys: [], codesLeft: 0 }) },
    identities: { list: none },
    blobs: { open: () => Promise.reject(fault) },
    clock: () => 0,
    log,
  })
  let text = ''
  for await (const { content } of await ownData.pack('mary', 'Dossier'))
    for await (const chunk of content) text += chunk
  return text
}

test('the archive and the log note a lost file', async () => {
  const { log, lines } = recordLog()
  const fault = new FileLost('unavailable')
  assert.ok((await archiveWhen(fault, log)).includes(packedNotes.unreadable))
  const message = 'a file is missing from the export of an account'
  assert.deepEqual(lines, [{ level: 'error', message, fields: { err: fault } }])
})

test('an archive fails if the file store is unavailable', async () => {
  await assert.rejects(archiveWhen(new Problem('unavailable')), { code: 'unavailable' })
})
