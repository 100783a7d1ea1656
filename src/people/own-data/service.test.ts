import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../core/problems.ts'
import { FileLost } from '../../files/file-lost.ts'
import { emptyProfile } from '../../model/profile.ts'
import { packedNotes } from './document-service.ts'
import { createOwnData } from './service.ts'

const account = {
  ...{ candidateId: 'mary', email: 'mary@example.com', emailConfirmedAt: null, createdAt: 0 },
  ...{ firstName: 'Mary', lastName: 'Moss', profile: emptyProfile },
}
const resume = {
  ...{ id: 'one', isDefault: true, fileName: 'resume.pdf', contentType: 'application/pdf' },
  ...{ blob: '20261115/00/a', sha256: '', size: 1, scan: 'clean' as const, uploadedAt: 0 },
}

/** The archive of a candidate with one resume, which cannot be opened. */
async function archiveWhen(fault: Error): Promise<string> {
  const none = async () => []
  const ownData = createOwnData({
    store: {
      account: async () => account,
      ...{ recipients: none, advertisersAppliedTo: none },
      ...{ applications: none, startedApplications: none, consents: none, memberships: none, links: none },
    },
    candidates: { listResumes: async () => [resume] },
    history: { disclosures: none },
    sessions: { list: none },
    blobs: { open: () => Promise.reject(fault) },
    clock: () => 0,
    limits: { ownDataPage: 100 },
  })
  let text = ''
  for await (const { content } of await ownData.pack('mary')) for await (const chunk of content) text += chunk
  return text
}

test('the archive notes a lost file', async () => {
  assert.ok((await archiveWhen(new FileLost('unavailable'))).includes(packedNotes.unreadable))
})

test('an archive fails if the file store is unavailable', async () => {
  await assert.rejects(archiveWhen(new Problem('unavailable')), { code: 'unavailable' })
})
